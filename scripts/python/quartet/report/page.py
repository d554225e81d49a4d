"""The page: one self-contained HTML file."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from quartet.text import rate

from .cautions import Warning
from .charts.markup import Markup, join, tag
from .charts.model import Chart, Timeline
from .charts.style import NO_MATPLOTLIB, SCHEMES
from .sections import Section, Table
from .sorting import LEAST_ROWS, SORTED, allowed
from .zooming import START, box

STYLE = Path(__file__).with_name("style.css")
LONG = 34  # characters of a cell that may be broken anywhere, given room
MISSING, NOT_MEASURED = "missing", "Not measured yet"
FIRST = "summary"
TALL = 30  # rows of a table that scrolls in itself
WIDE = 9  # columns of a table that is wider than the page
MOST_SHOWN = 4  # of what a warning is about
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?")
NOTHING_ELSE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True)
class Page:
    subtitle: str
    warnings: list[Warning]
    sections: list[Section]


def file_names(section: Section) -> list[str]:
    """The file names of its charts, without an ending."""
    count = len(section.charts)
    return [section.slug if count == 1 else f"{section.slug}-{index + 1}" for index in range(count)]


def render(page: Page, pictures: dict[str, Markup], endings: tuple[str, ...], scripts: tuple[str, ...] = ()) -> str:
    """The HTML. `pictures` are the charts as SVG, by their files' names; none if they cannot be
    drawn. Beside the page lie their files, with these endings. It runs these `scripts` alone."""
    head = tag("head", tag("meta", charset="utf-8"),
               tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
               tag("meta", http_equiv="Content-Security-Policy", content=_policy(scripts)),
               tag("title", "Quartet report"),
               tag("style", Markup(STYLE.read_text(encoding="utf-8") + SCHEMES)))
    full = [section for section in page.sections if not section.is_empty]
    empty = [section for section in page.sections if section.is_empty]
    grave, doubts = ([warning for warning in page.warnings if warning.is_grave is which] for which in (True, False))
    parts = [_section(section, pictures, endings, START in scripts) for section in full]
    first = 1 if full and full[0].slug == FIRST else 0  # what matters most stands above the doubts
    body = tag("body", tag("header", tag("h1", "Quartet report"), tag("p", page.subtitle)),
               _box("Read this first", grave) if grave else "", *(() if pictures else (_NO_CHARTS,)),
               _contents(full, empty),
               tag("main", *parts[:first], _doubts(doubts, bool(grave)), *parts[first:], _not_measured(empty)),
               *(tag("script", Markup(text)) for text in scripts))
    return join(Markup("<!DOCTYPE html>\n"), tag("html", head, "\n", body, lang="en"), "\n")


_NO_CHARTS = tag("p", f"This page has tables instead of charts: {NO_MATPLOTLIB}.", class_="missing")


def _policy(scripts: tuple[str, ...]) -> str:
    return f"{NOTHING_ELSE}; script-src{allowed(scripts)}" if scripts else NOTHING_ELSE


def _doubts(warnings: list[Warning], is_more: bool) -> Markup:
    if warnings:
        return _box("Doubts", warnings)
    return Markup("") if is_more else tag("div", tag("h2", "No warnings"), tag(
        "p", "Every document was read, every row verified, none above its limit."), class_="warnings none")


def _box(title: str, warnings: list[Warning]) -> Markup:
    return tag("div", tag("h2", title), tag("ul", *map(_warning, warnings)), class_="warnings")


def _warning(warning: Warning) -> Markup:
    text = tag("span", warning.text, class_="grave") if warning.is_grave else warning.text
    about = tag("ul", *(tag("li", item) for item in warning.about)) if warning.about else ""
    if warning.names:
        more = f" and {len(warning.names) - MOST_SHOWN} more" * (len(warning.names) > MOST_SHOWN)
        head = f"{warning.head}: {'; '.join(warning.names[:MOST_SHOWN])}{more}"
        return tag("li", tag("details", tag("summary", head), tag("p", text), about))
    if len(warning.about) > MOST_SHOWN:
        about = tag("details", tag("summary", f"all {len(warning.about)}"), about)
    return tag("li", text, about)


def _contents(full: list[Section], empty: list[Section]) -> Markup:
    links = [(section.slug, section.title) for section in full] + [(MISSING, NOT_MEASURED)] * bool(empty)
    return tag("nav", tag("ul", *(tag("li", tag("a", title, href=f"#{slug}")) for slug, title in links)),
               aria_label="Contents")


def _not_measured(empty: list[Section]) -> Markup:
    """Lists what the page could show, and the command that would measure it."""
    if not empty:
        return Markup("")
    items = [tag("li", f"{section.title}: {section.missing}",
                 *((" To get it: ", tag("code", section.command)) if section.command else ())) for section in empty]
    return tag("section", tag("h2", NOT_MEASURED), tag("ul", *items, class_="missing"), id=MISSING)


def _section(section: Section, pictures: dict[str, Markup], endings: tuple[str, ...], can_zoom: bool) -> Markup:
    parts = [tag("h2", section.title)]
    if section.introduction:
        parts.append(tag("p", section.introduction))
    if section.charts:
        notes = [tag("ul", *(tag("li", note) for note in section.notes), class_="notes")]
        parts.append(tag("div", *(_figure(chart, name, pictures.get(name), endings, can_zoom)
                           for chart, name in zip(section.charts, file_names(section))),
                         *(notes if section.notes else []), class_="charts"))
    parts += [_table(table, bool(section.charts)) for table in section.tables]
    return tag("section", *parts, id=section.slug)


def _figure(chart: Chart, name: str, picture: Optional[Markup], endings: tuple[str, ...], can_zoom: bool) -> Markup:
    links = [part for ending in endings for part in (
        " ", tag("a", ending.upper(), href=f"figures/{name}.{ending}"))]
    notes = [tag("ul", *(tag("li", note) for note in chart.notes), class_="doubts")]
    if len(chart.notes) > 1:
        notes = [tag("details", tag("summary", f"{len(chart.notes)} marks, and why"), *notes, class_="doubts")]
    caption = [tag("figcaption", "As a file:", *links)] if links else []
    zoom = [box(chart)] if can_zoom and isinstance(chart, Timeline) else []
    return tag("figure", picture or _as_table(chart), *zoom, *(notes if chart.notes else []), *caption)


def _as_table(chart: Chart) -> Markup:
    heading, *rows = chart.rows()
    numeric = frozenset(name for index, name in enumerate(heading)
                        if all(isinstance(row[index], (int, float)) for row in rows))
    return _table(Table(heading, [tuple(rate(cell) if isinstance(cell, float) else str(cell)
                                        for cell in row) for row in rows],
                        numeric, chart.title), False)


def _table(table: Table, is_folded: bool) -> Markup:
    heading = tag("tr", *(tag("th", name, scope="col",
                              class_="number" if name in table.numeric else None)
                          for name in table.heading))
    rows = [tag("tr", *(_cell(cell, name in table.numeric)
                        for name, cell in zip(table.heading, row))) for row in table.rows]
    caption = tag("caption", table.caption) if table.caption and not is_folded else ""
    kinds = "scroll" + " tall" * (len(rows) > TALL) + " wide" * (len(table.heading) > WIDE)
    box = tag("div", tag("table", caption, tag("thead", heading), tag("tbody", *rows),
                         class_=SORTED if table.numeric and len(rows) >= LEAST_ROWS else None),
              class_=kinds, tabindex="0", role="region", aria_label=table.caption or "table")
    if not is_folded:
        return box
    return tag("details", tag("summary", table.caption), box, open="" if table.is_open else None)


def _cell(text: str, is_number: bool) -> Markup:
    """A number is sorted without its mark and unit."""
    if not is_number:
        return tag("td", text, class_="long" if len(text) > LONG else None)
    found = NUMBER.search(text)
    return tag("td", text, class_="number", data_order=found[0] if found else "")
