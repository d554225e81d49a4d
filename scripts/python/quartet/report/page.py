"""The page: one self-contained HTML file, which runs no script and fetches nothing; and the data of its charts, which
drawing.py draws. Each chart can also be a table (`rows`). Its `title` is the finding, `about` says what was measured,
and `notes` why points are marked."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Union

from quartet.text import rate

from .style import NO_MATPLOTLIB, SCHEMES

STYLE = Path(__file__).with_name("style.css")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
LONG = 24  # characters of a cell, above which its text may be broken anywhere
TALL = 30  # rows above which a table has its own scroll bar
MISSING = "missing"
# No XML text may hold these, and some editors obey them.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_VOID = {"meta"}


@dataclass(frozen=True)
class Bar:
    label: str
    share: float  # of the limit
    text: str  # as shown
    formulation: str = ""
    mark: str = ""  # not empty: not to be quoted, drawn hatched
    about: str = ""


@dataclass(frozen=True)
class ShareChart:
    """Bars in per cent of a limit, in groups whose headings say what 100% is."""

    title: str
    groups: tuple[tuple[str, str, tuple[Bar, ...]], ...]
    about: str = ""
    notes: tuple[str, ...] = ()

    @property
    def bars(self) -> list[Bar]:
        return [bar for _, _, bars in self.groups for bar in bars]

    def rows(self) -> list[tuple[Any, ...]]:
        return [("group", "bar", "per cent of the limit", "text", "case", "mark")] + [
            (heading, bar.label, 100 * bar.share, bar.text, bar.about, bar.mark)
            for heading, _, bars in self.groups for bar in bars]


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    interval: tuple[float, ...] = ()  # its two bounds, if it has one
    about: str = ""
    mark: str = ""  # not empty: drawn hollow
    why: str = ""  # why it is marked


@dataclass(frozen=True)
class Line:
    """Without a formulation it is grey: a limit, an ideal, or a published number, which may be a single point."""

    label: str
    points: tuple[Point, ...]
    formulation: str = ""
    transport: str = ""
    role: str = "measured"


@dataclass(frozen=True)
class LineChart:
    """Both axes are logarithmic."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    about: str = ""
    notes: tuple[str, ...] = ()
    x_text: Callable[[float], str] = "{:g}".format

    def rows(self) -> list[tuple[Any, ...]]:
        return [("line", "role", self.x_label, self.y_label, "low", "high", "case", "mark")] + [
            (line.label, line.role, point.x, point.y, *(point.interval or ("", "")), point.about, point.mark)
            for line in self.lines for point in line.points]


Chart = Union[ShareChart, LineChart]


class Markup(str):
    """Text that is markup already. All other text is escaped, so that documents cannot add markup."""


@dataclass(frozen=True)
class Table:
    """Cells are texts; the columns named in `numeric` are right-aligned. Columns that are empty in all rows are not
    shown. A folded table shows only its caption until it is opened."""

    heading: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    numeric: frozenset[str] = frozenset()
    caption: str = ""
    is_folded: bool = False


@dataclass(frozen=True)
class Section:
    """A part of the page. If it has neither charts nor tables, the page shows `missing`, and `command` to fill it."""

    slug: str  # names the files of its charts
    title: str
    introduction: str = ""
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    missing: str = ""
    command: str = ""

    def file_names(self) -> list[str]:
        """The names of its charts' files, without endings."""
        count = len(self.charts)
        return [self.slug if count == 1 else f"{self.slug}-{index + 1}" for index in range(count)]


@dataclass(frozen=True)
class PageWarning:
    """A text, and the rows or documents that it is about. Grave warnings are at the top of the page."""

    text: str
    about: tuple[str, ...] = ()
    is_grave: bool = False


@dataclass(frozen=True)
class Page:
    subtitle: Sequence[str]
    warnings: Sequence[PageWarning]
    sections: Sequence[Section]


def sound(text: Any) -> str:
    """The text without what XML forbids: control characters, lone surrogates."""
    whole = str(text).encode("utf-8", "replace").decode("utf-8")
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", whole)


def _escaped(text: Any) -> str:
    return text if isinstance(text, Markup) else html.escape(sound(text))


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """An element. `class_` is class, `http_equiv` http-equiv; attributes that are None are left out."""
    shown = "".join(f' {key.rstrip("_").replace("_", "-")}="{_escaped(value)}"'
                    for key, value in attributes.items() if value is not None)
    end = "" if name in _VOID else f"{''.join(map(_escaped, children))}</{name}>"
    return Markup(f"<{name}{shown}>{end}")


def render(page: Page, pictures: dict[str, Markup], endings: tuple[str, ...], title: str = "Quartet report") -> str:
    """The page as HTML. `pictures` are the charts as SVG, by their files' names; empty if they cannot be drawn. Their
    files, with these endings, are in figures/ beside the page."""
    head = tag("head", tag("meta", charset="utf-8"),
               tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
               tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
               tag("title", title), tag("style", Markup(STYLE.read_text(encoding="utf-8") + SCHEMES)))
    full = [section for section in page.sections if section.charts or section.tables]
    empty = [section for section in page.sections if section not in full]
    grave, others = ([warning for warning in page.warnings if warning.is_grave is which] for which in (True, False))
    links = [*((section.slug, section.title) for section in full), ("doubts", "Doubts")]
    links += [(MISSING, "Not measured")] * bool(empty)
    body = tag("body", tag("header", tag("h1", title), *(tag("p", line) for line in page.subtitle)),
               tag("div", tag("h2", "Read this first"), *map(_warning, grave), class_="grave") if grave else "",
               "" if pictures else tag("p", f"Tables instead of charts: {NO_MATPLOTLIB}.", class_="quiet"),
               tag("nav", tag("ul", *(tag("li", tag("a", title, href=f"#{slug}")) for slug, title in links)),
                   aria_label="Contents"),
               tag("main", *(_section(section, pictures, endings) for section in full), _warnings(others, bool(grave)),
                   _not_measured(empty)))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _warning(warning: PageWarning) -> Markup:
    if not warning.about:
        return tag("p", warning.text)
    return tag("details", tag("summary", f"{warning.text} ({len(warning.about)})"),
               tag("ul", *(tag("li", item) for item in warning.about)), open="" if warning.is_grave else None)


def _warnings(warnings: list[PageWarning], are_there_more: bool) -> Markup:
    sound_text = "Every document was read, every row was verified, and none is in doubt."
    return tag("section", tag("h2", "Doubts"), *map(_warning, warnings),
               "" if warnings or are_there_more else tag("p", sound_text), id="doubts")


def _not_measured(empty: list[Section]) -> str:
    """The empty sections, each with the command that would fill it."""
    items = [tag("li", f"{section.title}: {section.missing}",
                 *((" To get it: ", tag("code", section.command)) if section.command else ())) for section in empty]
    return tag("section", tag("h2", "Not measured"), tag("ul", *items), id=MISSING, class_="quiet") if empty else ""


def _section(section: Section, pictures: dict[str, Markup], endings: tuple[str, ...]) -> Markup:
    charts = [_figure(chart, name, pictures.get(name), endings)
              for chart, name in zip(section.charts, section.file_names())]
    return tag("section", tag("h2", section.title), tag("p", section.introduction) if section.introduction else "",
               tag("div", *charts, class_="charts") if charts else "",
               tag("ul", *(tag("li", note) for note in section.notes), class_="notes") if section.notes else "",
               *map(_table, section.tables), id=section.slug)


def _figure(chart: Chart, name: str, picture: Any, endings: tuple[str, ...]) -> Markup:
    links = [part for ending in endings for part in (" ", tag("a", ending.upper(), href=f"figures/{name}.{ending}"))]
    notes = tag("details", tag("summary", "Marks, and why"), tag("ul", *(tag("li", note) for note in chart.notes)))
    return tag("figure", tag("h3", chart.title), tag("p", chart.about, class_="quiet") if chart.about else "",
               picture or _as_table(chart), notes if chart.notes else "",
               tag("figcaption", "As a file:", *links) if links else "")


def _as_table(chart: Chart) -> Markup:
    heading, *rows = chart.rows()
    numeric = frozenset(name for index, name in enumerate(heading)
                        if all(isinstance(row[index], (int, float)) for row in rows))
    texts = [tuple(rate(cell) if isinstance(cell, float) else str(cell) for cell in row) for row in rows]
    return _table(Table(heading, texts, numeric))


def _table(table: Table) -> Markup:
    filled = [index for index in range(len(table.heading)) if any(row[index] for row in table.rows)]
    numbers = {index for index in filled if table.heading[index] in table.numeric}
    heading = tag("tr", *(tag("th", table.heading[index], scope="col", class_="number" if index in numbers else None)
                          for index in filled))
    rows = [tag("tr", *(tag("td", row[index], class_="number" if index in numbers else
                            "long" if len(row[index]) > LONG else None) for index in filled)) for row in table.rows]
    is_named = table.caption and not table.is_folded
    box = tag("div", tag("table", tag("caption", table.caption) if is_named else "", tag("thead", heading),
                         tag("tbody", *rows)), class_="scroll" + " tall" * (len(rows) > TALL), tabindex="0",
              role="region", aria_label=table.caption or "table")
    return tag("details", tag("summary", table.caption), box) if table.is_folded else box
