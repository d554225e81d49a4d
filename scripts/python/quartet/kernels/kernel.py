"""What the scripts have to know of a kernel. Only the first four members are needed: without the
others, the scripts that want them leave the kernel out."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Callable, Optional

from quartet_dev.gpu.promise import Benchmark, Profile
from quartet_dev.limits.match import Match
from quartet.machine import Machine
from quartet.own_data.layout import Layout
from quartet.predict.model import Model
from quartet.units import MIB


class Reducers(Enum):
    """Ranks of a data flow that collect and do not compute."""

    NONE = "every rank computes"
    ONE = "one"
    CHOSEN = "as many as --reducers says"


@dataclass(frozen=True)
class Effort:
    """The flag that decides how long a program measures, and its range."""

    flag: str
    full: int
    least: int

    def arguments(self, count: int) -> list[str]:
        return [self.flag, str(count)]


@dataclass(frozen=True)
class Run:
    """How `quartet run` launches the program on one machine."""

    ranks: Callable[[Machine], list[int]]  # a launch for each
    arguments: Callable[[Machine, int], list[str]]  # machine, ranks
    effort: Effort
    label: str = ""  # of a launch beside the program's first
    more: tuple["Run", ...] = ()  # launches of another effort, each with a label


@dataclass(frozen=True)
class Scaling:
    """How the size grows with the workers in weak scaling."""

    exponent: int  # a run's work grows as size^exponent
    rounded: Callable[[float, int, dict[str, str]], int]  # of an exact size, workers, flags


@dataclass(frozen=True)
class SmallRun:
    """A run of about a second with ragged edges, to try one way through the program on a GPU."""

    name: str
    arguments: tuple[str, ...]
    formulations: tuple[str, ...] = ()  # empty: all that --list names
    files: bool = False  # whether its data are in files


@dataclass(frozen=True)
class Cost:
    """How time and memory grow with the size n, and what `quartet cost` launches to see it."""

    sizes: tuple[int, ...]
    small: int  # a size with next to no memory of its own
    arguments: Callable[[int], str]
    work: Callable[[int], float]  # of a run, in what time is proportional to
    memory: Callable[[int], float]  # bytes of the largest of two ranks
    time_formula: str
    memory_formula: str
    unit: str = ""  # of the size


@dataclass(frozen=True)
class LimitsFiles:
    """Where the launches of `quartet limits` find and keep files."""

    programs: Path  # the build's
    data: Path  # folder of matrices
    plans: Path  # FFTW's measured plans


@dataclass(frozen=True)
class Limits:
    """What `quartet limits` launches, and the goals."""

    matches: Callable[[LimitsFiles], list[Match]]
    larger: Callable[[LimitsFiles], list[Match]] = lambda _: []  # with --full only
    file_bytes: tuple[int, int] = (0, 0)  # of data files, without and with --full


@dataclass(frozen=True)
class NodeCheck:
    """A launch of some seconds that shows whether a node is as fast as others: size and flags, beyond a
    node's caches. Limits would take longer than that; nodes are compared with each other."""

    full: tuple[str, ...]
    small: tuple[str, ...]  # to try it
    ranks: Callable[[int], int] = lambda cores: cores  # on a node with so many cores, or GPUs
    is_of_pairs: bool = False  # also with a rank on each of two nodes


@dataclass(frozen=True)
class Peers:
    """What `quartet peers` launches beside the kernel's TensorFlow program, on two processes: sizes that
    take a second or so in the slowest of them."""

    sizes: tuple[str, ...]
    arguments: str  # of all sides of ours
    native: str = ""  # of that formulation alone
    files: bool = True  # whether the data are in files, the same for all sides
    paper_clock: bool = False  # whether the paper's clock stops earlier
    remarks: tuple[str, ...] = ()  # what is not alike


@dataclass(frozen=True)
class Report:
    """What the report says above the kernel's charts."""

    introduction: str = ""
    arguments: str = ""  # of a run that fills the charts
    figure: Optional[int] = None  # the paper's


@dataclass(frozen=True)
class Kernel:
    name: str
    unit: str  # of its rate
    run: Run
    words: tuple[str, ...] = ()  # what the factors are that a row's name holds without a key
    size_flag: str = "--size"
    least_ranks: int = 1
    reducers: Reducers = Reducers.ONE
    says_waiting: bool = False  # its phases reduce and wait hold all time spent on other ranks
    scaling: Optional[Scaling] = None  # None: there is no weak scaling
    cost: Optional[Cost] = None
    limits: Optional[Limits] = None
    small_runs: tuple[SmallRun, ...] = ()
    benchmarks: tuple[Benchmark, ...] = ()  # of quartet gpu, the most important first
    profiles: tuple[Profile, ...] = ()
    # Ranks and arguments of a launch of a few seconds whose limit shows the memory's rate over time.
    check: Optional[Callable[[Machine], tuple[int, tuple[str, ...]]]] = None
    node_check: Optional[NodeCheck] = None
    report: Report = Report()
    model: Optional[Model] = None  # None: it is not predicted
    peers: Optional[Peers] = None  # None: it has no program of TensorFlow's
    own_data: Optional[Layout] = None  # of a user's own files; None: it reads none

    @property
    def unit_size(self) -> float:
        """What its unit counts a second: operations or bytes."""
        return {"GFLOP/s": 1e9, "MiB/s": MIB}[self.unit]


def one_rank_per_core(machine: Machine) -> list[int]:
    return [max(2, machine.cores)]  # a data flow has a worker and a reducer at least


def doublings(smallest: int) -> tuple[int, ...]:
    """Five sizes, for Cost."""
    return tuple(smallest * 2**power for power in range(5))


def options_of(arguments: tuple[str, ...]) -> dict[str, str]:
    """Flags with the word after each, or what follows "="."""
    joined = (word.split("=", 1) for word in arguments if word.startswith("--") and "=" in word)
    return {**dict(zip(arguments, arguments[1:])), **{flag: value for flag, value in joined}}
