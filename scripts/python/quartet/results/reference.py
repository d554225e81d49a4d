"""The reference rates of a kind of node: the median of earlier launches, and the bound below which a rate is slow.

A rule with a known rate of false alarms decides which rates are slow. The logarithms of the rates are compared with
their median, in robust standard deviations: 1.4826 times the median absolute deviation (Hampel, J. Amer. Stat. Assoc.
69, 1974), which stays right if up to half of the values are wrong. The lowest of so many normal values passes the
threshold with the wanted probability, according to simulated samples: with few values the deviation itself is
uncertain, and tables of the normal distribution would give more false alarms. A rate less than `least` below the median
is never slow."""

import math
import random
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Optional

from quartet.exit_codes import ScriptError
from quartet.results import Launches, Name, Row, collect, judged_rows
from quartet.results.statistics import CONSISTENT
from quartet.units import MIB

LEAST_VALUES = 4  # of two that differ either may be the outlier, and three have no robust deviation
LOOSE = 0.2  # share below the median: if a loss of this is not noticed, nothing is decided
LEAST_DEVIATION = 1e-3  # of logarithms: without it equal rates would make any other one an outlier
SAMPLES = (1_000, 4_000)  # simulated samples, at least and at most
MOST_DRAWN = 1_000_000  # values in all
MOST_BYTES = 4 * MIB  # of a document: a check of a node has little time
FALSE_ALARMS = 0.05  # of one launch: a node is sick after two
UNLIKELY = 1.5  # times the rate of the reference, which was then measured on other nodes, or on busy ones
Key = tuple[str, tuple[object, ...]]  # a row's name and its kind of machine: rates of different kinds do not compare


@dataclass(frozen=True)
class ReferenceRate:
    """The reference of one row."""

    rate: float  # median
    bound: float  # rates below it are slow
    launches: int
    is_loose: bool = False  # its launches differ so much that a loss of LOOSE would not be noticed


@dataclass(frozen=True)
class Reference:
    known: dict[Key, ReferenceRate]

    @property
    def has_gpus(self) -> bool:
        return any(Name.parse(text).device == "cuda" for text, _ in self.known)

    def of(self, row: Row) -> Optional[ReferenceRate]:
        return self.known.get((row.text, row.place))

    def why_not(self, row: Row) -> str:
        """Why there is no reference for this row."""
        if not self.known:
            return "there is no reference to compare with"
        if all(text.partition("/")[0] != row.name.kernel for text, _ in self.known):
            return f"the reference has no usable {row.name.kernel}"
        what = "kinds of nodes" if any(text == row.text for text, _ in self.known) else "sizes or ranks"
        return f"the reference has {row.name.kernel} of other {what} only"


def read(paths: Iterable[Path], least: float = 0) -> Reference:
    """The reference from documents, or folders of them. A rate must be at least the share `least` below the median to
    be slow. Raises ScriptError if paths are given and have no usable row."""
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
    rates = [row.rate for row in launches.rows_that_count]
    middle = statistics.median(rates)
    excused = 1 - min(rates) / middle  # the share below the median that their spread explains
    if len(rates) >= LEAST_VALUES:
        excused = score_rates({str(number): rate for number, rate in enumerate(rates)}, FALSE_ALARMS).excused
    return ReferenceRate(middle, middle * (1 - max(least, excused)), len(rates), excused > max(LOOSE, least))


@dataclass(frozen=True)
class RateScores:
    """Statistics of comparable rates, by name."""

    median: float
    deviation: float  # robust, of the logarithms: about the relative spread
    threshold: float  # in deviations
    by_name: dict[str, float]  # how many deviations each is below the median

    @property
    def excused(self) -> float:
        """The share below the median that the spread of the rates explains."""
        return 1 - math.exp(-self.threshold * self.deviation)


def score_rates(rates: dict[str, float], false_alarms: float) -> RateScores:
    """`false_alarms`: how often the lowest rate may pass the threshold by chance. There must be LEAST_VALUES rates."""
    logarithms = {name: math.log(rate) for name, rate in rates.items()}
    middle = statistics.median(logarithms.values())
    deviation = max(LEAST_DEVIATION, _deviation(list(logarithms.values()), middle))
    scores = {name: (middle - value) / deviation for name, value in logarithms.items()}
    return RateScores(math.exp(middle), deviation, threshold(len(rates), false_alarms), scores)


def slow(rates: dict[str, float], false_alarms: float, least: float) -> dict[str, float]:
    """The names of slow rates, each with the share by which it is below the median."""
    sample = score_rates(rates, false_alarms)
    bound = sample.median * (1 - max(least, sample.excused))
    return {name: 1 - rate / sample.median for name, rate in rates.items() if rate < bound}


@cache
def threshold(count: int, false_alarms: float) -> float:
    """The threshold that the greatest score of `count` normal values exceeds with probability `false_alarms`."""
    samples = max(SAMPLES[0], min(SAMPLES[1], MOST_DRAWN // count))
    source = random.Random(count)  # the same check gives the same answer
    greatest = sorted(_greatest_score([source.gauss(0, 1) for _ in range(count)]) for _ in range(samples))
    return greatest[min(samples - 1, math.ceil(samples * (1 - false_alarms)))]


def _greatest_score(values: list[float]) -> float:
    middle = statistics.median(values)
    return (middle - min(values)) / _deviation(values, middle)


def _deviation(values: list[float], middle: float) -> float:
    return CONSISTENT * statistics.median(abs(value - middle) for value in values)
