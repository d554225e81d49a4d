"""The table of result documents, with a block for each machine; commands/table.py describes it."""

import itertools
import re
import string
import textwrap
from collections.abc import Iterator

from quartet.results import Row, grouped, identity, whole_number
from quartet.results.row import is_disturbed
from quartet.tables.pairs import legend, pair_name
from quartet.terminal import BAR, YELLOW, Style
from quartet.text import (
    ABOVE_LIMIT,
    BOUNDS,
    CHECKS,
    WIDTH,
    Footnotes,
    aligned,
    counted,
    fraction_cell,
    interval_cell,
    limit_cell,
    median_cell,
    percent_range,
    plain_versions,
    rate,
    ratio,
    size_in_bytes,
    widths_of,
    wrapped,
)
from quartet.units import KIB

HEADINGS = ("form", "via", "size", "ranks", "median", "95% interval", "limit", "fraction", "check", "publ.")
RANKS, FRACTION = HEADINGS.index("ranks"), HEADINGS.index("fraction")
SHARE, LEAST_BAR = 5, 4  # characters of the number behind a bar, and of the shortest bar
LEFT_ALIGNED = (0, 1, 2, FRACTION)  # columns; the others are numbers
ROW_FACTORS = ("size", "n", "ranks", "pair")  # factors that have a column
MOST_WARNINGS = MOST_CAUSES = 3
UNEVEN = 1.5  # times that limits of equal work may differ
SMALL = 64 * KIB  # bytes of a push below which its time is shown
# Parts of limits that are rates of the machine: the key of the counted work, and the text.
RESOURCES = {"reading the matrix": ("bytes", "reads memory at {} GB/s"), "memory copy": ("bytes", "copies at {} GB/s"),
             "float64 arithmetic": ("flops", "float64 {} GFLOP/s"), "SGEMM": ("flops", "SGEMM {} GFLOP/s")}


def machine_summary(machine: str, rows: list[Row]) -> str:
    """The machine of these rows in a line: "AMD EPYC, 2 CPUs; 2 ranks; reads memory at 27 GB/s, ...". Like the limits,
    its rates are the largest beside undisturbed rows of the largest problem; a `?` means that all of these rows were
    disturbed."""
    found: dict[str, list[tuple[float, float, bool]]] = {}
    for row in rows:
        for part in row.median.get("limit_components") or []:
            if part["name"] in RESOURCES and not row.has_roles:
                work = float(row.median.get(RESOURCES[part["name"]][0]) or 0)
                found.setdefault(part["name"], []).append((work, work / part["seconds"] / 1e9, is_disturbed(row)))
    largest = {name: [one for one in every if one[0] == max(every)[0]] for name, every in found.items()}
    best = {name: max(every, key=lambda one: (not one[2], one[1])) for name, every in largest.items()}
    rates = [words.format(rate(best[name][1]) + "?" * best[name][2])
             for name, (_, words) in RESOURCES.items() if name in found]
    ranks = {row.name.ranks for row in rows if row.name.ranks}
    nodes = max((row.nodes for row in rows), default=1)
    where = [f"{ranks.pop()} ranks" if len(ranks) == 1 and ranks != {1} else "", f"{nodes} nodes" if nodes > 1 else ""]
    return "; ".join(filter(None, (machine, *where, ", ".join(rates))))


class Group:
    """Rows under one heading: of one kernel, with the same words, arithmetic and common factors without a column."""

    def __init__(self, row: Row):
        self.kernel, self.unit, self.device = row.name.kernel, row.unit, row.name.device
        self.words, self.math = row.name.words, row.name.math
        self.values: dict[str, dict[str, str]] = {}  # by formulation
        self.rows: list[Row] = []

    def add(self, row: Row) -> bool:
        """Adds the row if it belongs here; returns whether it does. An error may have fewer factors; it has no unit."""
        name = row.name
        own = {key: value for key, value in name.values.items() if key not in ROW_FACTORS}
        if name.kernel != self.kernel or name.math != self.math or name.device not in ("", self.device) \
                or any(known.get(key, value) != value for known in self.values.values() for key, value in own.items()):
            return False
        if row.error:
            if not set(name.words) <= set(self.words):
                return False
        elif name.words != self.words or row.unit != self.unit \
                or self.values.get(name.formulation, own).keys() != own.keys():
            return False
        if not row.error or not self.values:
            self.values.setdefault(name.formulation, own)
        self.rows.append(row)
        return True

    def heading(self, ranks: str) -> str:
        """The heading; a factor that only some formulations have is behind their names."""
        owners: dict[str, tuple[str, ...]] = {}
        for formulation, own in self.values.items():
            for key, value in own.items():
                owners[f"{key}:{value}"] = (*owners.get(f"{key}:{value}", ()), formulation)
        factors: dict[tuple[str, ...], list[str]] = {tuple(self.values): []}  # of all first
        for text, who in owners.items():
            factors.setdefault(who, []).append(text)
        shared, *others = factors.items()
        texts = [*self.words, *shared[1], *(f"{' and '.join(who)} {' '.join(found)}" for who, found in others)]
        return ", ".join(filter(None, (f"{self.kernel} {self.unit}".strip(), self.device, ranks, *texts)))


def _groups(all_rows: list[Row]) -> list[Group]:
    """The groups, in the order of the kernels in the documents."""
    groups: list[Group] = []
    for row in sorted(all_rows, key=lambda row: bool(row.error)):
        if not any(group.add(row) for group in groups):
            groups.append(Group(row))
            groups[-1].add(row)
    kernels = list(dict.fromkeys(row.name.kernel for row in all_rows))
    return sorted(groups, key=lambda group: kernels.index(group.kernel))


def shown_rows(all_rows: list[Row]) -> list[Row]:
    """The rows of a short table; it has all failures. A row has its place whether it was run or not."""
    alike = grouped((row for row in all_rows if row.is_not_run or not row.error),
                    lambda row: (row.name.kernel, row.name.ranks))
    shown = set()
    for key, rows in alike.items():
        ordered = sorted({row.name.size for row in rows}, key=size_in_bytes)
        shown |= {(*key, each) for each in (ordered[0], ordered[len(ordered) // 2], ordered[-1])}
    return [row for row in all_rows if (row.error and not row.is_not_run)
            or (row.name.kernel, row.name.ranks, row.name.size) in shown]


class Table:
    """The table of the rows of one machine."""

    def __init__(self, all_rows: list[Row], style: Style):
        self._rows, self._style = all_rows, style
        pairs = map("".join, itertools.product(string.ascii_lowercase, repeat=2))
        self.published = Footnotes(itertools.chain(string.ascii_lowercase, pairs))
        self.errors = Footnotes(map(str, itertools.count(1)))

    def lines(self) -> Iterator[str]:
        groups = [(group, [(row, self._cells(row)) for row in sorted(group.rows, key=lambda row: (
            row.name.ranks, size_in_bytes(row.name.size)))]) for group in _groups(self._rows)]
        every = [cells for _, rows in groups for _, cells in rows]
        ranks = {cells[RANKS] for cells in every}
        one = ranks.pop() if len(ranks) == 1 else ""
        shared = counted(int(one), "rank") if whole_number(one) is not None else ""  # then it needs no column
        columns = [column for column in range(len(HEADINGS))
                   if any(cells[column] for cells in every) and (column != RANKS or not shared)]
        widths = widths_of([HEADINGS, *every])
        widths[FRACTION] = max(SHARE, *(len(cells[FRACTION]) for cells in every))
        left = WIDTH - sum(widths[column] + 1 for column in columns)
        bar = min(BAR, left) if left >= LEAST_BAR else 0
        widths[FRACTION] = max(len(HEADINGS[FRACTION]), widths[FRACTION] + (bar + 1) * bool(bar))

        def line(cells: tuple[str, ...]) -> str:
            numbers = [place for place, column in enumerate(columns) if column in LEFT_ALIGNED]
            return aligned([cells[column] for column in columns], [widths[column] for column in columns], numbers)

        yield line(HEADINGS)
        for group, rows in groups:
            yield from textwrap.wrap(group.heading(shared), WIDTH, subsequent_indent="  ")
            for row, cells in rows:
                fraction = row.fraction_of_limit if cells[FRACTION] else None
                drawn = " ".join(filter(None, (self._style.bar(fraction, bar), f"{cells[FRACTION]:>{SHARE}}")))
                text = line((*cells[:FRACTION], drawn if fraction else "", *cells[FRACTION + 1:]))
                yield self._style.paint(text, YELLOW) if row.mark or row.verified is False \
                    else self._style.paint_bar(text, fraction)

    def _cells(self, row: Row) -> tuple[str, ...]:
        name = row.name
        who = (name.formulation, name.transport, name.plain_size, pair_name(row) or name.values.get("ranks", ""))
        if row.is_not_run:
            return (*who, "not run", "", "", "", "", "")
        if row.error:
            return (*who, "failed", f"see {self.errors.mark(plain_versions(row.error))}", "", "", "", "")
        if row.push_microseconds and size_in_bytes(name.size) < SMALL:
            # The time of a push says more than its rate; the bounds of the rate in reverse are those of the time.
            bytes_of_push = row.push_microseconds * row.rate
            times = "-".join(rate(bytes_of_push / bound) for bound in reversed(row.interval or ()))
            limit = limit_cell(row.limit and {**row.limit, "rate": bytes_of_push / row.limit["rate"]})
            return (*who, f"{rate(row.push_microseconds)} us{'?' * (row.mark == '?')}", times, limit,
                    fraction_cell(row.fraction_of_limit, row.mark), CHECKS[row.verified], "")
        return (*who, median_cell(row.rate, row.mark), interval_cell(row.interval), limit_cell(row.limit),
                fraction_cell(row.fraction_of_limit, row.mark), CHECKS[row.verified], self._beside(row))

    def _beside(self, row: Row) -> str:
        """Our rate over the nearest published number, and its footnote; empty for a row in doubt."""
        number = row.published
        if not number or row.mark == "?":
            return ""
        caveat = f" Note: {number['caveat']}." if number.get("caveat") else ""
        text = (f"{BOUNDS[number['bound']]} {number['value']:g} {number['unit']}: "
                f"{number['conditions']} ({number['source']}). Ours: {number['ours']}.{caveat}")
        return f"{ratio(number['ratio'])} {self.published.mark(text)}"


def _limits(all_rows: list[Row]) -> Iterator[str]:
    """The limits of each kernel, the parts that decided, and how near these are to the processor's peak."""
    deciding: dict[str, set[str]] = {}
    peaks: dict[str, list[float]] = {}
    for row in all_rows:
        parts = row.median.get("limit_components") or []
        if row.limit and not row.has_roles:
            decided = deciding.setdefault(f"{row.name.kernel}'s limit: {row.limit['what']}", set())
            decided |= {row.median.get("limit_decided_by", "")} if len(parts) > 1 else set()
        for part in parts:
            if "hardware_seconds" in part and not row.is_distrusted:
                peaks.setdefault(part["name"], []).append(part["hardware_seconds"] / part["seconds"])
    yield from (what + (f"; {' or '.join(sorted(parts))} decided" if parts else "") for what, parts in deciding.items())
    yield from (f"{what}: {percent_range(min(shares), max(shares))} of the FMA peak" for what, shares in peaks.items())


def _network_paths(all_rows: list[Row]) -> Iterator[str]:
    """The network path of most bytes of the rows: "over mlx5_0 98-99%"."""
    shares = grouped((part for row in all_rows for part in row.network_path.parts[:1]), lambda part: part[0])
    if shares:
        yield "over " + ", ".join(f"{name} {percent_range(min(parts)[1], max(parts)[1])}"
                                  for name, parts in shares.items())


def _uneven(shown: list[Row]) -> str:
    """Says by how much the limits beside rows of equal work differ, if the machine was slower during some of them."""
    ratios: dict[str, float] = {}
    for row in shown:
        own = (row.median.get("limit") or {}).get("rate", 0)
        if own and row.fraction_of_limit and not (row.has_roles or row.is_distrusted):
            what = f"{row.name.kernel} {row.name.plain_size}"
            ratios[what] = max(ratios.get(what, UNEVEN), (row.limit_rate or 0) / own)
    found = ", ".join(f"{what}: {ratio:.1f}x" for what, ratio in ratios.items() if ratio > UNEVEN)
    return f"limits beside rows of equal work differ ({found}): the machine was slower during some, whose fractions " \
        "are too low" if found else ""


def _notes(shown: list[Row], all_rows: list[Row], is_short: bool) -> Iterator[str]:
    contexts = {id(row.context): row.context["quartet"] for row in all_rows}
    stopped = sum(bool(one.get("stopped")) or one.get("complete") is False for one in contexts.values())
    early = f"{counted(stopped, 'launch')} stopped before the end: some runs are missing" if stopped else ""
    left = len(all_rows) - len(shown)
    sizes = f"{counted(left, 'row')} of other sizes: --all shows them" if left else ""
    warnings = list(_warnings(all_rows, is_short))
    if is_short and len(warnings) > MOST_WARNINGS + 1:
        warnings[MOST_WARNINGS:] = [f"{len(warnings) - MOST_WARNINGS} more warnings: --all shows them"]
    scaled = sorted({row.name.kernel for row in shown if (row.limit or {}).get("is_scaled")})
    workers = f"limit of {', '.join(scaled)}: that of the data flow's workers, scaled to all ranks, which may not " \
        "reach it; measure native, too" if scaled else ""
    for text in (*_network_paths(shown), *(() if is_short else _limits(shown)), legend(shown), early, sizes, workers,
                 _uneven(shown), *warnings):
        yield from wrapped("", text)


def _marks(rows: list[Row], is_short: bool) -> Iterator[str]:
    """What `!` means, and each reason of doubt once. A short table leaves out two reasons or more, or none."""
    if any(row.mark == "!" for row in rows):
        yield from wrapped("!", ABOVE_LIMIT)
    causes = grouped((row for row in rows if row.is_distrusted), lambda row: "; ".join(filter(None, (
        oversubscription(row), *row.doubts))))
    if causes:
        yield from wrapped("?", "in doubt, not to be quoted:")
    several = _with_several_ranks(rows)
    shown = list(causes.items())[:MOST_CAUSES if is_short and len(causes) > MOST_CAUSES + 1 else None]
    for text, members in shown:
        others = f" and {counted(len(members) - 1, 'more row')}" if members[1:] else ""
        yield from wrapped("", f"{_short(members[0], several)}{others}: {text or 'its document does not say why'}")
    left = sum(map(len, causes.values())) - sum(len(members) for _, members in shown)
    yield from wrapped("", f"and {counted(left, 'more marked row')}: --all says why") if left else []


def _with_several_ranks(rows: list[Row]) -> set[str]:
    """The short names of which there are rows on several numbers of ranks."""
    alike = grouped((row for row in rows if row.name.ranks), lambda row: row.name.short)
    return {short for short, same in alike.items() if len({row.name.ranks for row in same}) > 1}


def _short(row: Row, several: set[str]) -> str:
    """Its short name; with the ranks if it is one of `several`."""
    ranks = f"on {counted(row.name.ranks, 'rank')}" if row.name.short in several else ""
    return " ".join(filter(None, (row.name.short, pair_name(row), ranks)))


def oversubscription(row: Row) -> str:
    """How many threads shared how many cores; empty unless they were more. They then disturbed each other."""
    warnings = " ".join(row.context.get("quartet", {}).get("warnings", []))
    found = re.search(r"([0-9]+ x [0-9]+ threads share [0-9]+ cores?)", warnings)
    return found[1] if found else ""


def _warnings(all_rows: list[Row], is_short: bool) -> Iterator[str]:
    """The documents' warnings without flags, with short names. A short table omits all that are about marked rows."""
    several = _with_several_ranks(all_rows)
    for text in dict.fromkeys(text for row in all_rows for text in row.context["quartet"].get("warnings", [])):
        about = [row for row in all_rows if row.text in text]
        for row in sorted(about, key=lambda row: -len(row.text)):  # one name may begin another
            text = text.replace(row.text, _short(row, several))
        is_flag = text.startswith(("? ", "~ ")) or is_short
        if not text.startswith("! ") and not (is_flag and any(row.mark for row in about)):
            yield f"warning: {plain_versions(text)}"


def render(all_rows: list[Row], is_short: bool = False, style: Style = Style()) -> str:
    """The tables of all (judged) rows. Notes precede footnotes, since without a mark they would seem part of one."""
    if not all_rows:
        return "no results\n"
    blocks = []
    machines = identity.names([{"context": row.context} for row in all_rows])
    for machine, members in grouped(zip(machines, all_rows), lambda item: item[0]).items():
        rows = [row for _, row in members]
        shown = shown_rows(rows) if is_short else rows
        table = Table(shown, style)
        lines = [*textwrap.wrap(machine_summary(machine, rows), WIDTH, subsequent_indent="  "), *table.lines(), "",
                 *_notes(shown, rows, is_short), *table.published.lines(), *table.errors.lines(),
                 *_marks(shown, is_short)]
        blocks.append("\n".join(lines).rstrip() + "\n")
    return "\n".join(blocks)
