"""Whether two samples differ, and by how much, without assuming a distribution.

- Mann and Whitney's U test (Ann. Math. Stat. 18, 1947), two-sided; exact or approximate by SciPy's
  rule, so that p is what Google Benchmark's compare.py says of the same runs.
- The ratio of two samples: Hodges and Lehmann's estimate (Ann. Math. Stat. 34, 1963), the median of
  all ratios b/a, with the interval of those orders of the ratios that the U test does not reject
  (Moses; Hollander and Wolfe, Nonparametric Statistical Methods, 4.3). Chosen over a bootstrap,
  which is too narrow for so few runs and gives another answer each time, and over the ratio of
  medians, which has no exact interval. Times and rates give the same answer.
- The interval of one median, from the binomial distribution of the orders of its sample."""

import math
import statistics
from dataclasses import dataclass
from functools import lru_cache
from typing import Optional

ERROR = 0.05  # an interval misses as often: 95%
EXACT_TEST = 8  # runs of the smaller sample up to which the test is exact, as in SciPy
EXACT_PAIRS = 400  # pairs up to which the interval is exact


@dataclass(frozen=True)
class Ratio:
    """Of sample b to sample a."""

    value: float
    interval: Optional[tuple[float, float]]  # None where there are too few values for one


def u_test(first: list[float], second: list[float]) -> float:
    """The two-sided p of both coming from one distribution."""
    tied = _tied(first + second)
    wins = sum((a > b) + (a == b) / 2 for a in first for b in second)
    larger = max(wins, len(first) * len(second) - wins)
    if min(len(first), len(second)) <= EXACT_TEST and not tied:
        counts = _orders(len(first), len(second))
        tail = sum(counts[math.ceil(larger):]) / sum(counts)
    else:
        tail = _normal_tail(larger, len(first), len(second), tied)
    return min(1.0, 2 * tail)


def ratio(first: list[float], second: list[float]) -> Ratio:
    """second / first, of positive samples."""
    ratios = sorted(b / a for a in first for b in second)
    cut = _rejected(len(first), len(second))
    interval = (ratios[cut - 1], ratios[-cut]) if cut > 0 else None
    return Ratio(statistics.median(ratios), interval)


def median_interval(sample: list[float]) -> Optional[tuple[float, float]]:
    """Of the median of what the sample was drawn from; None below six values."""
    ordered, count = sorted(sample), len(sample)
    below, cut = 0.0, 0
    while below + math.comb(count, cut) / 2**count <= ERROR / 2:
        below += math.comb(count, cut) / 2**count
        cut += 1
    return (ordered[cut - 1], ordered[-cut]) if cut > 0 else None


def variation(sample: list[float]) -> float:
    """The coefficient of variation."""
    return statistics.stdev(sample) / statistics.mean(sample)


def _tied(values: list[float]) -> int:
    """The sum of t^3 - t over groups of t equal values."""
    counts: dict[float, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return sum(count**3 - count for count in counts.values())


def _normal_tail(larger: float, first: int, second: int, tied: int) -> float:
    """Of U above `larger`, corrected for ties and for U's whole steps."""
    both = first + second
    variance = first * second / 12 * (both + 1 - tied / (both * (both - 1)))
    if variance <= 0:  # all values are one
        return 0.5
    return math.erfc((larger - first * second / 2 - 0.5) / math.sqrt(2 * variance)) / 2


@lru_cache(maxsize=None)
def _orders(first: int, second: int) -> tuple[int, ...]:
    """In how many orders of the values U is 0, 1, ..: the coefficients of the Gaussian binomial."""
    counts = [1] + [0] * (first * second)
    for factor in range(1, first + 1):
        for index in range(len(counts) - 1, second + factor - 1, -1):  # times 1 - q^(second+factor)
            counts[index] -= counts[index - second - factor]
        for index in range(factor, len(counts)):  # over 1 - q^factor
            counts[index] += counts[index - factor]
    return tuple(counts)


def _rejected(first: int, second: int) -> int:
    """How many of the ratios at either end an interval leaves out, plus one; 0: there is none."""
    pairs = first * second
    if pairs > EXACT_PAIRS:
        deviation = math.sqrt(pairs * (first + second + 1) / 12)
        return math.floor(pairs / 2 - statistics.NormalDist().inv_cdf(1 - ERROR / 2) * deviation)
    counts = _orders(first, second)
    total, below, cut = sum(counts), 0, 0
    while below + counts[cut] <= ERROR / 2 * total:
        below += counts[cut]
        cut += 1
    return cut
