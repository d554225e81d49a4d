"""A comparison in words, 80 columns wide: what differs between the sides' machines and builds, the
cases, what could not be compared and why, spreads of launches, slow nodes."""

import itertools
import os
import textwrap
from typing import Callable, Optional, Union

from quartet.compare import closing
from quartet.compare.pairs import LEAST_LAUNCHES, Pair
from quartet.compare.sides import Sample, Side
from quartet.results import slow_ranks
from quartet.results.published import Number, place_of_ours
from quartet.results.statistics import ERROR
from quartet.tables.cells import aligned_rows
from quartet.text import ABOVE_LIMIT, BOUNDS, Footnotes, counted, rate, size, wrapped

HEADINGS = ("form", "via", "size", "ranks", "A", "B", "B/A", "interval", "more", "verdict")
SPREADS = ("form", "via", "size", "ranks", "launches", "within", "between", "launches", "within",
           "between")
LEFT_ALIGNED = ("form", "via", "size", "verdict")  # columns; the others are numbers
IN_COLUMNS = {"size", "n", "ranks", "pair"}
VALUE_WIDTH = 30  # of a setting, of each side


def _group(row: Pair) -> str:
    name = row.name
    unit = next(sample.unit for sample in (row.first, row.second) if sample)
    others = [f"{key}:{value}" for key, value in name.values.items() if key not in IN_COLUMNS]
    return ", ".join([f"{name.kernel} {unit}", name.device, *name.words, *others])


def _who(row: Pair) -> tuple[str, ...]:
    name = row.name
    ranks = name.values.get("pair", name.values.get("ranks", ""))
    return (name.formulation, name.transport, size(name.size), ranks)


def _ratio(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _rate(sample: Optional[Sample]) -> str:
    """The median; with a mark where all launches of it were disturbed."""
    return rate(sample.rate) + ("" if sample.undisturbed else "?") if sample else ""


def _cells(row: Pair, published: Footnotes, reasons: Footnotes) -> tuple[str, ...]:
    first = _rate(row.first)
    if row.number and row.second:
        first = f"{BOUNDS[row.number.bound]}{row.number.value:g} {_mark(row.number, row.second, published)}"
    found = row.ratio
    bounds = found.interval if found and row.launches >= LEAST_LAUNCHES else None
    interval = "-".join(map(_ratio, bounds)) if bounds else ""
    verdict = f"{row.verdict.value} {','.join(map(reasons.mark, row.why))}".rstrip()
    return (*_who(row), first, _rate(row.second),
            _ratio(found.value) + row.mark if found else "", interval,
            str(row.more) if row.more else "", verdict)


def _mark(number: Number, ours: Sample, published: Footnotes) -> str:
    caveat = f" Note: {number.caveat}." if number.caveat else ""
    place = place_of_ours(ours.nodes, ours.workers)
    return published.mark(f"{number.conditions} ({number.source}). Ours: {place}.{caveat}")


def _spread_cells(row: Pair) -> Optional[tuple[str, ...]]:
    samples = (row.first, row.second)
    if not any(sample and sample.between is not None for sample in samples):
        return None
    return (*_who(row), *(cell for sample in samples for cell in _spreads(sample)))


def _spreads(sample: Optional[Sample]) -> tuple[str, ...]:
    if not sample:
        return ("", "", "")
    shown = ["" if spread is None else f"{spread:.1%}"
             for spread in (sample.within, sample.between)]
    return (str(len(sample.undisturbed)), *shown)


def _table(headings: tuple[str, ...], groups: dict[str, list[tuple[str, ...]]]) -> list[str]:
    left = [column for column, heading in enumerate(headings) if heading in LEFT_ALIGNED]
    rows: list[Union[str, tuple[str, ...]]] = [headings]
    for heading, members in groups.items():
        rows += [heading, *members]
    return aligned_rows(rows, left)


def _sides(sides: list[Side]) -> list[str]:
    """Describes each side, and how the two differ apart from what was measured."""
    lines = []
    settings = [side.settings() for side in sides]
    for side, known in zip(sides, settings):
        lines += wrapped(f"{side.label}:", f"{counted(len(side.documents), 'document')}, "
                         f"{known['device']} on {known.get('host', 'unknown')}")
        if side.is_mixed:
            lines += wrapped("!", f"{side.label} has results of several machines, whose launches of a case are taken "
                             "together: name the folder of one")
    if len(sides) == 2:
        if sides[0].is_elsewhere(sides[1]):
            lines += wrapped("!", "A and B are different machines, so ratios are not of a change of the program: "
                             "rows are matched by kernel, formulation, kind of device, size, nodes and ranks")
        for key in {**settings[0], **settings[1]}:
            first, second = (known.get(key, "not recorded") for known in settings)
            if first != second:
                lines += wrapped("", f"differs: {key}: {' | '.join(_shortened(first, second))}")
    return lines


def _shortened(*pair: str) -> list[str]:
    """Two values; long ones from a little before the first word in which they differ."""
    words = [value.split() for value in pair]
    alike = len(os.path.commonprefix(words))
    if max(map(len, pair)) > VALUE_WIDTH * 2 and alike > 1:
        words = [[".."] + each[alike - 1:] for each in words]
    return [textwrap.shorten(" ".join(each), VALUE_WIDTH * 2, placeholder=" ..") for each in words]


def _roads(rows: list[Pair]) -> list[str]:
    """Names each change of the way that the bytes took: no rate says as much."""
    changes: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.first and row.second and row.first.road and row.second.road and row.first.road != row.second.road:
            name = " ".join((row.name.kernel, *_who(row)[:3]))
            changes.setdefault((row.first.road, row.second.road), []).append(name)
    return [line for (first, second), names in changes.items()
            for line in wrapped("!", f"another road: over {first} in A, over {second} in B: {names[0]}"
                                + (f" and {counted(len(names) - 1, 'more case')}" if len(names) > 1 else ""))]


def _slow(sides: list[Side]) -> list[str]:
    found: dict[tuple[str, str], list[slow_ranks.Slow]] = {}
    for side in sides:
        for _, document in side.documents:
            for slow in slow_ranks.find(document):
                found.setdefault((side.label, slow.who), []).append(slow)
    lines = []
    for (label, who), cases in found.items():
        worst = max(cases, key=lambda slow: slow.ratio)
        runs = sum(slow.runs for slow in cases)
        lines += wrapped("!", f"slow in {label}: {who}: up to {worst.ratio:.2f} of the time of its "
                         f"fellows, over {runs} runs, worst in {worst.case}")
    return lines


def _not_in_turn(sides: list[Side]) -> list[str]:
    """Warns if one side was measured before the other: a change of the machine then looks like one of the
    program."""
    if len(sides) < 2 or sides[0].is_elsewhere(sides[1]) or not all(side.documents for side in sides):
        return []
    dates = [sorted(str(document["context"].get("date", "")) for _, document in side.documents)
             for side in sides]
    apart = dates[0][-1] < dates[1][0] or dates[1][-1] < dates[0][0]
    return wrapped("", "A and B were measured one after the other: a change of the machine between "
                   "them looks like one of the program (--run launches in turn)") if apart else []


def _groups(rows: list[Pair], cells_of: Callable[[Pair], Optional[tuple[str, ...]]]
            ) -> dict[str, list[tuple[str, ...]]]:
    groups: dict[str, list[tuple[str, ...]]] = {}
    for row in rows:
        cells = cells_of(row)
        if cells:
            groups.setdefault(_group(row), []).append(cells)
    return groups


def render(sides: list[Side], rows: list[Pair], threshold: float, error: float = ERROR) -> str:
    """Renders all of it; `threshold` is in per cent; intervals miss in `error` of all cases at most."""
    published = Footnotes("abcdefghijklmnopqrstuvwxyz")
    reasons = Footnotes(map(str, itertools.count(1)))
    table = _table(HEADINGS, _groups(rows, lambda row: _cells(row, published, reasons)))
    spreads = _groups(rows, _spread_cells)
    lines = [*_sides(sides), *_roads(rows), "", *table, "", *_legend(rows, error), *published.lines(),
             *reasons.lines()]
    if spreads:
        lines += ["", "coefficient of variation of a launch's runs, and of the medians of the "
                  "launches", "that count, A | B", *_table(SPREADS, spreads)]
    lines += ["", *_slow(sides), *_not_in_turn(sides), *closing.lines(sides, rows, threshold, error)]
    return "\n".join(lines).rstrip() + "\n"


def _legend(rows: list[Pair], error: float) -> list[str]:
    marks = {row.mark for row in rows}
    found = []
    if any(row.ratio and row.ratio.interval for row in rows):
        found += wrapped("", f"interval: of the ratio, {1 - error:.0%}, over the launches' medians")
    if any(row.more for row in rows):
        found += wrapped("", "more: launches of each side that would probably decide")
    if "?" in marks:
        found += wrapped("?", "a launch was disturbed or flagged: do not quote")
    if "!" in marks:
        found += wrapped("!", ABOVE_LIMIT)
    return found
