"""What `quartet gpu` measures, and what is promised of it."""

from dataclasses import dataclass, replace
from typing import Callable, Optional

from quartet.launch import Outcome
from quartet.results import Case
from quartet_dev.gpu.ceilings import Ceilings
from quartet_dev.limits.comparisons import Result, Round
from quartet_dev.limits.goals import Goal, GoalResult, judge


@dataclass(frozen=True)
class Promise:
    """A goal, what counting leads to expect of its ratio, and what to look at where it is missed."""

    goal: Goal
    by_counting: str
    if_missed: str


@dataclass(frozen=True)
class Benchmark:
    """One launch. The rows of goals have its title for a side."""

    title: str
    ranks: int
    arguments: tuple[str, ...]
    seconds: float  # that it may take
    small: tuple[str, ...]  # arguments that try the launch, where no rate is wanted
    files: bool = False  # whether its data are in files
    promises: tuple[Promise, ...] = ()
    # A row's rate in its own unit; None if the GPU's ceilings are not known.
    expected: Callable[[Case, Ceilings], Optional[float]] = lambda _case, _ceilings: None


@dataclass(frozen=True)
class Profile:
    """A short launch whose kernels are looked at by their counters."""

    ranks: int
    arguments: tuple[str, ...]
    small: tuple[str, ...]


@dataclass(frozen=True)
class SmallRun:
    """A run of about a second with ragged edges, to try one way through the program on a GPU."""

    name: str
    arguments: tuple[str, ...]
    formulations: tuple[str, ...] = ()  # empty: all that --list names
    files: bool = False  # whether its data are in files


@dataclass(frozen=True)
class OnGpu:
    """What `quartet gpu` runs of a kernel."""

    small_runs: tuple[SmallRun, ...]
    benchmarks: tuple[Benchmark, ...]  # the most important first
    profiles: tuple[Profile, ...]
    least_ranks: int = 1


def judged(promise: Promise, side: str, cases: list[Case]) -> GoalResult:
    """The verdict over the runs of one launch, each a round of its own: the launch's rows ran in turns."""
    return judge(promise.goal, rounds_of(side, cases))


def rounds_of(side: str, cases: list[Case]) -> list[Round]:
    count = min((len(case.rates) for case in cases if not case.error), default=1)
    return [{side: Result(Outcome(0, None), [_of_run(case, run) for case in cases])}
            for run in range(max(count, 1))]


def _of_run(case: Case, run: int) -> Case:
    if run >= len(case.rates):
        return case
    rate = case.rates[run]
    fraction = rate / case.limit["rate"] if case.limit else None
    return replace(case.with_row(fraction_of_limit=fraction), rate=rate)
