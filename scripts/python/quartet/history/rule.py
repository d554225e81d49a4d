"""The rule by which a history is judged. docs/history.md explains it by an example that can be checked by hand.

Rates are logarithms here. What several series share is found first, and taken out of their values; then what is left of
each series is judged by itself."""

import bisect
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from statistics import NormalDist, median, median_low
from typing import NamedTuple, Optional

from quartet.results import grouped
from quartet.results.statistics import CONSISTENT

FALSE_ALARMS = 0.01  # share of sound histories with a finding: half by steps, half by drifts
ODD = 0.01  # share of sound launches that may be outliers without a cause
SHORT, LONG = 7, 40  # launches in a short and in a long median
LEAST_OF_STEP, LEAST_OF_DRIFT = 3, 15  # launches
LEAST_STEP, LEAST_DRIFT = 0.01, 0.03  # smaller losses are left out
NEAR = 2  # launches by which the place of a step may be wrong
CERTAIN, LIKELY = 3.0, 1.0  # standard errors of a shared step; the second if most nodes of a row have it
OWN_PENALTY = 10.0  # added to Schwarz's criterion for a step or a drift that no other series shares
MOST_PERSISTENT = 0.8  # the largest autocorrelation by which noise is widened
VOLATILE = 0.1  # of launches: a fact that changes more often makes no event
MOST_VOLATILE = 0.5  # a fact that changes more often explains nothing
MOST_TRIED = 20  # candidate events in each step of Search
MARGIN = 1.7  # standard errors above a threshold at which nine of ten are detected, in simulated histories
RECOVERED = 0.3  # the least share of a loss by which a series shares its end: half, less what noise may hide
LEAST_SLOW = 2  # newest slow values of a node, over its rows, that are reported before they decide; more with many rows


class Launch(NamedTuple):
    """A row of one launch."""

    time: float  # days
    node: str
    row: str
    rate: float
    is_sound: bool  # usable: right, and not disturbed, however slow
    facts: Mapping[str, str]
    unit: str = ""


class Change(NamedTuple):
    fact: str
    before: str
    after: str


class Line(NamedTuple):
    """A drift between two levels; or it is undone at its end."""

    begin: float  # time
    end: float
    slope: float  # by day
    is_undone: bool = False

    def at(self, time: float) -> float:
        """The gain since its begin."""
        is_over = self.is_undone and time > self.end
        return 0.0 if is_over else self.slope * (min(max(time, self.begin), self.end) - self.begin)


class Moment(NamedTuple):
    """One time; or, on each node, when a fact changed there next to that time."""

    time: float
    change: Optional[Change] = None


class Event(NamedTuple):
    """What series may share: a step, which may have ended, or a drift."""

    row: str  # in which it was found
    is_drift: bool
    loss: float  # of a drift: by day; negative if it became faster
    start: Moment
    end: Optional[Moment] = None


class Cause(NamedTuple):
    change: Change
    slow_with: int  # nodes that became slower when it changed there
    slow_without: int
    sound_with: int  # nodes on which it changed as well, at any time, and whose launches exclude such a loss
    often: float = 0.0  # the share of launches in which the fact changes, if that is large


@dataclass
class Observation:
    """How a finding shows in one series."""

    node: str
    row: str
    start: float
    end: Optional[float]
    loss: float
    is_undone: bool = True  # at its end; a drift may stop


@dataclass
class Finding:
    is_drift: bool
    observations: list[Observation] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    rolling: set[str] = field(default_factory=set)  # "start" and "end", if nodes began, or ended, at different times

    @property
    def nodes(self) -> list[str]:
        return sorted({one.node for one in self.observations})

    @property
    def rows(self) -> list[str]:
        return sorted({one.row for one in self.observations})

    @property
    def loss(self) -> float:
        return median([one.loss for one in self.observations])

    @property
    def is_lasting_loss(self) -> bool:
        return self.loss > 0 and any(not (one.end and one.is_undone) for one in self.observations)


@dataclass
class Answer:
    findings: list[Finding]
    nodes: int
    interval: float  # days between two launches of a row on a node
    slow: dict[str, tuple[int, float, tuple[str, ...]]]  # by node: launches, their loss, rows
    stopped: dict[tuple[str, str], tuple[float, int]]  # by node and row: last usable launch, unusable later ones
    is_decided: bool  # some row has enough launches on a node
    least_launches: int
    step_errors: float  # standard errors that a step must have
    # The smallest lasting step that is detected in 9 of 10 histories: of the row where it is least, and most.
    least_step: tuple[float, float]
    least_drift: tuple[float, float]  # the same by day; 0 if there are too few launches, or less than a day


@dataclass
class Series:
    """The sound launches of a row on a node, modelled by steps between levels, or by a line."""

    node: str
    row: str
    times: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)  # less the events that were found
    noise: float = 0.0
    cuts: list[int] = field(default_factory=list)  # the first launch after each step
    line: Optional[Line] = None  # if any, it explains the series instead of the cuts
    trend: Optional[tuple[Line, float]] = None  # what best_line found
    shared: list[Observation] = field(default_factory=list)  # steps that were taken out of the values

    def __len__(self) -> int:
        return len(self.values)

    def place(self, time: float) -> int:
        return bisect.bisect_left(self.times, time)

    def before(self, time: float) -> float:
        """Between this launch and the one before: the launches of one day on several nodes are on one side of it."""
        return (self.times[self.place(time) - 1] + time) / 2

    def rises(self) -> list[float]:
        """The differences of successive launches, less their median: a drift changes none of them, a step one."""
        found = [after - before for before, after in zip(self.values, self.values[1:])]
        middle = median(found or [0.0])
        return [rise - middle for rise in found]

    def spread(self) -> float:
        """A robust standard deviation of independent launches."""
        return CONSISTENT * median(map(abs, self.rises() or [0.0])) / math.sqrt(2)

    def around(self, cut: int, cuts: Sequence[int]) -> tuple[int, int]:
        """The cuts, or the ends, on either side of one."""
        return max((other for other in cuts if other < cut), default=0), min(
            (other for other in cuts if other > cut), default=len(self))

    def step(self, cut: int, cuts: Sequence[int], most: int = LONG) -> tuple[float, float]:
        """The loss at a place between cuts, and its standard error; infinite if there are too few launches."""
        first, last = self.around(cut, cuts)
        old, new = self.values[max(first, cut - most):cut], self.values[cut:min(last, cut + most)]
        if min(len(old), len(new)) < LEAST_OF_STEP:
            return 0.0, math.inf
        return median(old) - median(new), self.noise * error(len(old), len(new))

    def criterion(self, cuts: Sequence[int], line: Optional[Line], own: int) -> float:
        """Schwarz's criterion: distances from levels between cuts, and from the line if any, and penalties for their
        parameters; more for those that are its own."""
        rest, numbers, left = self.values, len(cuts) + 1 + own, 0.0
        if line:
            rest = self.less(line)
            numbers += 1 + (line.begin > self.times[0]) + (line.end < self.times[-1])
        for first, last in zip([0, *cuts], [*cuts, len(self)]):
            level = median(rest[first:last])
            left += sum([abs(value - level) for value in rest[first:last]])
        return 2 * len(self) * math.log(left / len(self) + 1e-9) + numbers * math.log(len(self)) + OWN_PENALTY * own

    def by_line(self, line: Line, own: int = 0) -> float:
        return self.criterion(self.all_cuts(()), line, own)

    def all_cuts(self, own: Iterable[int]) -> list[int]:
        """With those of the events: their levels are estimated again."""
        return sorted({*own, *(self.place(time) for seen in self.shared for time in (seen.start, seen.end) if time)})

    def steepest(self) -> tuple[float, int]:
        """The highest of Kendall's scores up to the last launch, or to a step, which may undo a drift; and its end."""
        return max((trend(self, first, last)[1], last) for last in (*self.cuts, len(self))
                   for first in (0, last // 2, 3 * last // 4))

    def best_line(self) -> tuple[Line, float]:
        """The drift that Schwarz's criterion prefers, and its score."""
        if not self.trend:
            first, (_, last), step = 0, self.steepest(), math.ceil(2 * len(self) / LONG)
            for _ in range(2):
                first = min([0, *range(step, last - LEAST_OF_DRIFT + 1, step)], key=lambda at: self.likely(at, last)[0])
                last = min([len(self), *(cut for cut in self.cuts if cut - first >= LEAST_OF_DRIFT),
                            *range(first + LEAST_OF_DRIFT, len(self), step)], key=lambda at: self.likely(first, at)[0])
            self.trend = self.likely(first, last)[1:]
        return self.trend

    def likely(self, first: int, last: int) -> tuple[float, Line, float]:
        """The likelier drift between two launches, one that stops or one that is undone: criterion, line, score."""
        line, score = trend(self, first, last)
        lines = (line, line._replace(is_undone=True)) if last < len(self) else (line,)
        return min((self.by_line(each), each, score) for each in lines)

    def drift(self, line: Line) -> Observation:
        end = line.end if line.end < self.times[-1] else None
        return Observation(self.node, self.row, line.begin, end, -line.slope, line.is_undone)

    def less(self, line: Line) -> list[float]:
        return [value - line.at(time) for time, value in zip(self.times, self.values)]

    def without(self, seen: Observation) -> list[float]:
        """The values without the loss of a step."""
        return [value + seen.loss * (seen.start <= time and not (seen.end and seen.end <= time))
                for time, value in zip(self.times, self.values)]

    def by_steps(self) -> float:
        """The criterion that a drift must be below."""
        return self.criterion(self.all_cuts(self.cuts), None, 0) + (len(self.cuts) - 1) * math.log(len(self))

    def now(self) -> float:
        if self.line:
            return self.by_line(self.line, 1)
        return self.criterion(self.all_cuts(self.cuts), None, len(self.cuts))

    def steps(self, errors: float) -> Iterator[tuple[int, Optional[int], float]]:
        """Each step's cut, the cut that ends it, and its loss. A loss ends where half of it has recovered; what is left
        of it is another, if it is above so many standard errors."""
        bounds, ends = [0, *self.cuts, len(self)], set()
        level = [median(self.values[first:last]) for first, last in zip(bounds, bounds[1:])]
        for number, cut in enumerate(self.cuts, 1):
            loss, end = level[number - 1] - level[number], len(level)
            if number not in ends or abs(loss) > errors * self.noise * error(
                    cut - bounds[number - 1], bounds[number + 1] - cut):
                end = min([end, *(later for later in range(number + 1, end)
                                  if loss > 0 and level[number - 1] - level[later] < loss / 2)])
                ends.add(end)
                yield cut, bounds[end] if end < len(level) else None, loss
            level[number:end] = [value + loss for value in level[number:end]]


class Thresholds:
    """Thresholds in standard errors by the number of comparisons: one a launch for steps, three a series for drifts."""

    def __init__(self, launches: int, series: int) -> None:
        share, normal = FALSE_ALARMS / 4 / max(1, launches), NormalDist()
        self.step, self.drift = -normal.inv_cdf(share), -normal.inv_cdf(FALSE_ALARMS / 12 / max(1, series))
        # A run of so many outliers occurs by chance in less than a third of the false alarms. A whole run is beyond the
        # second threshold as rarely as a median is beyond the first.
        self.run = max(LEAST_OF_STEP, math.ceil(math.log(FALSE_ALARMS / 3 / max(1, launches)) / math.log(ODD)))
        self.of_run = -normal.inv_cdf(share ** (1 / self.run))

    def least(self, row: Sequence[Series]) -> tuple[float, float]:
        """The smallest lasting step, and drift by day, that is detected in 9 of 10 histories with a row's noise."""
        noise, count = median([series.noise for series in row]), median(map(len, row))
        half = max(1, min(LONG, int(count) // 2))
        days = max(series.times[-1] for series in row) - min(series.times[0] for series in row)
        # Standard error of the whole loss: that of least squares, more since a step may explain it.
        uncertainty = 1.35 * noise * math.sqrt(12 / count)
        drift = max((self.drift + MARGIN) * uncertainty, LEAST_DRIFT + MARGIN * uncertainty)
        step = max(self.step * noise * error(half, half), LEAST_STEP) + MARGIN * noise * error(half, half)
        return 1 - math.exp(-step), drift / days if days >= 1 and count >= LEAST_OF_DRIFT else 0.0

    def excess(self, series: Series, first: int, cut: int, last: int) -> float:
        """How far the launches before and after the cut differ, in thresholds: by medians, or by a run of launches that
        all lie beyond the median of the others."""
        before, after = series.values[max(first, cut - LONG):cut], series.values[cut:min(last, cut + LONG)]
        old, new, found = median(before), median(after), [0.0]
        if min(len(before), len(after)) >= SHORT:
            sizes = ((new - old, len(before), len(after)), (median(after[:SHORT]) - old, len(before), SHORT),
                     (new - median(before[-SHORT:]), SHORT, len(after)))
            found += [abs(size) / error(*counts) / self.step for size, *counts in sizes if abs(size) > LEAST_STEP]
        for many, run, level in ((len(before), after[:self.run], old), (len(after), before[-self.run:], new)):
            if many > self.run == len(run) and abs(median(run) - level) > LEAST_STEP:
                beyond = max(level - max(run), min(run) - level)
                found.append(beyond / self.of_run / math.sqrt(1 + self.run * error(many) ** 2))
        return max(found) / series.noise

    def cuts(self, series: Series, first: int, last: int) -> list[int]:
        """The place farthest beyond the threshold, if any; then recursively the places before and after it."""
        sizes = {cut: self.excess(series, first, cut, last) for cut in range(first + 1, last)}
        best = max(sizes, key=sizes.__getitem__, default=first)
        if sizes.get(best, 0.0) <= 1:
            return []
        return [*self.cuts(series, first, best), best, *self.cuts(series, best, last)]

    def fit(self, series: Series) -> None:
        """Finds the steps, each in its best place between its neighbours; or a drift that explains them better."""
        series.cuts, series.line = self.cuts(series, 0, len(series)), None
        for _ in range(3 * len(series.cuts)):
            old = list(series.cuts)
            for number, cut in enumerate(old):
                first, last = series.around(cut, series.cuts)
                series.cuts[number] = best_cut(series.values, max(first, cut - LONG), min(last, cut + LONG))
            sizes = {cut: self.excess(series, first, cut, last) for cut in series.cuts
                     for first, last in [series.around(cut, series.cuts)]}
            weakest = min(sizes, key=sizes.__getitem__, default=0)
            if sizes.get(weakest, math.inf) <= 1:
                series.cuts.remove(weakest)
            elif series.cuts == old:
                break
        series.trend = None
        if series.steepest()[0] > self.drift:
            line, _ = series.best_line()
            is_large = abs(line.slope) * (line.end - line.begin) > LEAST_DRIFT
            series.line = line if is_large and series.by_line(line) < series.by_steps() else None


def in_drifts(findings: Iterable[Finding]) -> set[tuple[str, str]]:
    """The nodes and rows that drift."""
    return {(seen.node, seen.row) for one in findings if one.is_drift for seen in one.observations}


def error(*counts: int) -> float:
    """The standard error of a difference of medians of so many launches, in standard deviations."""
    return math.sqrt(sum(math.pi / 2 / count for count in counts))


def persistence(every: Iterable[Series]) -> float:
    """The autocorrelation r of successive launches, less about its standard error, by the share of launches that are a
    peak or a valley: the correlation of successive rises is (r - 1) / 2, and is the cosine of pi times that share."""
    products = [before * after for series in every for own in [series.rises()] for before, after in zip(own, own[1:])]
    turns = [product < 0 for product in products if product]
    found = 1 + 2 * math.cos(math.pi * sum(turns) / len(turns)) - 2 / math.sqrt(len(turns)) if turns else 0.0
    return min(max(0.0, found), MOST_PERSISTENT)


def best_cut(values: Sequence[float], first: int, last: int) -> int:
    """The cut for which the distances from the medians before and after it have the smallest sum."""
    def left(cut: int) -> float:
        old, new = median(values[first:cut]), median(values[cut:last])
        return sum([abs(value - old) for value in values[first:cut]] + [abs(value - new) for value in values[cut:last]])
    return min(range(first + 1, last), key=left)


def trend(series: Series, first: int, last: int, added: Sequence[int] = ()) -> tuple[Line, float]:
    """Theil and Sen's line through about LONG medians of these launches, and Kendall's score, of pairs without a shared
    step between them: its loss is not known exactly."""
    if last - first < LEAST_OF_DRIFT:
        return Line(series.times[0], series.times[0], 0.0), 0.0
    size, slopes, variance = math.ceil((last - first) / LONG), [0.0], 0.0
    bounds = [first, *(cut for cut in series.all_cuts(added) if first < cut < last), last]
    for begin, end in zip(bounds, bounds[1:]):
        points = [(median(series.times[at:min(at + size, end)]), median(series.values[at:min(at + size, end)]))
                  for at in range(begin, end, size)]
        slopes += [(later - value) / (then - time) for number, (time, value) in enumerate(points)
                   for then, later in points[number + 1:] if then > time]
        variance += len(points) * (len(points) - 1) * (2 * len(points) + 5) / 18
    score = abs(sum((one > 0) - (one < 0) for one in slopes)) / math.sqrt(variance or 1.0)
    return Line(series.times[first], series.times[last - 1], median(slopes)), score


class History:
    """The series, and the changes of facts on each node. At least one launch must be sound."""

    def __init__(self, launches: Iterable[Launch]) -> None:
        self.series: dict[tuple[str, str], Series] = {}
        self.tried: dict[tuple[str, str], list[float]] = defaultdict(list)  # times of all launches, sound or not
        facts: dict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)
        for one in sorted(launches, key=lambda one: one.time):
            self.tried[one.node, one.row].append(one.time)
            facts[one.node, one.row].append(one.facts)
            if one.is_sound and one.rate > 0:
                series = self.series.setdefault((one.node, one.row), Series(one.node, one.row))
                series.times.append(one.time)
                series.values.append(math.log(one.rate))
        self.nodes = {node for node, _ in self.tried}
        # Between launches of one row: other rows may be launched in other ways. Each with its launch's number.
        self.changes = {key: [(number, Change(fact, old.get(fact, "-"), new.get(fact, "-")))
                              for number, (old, new) in enumerate(zip(at, at[1:]), 1) if old != new
                              for fact in sorted({*old, *new}) if old.get(fact) != new.get(fact)]
                        for key, at in facts.items()}
        counts = Counter(change.fact for changes in self.changes.values() for _, change in changes)
        most = max(VOLATILE * sum(len(times) - 1 for times in self.tried.values()), 2 * len(self.tried))
        tried = sum(map(len, self.tried.values()))
        self.volatile = {fact: count / tried for fact, count in counts.items() if count > most}
        rows = grouped(self.series.values(), lambda one: one.row)
        usual = {row: median([one.spread() for one in same]) for row, same in rows.items()}
        self.thresholds = Thresholds(sum(map(len, self.series.values())), len(self.series) + len(rows))
        alike = persistence(self.series.values())  # medians of correlated launches are less certain
        for series in self.series.values():  # few launches do not show their noise well
            wide = max(series.spread(), usual[series.row], 1e-4) * math.sqrt(1 + alike) / (1 - alike)
            series.noise = wide * (1 + 2 / len(series) + 4 / sum(map(len, rows[series.row])))

    def numbers(self, series: Series, change: Change) -> list[int]:
        """The launches of a series at which the fact changed so."""
        return [number for number, other in self.changes.get((series.node, series.row), ()) if other == change]

    def time(self, series: Series, moment: Moment) -> Optional[float]:
        """The time of the moment in a series; None if the fact did not change there."""
        times = [self.tried[series.node, series.row][number] for number in self.numbers(series, moment.change)] \
            if moment.change else [moment.time]
        return min(times, key=lambda time: abs(time - moment.time), default=None)

    def changes_at(self, series: Series, time: float) -> dict[Change, int]:
        """Changes within NEAR launches of a time, of volatile facts without a sound one between; how many away."""
        tried = self.tried[series.node, series.row]
        place = bisect.bisect_left(tried, time)
        return {change: abs(number - place) for number, change in self.changes[series.node, series.row]
                if abs(number - place) <= NEAR and self.volatile.get(change.fact, 0.0) <= MOST_VOLATILE
                and (change.fact not in self.volatile or series.place(tried[number]) == series.place(time))}

    def is_rolling(self, change: Change, moments: Iterable[tuple[Series, float]]) -> bool:
        """True if the changes of a fact next to these times cannot have been at one time."""
        before, after = [], []
        for series, time in moments:
            tried = self.tried[series.node, series.row]
            number = min(self.numbers(series, change), key=lambda number: abs(tried[number] - time))
            before.append(tried[number - 1])
            after.append(tried[number])
        return max(before) >= min(after)

    def explain(self, findings: Sequence[Finding]) -> None:
        """Finds the facts that changed on each finding's nodes at its time: first those that changed on most of them,
        then on fewest sound nodes. None that changed after the loss on half of them."""
        steps = []
        for finding in [one for one in findings if not one.is_drift]:
            seen, balance = grouped(finding.observations, lambda one: one.node), Counter[Change]()
            middle = {node: sorted(some, key=lambda one: one.start)[len(some) // 2] for node, some in seen.items()}
            common = median([self.series[node, one.row].before(one.start) for node, one in middle.items()])
            own = {}
            for node, some in seen.items():
                series, start = self.series[node, middle[node].row], middle[node].start
                is_near = "start" not in finding.rolling and abs(series.place(start) - series.place(common)) <= NEAR
                own[node] = self.changes_at(series, common if is_near else start)
                for change in own[node]:
                    balance[change] += -1 if self._is_after(change, some) else 1
            steps.append((finding, {node: {change: apart for change, apart in changes.items() if balance[change] > 0}
                                    for node, changes in own.items()}))
        drifting = {node for node, _ in in_drifts(findings)}  # a step may hide there
        guilty = {(node, change) for finding, own in steps if finding.loss > 0 for node in own for change in own[node]}
        for finding, own in steps:
            found = []
            for change in {change for changes in own.values() for change in changes}:
                apart = [changes[change] for changes in own.values() if change in changes]
                sound = sum((node, change) not in guilty and self._excludes(node, change, finding)
                            for node in self.nodes - drifting if node not in own)
                found.append((-len(apart), sound, sum(apart), change))
            finding.causes = [Cause(change, -with_it, len(own) + with_it, sound, self.volatile.get(change.fact, 0.0))
                              for with_it, sound, _, change in sorted(found)
                              if change.fact not in self.volatile or -4 * with_it >= 3 * len(own)]

    def _is_after(self, change: Change, seen: Iterable[Observation]) -> bool:
        """True if two or more values before the change lay beyond half of the loss: one may be an outlier."""
        found: list[float] = []
        for one in seen:
            series = self.series[one.node, one.row]
            start, changed = series.place(one.start), series.place(
                self.time(series, Moment(one.start, change)) or -math.inf)
            cut = max(1, min(start, changed - 1))
            level = median(series.values[max(0, cut - LONG):cut])
            found += [math.copysign(1, one.loss) * (level - series.values[at] + one.loss * ((at >= start) - 0.5))
                      for at in range(cut, changed)]
        return len(found) >= LEAST_SLOW and median_low(found) > 0

    def _excludes(self, node: str, change: Change, finding: Finding) -> bool:
        """True if the fact changed on the node, and its launches exclude the finding's loss in each of its rows."""
        found, sign = [], math.copysign(1, finding.loss)
        for row, seen in grouped(finding.observations, lambda one: one.row).items():
            series = self.series.get((node, row), Series(node, row))
            for cut in [series.place(self.tried[node, row][number]) for number in self.numbers(series, change)]:
                loss, uncertainty = series.step(cut, [other for other in series.cuts if abs(other - cut) > NEAR])
                found.append(sign * loss + CERTAIN * uncertainty < sign * median([one.loss for one in seen]))
        return bool(found) and all(found)

    def slow(self, findings: Iterable[Finding]) -> dict[str, tuple[int, float, tuple[str, ...]]]:
        """Nodes whose newest launches, too few to decide, are as far below those before as a step; not of drifts."""
        found: dict[str, list[tuple[int, float, str]]] = defaultdict(list)
        drifting = in_drifts(findings)
        for series in [one for key, one in self.series.items() if key not in drifting]:
            values, few = series.values[max(series.cuts, default=0):], self.thresholds.run - 1
            level = median(values[:-few][-LONG:] or values)
            least = level - max(self.thresholds.step * series.noise, LEAST_STEP)
            count = next((size for size, value in enumerate(reversed(values)) if value >= least), few)
            if count and len(values) > 2 * few:
                found[series.node].append((count, level - median(values[-count:]), series.row))
        # Fewer outliers on one of the nodes may be chance.
        every = Counter(node for node, _ in self.series).values()
        most = next(count for count in itertools.count(LEAST_SLOW) if sum(math.exp(
            count * math.log(ODD * rows) - math.lgamma(count + 1)) for rows in every) <= FALSE_ALARMS)
        return {node: (max(counts), median(losses), rows) for node, own in found.items()
                for counts, losses, rows in [zip(*own)] if sum(counts) >= most}

    def stopped(self) -> dict[tuple[str, str], tuple[float, int]]:
        """Rows without a usable launch on a node for much longer than ever, though the row was still launched: the time
        of the last one, and how many unusable ones came after it."""
        days: dict[str, set[int]] = defaultdict(set)
        found, run = {}, self.thresholds.run
        for (_, row), times in self.tried.items():
            days[row].update(map(int, times))
        for key, series in self.series.items():
            last, place = series.times[-1], {day: number for number, day in enumerate(sorted(days[series.row]))}
            own = sorted({place[int(time)] for time in series.times})
            longest = max((later - before for before, later in zip(own, own[1:])), default=0)
            if len(own) >= run and len(place) - 1 - own[-1] > max(2 * longest, run):
                found[key] = last, sum(time > last for time in self.tried[key])
        return found


class Model(NamedTuple):
    """A series with an event."""

    series: Series
    seen: Observation
    errors: float  # standard errors of its loss
    saved: float  # by how much the event lowers the criterion of the series
    values: list[float]  # less the event


class Search:
    """Finds the events that series share: the one that lowers Schwarz's criterion most comes first, and is taken out of
    the values. What is left of a series is its own."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.findings: list[Finding] = []
        self.every = [one for one in history.series.values() if len(one) >= 2 * history.thresholds.run]
        self.rows = {row: {one.node: one for one in same}
                     for row, same in grouped(self.every, lambda one: one.row).items()}
        for series in self.every:
            history.thresholds.fit(series)
        while self._takes_event():
            pass
        drifting = in_drifts(self.findings)
        self.findings += [Finding(bool(series.line), [seen]) for series in self.every
                          if (series.node, series.row) not in drifting for seen in self._own(series)]
        self._end_losses()
        self._date_remainders()

    def _own(self, series: Series) -> list[Observation]:
        if series.line:
            return [series.drift(series.line)]
        return [Observation(series.node, series.row, series.times[cut], series.times[end] if end else None, loss)
                for cut, end, loss in series.steps(self.history.thresholds.step) if abs(loss) > LEAST_STEP]

    def _end_losses(self) -> None:
        """A gain that only makes losses good is their end, each at its own time. Those are findings of their own."""
        steps, ended = [one for one in self.findings if not one.is_drift], dict[int, int]()
        lasting = {(seen.node, seen.row): seen for one in steps for seen in one.observations
                   if seen.loss > 0 and not seen.end}
        for number, gain in enumerate([one for one in steps if one.loss < 0]):
            pairs = [(lasting.get((seen.node, seen.row)), seen) for seen in gain.observations]
            if all(loss and self._is_made_good(loss, seen) for loss, seen in pairs):
                self.findings.remove(gain)
                for loss, seen in pairs:
                    if loss:
                        loss.end, ended[id(loss)] = seen.start, number
        parts = [(one, grouped(one.observations, lambda seen: ended.get(id(seen)))) for one in self.findings]
        self.findings = [replace(one, observations=same, rolling=one.rolling if by is None else one.rolling & {"start"})
                         for one, own in parts for by, same in own.items()]

    def _is_made_good(self, loss: Observation, gain: Observation) -> bool:
        series = self.rows[loss.row][loss.node]
        first, last = series.place(loss.start), series.place(gain.start)
        return loss.start < gain.start and abs(loss.loss + gain.loss) < self.history.thresholds.step * \
            series.noise * error(min(first, LONG), min(len(series) - last, LONG))

    def _date_remainders(self) -> None:
        """What is left of a loss began with it."""
        losses = [one for one in self.findings if one.loss > 0 and not one.is_drift]
        ended = {(seen.node, seen.row, self.rows[seen.row][seen.node].place(seen.end)): seen.start
                 for one in losses for seen in one.observations if seen.end}
        for one in losses:
            starts = []
            for seen in one.observations:
                place = self.rows[seen.row][seen.node].place(seen.start)
                near = [ended.get((seen.node, seen.row, place + apart)) for apart in range(-NEAR, NEAR + 1)]
                starts += list(filter(None, near))[:1]
            if len(starts) == len(one.observations):
                one.rolling.discard("start")
                for seen, start in zip(one.observations, starts):
                    seen.start = start

    def _takes_event(self) -> bool:
        """Takes the event that lowers the criterion most out of the values; False if none does."""
        event, models = max(((event, self._members(event)) for event in self._events()),
                            key=lambda found: sum(one.saved for one in found[1]), default=(None, []))
        if not event or sum(model.saved for model in models) <= 0:
            return False
        finding = Finding(event.is_drift)
        for which, at in (("start", event.start), ("end", event.end)):
            if at and at.change and self.history.is_rolling(at.change, [
                    (model.series, getattr(model.seen, which)) for model in models]):
                finding.rolling.add(which)
        self.findings.append(finding)
        for model in models:
            series = model.series
            series.values = model.values
            for seen in series.shared:  # their losses depend on each other and on the own steps
                more, uncertainty = series.step(series.place(seen.start), series.all_cuts(series.cuts), len(series))
                if math.isfinite(uncertainty):
                    series.values = series.without(replace(seen, loss=more))
                    seen.loss += more
            series.shared += [] if event.is_drift else [model.seen]
            finding.observations.append(model.seen)
            self.history.thresholds.fit(series)
        return True

    def _events(self) -> list[Event]:
        """Candidates, most frequent first: each end of a step by time or by change, and drifts (or as steps)."""
        def moments(series: Series, time: Optional[float]) -> list[Optional[Moment]]:
            return [None] if time is None else [Moment(series.before(time)), *(
                Moment(time, change) for change in self.history.changes_at(series, time)
                if change.fact not in self.history.volatile)]

        events = []
        for series in self.every:
            for _, row, start, end, loss, _ in [astuple(seen) for seen in self._own(series)]:
                if series.line:
                    cut, last = best_cut(series.values, 0, len(series)), series.times[-1]
                    events += [Event(row, True, loss, Moment(start), Moment(end or last)), Event(
                        row, False, loss * (last - series.times[0]) / 2, Moment(series.before(series.times[cut])))]
                else:
                    events += [Event(row, False, loss, first, last) for first, last in itertools.product(
                        moments(series, start), moments(series, end)) if first]
        alike = grouped(events, lambda one: (one.row, one.is_drift, *([one.loss > 0] if one.is_drift else (
            at and (at.change or int(at.time)) for at in (one.start, one.end)))))
        ordered = sorted(alike.values(), key=lambda same: (-len(same), sum(bool(
            at and at.change) for at in (same[0].start, same[0].end))))
        return [same[0] for same in ordered[:MOST_TRIED]]

    def _members(self, event: Event) -> list[Model]:
        """The series that share an event: those of its row with a similar loss, then those of other rows in which more
        than half of these nodes have it. Empty if only one series has it."""
        row, model = self.rows[event.row], self._drifting if event.is_drift else self._stepping
        likely = [one for one in (model(series, event) for series in row.values())
                  if one and one.saved > -OWN_PENALTY and 0.5 < one.seen.loss / event.loss < 2]
        found = [one for one in likely if one.errors > CERTAIN and one.saved > 0]
        found = likely if 2 * len(found) > len(row) > 2 else found
        nodes = [one.series.node for one in found]
        for other in self.rows.values():
            tried = [one for one in (model(other[node], event) for node in nodes if other is not row and node in other)
                     if one and one.saved > -OWN_PENALTY]
            more = [one for one in tried if one.errors > CERTAIN]
            # In a row with more noise it may be certain of most nodes together.
            if 2 * len(more) > len(nodes) or 2 * len(tried) > len(nodes) > 2 and sum(
                    one.errors for one in tried) > CERTAIN * math.sqrt(len(nodes)):
                usual = median([one.seen.loss for one in more or tried])
                found += [one for one in tried
                          if one.errors > CERTAIN or len(nodes) > 2 and 0.5 < one.seen.loss / usual < 2]
        found += [] if event.end and not event.is_drift else self._hidden(event, found)
        is_worse = event.is_drift and sum(one.series.by_steps() - one.series.now() + one.saved for one in found) < 0
        return found if len(found) > 1 and not is_worse else []

    def _hidden(self, event: Event, found: Sequence[Model]) -> Iterator[Model]:
        """Further series, if most nodes have a drift, or a step that lasts: of a node whose own steps fit better beside
        it."""
        usual = {row: median([one.seen.loss for one in same])
                 for row, same in grouped(found, lambda one: one.series.row).items()}
        having, nodes = {id(one.series) for one in found}, self.rows[event.row]
        for node in nodes if 2 * len({one.series.node for one in found}) > len(nodes) > 2 else ():
            models = []
            for series in [self.rows[row][node] for row in usual if node in self.rows[row]]:
                start = self.history.time(series, event.start)
                if id(series) in having or not start:
                    continue
                if event.is_drift and event.end and series.times[0] < event.end.time:
                    line = Line(max(start, series.times[0]), event.end.time, -usual[series.row])
                    seen, rest = series.drift(line), replace(series, values=series.less(line))
                elif not event.is_drift and 0 < series.place(start) < len(series):
                    seen = Observation(node, series.row, start, None, usual[series.row])
                    rest = replace(series, values=series.without(seen), shared=[*series.shared, seen])
                else:
                    continue
                self.history.thresholds.fit(rest)
                models.append(Model(series, seen, LIKELY, series.now() - rest.now(), rest.values))
            if sum(one.saved for one in models) > OWN_PENALTY:
                yield from models

    def _drifting(self, series: Series, event: Event) -> Optional[Model]:
        """The series with a drift of its own dates in the same time and direction, if it may have one."""
        line, score = series.best_line()
        begin, end, slope, _ = line
        if score < LIKELY or -slope * event.loss <= 0 or abs(slope) * (end - begin) < LEAST_DRIFT or (
                not event.end or begin > event.end.time or end < event.start.time):
            return None
        return Model(series, series.drift(line), score, series.now() - series.by_line(line), series.less(line))

    def _differs(self, series: Series, own: int, new: int, cuts: Sequence[int]) -> bool:
        """True if the launches between a step's own place and a new one exclude the new one."""
        first, last = series.around(new, cuts)
        between, part = series.values[min(own, new):max(own, new)], series.values[first:new] if own < new else \
            series.values[new:last]
        return abs(median(between) - median(part)) > CERTAIN * series.noise * error(len(between), len(part))

    def _stepping(self, series: Series, event: Event) -> Optional[Model]:
        """The series with a step in its best place next to the event, instead of own ones there, if it may have one."""
        times = [self.history.time(series, at) for at in (event.start, event.end) if at]
        places = [series.place(time) for time in times if time is not None]
        found: list[tuple[Observation, float, float]] = []
        if len(places) < len(times):
            return None
        # It may have a drift besides, with the dates of its line, or after the step.
        begins = [None, series.place(series.line.begin), places[0]] if series.line else [None]
        for first, near, begin in itertools.product(range(places[0] - 1, places[0] + 2), (NEAR, SHORT), begins):
            added, rest, line = [first, *places[1:]], series, None
            if series.line and begin is not None:
                line = trend(series, begin, series.place(series.line.end) + 1, added)[0]._replace(
                    is_undone=series.line.is_undone)
                rest = replace(series, values=series.less(line))
            own = [cut for cut in series.cuts if not line and all(abs(cut - new) > near for new in added)]
            cuts = series.all_cuts([*added, *own])
            moved = [(cut, new) for cut in series.cuts if not line and cut not in own
                     for place, new in [min(zip(places, added), key=lambda pair: abs(pair[0] - cut))]
                     if abs(place - cut) > NEAR]
            if 0 < cuts[0] and cuts[-1] < len(series) and not any(self._differs(series, *move, cuts) for move in moved):
                loss, uncertainty = rest.step(first, cuts)
                if abs(loss) > max(LEAST_STEP, LIKELY * uncertainty) and loss * event.loss > 0 and all(
                        -rest.step(end, cuts)[0] / loss > RECOVERED for end in places[1:]):
                    seen = Observation(series.node, series.row, series.times[first],
                                       series.times[places[1]] if event.end else None, loss)
                    then = series.criterion(cuts, line, len(own) + bool(line))
                    found.append((seen, abs(loss) / uncertainty, series.now() - then))
        for seen, errors, saved in sorted(found, key=lambda one: (one[1] > CERTAIN, one[2]))[-1:]:
            return Model(series, seen, errors, saved, series.without(seen))
        return None


def judge(launches: Iterable[Launch]) -> Answer:
    """Judges a history. At least one launch must be sound."""
    history = History(launches)
    search = Search(history)
    history.explain(search.findings)
    every = search.every or list(history.series.values())
    least = [history.thresholds.least(own) for own in grouped(every, lambda one: one.row).values()]
    steps, drifts = [step for step, _ in least], [drift for _, drift in least if drift] or [0.0]
    interval = median([(one.times[-1] - one.times[0]) / max(1, len(one) - 1) for one in every])
    return Answer(search.findings, len(history.nodes), interval, history.slow(search.findings), history.stopped(),
                  bool(search.every), 2 * history.thresholds.run, history.thresholds.step, (min(steps), max(steps)),
                  (min(drifts), max(drifts)))
