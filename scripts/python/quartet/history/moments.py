"""Changes of several rows and nodes at one moment, by how much, and what else changed then."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from quartet.history.changes import LEAST, Change
from quartet.history.facts import Cause, causes, sides
from quartet.history.store import Series, Store
from quartet.results.statistics import ERROR, Ratio, ratio


@dataclass(frozen=True)
class Row:
    """What happened to a row: on which nodes, of how many, and the ratio of the rates after to those before."""

    name: str
    unit: str
    nodes: tuple[str, ...]
    of: int
    change: Ratio
    before: float  # median rates
    after: float


@dataclass
class Moment:
    """The changes that no launch lies between. `begin` and `end` are the last launch before and the first one after."""

    begin: float
    end: float
    changes: list[Change] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    is_drift: bool = False

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(sorted({node for row in self.rows for node in row.nodes}))

    @property
    def is_slower(self) -> bool:
        return any(row.change.value < 1 for row in self.rows)


def moments(store: Store, every: Sequence[Series], found: Sequence[Change]) -> list[Moment]:
    """The moments in their order. Changes whose places may be the same, and drifts around the same middle, are one."""
    grouped: list[Moment] = []
    for change in sorted(found, key=lambda one: (one.last - one.first, one.place)):
        times = change.series.times
        begin, end = times[max(0, change.first - 1)], times[min(change.last, len(times) - 1)]
        for moment in grouped:
            if (moment.is_drift == change.is_drift and begin < moment.end and end > moment.begin
                    and (not change.is_drift or begin < (moment.begin + moment.end) / 2 < end)
                    and change.series not in [other.series for other in moment.changes]):
                moment.changes.append(change)
                if not change.is_drift:
                    begin, end = max(begin, moment.begin), min(end, moment.end)
                else:
                    begin, end = min(begin, moment.begin), max(end, moment.end)
                moment.begin, moment.end = begin, end
                break
        else:
            grouped.append(Moment(begin, end, [change], is_drift=change.is_drift))
    for moment in grouped:
        _describe(moment, store, every)
    return sorted((moment for moment in grouped if moment.rows), key=lambda moment: (moment.begin, moment.end))


def _describe(moment: Moment, store: Store, every: Sequence[Series]) -> None:
    found = {change.series: (change.before, change.after) for change in moment.changes}
    if not moment.is_drift:
        moment.begin, moment.end = _narrowed(moment)
        found = {change.series: _divided(change, moment.end) for change in moment.changes}
        found.update(_likewise(moment, every))
    by_row: dict[tuple[str, str], dict[Series, tuple[list[float], list[float]]]] = {}
    for series, both in found.items():
        if all(both):
            by_row.setdefault((series.row, series.unit), {})[series] = both
    for (name, unit), members in sorted(by_row.items()):
        of = len({series.node for series in every if (series.row, series.unit) == (name, unit)})
        moment.rows.append(Row(name, unit, tuple(sorted(series.node for series in members)), of, _pooled(members),
                               *(statistics.median(rate for both in members.values() for rate in both[side])
                                 for side in (0, 1))))
    begin = min(change.series.times[change.left] for change in moment.changes)
    end = max(change.series.times[change.right - 1] for change in moment.changes)
    others = {series.node for series in every} - set(moment.nodes)
    if not moment.is_drift:
        affected = store.facts_of(moment.nodes, begin, end)
        at = sorted({time for by_node in affected.values() for values in by_node.values() for time, _ in values
                     if moment.begin < time <= moment.end})
        moment.causes = causes(affected, store.facts_of(others, begin, end), at) if at else []


def _narrowed(moment: Moment) -> tuple[float, float]:
    """The place that most of the changes have, within what all allow; of equal ones that of the surest."""
    places = [(change.series.times[change.place - 1], change.series.times[change.place]) for change in moment.changes]
    inside = [place for place in places if moment.begin <= place[0] and place[1] <= moment.end] or places[:1]
    return max(inside, key=inside.count)


def _divided(change: Change, time: float) -> tuple[list[float], list[float]]:
    """The change's rates before that time, and from then on."""
    inside = slice(change.left, change.right)
    return sides(list(zip(change.series.times[inside], change.series.rates[inside])), time)


def _likewise(moment: Moment, every: Sequence[Series]) -> dict[Series, tuple[list[float], list[float]]]:
    """The rows on other nodes, and the nodes' other rows, that changed likewise by too little to be found alone: here
    the place is known."""
    surest = moment.changes[0]
    begin, end = surest.series.times[surest.left], surest.series.times[surest.right - 1]
    falls = statistics.median(surest.after) < statistics.median(surest.before)
    known = [change.series for change in moment.changes]
    rows, nodes = {series.row for series in known}, {series.node for series in known}
    open_ones = [series for series in every if series not in known and (series.row in rows or series.node in nodes)]
    found = {}
    for series in open_ones:
        inside = [(time, rate) for time, rate in zip(series.times, series.rates) if begin <= time <= end]
        before, after = sides(inside, moment.end)
        if min(len(before), len(after)) >= LEAST:
            bounds = ratio(before, after, ERROR / len(open_ones)).interval
            if bounds and (bounds[1] < 1 if falls else bounds[0] > 1):
                found[series] = (before, after)
    return found


def _pooled(members: dict[Series, tuple[list[float], list[float]]]) -> Ratio:
    """The ratio over nodes, whose rates differ."""
    middle = {series: statistics.median(before) for series, (before, _) in members.items()}
    before, after = ([rate / middle[series] for series, both in members.items() for rate in both[side]]
                     for side in (0, 1))
    return ratio(before, after)
