"""What may explain a missed goal: load imbalance, steal, clocks, and the limit's own spread."""

import contextlib
import statistics
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Optional

from quartet.results import Case
from quartet_dev.limits.comparisons import DAMAGE, Comparison, Missing, OverPeer, Round, Row, rate

SAYING_WAITING = ("cg", "fft")  # their phases reduce and wait hold all time spent on other ranks


@dataclass(frozen=True)
class Circumstances:
    """Medians over the rounds for one row; None if its documents do not say."""

    row: Row
    waiting: Optional[float]  # the slowest rank's time in sums and waiting for others, of all
    files: Optional[float]  # the slowest rank's time in which files are read and written, of all
    early: Optional[float]  # 1 - mean / longest of the ranks' times
    steal: Optional[float]  # of a busy core's time, what the hypervisor withheld
    cores: Optional[float]  # their speed after the runs, of their best in any of these launches
    spread: Optional[float]  # the slowest probe of the limit over the fastest, in one launch
    reach: Optional[float] = None  # of a peer: the limit of what is compared with it, over its rate
    limits: Optional[float] = None  # of a peer: that limit over its own


def _positive(values: list[Any]) -> list[float]:
    return [value for value in values if value and value > 0]  # null: not a number


def _ranks(case: Case) -> tuple[int, float, float]:
    """How many ranks have a time, their mean and longest one; zeros where none is told."""
    summary = case.median.get("rank_seconds_summary")  # above some hundreds of ranks
    if summary:
        return summary["ranks"], summary["mean"], summary["max"]
    seconds = _positive(case.median.get("rank_seconds", []))
    return (len(seconds), statistics.mean(seconds), max(seconds)) if seconds else (0, 0, 0)


def _share(case: Case, *names: str) -> Optional[float]:
    """The phases' share of the slowest rank's time; None if the case has none of them."""
    _, _, longest = _ranks(case)
    told = [case.phases[name] for name in names if name in case.phases]
    return sum(told) / longest if told and longest else None


def _waiting(case: Case) -> Optional[float]:
    # Other kernels also wait inside phases with other names, for instance push.
    ranks, _, _ = _ranks(case)
    return _share(case, "reduce", "wait") if case.name.kernel in SAYING_WAITING and ranks > 1 else None


def _files(case: Case) -> Optional[float]:
    # Without files, copy_out is a copy from a GPU.
    return _share(case, "read", "copy_out") if "bytes_read" in case.median else None


def _early(case: Case) -> Optional[float]:
    ranks, mean, longest = _ranks(case)
    return 1 - mean / longest if ranks > 1 and longest else None


def _steal(case: Case) -> Optional[float]:
    return case.median.get("stolen_share")


def clock_probe(case: Case) -> Optional[float]:
    """Seconds of the fixed loop that shows the cores' speed; None if it was not timed."""
    return next(iter(_positive([case.median.get("core_loop_seconds")])), None)


def _spread(case: Case) -> Optional[float]:
    probes = _positive((case.limit or {}).get("probes", []))
    return max(probes) / min(probes) if len(probes) > 1 else None


def circumstances(comparison: Comparison, rounds: list[Round]) -> list[Circumstances]:
    """For each measured row of a comparison, in its order."""
    found: dict[Row, list[Case]] = {}
    for results in rounds:
        for row in comparison.rows:
            try:
                found.setdefault(row, []).append(row.of(results))
            except (Missing, *DAMAGE):
                continue
    every = [case for results in rounds for result in results.values() for case in result.cases]
    shortest = min(known(every, clock_probe), default=None)

    def cores(case: Case) -> Optional[float]:
        loop = clock_probe(case)
        return shortest / loop if loop and shortest else None

    return [Circumstances(row, _median(cases, _waiting), _median(cases, _files), _median(cases, _early),
                          _median(cases, _steal), _median(cases, cores), _median(cases, _spread),
                          _limit_over(rate, comparison, row, rounds), _limit_over(_limit, comparison, row, rounds))
            for row, cases in found.items() if cases]


def _limit(case: Case) -> float:
    return float((case.limit or {})["rate"])


def _limit_over(figure: Callable[[Case], float], comparison: Comparison, peer: Row,
                rounds: list[Round]) -> Optional[float]:
    """The compared row's limit over a figure of its peer; None for the row itself.

    Over the peer's rate: no goal above this ratio can be met. Over the peer's limit: how much the
    machine itself differed between the two launches."""
    if (not isinstance(comparison, OverPeer) or comparison.figure is not rate or comparison.row == peer):
        return None
    found = []
    for results in rounds:
        with contextlib.suppress(Missing, *DAMAGE):
            found.append(_limit(comparison.row.of(results)) / figure(peer.of(results)))
    return statistics.median(found) if found else None


def known(cases: Iterable[Case], figure: Callable[[Case], Optional[float]]) -> list[float]:
    """The figure of each case that has one."""
    found = []
    for case in cases:
        with contextlib.suppress(*DAMAGE):
            found += [value for value in (figure(case),) if value is not None]
    return found


def _median(cases: list[Case], figure: Callable[[Case], Optional[float]]) -> Optional[float]:
    figures = known(cases, figure)
    return statistics.median(figures) if figures else None
