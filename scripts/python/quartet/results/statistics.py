"""Whether two samples differ, and by how much, without assuming a distribution.

- The ratio of two samples: Hodges and Lehmann's estimate (Ann. Math. Stat. 34, 1963), the median of all ratios b/a,
  with the interval of those orders of the ratios that Mann and Whitney's U test (Ann. Math. Stat. 18, 1947) does not
  reject (Moses; Hollander and Wolfe, Nonparametric Statistical Methods, 4.3). Chosen over a bootstrap, which is too
  narrow for so few values and gives another answer each time, and over the ratio of medians, which has no exact
  interval. Times and rates give the same answer.
- The interval of one median, from the binomial distribution of the orders of its sample.
- How many values a sample would need for an interval of some width."""

import math
import statistics
from dataclasses import dataclass
from functools import cache
from typing import Optional

ERROR = 0.05  # probability that a 95% interval misses
EXACT_PAIRS = 400  # pairs up to which the interval is exact
LEAST_VALUES = 6  # of a sample whose median has an interval
CONSISTENT = 1.4826  # standard deviation / median absolute deviation, of a normal distribution
MOST_VALUES = 200  # the largest sample that values_for() asks for
# An interval whose half width is this share of a difference decides it: equal samples are then called the same in
# four of five comparisons, since 1 = 0.6 (1 + 1.28 / 1.96), 1.28 being the normal 90% quantile.
SETTLING_SHARE = 0.6


@dataclass(frozen=True)
class Ratio:
    """The ratio of sample b to sample a."""

    value: float
    interval: Optional[tuple[float, float]]  # None if there are too few values for one


def ratio(first: list[float], second: list[float], error: float = ERROR) -> Ratio:
    """second / first, of positive samples; the interval misses with probability `error` at most."""
    ratios = sorted(b / a for a in first for b in second)
    cut = _rejected(len(first), len(second), error)
    interval = (ratios[cut - 1], ratios[-cut]) if cut > 0 else None
    return Ratio(statistics.median(ratios), interval)


def median_interval(sample: list[float], error: float = ERROR) -> Optional[tuple[float, float]]:
    """The interval of the median of what the sample was drawn from; None below LEAST_VALUES for 95%."""
    ordered, count = sorted(sample), len(sample)
    below, cut, ways = 0, 0, 1  # ways to choose `cut` of the values
    while (below + ways) / 2**count <= error / 2:
        below += ways
        ways = ways * (count - cut) // (cut + 1)
        cut += 1
    return (ordered[cut - 1], ordered[-cut]) if cut > 0 else None


def spread(*samples: list[float]) -> Optional[float]:
    """The standard deviation of the values' logarithms within their samples; None without a pair of values."""
    logarithms = [[math.log(value) for value in sample] for sample in samples if len(sample) > 1]
    if not logarithms:
        return None
    freedom = sum(len(sample) - 1 for sample in logarithms)
    squares = sum(statistics.variance(sample) * (len(sample) - 1) for sample in logarithms)
    return math.sqrt(squares / freedom)


def values_for(difference: float, spread_of: float) -> int:
    """The number of values that each of two samples needs to settle whether they differ by `difference` (0.05
    for 5%), where their logarithms have this standard deviation; MOST_VALUES at most."""
    wanted = SETTLING_SHARE * math.log1p(difference)
    return next((count for count in range(1, MOST_VALUES)
                 if spread_of * typical_half_width(count) <= wanted), MOST_VALUES)


@cache
def typical_half_width(count: int, error: float = ERROR) -> float:
    """The half width of a difference's interval, for two samples of `count` normal values each, in their
    standard deviations; infinite where there is no interval. Taken from samples that lie where order
    statistics are expected (Blom, Statistical Estimates and Transformed Beta-Variables, 1958)."""
    cut = _rejected(count, count, error)
    if cut <= 0:
        return math.inf
    normal = statistics.NormalDist()
    typical = [normal.inv_cdf((place - 0.375) / (count + 0.25)) for place in range(1, count + 1)]
    differences = sorted(b - a for a in typical for b in typical)
    return (differences[-cut] - differences[cut - 1]) / 2


@cache
def _orders(first: int, second: int) -> tuple[int, ...]:
    """The numbers of orders of the values for which U is 0, 1, ..: coefficients of the Gaussian binomial."""
    counts = [1] + [0] * (first * second)
    for factor in range(1, first + 1):
        for index in range(len(counts) - 1, second + factor - 1, -1):  # times 1 - q^(second+factor)
            counts[index] -= counts[index - second - factor]
        for index in range(factor, len(counts)):  # over 1 - q^factor
            counts[index] += counts[index - factor]
    return tuple(counts)


def _rejected(first: int, second: int, error: float) -> int:
    """The number of ratios that an interval leaves out at either end, plus one; 0 if there is none."""
    pairs = first * second
    if pairs > EXACT_PAIRS:
        deviation = math.sqrt(pairs * (first + second + 1) / 12)
        return math.floor(pairs / 2 - statistics.NormalDist().inv_cdf(1 - error / 2) * deviation)
    counts = _orders(first, second)
    total, below, cut = sum(counts), 0, 0
    while below + counts[cut] <= error / 2 * total:
        below += counts[cut]
        cut += 1
    return cut
