"""What was measured beside a goal that is missed: how far the ranks, the hypervisor and the limit itself
may have made it so."""

import statistics
from dataclasses import dataclass
from typing import Callable, Optional

from limits_goals import Comparison, Missing, Round, Row
from quartet_results import Case


@dataclass(frozen=True)
class Circumstances:
    """Of one row, medians over the rounds; None where its documents do not say."""

    row: Row
    waiting: Optional[float]  # the mean rank's share of the time after it had finished
    stolen: Optional[float]  # share of the cores' time that the hypervisor gave to other machines
    spread: Optional[float]  # the limit's slowest probe over its fastest, in the same launch


def _waiting(case: Case) -> Optional[float]:
    seconds = case.median.get("rank_seconds", [])
    if len(seconds) < 2 or max(seconds) <= 0:
        return None
    return 1 - statistics.mean(seconds) / max(seconds)


def _stolen(case: Case) -> Optional[float]:
    return case.median.get("stolen_share")


def _spread(case: Case) -> Optional[float]:
    probes = (case.limit or {}).get("probes", [])
    return max(probes) / min(probes) if len(probes) > 1 else None


def circumstances(comparison: Comparison, rounds: list[Round]) -> list[Circumstances]:
    """Of each row that was compared and measured, in the comparison's order."""
    found = []
    for row in comparison.rows:
        cases = []
        for results in rounds:
            try:
                cases.append(row.of(results))
            except Missing:
                continue
        if cases:
            found.append(Circumstances(row, *(_median(cases, figure)
                                              for figure in (_waiting, _stolen, _spread))))
    return found


def _median(cases: list[Case], figure: Callable[[Case], Optional[float]]) -> Optional[float]:
    known = [value for value in map(figure, cases) if value is not None]
    return statistics.median(known) if known else None
