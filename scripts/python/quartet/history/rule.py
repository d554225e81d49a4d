"""The rule by which a history is judged. docs/history.md explains it by an example that can be checked by hand.

Rates are logarithms here. A series has steps, or one drift; one that several series share is one event, one finding."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist, median, median_low
from typing import NamedTuple, Optional

from quartet.results import grouped, reference
from quartet.results.statistics import CONSISTENT

FALSE_ALARMS = 0.01  # share of sound histories with a finding: half by steps, half by drifts
ODD = 0.01  # share of sound launches that may be outliers without a cause
SHORT, LONG = 7, 40  # launches in a short and in a long median
LEAST_OF_STEP, LEAST_OF_DRIFT = 3, 15  # launches
LEAST_STEP, LEAST_DRIFT = 0.01, 0.03  # smaller losses are left out
NEAR = 2  # launches by which the place of a step may be wrong
CERTAIN, LIKELY = 3.0, 1.0  # standard errors of a shared step; the second if most nodes of a row have it
OWN_PENALTY = 10.0  # added to Schwarz's criterion for a step that no other series shares
MOST_PERSISTENT = 0.8  # the largest autocorrelation by which noise is widened
VOLATILE = 0.1  # of launches: a fact that changes more often makes no event
MOST_VOLATILE = 0.5  # a fact that changes more often explains nothing
MOST_TRIED = 20  # candidate events in each step of SharedEvents
MARGIN = 1.7  # standard errors above a threshold at which nine of ten are detected, in simulated histories
LEAST_FALLS = 3  # that many falls of a row on one node alone are a drift
LEAST_LOW = 0.1  # share below other nodes from the first launch on
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
    kind: object = None  # of its node's device


class Change(NamedTuple):
    fact: str
    before: str
    after: str


class Line(NamedTuple):
    first: int  # launch
    slope: float  # by day
    level: float  # at the first launch


class Moment(NamedTuple):
    """One time; or, on each node, when a fact changed there next to that time."""

    time: float
    change: Optional[Change] = None


class Event(NamedTuple):
    """A change that series may share: a step, which may have ended, or a drift."""

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


class Observation(NamedTuple):
    """How a finding shows in one series."""

    node: str
    row: str
    start: float
    end: Optional[float]
    loss: float


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
        return self.loss > 0 and (self.is_drift or any(not one.end for one in self.observations))


@dataclass
class Answer:
    findings: list[Finding]
    nodes: int
    interval: float  # days between two launches of a row on a node
    slow: dict[str, tuple[int, float, tuple[str, ...]]]  # by node: launches, their loss, rows
    stopped: dict[tuple[str, str], tuple[float, int]]  # by node and row: last usable launch, unusable later ones
    low: dict[str, tuple[float, int, tuple[str, ...]]]  # by node: share below others, how many, rows
    is_decided: bool  # some row has enough launches on a node
    least_launches: int
    step_errors: float  # standard errors that a step must have
    least_step: float  # the smallest lasting step that is detected in 9 of 10 histories, at this noise
    least_drift: float  # the same by day; 0 if there are too few launches, or less than a day


@dataclass
class Series:
    """The sound launches of a row on a node, modelled by steps between levels, or by a line."""

    node: str
    row: str
    times: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    noise: float = 0.0
    cuts: list[int] = field(default_factory=list)  # the first launch after each step
    kind: object = None
    line: Optional[Line] = None  # if any, it explains the series instead of the cuts
    shared: dict[int, int] = field(default_factory=dict)  # number of the event by cut; by -1 where it is the line

    def __len__(self) -> int:
        return len(self.values)

    def place(self, time: float) -> int:
        return sum(other < time for other in self.times)

    def moment(self, cut: int) -> float:
        """Between two launches: the launches of one day on several nodes are on one side of it."""
        return (self.times[cut - 1] + self.times[cut]) / 2

    def rises(self) -> list[float]:
        """The differences of successive launches, less their median: a drift changes none of them, a step one."""
        found = [after - before for before, after in zip(self.values, self.values[1:])]
        middle = median(found or [0.0])
        return [rise - middle for rise in found]

    def spread(self) -> float:
        """A robust standard deviation of independent launches."""
        return CONSISTENT * median(map(abs, self.rises() or [0.0])) / math.sqrt(2)

    def parts(self, cuts: Sequence[int]) -> list[list[float]]:
        return [self.values[first:last] for first, last in zip([0, *cuts], [*cuts, len(self)])]

    def around(self, cut: int, cuts: Sequence[int]) -> tuple[int, int]:
        """The cuts, or the ends, on either side of one."""
        return max((other for other in cuts if other < cut), default=0), min(
            (other for other in cuts if other > cut), default=len(self))

    def step(self, cut: int, cuts: Sequence[int]) -> tuple[float, float]:
        """The loss at a place between cuts, and its standard error; infinite if there are too few launches."""
        first, last = self.around(cut, cuts)
        old, new = self.values[max(first, cut - LONG):cut], self.values[cut:min(last, cut + LONG)]
        if min(len(old), len(new)) < LEAST_OF_STEP:
            return 0.0, math.inf
        return median(old) - median(new), self.noise * error(len(old), len(new))

    def criterion(self, cuts: Sequence[int], line: Optional[Line], shared: Collection[int] = ()) -> float:
        """Schwarz's criterion: distances from the model, and penalties for its parameters and for unshared steps."""
        if line:
            model = [median(self.values[:line.first])] * line.first if line.first else []
            model += [line.level + line.slope * (time - self.times[line.first]) for time in self.times[line.first:]]
            own, numbers = int(-1 not in shared), 2 + (line.first > 0)
        else:
            model = [level for part in self.parts(cuts) for level in [median(part)] * len(part)]
            own, numbers = sum(cut not in shared for cut in cuts), len(cuts) + 1
        left = sum([abs(value - fitted) for value, fitted in zip(self.values, model)]) / len(self)
        return 2 * len(self) * math.log(left + 1e-9) + (numbers + own) * math.log(len(self)) + OWN_PENALTY * own

    def start_of_drift(self) -> float:
        """The time of the launch after which a line that begins at the median of all launches up to it fits best.
        About LONG launches are tried."""
        def left(first: int) -> float:
            level, begin = median(self.values[:first]), self.times[first - 1]
            own = [(max(0.0, time - begin), value - level) for time, value in zip(self.times, self.values)]
            slope = median([gain / days for days, gain in own if days] or [0.0])
            return sum([abs(gain - slope * days) for days, gain in own])
        return self.times[min(range(LEAST_OF_STEP, len(self), math.ceil(len(self) / LONG)), key=left) - 1]

    def steps(self, errors: float) -> Iterator[tuple[int, Optional[int], float]]:
        """Each step's cut, the cut that ends it, and its loss. A fall ends where half of it has recovered, and what is
        left of it is below so many standard errors; a rise that ends no fall is a step, too."""
        level, ends, bounds = list(map(median, self.parts(self.cuts))), set(), [0, *self.cuts, len(self)]
        for number, cut in enumerate(self.cuts, 1):
            loss, before = level[number - 1] - level[number], cut - bounds[number - 1]
            back = [later for later in range(number + 1, len(level)) if level[number - 1] - level[later] < min(
                loss / 2, errors * self.noise * error(before, bounds[later + 1] - bounds[later]))]
            if loss > 0:
                ends.update(back[:1])
                yield cut, self.cuts[back[0] - 1] if back else None, loss
            elif number not in ends:
                yield cut, None, loss


class Thresholds:
    """Thresholds in standard errors by the number of comparisons: one a launch for steps, three a series for drifts."""

    def __init__(self, launches: int, series: int) -> None:
        share, normal = FALSE_ALARMS / 4 / max(1, launches), NormalDist()
        self.step, self.drift = -normal.inv_cdf(share), -normal.inv_cdf(FALSE_ALARMS / 12 / max(1, series))
        # A run of so many outliers occurs by chance in less than a third of the false alarms. A whole run is beyond the
        # second threshold as rarely as a median is beyond the first.
        self.run = max(LEAST_OF_STEP, math.ceil(math.log(FALSE_ALARMS / 3 / max(1, launches)) / math.log(ODD)))
        self.of_run = -normal.inv_cdf(share ** (1 / self.run))

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
        series.cuts = self.cuts(series, 0, len(series))
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
        best = series.criterion(series.cuts, None) - OWN_PENALTY * len(series.cuts)
        for first in sorted({0, len(series) // 2, 3 * len(series) // 4}):
            line, score = trend(series, first)
            criterion = series.criterion((), line) - OWN_PENALTY
            loss = abs(line.slope) * (series.times[-1] - series.times[first])
            if score > self.drift and loss > LEAST_DRIFT and criterion < best:
                best, series.line = criterion, line


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


def trend(series: Series, first: int) -> tuple[Line, float]:
    """Theil and Sen's line through at most LONG medians from that launch on, and Kendall's score."""
    times, values = series.times[first:], series.values[first:]
    if len(values) < LEAST_OF_DRIFT:
        return Line(first, 0.0, 0.0), 0.0
    size = math.ceil(len(values) / LONG)
    points = [(median(times[at:at + size]), median(values[at:at + size])) for at in range(0, len(values), size)]
    slopes = [(later - value) / (then - time) for number, (time, value) in enumerate(points)
              for then, later in points[number + 1:] if then > time]
    slope, count = median(slopes or [0.0]), len(points)
    score = abs(sum((one > 0) - (one < 0) for one in slopes)) / math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    return Line(first, slope, median([value - slope * (time - times[0]) for time, value in points])), score


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
                series = self.series.setdefault((one.node, one.row), Series(one.node, one.row, kind=one.kind))
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
            series.noise = wide * (1 + 2 / len(series))

    def numbers(self, series: Series, change: Change) -> list[int]:
        """The launches of a series at which the fact changed so."""
        return [number for number, other in self.changes.get((series.node, series.row), ()) if other == change]

    def time(self, series: Series, moment: Moment) -> Optional[float]:
        """The time of the moment in a series; None if the fact did not change there."""
        times = [self.tried[series.node, series.row][number] for number in self.numbers(series, moment.change)] \
            if moment.change else [moment.time]
        return min(times, key=lambda time: abs(time - moment.time), default=None)

    def changes_at(self, series: Series, time: float) -> dict[Change, int]:
        """Changes within NEAR launches of a time, of volatile facts at that launch; and how many launches away."""
        key = series.node, series.row
        place = sum(other < time for other in self.tried[key])
        return {change: abs(number - place) for number, change in self.changes[key]
                if abs(number - place) <= NEAR * (change.fact not in self.volatile)
                and self.volatile.get(change.fact, 0.0) <= MOST_VOLATILE}

    def is_rolling(self, change: Change, moments: Iterable[tuple[Series, float]]) -> bool:
        """True if the changes of a fact next to these times cannot have been at one time."""
        before, after = [], []
        for series, time in moments:
            tried = self.tried[series.node, series.row]
            number = min(self.numbers(series, change), key=lambda number: abs(tried[number] - time))
            before.append(tried[number - 1])
            after.append(tried[number])
        return max(before) >= min(after)

    def explain(self, findings: Iterable[Finding]) -> None:
        """Finds the facts that changed on each finding's nodes at its time: first those that changed on most of them,
        then on fewest sound nodes. None that changed after the loss on half of them."""
        steps = []
        for finding in [one for one in findings if not one.is_drift]:
            seen, balance = grouped(finding.observations, lambda one: one.node), Counter[Change]()
            own = {}
            for node, some in seen.items():
                middle = sorted(some, key=lambda one: one.start)[len(some) // 2]
                own[node] = self.changes_at(self.series[node, middle.row], middle.start)
                for change in own[node]:
                    balance[change] += -1 if self._is_after(change, some) else 1
            steps.append((finding, {node: {change: apart for change, apart in changes.items() if balance[change] > 0}
                                    for node, changes in own.items()}))
        guilty = {(node, change) for finding, own in steps if finding.loss > 0 for node in own for change in own[node]}
        for finding, own in steps:
            found = []
            for change in {change for changes in own.values() for change in changes}:
                apart = [changes[change] for changes in own.values() if change in changes]
                sound = sum((node, change) not in guilty and self._excludes(node, change, finding)
                            for node in self.nodes if node not in own)
                found.append((-len(apart), sound, sum(apart), change))
            finding.causes = [Cause(change, -with_it, len(own) + with_it, sound, self.volatile.get(change.fact, 0.0))
                              for with_it, sound, _, change in sorted(found)
                              if change.fact not in self.volatile or -4 * with_it >= 3 * len(own)]

    def _is_after(self, change: Change, seen: Iterable[Observation]) -> bool:
        """True if two or more values before the change lay beyond half of the loss: one may be an outlier."""
        found: list[float] = []
        for one in seen:
            series = self.series[one.node, one.row]
            changed = series.place(self.time(series, Moment(one.start, change)) or -math.inf)
            sign = math.copysign(1, one.loss)
            cut = max(1, min(series.place(one.start), changed - 1))
            first = min(series.around(series.place(one.start), series.cuts)[0], cut - 1)  # after an earlier step
            level = median(series.values[max(first, cut - LONG):cut])
            found += [sign * (level - value - one.loss / 2) for value in series.values[cut:changed]]
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

    def slow(self) -> dict[str, tuple[int, float, tuple[str, ...]]]:
        """Nodes whose newest launches, too few to decide, are all as far below those before as a step must be."""
        found: dict[str, list[tuple[int, float, str]]] = defaultdict(list)
        for series in [one for one in self.series.values() if not one.line]:
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

    def low(self, least: float) -> dict[str, tuple[float, int, tuple[str, ...]]]:
        """Nodes that were at least the share `least` below others of their kind in their first launches and since:
        no change shows it. The rule is that of quartet nodes."""
        found: dict[str, list[tuple[float, int, str]]] = defaultdict(list)
        for alike in grouped(self.series.values(), lambda one: (one.row, one.kind)).values():
            suspects = _slow(alike, least, -math.inf, math.inf)
            for series in [one for one in alike if one.node in suspects and not one.line]:
                times, count = series.times, len(series)
                bounds = sorted({0, min(SHORT, count // 2), *series.cuts, count})
                near = min(0.5, (times[-1] - times[0]) / count / 2)  # days
                shares = [_slow(alike, least, times[first] - near, times[last - 1] + near).get(series.node)
                          for first, last in zip(bounds, bounds[1:])]
                if all(shares):
                    found[series.node].append((shares[-1] or 0, len(alike) - 1, series.row))
        return {node: (median(losses), max(others), rows) for node, own in found.items()
                for losses, others, rows in [zip(*own)]}

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


def _slow(alike: Iterable[Series], least: float, first: float, last: float) -> dict[str, float]:
    """The nodes of these series that are slow in that time, each with the share by which it is below the median."""
    values = {one.node: [value for time, value in zip(one.times, one.values) if first < time < last] for one in alike}
    rates = {node: math.exp(median(own)) for node, own in values.items() if own}
    return reference.slow(rates, reference.FALSE_ALARMS, least) if len(rates) >= reference.LEAST_VALUES else {}


class Model(NamedTuple):
    """A series with an event."""

    saved: float  # by how much the event lowers the criterion of the series
    series: Series
    loss: float
    cuts: list[int]
    line: Optional[Line]
    added: list[int]  # the cuts of the event; -1 for its line


def _gain(model: Model, found: list[Model]) -> float:
    """By how much its line lowers the criterion; steps that at least half of the models have nearby count as shared."""
    series = model.series
    near = {cut: sum(any(abs(one.series.place(series.moment(cut)) - other) <= NEAR for other in one.series.cuts)
                     for one in found) for cut in series.cuts}
    by_steps = series.criterion(series.cuts, None, [cut for cut in near if 2 * near[cut] >= len(found)])
    return by_steps - series.criterion((), model.line, (-1,))


class SharedEvents:
    """Finds the events that series share: greedily, the one that lowers Schwarz's criterion most comes first."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.rows: dict[str, dict[str, Series]] = defaultdict(dict)
        for series in history.series.values():
            if len(series) >= 2 * history.thresholds.run:
                history.thresholds.fit(series)
                self.rows[series.row][series.node] = series
        self.every = [series for row in self.rows.values() for series in row.values()]
        self.events: list[Event] = []  # found
        for _ in range(len(self.every) + 1):
            event, models = max(((event, self._members(event)) for event in self._events()),
                                key=lambda found: sum(one.saved for one in found[1]), default=(None, []))
            if not event or sum(model.saved for model in models) <= 0:
                break
            for model in models:
                model.series.cuts, model.series.line = model.cuts, model.line
                model.series.shared.update(dict.fromkeys(model.added, len(self.events)))
            self.events.append(event)

    def _events(self) -> list[Event]:
        """Candidates, most frequent first: unshared steps, each end by time or by change, and drifts (or as steps)."""
        def moments(series: Series, cut: int) -> list[Moment]:
            time, changes = series.times[cut], self.history.changes_at(series, series.times[cut])
            return [Moment(series.moment(cut)), *(Moment(time, change) for change in changes
                                                  if change.fact not in self.history.volatile)]

        events = []
        for series in self.every:
            row, days = series.row, series.times[-1] - series.times[0]
            if series.line and -1 not in series.shared:
                events.append(Event(row, True, -series.line.slope, Moment(series.times[series.line.first])))
                if not series.line.first:
                    cut = best_cut(series.values, 0, len(series))
                    events.append(Event(row, False, -series.line.slope * days / 2, Moment(series.moment(cut))))
            steps = series.steps(self.history.thresholds.step)
            for cut, end, loss in [step for step in steps if step[0] not in series.shared]:
                ends = moments(series, end) if end else [None]
                events += [Event(row, False, loss, *both) for both in itertools.product(moments(series, cut), ends)]
        alike = grouped(events, lambda one: (one.row, one.is_drift, *(
            at and (at.change or int(at.time)) for at in (one.start, one.end))))
        ordered = sorted(alike.values(), key=lambda same: (-len(same), sum(bool(
            at and at.change) for at in (same[0].start, same[0].end))))
        return [same[0] for same in ordered[:MOST_TRIED]]

    def _members(self, event: Event) -> list[Model]:
        """The series that share an event: those of its row with a similar loss, then those of other rows in which more
        than half of these nodes have it. Empty if only one series has it."""
        row, found = self.rows[event.row], []
        for certain, least in ((CERTAIN, 0.0), (LIKELY, -OWN_PENALTY)):  # if most nodes have it, likely ones count
            tried = [self._model(series, event, certain) for series in row.values()]
            found = [one for one in tried if one and one.saved > least and 0.5 < one.loss / event.loss < 2]
            if 2 * len(found) <= len(row) or len(row) < 3:
                break
        nodes = [one.series.node for one in found]
        for other in self.rows.values():
            tried = [self._model(other[node], event, CERTAIN) for node in nodes if other is not row and node in other]
            more = [one for one in tried if one and one.saved > 0]
            found += more if 2 * len(more) > len(nodes) else []
        if event.is_drift and sum(_gain(one, found) for one in found) < 0:
            return []
        return found if len(found) > 1 else []

    def _model(self, series: Series, event: Event, least: float) -> Optional[Model]:
        """The series with the event; None if it does not have the event with at least so many standard errors."""
        if -1 in series.shared or event.is_drift and series.shared:
            return None
        times = [self.history.time(series, at) for at in (event.start, event.end) if at]
        places = [series.place(time) for time in times if time is not None]
        if len(places) < len(times):
            return None
        tried: list[tuple[float, float, list[int], Optional[Line], list[int]]] = []  # first how certain
        if event.is_drift:
            line, score = trend(series, 0 if places[0] <= NEAR else places[0])
            tried.append((score, -line.slope, [], line, [-1]))
        firsts = [] if event.is_drift else range(places[0] - 1, places[0] + 2)
        for first, near in itertools.product(firsts, (NEAR, SHORT)):
            added = [first, *places[1:]]
            cuts = sorted({*added, *(cut for cut in series.cuts if all(abs(cut - new) > near for new in added))})
            if {*series.shared} <= {*cuts} and 0 < cuts[0] and cuts[-1] < len(series):
                loss, uncertainty = series.step(first, cuts)
                is_whole = abs(loss) > LEAST_STEP and all(-series.step(end, cuts)[0] / loss > 0.5 for end in places[1:])
                tried.append((abs(loss) / uncertainty if is_whole else 0.0, loss, cuts, None, added))
        now = series.criterion(series.cuts, series.line, series.shared)
        found = [Model(now - series.criterion(cuts, line, {*series.shared, *added}), series, loss, cuts, line, added)
                 for certain, loss, cuts, line, added in tried if certain >= least and loss * event.loss > 0]
        return max(found, key=lambda model: model.saved, default=None)

    def findings(self) -> list[Finding]:
        """One finding for each shared event, and one for each step or drift of a single series."""
        found: dict[tuple[object, ...], Finding] = {}
        for series in self.every:
            drift = [(-1, None, -series.line.slope)] if series.line else []
            steps = [step for step in series.steps(self.history.thresholds.step) if abs(step[2]) > LEAST_STEP]
            for cut, end, loss in drift or steps:
                shared = (series.shared.get(cut), end is None, loss > 0)
                key = shared if cut in series.shared else (series.node, series.row, cut)
                start = series.start_of_drift() if series.line else series.times[cut]
                found.setdefault(key, Finding(bool(series.line))).observations.append(
                    Observation(series.node, series.row, start, series.times[end] if end else None, loss))
        for (number, *_), finding in found.items():
            event = self.events[number] if isinstance(number, int) else None
            for which, at in (("start", event.start), ("end", event.end)) if event else ():
                moments = [(self.rows[one.row][one.node], getattr(one, which)) for one in finding.observations]
                if at and at.change and moments[0][1] is not None and self.history.is_rolling(at.change, moments):
                    finding.rolling.add(which)
        return self._together(list(found.values()))

    def _together(self, findings: list[Finding]) -> list[Finding]:
        """Of steps of a node in one direction, a few launches apart, each row's goes to the finding that has most."""
        steps = [one for one in findings if not one.is_drift]
        for node in {series.node for series in self.every}:
            own = [(finding, seen) for finding in steps for seen in finding.observations if seen.node == node]
            for finding, seen in own:
                times = self.rows[seen.row][node].times
                place = times.index(seen.start)
                first, last = times[max(0, place - NEAR - 1)], times[min(place + NEAR + 1, len(times) - 1)]
                near = Counter(id(other) for other, one in own if first <= one.start <= last
                               and (one.loss > 0, bool(one.end)) == (seen.loss > 0, bool(seen.end)))
                best = max(steps, key=lambda other: (near[id(other)], other is finding))
                if best is not finding and all((one.node, one.row) != (node, seen.row) for one in best.observations):
                    finding.observations.remove(seen)
                    best.observations.append(seen)
        return [one for one in findings if one.observations]

    def with_drifts(self, findings: list[Finding]) -> list[Finding]:
        """Joins several lasting falls of a row on one node alone, for which no fact is named, into a drift."""
        for node in {series.node for series in self.every}:
            falls = [one for one in findings if one.nodes == [node] and not (one.is_drift or one.causes)
                     and all(seen.loss > 0 and not seen.end for seen in one.observations)]
            by_row = grouped(sorted((seen for one in falls for seen in one.observations), key=lambda seen: seen.start),
                             lambda seen: seen.row)
            if any(len(own) >= LEAST_FALLS and 2 * max(losses) < sum(losses)
                   for own in by_row.values() for losses in [[seen.loss for seen in own]]):
                findings = [one for one in findings if one not in falls] + [Finding(True, [
                    Observation(node, row, max(steps[0].start - half, times[0]), min(steps[-1].start + half, times[-1]),
                                sum(seen.loss for seen in steps) / (2 * half * len(steps)))
                    for row, steps in by_row.items() if len(steps) > 1 for times in [self.rows[row][node].times]
                    for half in [max(0.5, steps[-1].start - steps[0].start) / (len(steps) - 1) / 2]])]
        return findings


def judge(launches: Iterable[Launch]) -> Answer:
    """Judges a history. At least one launch must be sound."""
    history = History(launches)
    sharing = SharedEvents(history)
    findings = sharing.findings()
    history.explain(findings)
    every = list(history.series.values())
    noise, count = median([series.noise for series in every]), median(map(len, every))
    half = max(1, min(LONG, int(count) // 2))
    days = max(series.times[-1] for series in every) - min(series.times[0] for series in every)
    # Standard error of the whole loss: that of least squares, more since medians are used and a step may explain it.
    uncertainty = 1.35 * noise * math.sqrt(12 / count)
    drift = max((history.thresholds.drift + MARGIN) * uncertainty, LEAST_DRIFT + MARGIN * uncertainty)
    step = max(history.thresholds.step * noise * error(half, half), LEAST_STEP) + MARGIN * noise * error(half, half)
    least = 1 - math.exp(-step)
    interval = median([(series.times[-1] - series.times[0]) / max(1, len(series) - 1)
                       for series in sharing.every or every])
    return Answer(sharing.with_drifts(findings), len(history.nodes), interval, history.slow(), history.stopped(),
                  history.low(max(LEAST_LOW, least)), bool(sharing.every), 2 * history.thresholds.run,
                  history.thresholds.step, least, drift / days if days >= 1 and count >= LEAST_OF_DRIFT else 0.0)
