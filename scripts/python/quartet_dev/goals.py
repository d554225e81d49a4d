"""Goals: a row's rate over its limit, or over that of another row of the same round of launches, and the verdict on
it. What counts is the median of the rounds' ratios."""

import statistics
from dataclasses import dataclass
from enum import Enum
from typing import Optional, Union

from quartet.results import Case
from quartet.text import fraction, rate, size_in_bytes
from quartet_dev.sides import Round


class Missing(Exception):
    """A figure that is not there, and why."""


@dataclass(frozen=True)
class Row:
    """The row of a side's document whose name has these parts; of several that of the largest size, if asked for."""

    side: str
    factors: tuple[str, ...] = ()
    largest: bool = False

    def of(self, results: Round) -> Case:
        """Raises Missing."""
        if self.side not in results:
            raise Missing("not run")
        result = results[self.side]
        found = [case for case in result.cases if set(self.factors) <= set(case.text.split("/"))]
        errors = [case.error for case in found or result.cases if case.error]
        if errors or not found:
            raise Missing(errors[0] if errors else result.outcome.message or "no such row")
        if any(case.verified is False for case in found):
            raise Missing("a wrong result")
        if len(found) > 1 and not self.largest:
            raise Missing(f"{len(found)} rows where there should be one")
        return max(found, key=lambda case: size_in_bytes(case.name.size))


@dataclass(frozen=True)
class Component:
    """A component of the row's limit, beside a loop that shares nothing with the suite's."""

    name: str
    loop: Row
    of_hardware: bool = False  # what the processor itself allows of the component
    factor: float = 1  # of the loop's rate

    def of(self, case: Case) -> float:
        """The component's rate. Raises Missing."""
        parts = {part["name"]: part for part in case.median.get("limit_components") or []}
        seconds = parts.get(self.name, {}).get("hardware_seconds" if self.of_hardware else "seconds")
        if not case.limit or not seconds:
            raise Missing("no limit was measured")
        return float(case.limit["rate"] * case.limit["seconds"] / seconds)


@dataclass(frozen=True)
class Bound:
    """What a ratio should be; without a number there is no goal. With both it is as far on either side of 1."""

    least: Optional[float] = None
    most: Optional[float] = None

    @property
    def is_set(self) -> bool:
        return self.least is not None or self.most is not None

    def holds(self, value: float) -> bool:
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def __str__(self) -> str:
        if self.least is not None and self.most is not None:
            return f"+-{100 * (self.most - self.least) / 2:g}%"
        return f">={self.least:g}" if self.least is not None else f"<={self.most:g}" if self.most is not None else ""


@dataclass(frozen=True)
class Goal:
    what: str
    row: Row
    bound: Bound = Bound()
    over: Union[None, Row, Component, float] = None  # None: its limit; a number: a rate
    label: str = "limit"


@dataclass(frozen=True)
class Figures:
    """What one round measured, and what that is compared with."""

    measured: float
    against: float
    ratio: float
    case: Case
    note: str = ""  # of a library that is measured against


def figures(goal: Goal, results: Round) -> Figures:
    """Raises Missing."""
    case = goal.row.of(results)
    if goal.over is None:
        if not case.limit or not case.fraction_of_limit:
            raise Missing("no limit was measured")
        return Figures(case.rate, case.limit["rate"], case.fraction_of_limit, case)
    measured, note = case.rate, ""
    if isinstance(goal.over, Component):
        measured, against = goal.over.of(case), goal.over.factor * goal.over.loop.of(results).rate
    elif isinstance(goal.over, Row):
        other = goal.over.of(results)
        against, note = other.rate, other.note if other.name.formulation == "library" else ""
    else:
        against = goal.over
    return Figures(measured, against, measured / against, case, note)


class Verdict(Enum):
    MET = "met"
    MISSED = "missed"
    ABOVE = "above"  # its limit: one of the two is wrong
    UNKNOWN = "?"
    NONE = ""  # it is only shown


@dataclass(frozen=True)
class Judged:
    """A goal, and what the rounds say of it."""

    goal: Goal
    found: tuple[Figures, ...]
    troubles: tuple[str, ...]  # why rounds are missing, each reason once

    @property
    def ratio(self) -> float:
        return statistics.median(each.ratio for each in self.found)

    @property
    def is_above(self) -> bool:
        """True if the programs say of most rounds that the row is above its limit."""
        return self.goal.over is None and 2 * sum(each.case.is_suspicious for each in self.found) > len(self.found)

    @property
    def verdict(self) -> Verdict:
        if not self.goal.bound.is_set:
            return Verdict.NONE
        if not self.found:
            return Verdict.UNKNOWN
        return Verdict.ABOVE if self.is_above else \
            Verdict.MET if self.goal.bound.holds(self.ratio) else Verdict.MISSED

    def cells(self) -> tuple[str, ...]:
        """Measured, against what, its rate, the ratio, its spread, the goal and the verdict."""
        if not self.found:
            return "", self.goal.label, "", "", "", str(self.goal.bound), self.verdict.value
        ratios = [each.ratio for each in self.found]
        return (rate(statistics.median(each.measured for each in self.found)), self.goal.label,
                rate(statistics.median(each.against for each in self.found)),
                fraction(self.ratio) + "!" * self.is_above, f"{fraction(min(ratios))}..{fraction(max(ratios))}",
                str(self.goal.bound), self.verdict.value)


def judge(goal: Goal, rounds: list[Round]) -> Judged:
    """Rounds that lack a figure are left out and listed as troubles."""
    found, troubles = [], {}
    for results in rounds:
        try:
            found.append(figures(goal, results))
        except Missing as reason:
            troubles[str(reason)] = None
    return Judged(goal, tuple(found), tuple(troubles) if rounds else ("not run",))
