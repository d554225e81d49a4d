"""One table over result documents, at most 80 columns wide, a block for each machine.

Of a kernel with more than three sizes it shows three: the smallest, the one nearest to the last cache,
and the largest; other numbers of ranks than the first have only the largest. What does not fit a column
stands under the table: published numbers with their conditions (a, b ..), errors (1, 2 ..), and why rows
are in doubt. With --all: every size and warning, and which part of each limit decided."""

import itertools
import statistics
import string
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

HEADINGS = ("form", "via", "size", "ranks", "median", "95% interval", "limit", "fraction", "check", "publ.")
RANKS, FRACTION = HEADINGS.index("ranks"), HEADINGS.index("fraction")
SHARE, LEAST_BAR = 5, 4  # characters behind a bar, and of one
LEFT_ALIGNED = (0, 1, 2, FRACTION)  # columns; the others are numbers
ROW_FACTORS = ("size", "n", "ranks", "pair")  # that have a column
MOST_SIZES = 3
MOST_WARNINGS = 3
# Parts of limits that say what the machine itself allows: what is counted, and in words.
RESOURCES = {"reading the matrix": ("bytes", "reads memory at {} GB/s"), "memory copy": ("bytes", "copies at {} GB/s"),
             "float64 arithmetic": ("flops", "float64 {} GFLOP/s"), "SGEMM": ("flops", "SGEMM {} GFLOP/s")}

Rows = list[tuple[Case, tuple[str, ...]]]


def by_machine(all_cases: Iterable[Case]) -> list[list[Case]]:
    """The cases of each machine, in order of appearance."""
    machines: dict[str, list[Case]] = {}
    for case in all_cases:
        machines.setdefault(case.machine, []).append(case)
    return list(machines.values())


def glance(cases: list[Case]) -> str:
    """The machine of these cases in a sentence: "AMD EPYC, 2 CPUs; 2 ranks; reads memory at 27 GB/s, ...". Its rates
    are those that were measured beside the largest problems."""
    found: dict[str, list[tuple[float, float]]] = {}
    for case in cases:
        for part in case.median.get("limit_components") or []:
            if part["name"] in RESOURCES and not part.get("ranks"):
                work = float(case.median.get(RESOURCES[part["name"]][0]) or 0)
                found.setdefault(part["name"], []).append((work, work / part["seconds"] / 1e9))
    rates = [words.format(rate(statistics.median(value for work, value in found[name] if work == max(found[name])[0])))
             for name, (_, words) in RESOURCES.items() if name in found]
    ranks = {case.name.ranks for case in cases if case.name.ranks}
    nodes = max((case.nodes for case in cases), default=1)
    where = [f"{ranks.pop()} ranks" if len(ranks) == 1 and ranks != {1} else "", f"{nodes} nodes" if nodes > 1 else ""]
    return "; ".join(filter(None, (cases[0].machine, *where, ", ".join(rates))))


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


def chosen(all_cases: list[Case]) -> list[Case]:
    """Returns the cases that a short table shows; errors are always among them."""
    caches = [cache for case in all_cases for cache in case.context.get("caches", [])]
    last = max(((cache["level"], cache["size"]) for cache in caches), default=(0, 2**25))[1]  # the largest of them
    sizes: dict[str, dict[str, set[str]]] = {}
    for case in all_cases:
        if not case.error:
            by_ranks = sizes.setdefault(case.name.kernel, {})
            by_ranks.setdefault(case.name.values.get("ranks", ""), set()).add(case.name.size)
    shown = {(kernel, ranks, each) for kernel, by_ranks in sizes.items()
             for place, (ranks, of_ranks) in enumerate(by_ranks.items())
             for each in _some_sizes(of_ranks, last, place == 0)}
    return [case for case in all_cases if case.error or
            (case.name.kernel, case.name.values.get("ranks", ""), case.name.size) in shown]


def _some_sizes(sizes: set[str], cache: int, is_first: bool) -> list[str]:
    ordered = sorted(sizes, key=size_in_bytes)
    if len(ordered) <= MOST_SIZES:
        return ordered
    around = min(ordered[1:-1], key=lambda each: abs(log(max(size_in_bytes(each), 1) / cache)))
    return [ordered[0], around, ordered[-1]] if is_first else ordered[-1:]


def _order(case: Case) -> tuple[int, int]:
    return (case.name.ranks, size_in_bytes(case.name.size))


class Table:
    """The table of the cases of one machine."""

    def __init__(self, all_cases: list[Case], style: Style):
        self._cases, self._style = all_cases, style
        letters = ("".join(word) for length in (1, 2) for word in itertools.product(string.ascii_lowercase, repeat=length))
        self._published, self._errors = Footnotes(letters), Footnotes(map(str, itertools.count(1)))

    def lines(self) -> Iterator[str]:
        groups = [(group, [(case, self._cells(case)) for case in sorted(group.cases, key=_order)])
                  for group in _groups(self._cases)]
        every = [cells for _, rows in groups for _, cells in rows]
        ranks = {cells[RANKS] for cells in every}
        one = ranks.pop() if len(ranks) == 1 else ""
        shared = counted(int(one), "rank") if whole_number(one) is not None else ""  # then it needs no column
        columns = [column for column in range(len(HEADINGS))
                   if any(cells[column] for cells in every) and (column != RANKS or not shared)]
        bar = self._bar_width(every, columns)
        groups = [(group, [(case, self._with_bar(case, cells, bar)) for case, cells in rows]) for group, rows in groups]
        widths = widths_of([HEADINGS, *(cells for _, rows in groups for _, cells in rows)])

        def line(cells: tuple[str, ...]) -> str:
            left = [place for place, column in enumerate(columns) if column in LEFT_ALIGNED]
            return aligned([cells[column] for column in columns], [widths[column] for column in columns], left)

        yield line(HEADINGS)
        for group, rows in groups:
            yield from textwrap.wrap(group.heading(shared), WIDTH, subsequent_indent="  ")
            for case, cells in rows:
                yield self._style.paint(line(cells), YELLOW) if case.mark or case.verified is False \
                    else self._style.paint_bar(line(cells), case.fraction_of_limit)

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
        who = (name.formulation, name.transport, size(name.size), named(case) or name.values.get("ranks", ""))
        if case.is_not_run:
            return (*who, "not run", "", "", "", "", "")
        if case.error:
            return (*who, "failed", f"see {self._errors.mark(plain_versions(case.error))}", "", "", "", "")
        limit = rate(case.limit["rate"]) if case.limit else ""
        return (*who, median_cell(case.rate, case.mark), interval_cell(case.interval), limit,
                fraction_cell(case.fraction_of_limit, case.mark), CHECKS[case.verified], self._beside(case))

    def _beside(self, case: Case) -> str:
        """The nearest published number."""
        number = case.published
        if not number:
            return ""
        caveat = f" Note: {number['caveat']}." if number.get("caveat") else ""
        text = (f"{BOUNDS[number['bound']]} {number['value']:g} {number['unit']}: "
                f"{number['conditions']} ({number['source']}). Ours: {number['ours']}.{caveat}")
        return f"{ratio(number['ratio'])} {self._published.mark(text)}"

    def footnotes(self) -> list[str]:
        return [*self._published.lines(), *self._errors.lines()]


def _limits(all_cases: list[Case]) -> Iterator[str]:
    """Names each kernel's limits, which part decided if there are several, and what the processor itself allows."""
    deciding: dict[tuple[str, str], dict[str, dict[str, None]]] = {}
    peaks: dict[str, list[float]] = {}
    for case in all_cases:
        parts = case.median.get("limit_components") or []
        if case.limit:
            decided = deciding.setdefault((case.name.kernel, case.limit["what"]), {})
            if len(parts) > 1:
                decided.setdefault(case.median.get("limit_decided_by", ""), {})[case.name.formulation] = None
        for part in parts:
            if "hardware_seconds" in part and not case.is_distrusted:
                peaks.setdefault(part["name"], []).append(part["hardware_seconds"] / part["seconds"])
    for (kernel, what), decided in deciding.items():
        text = "; ".join(f"{part} decided for {', '.join(who)}" for part, who in decided.items())
        yield f"{kernel}'s limit: {what}" + (f"; {text}" if text else "")
    for what, shares in peaks.items():
        yield f"{what}: {percent_range(min(shares), max(shares))} of the FMA peak"


def _roads(all_cases: list[Case], is_short: bool) -> Iterator[str]:
    """Which way most of the rows' bytes took: "over mlx5_0 98-99%, memory 100%"; memory alone is told of by --all."""
    shares: dict[str, list[float]] = {}
    for case in all_cases:
        for name, share in case.road.parts[:1]:
            shares.setdefault(name, []).append(share)
    if shares and not (is_short and shares.keys() == {"memory"}):
        yield "over " + ", ".join(f"{name} {percent_range(min(found), max(found))}" for name, found in shares.items())
    yield from dict.fromkeys(line for case in all_cases for line in case.road.beside)


def _notes(shown: list[Case], all_cases: list[Case], is_short: bool) -> Iterator[str]:
    for text in (*_roads(shown, is_short), *(() if is_short else _limits(shown)), legend(shown)):
        yield from wrapped("", text)
    if any(case.mark == "!" for case in shown):
        yield from wrapped("!", ABOVE_LIMIT)
    yield from doubts.lines(shown, is_short)
    if len(shown) < len(all_cases):
        yield from wrapped("", f"{counted(len(all_cases) - len(shown), 'row')} of other sizes: --all shows them")
    texts = list(dict.fromkeys(_warnings(all_cases, is_short)))
    for text in texts[:MOST_WARNINGS] if is_short else texts:
        yield from wrapped("", f"warning: {plain_versions(text)}")
    if is_short and len(texts) > MOST_WARNINGS:
        yield from wrapped("", f"{counted(len(texts) - MOST_WARNINGS, 'more warning')}: --all shows them")


def _warnings(all_cases: list[Case], is_short: bool) -> Iterator[str]:
    """Of the documents, with short names of rows. What is about a marked row a short table says otherwise."""
    for context in {id(case.context): case.context for case in all_cases}.values():
        for text in context["quartet"].get("warnings", []):
            about = [case for case in all_cases if case.text in text]
            if not (is_short and any(case.mark for case in about)):
                for case in about:
                    text = text.replace(case.text, doubts.short_name(case))
                yield text


def render(all_cases: list[Case], is_short: bool = False, style: Style = Style()) -> str:
    """The tables over all (judged) cases, with their footnotes."""
    if not all_cases:
        return "no results\n"
    blocks = []
    for cases in by_machine(all_cases):
        shown = chosen(cases) if is_short else cases
        table = Table(shown, style)
        lines = [*textwrap.wrap(glance(cases), WIDTH, subsequent_indent="  "), *table.lines(), "", *table.footnotes(),
                 *_notes(shown, cases, is_short)]
        blocks.append("\n".join(lines).rstrip() + "\n")
    return "\n".join(blocks)
