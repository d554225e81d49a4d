"""Who is slower than the others, by a rule whose rate of false alarms is known.

The logarithms of the rates are compared with their median, in robust standard deviations: 1.4826 times the median
absolute deviation (Hampel, J. Amer. Stat. Assoc. 69, 1974), which up to half of the values may be wrong without
harm. The threshold is the one that the lowest of so many normal values passes as rarely as is asked for, from
simulated samples: with few values the deviation itself is uncertain, and tables for the normal distribution would
give false alarms. What is slower by less than `least` is not named, however alike the others are."""

import math
import random
import statistics
from dataclasses import dataclass
from functools import cache

from quartet.results.statistics import CONSISTENT

LEAST_VALUES = 4  # of two that differ either may be the odd one, and three have no robust deviation
LEAST_DEVIATION = 1e-3  # of logarithms: rates that agree to the last digit make nobody an outlier
SAMPLES = (1_000, 4_000)  # that are simulated, at least and at most
MOST_DRAWN = 1_000_000  # values in all


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
