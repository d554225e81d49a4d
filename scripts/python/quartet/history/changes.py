"""Where the rates of a row changed, by Apache Otava, and whether that is more than chance.

Otava says where: it divides a series where the energy distance of both parts is greatest (Matteson and James,
J. Amer. Stat. Assoc. 109, 2014; Fleming et al., ICPE 2023). Rates enter as normal scores of their ranks, so that no
outlier and no heavy tail looks like a change. Each division is then tested by Welch's t, for a month of
noise has a wider spread, with as many launches as are left when those in sequence resemble each other (by their
autocorrelation). The level of the test is the share of sound histories that may raise an alarm, divided by the series;
half of it by the places of the only change, half by the pairs of launches that can bound a part between changes."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from quartet.exit_codes import UNAVAILABLE, ScriptError
from quartet.history.store import Series
from quartet.results.statistics import CONSISTENT

FALSE_ALARMS = 0.01  # share of sound histories that may raise one
LEAST = 4  # launches on a side, as for a comparison
WITHIN = -math.log(1 - math.sqrt(0.95))  # log-likelihood below the best place of a change, in 95% (Siegmund, 1988)
MOST_RESEMBLING = 0.8  # autocorrelation
FAR = 3  # robust standard deviations beyond which a value says no more
KNOTS = 40  # places where a drift may begin or end
NO_OTAVA = ("this Python has no Apache Otava, which finds changes (to get it: 'scripts/setup.sh history', which "
            "quartet history finds by itself)")


@dataclass(frozen=True)
class Change:
    """A change of a series. `first` and `last` bound the first launch after it by 95%: of a drift, where it began and
    ended. The launches from `left` on are before it, those up to `right` after."""

    series: Series
    place: int  # the first launch after it
    first: int
    last: int
    left: int
    right: int
    is_drift: bool = False

    @property
    def before(self) -> list[float]:
        return list(self.series.rates[self.left:max(self.first, self.left + LEAST) if self.is_drift else self.place])

    @property
    def after(self) -> list[float]:
        return list(self.series.rates[min(self.last, self.right - LEAST) if self.is_drift else self.place:self.right])


def require_otava() -> None:
    """Raises ScriptError where it is not installed."""
    try:
        import otava.analysis  # noqa: F401, optional and slow to load
    except ImportError:
        raise ScriptError(NO_OTAVA, UNAVAILABLE) from None


def find(every: Sequence[Series], false_alarms: float = FALSE_ALARMS) -> list[Change]:
    """The changes of all series. Needs Otava."""
    import numpy
    from otava.analysis import compute_change_points
    long_enough = [series for series in every if len(series.rates) >= 2 * LEAST]
    scored: list[tuple[Series, Any, list[int], float]] = []
    for series in long_enough:
        level = false_alarms / len(long_enough) / (len(series.rates) - 1) / 2
        scores = _scores(series.rates)
        points, _ = compute_change_points(scores, window_len=len(scores), max_pvalue=level)
        scored.append((series, numpy.array(scores), [int(point.index) for point in points], level))
    resembling = [_autocorrelation(scores, places) for _, scores, places, _ in scored]
    common = statistics.mean(resembling) if resembling else 0.0
    found: list[Change] = []
    for (series, scores, places, level), own in zip(scored, resembling):
        alike = min(max(common, own, 0.0), MOST_RESEMBLING)
        repeats = (1 + alike) / (1 - alike)  # launches that tell as much as one
        found += _changes(series, scores, _significant(scores, places, level, repeats), repeats)
    return found


def _scores(values: Sequence[float]) -> list[float]:
    """The normal scores of their ranks; equal values share theirs."""
    normal, found, below = statistics.NormalDist(), {}, 0
    for value, same in groupby(sorted(values)):
        count = len(list(same))
        found[value] = normal.inv_cdf((below + count / 2) / len(values))
        below += count
    return [found[value] for value in values]


def _autocorrelation(scores: Any, places: Sequence[int]) -> float:
    """Of the first order within the parts, less its bias in short ones (Marriott and Pope, Biometrika 41, 1954)."""
    import numpy
    parts = [part - part.mean() for part in numpy.split(scores, places)]
    squares = sum(float(part @ part) for part in parts)
    found = sum(float(part[1:] @ part[:-1]) for part in parts) / squares if squares else 0.0
    return found + (1 + 3 * found) * len(parts) / len(scores)


def _significant(scores: Any, places: Sequence[int], level: float, repeats: float) -> list[int]:
    """The places that are significant beside their neighbours: the weakest goes first. `level` is that of an only
    change; a part between changes may have been chosen by both of its ends."""
    kept = sorted(places)
    while kept:
        bounds = [0, *kept, len(scores)]
        allowed = level if len(kept) == 1 else level * 2 / len(scores)
        chances = [_chance(scores[left:place], scores[place:right], repeats)
                   for left, place, right in zip(bounds, kept, bounds[2:])]
        weakest = max(range(len(kept)), key=chances.__getitem__)
        if chances[weakest] <= allowed:
            break
        del kept[weakest]
    return kept


def _chance(before: Any, after: Any, repeats: float) -> float:
    from scipy.stats import ttest_ind_from_stats
    if min(len(before), len(after)) < LEAST:
        return 1.0
    sides = [(side.mean(), max(side.std(ddof=1), 1e-9), max(len(side) / repeats, 2.0)) for side in (before, after)]
    return float(ttest_ind_from_stats(*sides[0], *sides[1], equal_var=False).pvalue)


def _changes(series: Series, scores: Any, places: list[int], repeats: float) -> list[Change]:
    """Steps; and where a ramp describes steps in one direction better (Schwarz's criterion, Ann. Stat. 6, 1978), one
    drift in place of them."""
    bounds = [0, *places, len(scores)]
    falls = [scores[place:right].mean() < scores[left:place].mean()
             for left, place, right in zip(bounds, places, bounds[2:])]
    logarithms = _tamed(series.rates, places)
    errors, effective = _error(logarithms, places), len(scores) / repeats
    best, drift = 0.0, None
    for first in range(len(places)):
        for last in range(first, len(places)):
            if len(set(falls[first:last + 1])) == 1:
                left, right = bounds[first], bounds[last + 2]
                part = logarithms[left:right]
                of_ramp, begin, end = _ramp(part)
                left_over = errors - _error(part, [place - left for place in places[first:last + 1]]) + of_ramp
                saved = 2 * (last - first + 1) - 3  # a step has a place and a level, a ramp two places and a level
                gain = effective * math.log(errors / left_over) + saved * math.log(effective) if errors > 0 else 0.0
                if gain > best:
                    best, drift = gain, Change(series, left + (begin + end) // 2, left + begin, left + end, left,
                                               right, True)
    if not drift:
        return _steps(series, scores, places, repeats, [])
    steps = [place for place in places if not drift.left < place < drift.right]
    return [drift, *_steps(series, scores, steps, repeats, [drift.first, drift.last])]


def _tamed(rates: Sequence[float], places: list[int]) -> Any:
    """The logarithms of the rates, those far from the median of their part brought nearer."""
    import numpy
    parts = numpy.split(numpy.log(numpy.array(rates)), places)
    middles = numpy.concatenate([numpy.full(len(part), numpy.median(part)) for part in parts])
    beside = numpy.concatenate(parts) - middles
    most = FAR * CONSISTENT * float(numpy.median(abs(beside)))
    return middles + numpy.clip(beside, -most, most)


def _steps(series: Series, scores: Any, places: list[int], repeats: float,
           drift: list[int]) -> list[Change]:
    found = []
    ends = {0, len(scores), *places, *drift}
    for place in places:
        left, right = max(end for end in ends if end < place), min(end for end in ends if end > place)
        part = scores[left:right]
        errors = {split: _error(part, [split]) for split in range(1, len(part))}
        best = min(errors, key=errors.__getitem__)
        within = [split for split, error in errors.items()
                  if len(part) / 2 / repeats * math.log(max(error, 1e-12) / max(errors[best], 1e-12)) <= WITHIN]
        found.append(Change(series, left + best, left + min(within), left + max(within), left, right))
    return found


def _error(part: Any, places: list[int]) -> float:
    """The sum of squares about the means between these places."""
    import numpy
    return sum(float(((one - one.mean()) ** 2).sum()) for one in numpy.split(part, places) if len(one))


def _ramp(part: Any) -> tuple[float, int, int]:
    """The sum of squares about the best ramp from one level to another, and its first and last launch."""
    import numpy
    count = len(part)
    knots = sorted({round(knot * (count - 1) / KNOTS) for knot in range(KNOTS + 1)})
    at, about = numpy.arange(count), part - part.mean()
    best = (math.inf, 0, 0)
    for begin in knots:
        for end in (knot for knot in knots if knot > begin + 1):
            slope = numpy.clip((at - begin) / (end - begin), 0, 1)
            slope = slope - slope.mean()
            best = min(best, (float(about @ about - (about @ slope) ** 2 / (slope @ slope)), begin, end))
    return best
