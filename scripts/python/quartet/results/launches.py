"""One case over several launches of it: what counts, and what is shown of it.

Runs of a launch share placement, pages and the minute, so a launch is one value: its median. Launches that something
disturbed do not count where others are left."""

import statistics
from dataclasses import dataclass
from typing import Optional

from quartet.results.case import Case, Name

# Flags that say that a launch was disturbed. The others are about what it reached: a program that is slow for a reason
# has them in every launch.
DISTURBING = {"disturbed", "unsteady"}


def is_disturbed(case: Case) -> bool:
    return case.is_distrusted and (not case.flags or bool(DISTURBING & set(case.flags)))


@dataclass(frozen=True)
class Launches:
    cases: tuple[Case, ...]  # one a launch

    @property
    def undisturbed(self) -> list[Case]:
        return [case for case in self.cases if not is_disturbed(case)]

    @property
    def counting(self) -> list[Case]:
        """The undisturbed ones; all where none is."""
        return self.undisturbed or list(self.cases)

    @property
    def case(self) -> Case:
        """The case of the first launch that counts."""
        return self.counting[0]

    @property
    def name(self) -> Name:
        return self.cases[0].name

    @property
    def unit(self) -> str:
        return self.case.unit

    @property
    def workers(self) -> int:
        return self.case.workers

    @property
    def nodes(self) -> int:
        return self.case.nodes

    @property
    def gpus(self) -> tuple[str, ...]:
        return self.case.gpus

    @property
    def medians(self) -> list[float]:
        """The medians of the launches that count: those that the documents have, which are of times."""
        return [case.rate for case in self.counting]

    @property
    def rate(self) -> float:
        return statistics.median(self.medians)

    @property
    def interval(self) -> Optional[tuple[float, float]]:
        """One launch: the 95% interval of its median. Several: the range of their medians."""
        if len(self.counting) == 1:
            return self.case.interval
        rates = [case.rate for case in self.counting]
        return min(rates), max(rates)

    @property
    def limit_rate(self) -> Optional[float]:
        """The median rate of the launches' limits."""
        rates = [case.limit["rate"] for case in self.counting if case.limit]
        return statistics.median(rates) if rates else None

    @property
    def fraction(self) -> Optional[float]:
        """The fraction of the limit."""
        known = [case.fraction_of_limit for case in self.counting if case.fraction_of_limit]
        return statistics.median(known) if known else None

    @property
    def verified(self) -> Optional[bool]:
        """True if all launches are right; None if one was not checked."""
        checks = {case.verified for case in self.cases}
        return False if False in checks else None if None in checks else True

    @property
    def mark(self) -> str:
        """`?` where a launch that counts is distrusted, `!` where most are above their limit."""
        above = sum(case.is_suspicious for case in self.counting)
        is_distrusted = any(case.is_distrusted for case in self.counting)
        return "?" if is_distrusted else "!" if 2 * above > len(self.counting) else ""
