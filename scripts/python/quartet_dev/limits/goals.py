"""What a goal compares, and the verdict on it.

A goal is a ratio of two figures of the same round of launches: a row's rate and its limit, or the
rows of two launches that followed each other. What counts is the median of the rounds' ratios."""

import statistics
from dataclasses import dataclass, replace
from enum import Enum
from typing import Optional

from quartet.results import statistics as compare_statistics
from quartet_dev.limits.comparisons import DAMAGE, Comparison, Figures, Missing, Round


class Noise(Enum):
    """Whether a goal is missed when its median misses but the interval reaches it."""

    COUNTS = 1
    FORGIVEN = 2


@dataclass(frozen=True)
class Bound:
    """What a ratio should be; without a number there is no goal. With both it is as far on either side of 1."""

    least: Optional[float] = None
    most: Optional[float] = None
    noise: Noise = Noise.COUNTS
    with_avx512: Optional[float] = None  # the least where every round's row has AVX-512, not AVX2 or any other set

    def for_isas(self, isas: set[str]) -> "Bound":
        """What counts for rows of these instruction sets, as documents name them."""
        least = self.with_avx512 if self.with_avx512 and isas == {"avx512"} else self.least
        return replace(self, least=least, with_avx512=None)

    @property
    def is_set(self) -> bool:
        return self.least is not None or self.most is not None

    def holds(self, value: float) -> bool:
        return ((self.least is None or value >= self.least) and (self.most is None or value <= self.most))

    def __str__(self) -> str:
        if self.least is not None and self.most is not None:
            return f"+-{100 * (self.most - self.least) / 2:g}%"
        if self.with_avx512:
            return f">={self.least:g}|{self.with_avx512:g}"
        return (f">={self.least:g}" if self.least is not None
                else f"<={self.most:g}" if self.most is not None else "")


AS_ANOTHER = Bound(0.95, 1.05)  # a limit, as another program measures it


@dataclass(frozen=True)
class Goal:
    what: str
    comparison: Comparison
    bound: Bound


class Verdict(Enum):
    MET = "met"
    MISSED = "missed"
    ABOVE = "above"  # its limit: one of the two is wrong
    UNKNOWN = "unknown"
    NOT_WANTED = ""  # it is only shown


@dataclass(frozen=True)
class GoalResult:
    """A goal, the medians over all rounds, and the spread of the rounds' ratios."""

    goal: Goal
    bound: Bound
    verdict: Verdict
    rounds: int = 0
    measured: float = 0
    against: float = 0
    ratio: float = 0
    spread: tuple[float, float] = (0, 0)
    unit: str = ""
    note: str = ""
    troubles: tuple[str, ...] = ()  # why rounds are missing, each reason once
    is_above: bool = False  # its limit, as the programs judge it


def judge(goal: Goal, rounds: list[Round]) -> GoalResult:
    """The verdict on a goal. Rounds that lack a figure are left out and listed as troubles."""
    figures: list[Figures] = []
    troubles: dict[str, None] = {}
    for results in rounds:
        try:
            figures.append(goal.comparison.of(results))
        except Missing as reason:
            troubles[str(reason)] = None
        except DAMAGE:
            troubles["a damaged document"] = None
    if not figures:
        verdict = Verdict.UNKNOWN if goal.bound.is_set else Verdict.NOT_WANTED
        return GoalResult(goal, goal.bound, verdict, troubles=tuple(troubles) or ("not measured",))
    ratios = [each.ratio for each in figures]
    bound = goal.bound.for_isas({each.isa for each in figures})
    return GoalResult(
        goal, bound, _verdict(goal, bound, figures), len(figures),
        measured=statistics.median(each.measured for each in figures),
        against=statistics.median(each.against for each in figures),
        ratio=statistics.median(ratios), spread=(min(ratios), max(ratios)),
        unit=figures[0].unit, note=figures[0].note, troubles=tuple(troubles),
        is_above=_is_above(figures))


def _is_above(figures: list[Figures]) -> bool:
    """True if the programs say of most rounds that the row is above its limit."""
    return 2 * sum(each.is_above_limit for each in figures) > len(figures)


def is_forgiven(result: GoalResult) -> bool:
    """True if the median misses the goal, but not by more than noise."""
    return result.verdict is Verdict.MET and not result.bound.holds(result.ratio)


def _verdict(goal: Goal, bound: Bound, figures: list[Figures]) -> Verdict:
    ratio = statistics.median(each.ratio for each in figures)
    if not bound.is_set:
        return Verdict.NOT_WANTED
    if _is_above(figures):
        return Verdict.ABOVE
    met = bound.holds(ratio)
    if not met and bound.noise is Noise.FORGIVEN:
        interval = compare_statistics.ratio([each.against for each in figures],
                                            [each.measured for each in figures]).interval
        # The interval ignores pairing: a row that is slower in every round is no noise.
        met = (interval is not None and any(map(bound.holds, interval))
               and any(bound.holds(each.ratio) for each in figures))
    return Verdict.MET if met else Verdict.MISSED
