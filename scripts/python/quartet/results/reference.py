"""What nodes of a kind usually reach: the median of launches that something measured before, and the least that is
not slow, from their documents.

Who is slower than the others is told by a rule whose rate of false alarms is known. The logarithms of the rates are
compared with their median, in robust standard deviations: 1.4826 times the median absolute deviation (Hampel, J. Amer.
Stat. Assoc. 69, 1974), which up to half of the values may be wrong without harm. The threshold is the one that the
lowest of so many normal values passes as rarely as is asked for, from simulated samples: with few values the deviation
itself is uncertain, and tables for the normal distribution would give false alarms. What is slower by less than `least`
is not named, however alike the others are."""

import math
import random
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Optional

from quartet.exit_codes import ScriptError
from quartet.results import Launches, Row, collect, judged_rows
from quartet.results.statistics import CONSISTENT
from quartet.units import MIB

LEAST_VALUES = 4  # of two that differ either may be the odd one, and three have no robust deviation
LEAST_DEVIATION = 1e-3  # of logarithms: rates that agree to the last digit make nobody an outlier
SAMPLES = (1_000, 4_000)  # that are simulated, at least and at most
MOST_DRAWN = 1_000_000  # values in all
MOST_BYTES = 4 * MIB  # of a document: a check of a node has little time
FALSE_ALARMS = 0.05  # of one look: a node is sick by two
Key = tuple[str, tuple[object, ...]]  # a row's name and its kind of machine: rates of one kind say nothing of another's


@dataclass(frozen=True)
class ReferenceRate:
    """Of one row."""

    rate: float  # median
    bound: float  # what is below it is slow
    launches: int


@dataclass(frozen=True)
class Reference:
    known: dict[Key, ReferenceRate]

    def of(self, row: Row) -> Optional[ReferenceRate]:
        return self.known.get((row.text, row.place))

    def why_not(self, row: Row) -> str:
        """The reason why there is nothing about this row."""
        if not self.known:
            return "there is no reference to compare with"
        what = "kinds of nodes" if any(text == row.text for text, _ in self.known) else "sizes or ranks"
        return f"the reference has {row.name.kernel} of other {what} only"


def read(paths: Iterable[Path], least: float = 0) -> Reference:
    """From documents, or folders of them. A row must be at least the share `least` below the median to be slow. Raises
    ScriptError where something is named and nothing is there."""
    named = list(paths)
    launches: dict[Key, list[Row]] = {}
    found = collect(named, MOST_BYTES)
    for row in judged_rows(document for _, document in found.documents):
        if not row.error and row.rate > 0 and row.verified and not row.is_distrusted:
            launches.setdefault((row.text, row.place), []).append(row)
    known = {key: _reference_rate(Launches(tuple(rows)), least) for key, rows in launches.items()}
    if named and not known:
        why = found.skipped[0] if found.skipped else "every row failed, is wrong or in doubt"
        raise ScriptError(f"no reference in {named[0]} ({why}): name documents, or a folder of them")
    return Reference(known)


def _reference_rate(launches: Launches, least: float) -> ReferenceRate:
    rates = [row.rate for row in launches.counting]
    bound = statistics.median(rates) * (1 - least)
    if len(rates) >= LEAST_VALUES:
        bound = scored({str(number): rate for number, rate in enumerate(rates)}, FALSE_ALARMS).bound(least)
    return ReferenceRate(statistics.median(rates), bound, len(rates))


@dataclass(frozen=True)
class Sample:
    """Rates of like things, by name."""

    median: float
    deviation: float  # robust, of the logarithms: about the relative spread
    threshold: float  # in deviations
    scores: dict[str, float]  # how many deviations each is below the median

    def bound(self, least: float) -> float:
        """The rate below which one stands out."""
        return self.median * min(math.exp(-self.threshold * self.deviation), 1 - least)


def scored(rates: dict[str, float], false_alarms: float) -> Sample:
    """`false_alarms` is how often the lowest of such a sample may pass the threshold by chance. At least
    LEAST_VALUES rates."""
    logarithms = {name: math.log(rate) for name, rate in rates.items()}
    middle = statistics.median(logarithms.values())
    deviation = max(LEAST_DEVIATION, _deviation(list(logarithms.values()), middle))
    scores = {name: (middle - value) / deviation for name, value in logarithms.items()}
    return Sample(math.exp(middle), deviation, threshold(len(rates), false_alarms), scores)


def slow(rates: dict[str, float], false_alarms: float, least: float) -> dict[str, float]:
    """Returns the names that stand out, with the share by which they are below the median."""
    sample = scored(rates, false_alarms)
    return {name: 1 - rate / sample.median for name, rate in rates.items() if rate < sample.bound(least)}


@cache
def threshold(count: int, false_alarms: float) -> float:
    """Returns the threshold that the greatest score of `count` normal values passes so often."""
    samples = max(SAMPLES[0], min(SAMPLES[1], MOST_DRAWN // count))
    source = random.Random(count)  # the same check gives the same answer
    greatest = sorted(_greatest_score([source.gauss(0, 1) for _ in range(count)]) for _ in range(samples))
    return greatest[min(samples - 1, math.ceil(samples * (1 - false_alarms)))]


def _greatest_score(values: list[float]) -> float:
    middle = statistics.median(values)
    return (middle - min(values)) / _deviation(values, middle)


def _deviation(values: list[float], middle: float) -> float:
    return CONSISTENT * statistics.median(abs(value - middle) for value in values)
