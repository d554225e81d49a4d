"""Pairs of cases, and the verdict on each pair.

A verdict needs the 95% interval of the ratio of rates, B to A, and a threshold: "faster" and
"slower" where the interval leaves out 1 and the ratio passes the threshold; "same" where the whole
interval is within it; "unclear" otherwise: not to see a difference does not mean there is none."""

import statistics
from dataclasses import dataclass
from enum import Enum
from typing import Optional

from quartet.compare.published import Number, Numbers
from quartet.compare.sides import LAUNCHES_AS_UNITS, Sample, Side
from quartet.results import Name
from quartet.statistics import Ratio, median_interval, ratio, u_test

RUNS_FOR_A_TEST = 9


class Verdict(Enum):
    """The verdict on a pair."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    UNCLEAR = "unclear"
    NOT_COMPARABLE = "-"


@dataclass(frozen=True)
class Row:
    """A case, and how B stands to A in it."""

    name: Name
    verdict: Verdict
    why: str = ""  # where there is more to say
    first: Optional[Sample] = None
    second: Optional[Sample] = None
    number: Optional[Number] = None  # published, in place of A
    ratio: Optional[Ratio] = None
    p: Optional[float] = None
    is_broken: bool = False  # right in A, and wrong or failed in B

    @property
    def fails(self) -> bool:
        """Whether a gate for regressions should close."""
        return self.is_broken or self.verdict is Verdict.SLOWER


def judge(found: Ratio, threshold: float) -> Verdict:
    """The verdict on a ratio of rates; the threshold is a share of the rate."""
    if found.interval is None:
        return Verdict.UNCLEAR
    low, high = found.interval
    if low > 1 and found.value > 1 + threshold:
        return Verdict.FASTER
    if high < 1 and found.value < 1 / (1 + threshold):
        return Verdict.SLOWER
    within = low >= 1 / (1 + threshold) and high <= 1 + threshold
    return Verdict.SAME if within else Verdict.UNCLEAR


def compare(first: Side, second: Side, threshold: float) -> list[Row]:
    """Every case of either side."""
    rows = []
    for text, sample in first.samples.items():
        other = second.samples.get(text)
        if other:
            rows.append(_pair(sample, other, threshold))
        elif text in second.errors:
            rows.append(Row(sample.name, Verdict.NOT_COMPARABLE, f"failed in B: "
                            f"{second.errors[text]}", sample, is_broken=True))
        else:
            rows.append(Row(sample.name, Verdict.NOT_COMPARABLE,
                            f"only in A{_nearest(sample.name, second, first)}", sample))
    for text, sample in second.samples.items():
        if text not in first.samples:
            why = f"failed in A: {first.errors[text]}" if text in first.errors else "only in B"
            rows.append(Row(sample.name, Verdict.NOT_COMPARABLE, why, second=sample))
    return rows


def _pair(first: Sample, second: Sample, threshold: float) -> Row:
    problems = [f"{problem} in {side}" for side, problem in
                (("A", first.problem()), ("B", second.problem())) if problem]
    if problems:
        return Row(first.name, Verdict.NOT_COMPARABLE, ", ".join(problems), first, second,
                   is_broken=second.is_wrong and not first.is_wrong)
    by_launch = min(len(first.launches), len(second.launches)) >= LAUNCHES_AS_UNITS
    values = [sample.medians if by_launch else sample.runs for sample in (first, second)]
    found = ratio(*values)
    enough = min(map(len, values)) >= RUNS_FOR_A_TEST
    verdict, why = judge(found, threshold), ""
    if found.interval is None:
        why = f"too few runs for an interval ({len(values[0])} and {len(values[1])})"
    elif not by_launch and verdict in (Verdict.FASTER, Verdict.SLOWER) and _overlap(first, second):
        verdict, why = Verdict.UNCLEAR, "the launches of A and B overlap"
    return Row(first.name, verdict, why, first, second, ratio=found,
               p=u_test(*values) if enough else None)


def _overlap(first: Sample, second: Sample) -> bool:
    return (max(first.medians) >= min(second.medians)
            and max(second.medians) >= min(first.medians))


def _nearest(name: Name, side: Side, other: Side) -> str:
    """How the most similar case without a partner differs."""
    factors = _factors(name)
    differing = []
    for text, sample in side.samples.items():
        there = _factors(sample.name)
        if text not in other.samples and sample.name.kernel == name.kernel:
            differing.append([f"{key} {there.get(key, 'none')}, not {factors.get(key, 'none')}"
                              for key in {**factors, **there}
                              if factors.get(key) != there.get(key)])
    return f" (nearest in B: {'; '.join(min(differing, key=len))})" if differing else ""


def _factors(name: Name) -> dict[str, str]:
    words = {f"word {place}": word for place, word in enumerate(name.words, 1)}
    return {"formulation": name.formulation, "device": name.device, "transport": name.transport,
            **words, **name.values}


def compare_published(numbers: Numbers, side: Side, threshold: float) -> list[Row]:
    """Every case of B for which there is a published number, by the paper's clock where it has
    one."""
    rows = []
    for text, sample in side.samples.items():
        number = numbers.nearest(sample.name, sample.cases[0].workers, sample.unit)
        if number:
            rows.append(_against(number, side.papers.get(text, sample), threshold))
    return rows


def _against(number: Number, sample: Sample, threshold: float) -> Row:
    problem = sample.problem()
    if problem:
        return Row(sample.name, Verdict.NOT_COMPARABLE, f"{problem} in B", None, sample, number)
    by_launch = len(sample.launches) >= LAUNCHES_AS_UNITS
    values = sample.medians if by_launch else sample.runs
    interval = median_interval(values)
    bounds = (interval[0] / number.value, interval[1] / number.value) if interval else None
    found = Ratio(statistics.median(values) / number.value, bounds)
    verdict, why = judge(found, threshold), ""
    # Of "more than 6000" and 7000 one cannot say which is more.
    if (verdict, number.bound) not in ((Verdict.SLOWER, "above"), (Verdict.FASTER, "below")) \
            and number.bound != "about":
        verdict, why = Verdict.UNCLEAR, f"published as \"{number.bound}\" that value, no more"
    if bounds is None:
        why = f"too few runs for an interval ({len(values)})"
    return Row(sample.name, verdict, why, None, sample, number, found)
