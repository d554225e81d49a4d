"""What a goal compares, and the verdict on it.

A goal is a ratio of two figures of the same round of launches: a row's rate and its limit, or the
rows of two launches that followed each other. What counts is the median of the rounds' ratios."""

import statistics
from dataclasses import dataclass, field
from enum import Enum
from typing import Callable, Optional, Protocol

from quartet import statistics as compare_statistics
from quartet.launch import Outcome
from quartet.results import SUSPICIOUS_FRACTION, Case
from quartet.wording import size_in_bytes

DAMAGE = (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError)  # what it leads to


class Missing(Exception):
    """A figure that is not there, and why."""


@dataclass(frozen=True)
class Result:
    """What a launch left."""

    outcome: Outcome
    cases: list[Case] = field(default_factory=list)


Round = dict[str, Result]  # by the side's name


class Take(Enum):
    """Which of several rows counts."""

    ONLY = "there must be one"
    LARGEST = "that of the largest size"


@dataclass(frozen=True)
class Row:
    """The row of a side's document whose name has these parts."""

    side: str
    factors: tuple[str, ...] = ()
    takes: Take = Take.ONLY

    def of(self, results: Round) -> Case:
        """Raises Missing."""
        if self.side not in results:
            raise Missing("not measured")
        result = results[self.side]
        found = [case for case in result.cases if set(self.factors) <= set(case.text.split("/"))]
        errors = [case.error for case in found or result.cases if case.error]
        if errors:
            raise Missing(errors[0])
        if not found:
            raise Missing(result.outcome.message or "no such row")
        if any(case.verified is False for case in found):
            raise Missing("a wrong result")
        if self.takes is Take.LARGEST:
            return max(found, key=lambda case: size_in_bytes(case.name.size))
        if len(found) > 1:
            raise Missing(f"{len(found)} rows where there should be one")
        return found[0]


def rate(case: Case) -> float:
    return case.rate


def nanoseconds_per_point(case: Case) -> float:
    return 1e9 * case.seconds / int(case.name.size)


@dataclass(frozen=True)
class Figures:
    """What one round measured, and what that is compared with."""

    measured: float
    against: float
    ratio: float
    unit: str
    note: str = ""  # of a library that is measured against; with a limit, of the row itself
    huge_pages: bool = False  # whether the row's windows are mapped by huge pages


class Comparison(Protocol):
    label: str  # what it is measured against

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows whose times are compared; none for other figures."""

    def of(self, results: Round) -> Figures:
        """Raises Missing."""


@dataclass(frozen=True)
class OfLimit:
    """A row's fraction of its limit."""

    row: Row
    label: str = "limit"

    @property
    def rows(self) -> tuple[Row, ...]:
        return (self.row,)

    def of(self, results: Round) -> Figures:
        case = self.row.of(results)
        if not case.limit or not case.fraction_of_limit:
            raise Missing("no limit was measured")
        return Figures(case.rate, case.limit["rate"], case.fraction_of_limit, case.unit, case.note,
                       case.huge_pages)


@dataclass(frozen=True)
class OverPeer:
    """A row over another one, or over the best of several."""

    row: Row
    peers: tuple[Row, ...]
    label: str
    figure: Callable[[Case], float] = rate
    unit: str = ""  # of the figure, where it is not the rate's

    @property
    def rows(self) -> tuple[Row, ...]:
        return (self.row, *self.peers)

    def of(self, results: Round) -> Figures:
        case = self.row.of(results)
        best = max((peer.of(results) for peer in self.peers), key=rate)
        ours, theirs = self.figure(case), self.figure(best)
        note = best.note if best.name.formulation == "library" else ""
        return Figures(ours, theirs, ours / theirs, self.unit or case.unit, note)


@dataclass(frozen=True)
class BytesRead:
    """Bytes read from files over the bytes that the best whole-tile blocking reads."""

    row: Row
    label: str = "best blocking"

    @property
    def rows(self) -> tuple[Row, ...]:
        return ()

    def of(self, results: Round) -> Figures:
        row = self.row.of(results).median
        if "bytes_read" not in row:
            raise Missing("the row does not say what was read")
        # The best blocking counts written bytes as well; all blockings write the same.
        read, best = row["bytes_read"], row["bytes_best_whole_tiles"] - row["bytes_written"]
        return Figures(read / 2**20, best / 2**20, read / best, "MiB")


class Noise(Enum):
    """Whether a goal is missed when its median misses but the interval reaches it."""

    COUNTS = 1
    FORGIVEN = 2


@dataclass(frozen=True)
class Bound:
    """What a ratio should be; without a number there is no goal."""

    least: Optional[float] = None
    most: Optional[float] = None
    noise: Noise = Noise.COUNTS
    on_huge_pages: Optional[float] = None  # the least where the row has them in every round

    def for_pages(self, are_huge: bool) -> "Bound":
        return Bound(self.on_huge_pages) if self.on_huge_pages and are_huge else self

    @property
    def is_set(self) -> bool:
        return self.least is not None or self.most is not None

    def holds(self, value: float) -> bool:
        return ((self.least is None or value >= self.least)
                and (self.most is None or value <= self.most))

    def __str__(self) -> str:
        if self.least is not None and self.most is not None:
            return f"{self.least:g}..{self.most:g}"
        return (f">={self.least:g}" if self.least is not None
                else f"<={self.most:g}" if self.most is not None else "")


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


def judge(goal: Goal, rounds: list[Round]) -> GoalResult:
    """The verdict on a goal. Rounds that lack a figure are left out and listed as troubles."""
    figures, troubles = [], {}
    for results in rounds:
        try:
            figures.append(goal.comparison.of(results))
        except Missing as reason:
            troubles[str(reason)] = None
        except DAMAGE:
            troubles["a damaged document"] = None
    if not figures:
        verdict = Verdict.UNKNOWN if goal.bound.is_set else Verdict.NOT_WANTED
        return GoalResult(goal, goal.bound, verdict,
                       troubles=tuple(troubles) or ("not measured",))
    ratios = [each.ratio for each in figures]
    bound = goal.bound.for_pages(all(each.huge_pages for each in figures))
    return GoalResult(
        goal, bound, _verdict(goal, bound, figures), len(figures),
        measured=statistics.median(each.measured for each in figures),
        against=statistics.median(each.against for each in figures),
        ratio=statistics.median(ratios), spread=(min(ratios), max(ratios)),
        unit=figures[0].unit, note=figures[0].note, troubles=tuple(troubles))


def is_suspicious(goal: Goal, ratio: float) -> bool:
    """Whether a row is above its limit by more than chance."""
    return isinstance(goal.comparison, OfLimit) and ratio > SUSPICIOUS_FRACTION


def is_forgiven(result: GoalResult) -> bool:
    """Whether the median misses the goal, but not by more than noise."""
    return result.verdict is Verdict.MET and not result.bound.holds(result.ratio)


def _verdict(goal: Goal, bound: Bound, figures: list[Figures]) -> Verdict:
    ratio = statistics.median(each.ratio for each in figures)
    if not bound.is_set:
        return Verdict.NOT_WANTED
    if is_suspicious(goal, ratio):
        return Verdict.ABOVE
    met = bound.holds(ratio)
    if not met and bound.noise is Noise.FORGIVEN:
        interval = compare_statistics.ratio([each.against for each in figures],
                                            [each.measured for each in figures]).interval
        # The interval ignores pairing: a row that is slower in every round is no noise.
        met = (interval is not None and any(map(bound.holds, interval))
               and any(bound.holds(each.ratio) for each in figures))
    return Verdict.MET if met else Verdict.MISSED
