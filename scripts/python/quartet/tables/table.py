"""One table over result documents, at most 80 columns wide.

Of a kernel with more than three sizes it shows three: the smallest, the one nearest to the last cache,
and the largest; other numbers of ranks than the first have only the largest. What does not fit a column
stands under the table: which limit decided, published numbers with their conditions (a, b ..), errors
(1, 2 ..), and the documents' warnings."""

import itertools
import textwrap
from collections.abc import Iterable, Iterator
from math import log
from typing import Any

from quartet.results import Case, whole_number
from quartet.tables import doubts
from quartet.tables.cells import CHECKS, fraction_cell, interval_cell, median_cell
from quartet.tables.pairs import legend, named
from quartet.terminal import BAR, YELLOW, Style
from quartet.text import (
    ABOVE_LIMIT,
    BOUNDS,
    WIDTH,
    Footnotes,
    aligned,
    counted,
    percent_range,
    plain_versions,
    rate,
    ratio,
    size,
    size_in_bytes,
    widths_of,
    wrapped,
)

HEADINGS = ("form", "via", "size", "ranks", "median", "95% interval", "limit", "fraction", "check",
            "published")
NARROW_HEADINGS = (*HEADINGS[:-1], "publ.")  # where the others do not fit
RANKS, FRACTION = HEADINGS.index("ranks"), HEADINGS.index("fraction")
SHARE, LEAST_BAR = 5, 4  # characters behind a bar, and of one
LEFT_ALIGNED = (0, 1, 2, FRACTION)  # columns; the others are numbers
ROW_FACTORS = ("size", "n", "ranks", "pair")  # that have a column
MOST_SIZES = 3
MOST_WARNINGS = 3

Rows = list[tuple[Case, tuple[str, ...]]]


def _letters() -> Iterator[str]:
    yield from "abcdefghijklmnopqrstuvwxyz"
    yield from (first + second for first in _letters() for second in "abcdefghijklmnopqrstuvwxyz")


def _order(case: Case) -> tuple[int, int]:
    return (case.name.ranks, size_in_bytes(case.name.size))


class Group:
    """Rows under one heading: those of a kernel with the same words and the same arithmetic, whose formulations agree
    in every factor that both have and that has no column."""

    def __init__(self, case: Case):
        self.kernel, self.unit, self.device = case.name.kernel, case.unit, case.name.device
        self.words, self.math = case.name.words, case.name.math
        self.values: dict[str, dict[str, str]] = {}  # by formulation
        self.cases: list[Case] = []

    def add(self, case: Case) -> bool:
        """Adds the case if it belongs here, and says if so. An error may know fewer factors, and has no unit."""
        name = case.name
        own = {key: value for key, value in name.values.items() if key not in ROW_FACTORS}
        words = set(name.words) <= set(self.words) if case.error else name.words == self.words
        if name.kernel != self.kernel or name.device not in ("", self.device) or not words \
                or name.math != self.math or not (case.error or case.unit == self.unit) \
                or not (case.error or self.values.get(name.formulation, own).keys() == own.keys()) \
                or any(known.get(key, value) != value for known in self.values.values() for key, value in own.items()):
            return False
        if not case.error or not self.values:
            self.values.setdefault(name.formulation, own)
        self.cases.append(case)
        return True

    def heading(self, ranks: str) -> str:
        """Says beside a factor which formulations have it, unless all have."""
        owners: dict[str, list[str]] = {}
        for formulation, own in self.values.items():
            for key, value in own.items():
                owners.setdefault(f"{key}:{value}", []).append(formulation)
        factors: dict[tuple[str, ...], list[str]] = {}
        for text, who in owners.items():
            factors.setdefault(tuple(who), []).append(text)
        shared = factors.pop(tuple(self.values), [])
        others = [f"{' and '.join(who)} {' '.join(texts)}" for who, texts in factors.items()]
        return ", ".join(filter(None, (f"{self.kernel} {self.unit}".strip(), self.device, ranks,
                                       *self.words, *shared, *others)))


def _groups(all_cases: list[Case]) -> list[Group]:
    """In the order in which the kernels come."""
    groups: list[Group] = []
    for case in sorted(all_cases, key=lambda case: bool(case.error)):
        if not any(group.add(case) for group in groups):
            groups.append(Group(case))
            groups[-1].add(case)
    kernels = list(dict.fromkeys(case.name.kernel for case in all_cases))
    return sorted(groups, key=lambda group: kernels.index(group.kernel))


def _last_cache(contexts: Iterable[dict[str, Any]]) -> int:
    """Bytes of the largest cache of the highest level."""
    caches = [cache for context in contexts for cache in context.get("caches", [])]
    return max(((cache["level"], cache["size"]) for cache in caches), default=(0, 2**25))[1]


def chosen(all_cases: list[Case], cache: int) -> list[Case]:
    """Returns the cases that a short table shows; errors are always among them."""
    sizes: dict[str, dict[str, set[str]]] = {}
    for case in all_cases:
        if not case.error:
            by_ranks = sizes.setdefault(case.name.kernel, {})
            by_ranks.setdefault(case.name.values.get("ranks", ""), set()).add(case.name.size)
    shown = {(kernel, ranks, each) for kernel, by_ranks in sizes.items()
             for place, (ranks, of_ranks) in enumerate(by_ranks.items())
             for each in _some_sizes(of_ranks, cache, place == 0)}
    return [case for case in all_cases if case.error or
            (case.name.kernel, case.name.values.get("ranks", ""), case.name.size) in shown]


def _some_sizes(sizes: set[str], cache: int, is_first: bool) -> list[str]:
    ordered = sorted(sizes, key=size_in_bytes)
    if len(ordered) <= MOST_SIZES:
        return ordered
    around = min(ordered[1:-1], key=lambda each: abs(log(max(size_in_bytes(each), 1) / cache)))
    return [ordered[0], around, ordered[-1]] if is_first else ordered[-1:]


def _ranks(case: Case) -> str:
    return named(case) or case.name.values.get("ranks", "")


def _published(case: Case, footnotes: Footnotes) -> str:
    number = case.published
    if not number:
        return ""
    caveat = f" Note: {number['caveat']}." if number.get("caveat") else ""
    text = (f"{BOUNDS[number['bound']]} {number['value']:g} {number['unit']}: "
            f"{number['conditions']} ({number['source']}). Ours: {number['ours']}.{caveat}")
    return f"{ratio(number['ratio'])} {footnotes.mark(text)}"


class Table:
    """The table of the cases of one or several launches."""

    def __init__(self, all_cases: list[Case], style: Style):
        self._cases, self._style = all_cases, style
        self._published, self._errors = Footnotes(_letters()), Footnotes(map(str, itertools.count(1)))

    def lines(self) -> list[str]:
        groups = [(group, [(case, self._cells(case)) for case in sorted(group.cases, key=_order)])
                  for group in _groups(self._cases)]
        ranks = {cells[RANKS] for _, rows in groups for _, cells in rows}
        one = ranks.pop() if len(ranks) == 1 else ""
        shared = counted(int(one), "rank") if whole_number(one) is not None else ""  # then it needs no column
        columns = [column for column in range(len(HEADINGS))
                   if any(cells[column] for _, rows in groups for _, cells in rows)
                   and (column != RANKS or not shared)]
        bar = self._bar_width([cells for _, rows in groups for _, cells in rows], columns)
        whole = [(group, [(case, self._with_bar(case, cells, bar)) for case, cells in rows])
                 for group, rows in groups]
        all_cells = [cells for _, rows in whole for _, cells in rows]
        headings, widths = HEADINGS, widths_of([HEADINGS, *all_cells])
        if sum(widths[column] + 1 for column in columns) > WIDTH + 1:
            headings, widths = NARROW_HEADINGS, widths_of([NARROW_HEADINGS, *all_cells])
        return list(self._all_lines(whole, headings, columns, widths, shared))

    def _all_lines(self, groups: list[tuple[Group, Rows]], headings: tuple[str, ...],
                   columns: list[int], widths: list[int], shared: str) -> Iterator[str]:
        def line(cells: tuple[str, ...]) -> str:
            left = [place for place, column in enumerate(columns) if column in LEFT_ALIGNED]
            return aligned([cells[column] for column in columns],
                           [widths[column] for column in columns], left)

        yield line(headings)
        for group, rows in groups:
            yield from textwrap.wrap(group.heading(shared), WIDTH, subsequent_indent="  ")
            for case, cells in rows:
                text = line(cells)
                yield self._style.paint(text, YELLOW) if case.mark or case.verified is False \
                    else self._style.paint_bar(text, case.fraction_of_limit)

    def _bar_width(self, rows: list[tuple[str, ...]], columns: list[int]) -> int:
        """Ten characters, or what a line has left; none where a bar would tell nothing."""
        widths = widths_of([HEADINGS, *rows])
        widths[FRACTION] = max(SHARE, *(len(cells[FRACTION]) for cells in rows))
        left = WIDTH - sum(widths[column] + 1 for column in columns)
        return min(BAR, left) if left >= LEAST_BAR else 0

    def _with_bar(self, case: Case, cells: tuple[str, ...], width: int) -> tuple[str, ...]:
        bar = self._style.bar(case.fraction_of_limit if not case.error else None, width)
        text = " ".join(filter(None, (bar, f"{cells[FRACTION]:>{SHARE}}"))) if cells[FRACTION] else ""
        return (*cells[:FRACTION], text, *cells[FRACTION + 1:])

    def _cells(self, case: Case) -> tuple[str, ...]:
        name = case.name
        who = (name.formulation, name.transport, size(name.size), _ranks(case))
        if case.error:
            return (*who, "failed", f"see {self._errors.mark(plain_versions(case.error))}", "", "", "", "")
        limit = rate(case.limit["rate"]) if case.limit else ""
        return (*who, median_cell(case.rate, case.mark), interval_cell(case.interval), limit,
                fraction_cell(case.fraction_of_limit, case.mark), CHECKS[case.verified],
                _published(case, self._published))

    def footnotes(self) -> list[str]:
        return [*self._published.lines(), *self._errors.lines()]


def _limits(all_cases: list[Case]) -> Iterator[str]:
    """Names each kernel's limits, and which part decided if there are several."""
    deciding: dict[tuple[str, str], dict[str, dict[str, None]]] = {}
    for case in all_cases:
        if case.limit:
            parts = deciding.setdefault((case.name.kernel, case.limit["what"]), {})
            decided = case.median.get("limit_decided_by", "")
            if len(case.median.get("limit_components", [])) > 1:
                parts.setdefault(decided, {})[case.name.formulation] = None
    for (kernel, what), parts in deciding.items():
        decided = "; ".join(f"{part} decided for {', '.join(who)}" for part, who in parts.items())
        if len(parts) > 1 and len({tuple(who) for who in parts.values()}) == 1:
            decided = f"{' or '.join(parts)} decided, row by row"
        yield f"{kernel}'s limit: {what}" + (f"; {decided}" if decided else "")


def _beside_limits(all_cases: list[Case]) -> Iterator[str]:
    """Shares that stand beside limits, one line for all rows with the same text."""
    said: dict[tuple[str, str], list[float]] = {}
    for case in all_cases:
        parts = [] if case.is_distrusted else case.median.get("limit_components", [])
        for part in parts:
            if "hardware_seconds" in part:
                said.setdefault((part["name"], "the FMA peak"), []).append(
                    part["hardware_seconds"] / part["seconds"])
            if "all_ranks_seconds" in part and case.fraction_of_all_ranks:
                of_what = (f"what all ranks would allow ({part['name']} on {part['ranks']} of "
                           f"{case.name.ranks})")
                said.setdefault((f"{case.name.kernel} {case.name.formulation}", of_what), []).append(
                    case.fraction_of_all_ranks)
    for (what, of_what), shares in said.items():
        yield f"{what}: {percent_range(min(shares), max(shares))} of {of_what}."


def _roads(all_cases: list[Case]) -> Iterator[str]:
    """Which way most of the rows' bytes took: "over mlx5_0 98-99%, memory 100%"."""
    shares: dict[str, list[float]] = {}
    for case in all_cases:
        for name, share in case.road.parts[:1]:
            shares.setdefault(name, []).append(share)
    if shares:
        yield "over " + ", ".join(f"{name} {percent_range(min(found), max(found))}" for name, found in shares.items())
    yield from dict.fromkeys(line for case in all_cases for line in case.road.beside)


def _notes(shown: list[Case], hidden: int, all_warnings: list[str], is_short: bool) -> list[str]:
    lines = [line for text in (*_roads(shown), *_limits(shown), *_beside_limits(shown))
             for line in wrapped("", text)]
    lines += wrapped("", legend(shown)) if legend(shown) else []
    marks = {case.mark for case in shown}
    if "!" in marks:
        lines += wrapped("!", ABOVE_LIMIT)
        for transport, note in dict.fromkeys((case.name.transport, case.note) for case in shown
                                             if case.mark == "!"):
            lines += wrapped("!", f"{transport}: {plain_versions(note)}") if note else []
    lines += doubts.lines(shown, is_short)
    texts = list(dict.fromkeys(all_warnings))
    if hidden:
        lines += wrapped("", f"{counted(hidden, 'row')} of other sizes: --all shows them")
    for text in texts[:MOST_WARNINGS] if is_short else texts:
        lines += wrapped("", f"warning: {plain_versions(text)}")
    if is_short and len(texts) > MOST_WARNINGS:
        lines += wrapped("", f"{counted(len(texts) - MOST_WARNINGS, 'more warning')}: --all "
                         "shows them")
    return lines


def render(all_cases: list[Case], is_short: bool = False, style: Style = Style()) -> str:
    """The table over all (judged) cases, with its footnotes."""
    if not all_cases:
        return "no results\n"
    contexts = {id(case.context): case.context for case in all_cases}.values()
    shown = chosen(all_cases, _last_cache(contexts)) if is_short else all_cases
    table = Table(shown, style)
    lines = table.lines()
    all_warnings = [_with_short_names(text, all_cases) for context in contexts
                    for text in context["quartet"].get("warnings", [])
                    if not (is_short and _is_about_a_marked_row(text, all_cases))]
    notes = _notes(shown, len(all_cases) - len(shown), all_warnings, is_short)
    return "\n".join([*lines, "", *table.footnotes(), *notes]).rstrip() + "\n"


def _with_short_names(warning: str, all_cases: list[Case]) -> str:
    """ "cg native shm full 4096" in place of "cg/native/host/shm/laplace/full/classic/n:4096/..."."""
    for case in all_cases:
        if case.text in warning:
            warning = warning.replace(case.text, doubts.short_name(case))
    return warning


def _is_about_a_marked_row(warning: str, all_cases: list[Case]) -> bool:
    """The lines below the table say it."""
    return any(case.mark and case.text in warning for case in all_cases)
