"""What `quartet gpu` runs of each kernel, what it costs, and the goals that it is judged by."""

from dataclasses import dataclass, replace

from quartet.launch import Outcome
from quartet.results import Case
from quartet.units import MIB
from quartet_dev.limits.comparisons import Figures, OfLimit, OverPeer, Result, Round, Row, Take
from quartet_dev.limits.goals import Bound, Goal, GoalResult, judge

LARGER = "larger"  # the part with the sizes that take long; the others are in the part of their kernel
# The model of a launch's cost: its start, each case's limits, its data made and checked at a rate, and its runs.
# Seconds and bytes a second, as 16 cores beside an H200 had them.
LAUNCH, LIMITS = 1.0, 1.5
SET_UP = {"cg": 18e9, "fft": 1.2e9, "matmul": 1.5e9, "stream": 1e9}
GPU_BYTES, GPU_FLOPS = 3e12, 5e13  # a second, as the GPU's memory and its single precision have them
STAGED = 45e9  # bytes a second that PCIe 5 gives each direction at least, of 52


@dataclass(frozen=True)
class Target:
    """A goal, the ratio that counting bytes and operations leads to, and what to look at where it is missed."""

    goal: Goal
    by_counting: str
    if_missed: str


@dataclass(frozen=True)
class Benchmark:
    """One launch. The rows of goals have its title for a side."""

    title: str
    arguments: tuple[str, ...]
    small: tuple[str, ...]  # arguments that try the launch, where no rate is wanted
    targets: tuple[Target, ...]
    cases: int
    set_up_bytes: float  # of all cases
    run_seconds: float  # of all cases
    ranks: int = 1
    part: str = ""  # if not its kernel's

    def expected(self, kernel: str, cores: int) -> float:
        """Seconds, by the model above."""
        return (LAUNCH + self.cases * LIMITS + self.set_up_bytes / SET_UP[kernel] * max(1.0, 16 / cores) +
                self.run_seconds)


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
    vendors_on_one: bool = False  # on one rank the formulation library is the vendor's own, else plain MPI

    def transports(self, formulation: str, ranks: int, there: list[str]) -> list[str]:
        """Those of the transports over which the formulation exists."""
        if formulation == "dataflow" and ranks == 1:  # it needs a worker and a reducer
            return []
        if formulation != "library":
            return there
        if self.vendors_on_one:
            return there if ranks == 1 else []
        return [transport for transport in there if transport == "mpi"]


@dataclass(frozen=True)
class OverRate:
    """A row's rate over a given one, which is in the row's unit."""

    row: Row
    rate: float
    label: str

    def of(self, results: Round) -> Figures:
        case = self.row.of(results)
        return Figures(case.rate, self.rate, case.rate / self.rate, case.unit)


def judged(target: Target, side: str, cases: list[Case]) -> GoalResult:
    """The verdict over the runs of one launch, each a round of its own: the launch's rows ran in turns."""
    count = min((len(case.rates) for case in cases if not case.error), default=1)
    return judge(target.goal, [{side: Result(Outcome(0, None), [_of_run(case, run) for case in cases])}
                               for run in range(max(count, 1))])


def _of_run(case: Case, run: int) -> Case:
    if run >= len(case.rates):
        return case
    rate = case.rates[run]
    fraction = rate / case.limit["rate"] if case.limit else None
    return replace(case.with_row(fraction_of_limit=fraction), rate=rate)


_BOTH_STORAGES = ("--storage", "full,symmetric")


def _cg(size: int, iterations: int, full: float, symmetric: float, over_full: float, part: str = "") -> Benchmark:
    """The last three are goals; 0 is none."""
    title = f"cg {size}"
    of_full, of_symmetric = (Row(title, (storage,)) for storage in ("full", "symmetric"))
    goals = (
        (full, Target(
            Goal(f"full, N = {size}", OfLimit(of_full), Bound(full)), "1, less the vectors and launches",
            "kernels of an iteration and the gaps between them; dram__throughput")),
        (symmetric, Target(
            Goal(f"symmetric, N = {size}", OfLimit(of_symmetric), Bound(symmetric)),
            "0.97: the tiles' sums, written and read, are 2% of the bytes", "long scoreboard stalls of the tiles' kernel")),
        (over_full, Target(
            Goal(f"symmetric, N = {size}", OverPeer(of_symmetric, (of_full,), "full"), Bound(over_full)),
            "2: half the bytes; less the tiles' sums", "the tiles' kernel beside that of rows")))
    both = 8 * size**2 * 3 / 2
    return Benchmark(title, ("--size", str(size), *_BOTH_STORAGES, "--iterations", str(iterations), "--runs", "6"),
                     ("--size", str(max(size // 64, 128)), *_BOTH_STORAGES, "--iterations", "3", "--runs", "2"),
                     tuple(target for bound, target in goals if bound), 2, both, 7 * iterations * both / GPU_BYTES,
                     part=part)


def _fft(exponent: int, goal: float) -> Benchmark:
    """One transform beside cuFFT's in the same launch."""
    title = f"fft 2^{exponent}"
    formulations = ("--formulation", "native,library", "--transport", "staged")
    target = Target(Goal(f"2^{exponent}", OverPeer(Row(title, ("native",)), (Row(title, ("library",)),), "cuFFT"),
                         Bound(goal)),
                    "passes over memory: 2 to 2^25 and 3 above; cuFFT makes about 3.5",
                    "the row's note (whose transform it is); the passes in the kernels alone")
    return Benchmark(title, ("--size", f"2^{exponent}", *formulations, "--runs", "6"),
                     ("--size", f"2^{exponent - 16}", *formulations, "--runs", "2"), (target,), 2,
                     2 * 16 * 2**exponent, 1)


def _fft_in_tiles(exponent: int, tiles: int, goal: float) -> Benchmark:
    """The four steps on one GPU: beside cuFFT's whole transform, or where there is no room for that, its limit."""
    title = f"fft 2^{exponent} in {tiles} tiles"
    native, is_alone = Row(title, ("native",)), exponent > 30
    what = f"2^{exponent} in {tiles} tiles"
    goal_here = (Goal(what, OfLimit(native, "limit (two passes)"), Bound(goal)) if is_alone else
                 Goal(what, OverPeer(native, (Row(title, ("library",)),), "cuFFT's whole transform"), Bound(goal)))
    formulations = ("--formulation", "native" if is_alone else "native,library", "--transport", "staged")
    return Benchmark(title, ("--size", f"2^{exponent}", "--tiles", str(tiles), *formulations,
                             "--runs", "3" if is_alone else "6"),
                     ("--size", "2^10", "--tiles", "32", *formulations, "--runs", "2"),
                     (Target(goal_here, "2 to 4 passes in columns and rows",
                             "the strided columns beside rows, in the kernels alone"),),
                     1 if is_alone else 2, (1 if is_alone else 2) * 16 * 2**exponent, 2,
                     part=LARGER if is_alone else "")


def _matmul(title: str, size: int, arguments: tuple[str, ...], goal: float, runs: int, part: str = "") -> Benchmark:
    title = f"matmul {title}"
    target = Target(Goal(title.removeprefix("matmul "), OfLimit(Row(title)), Bound(goal)),
                    "1, less the first tiles' copies in and the last ones' out",
                    "the timeline (--trace): do copies hide behind products? Throttled clocks")
    return Benchmark(title, ("--size", str(size), *arguments, "--runs", str(runs)),
                     ("--size", "256", "--tile", "64", "--runs", "2"), (target,), 1, 3 * 4 * size**2,
                     (runs + 1) * 2 * size**3 / GPU_FLOPS, part=part)


_PAIR = "stream, a pair"
_STREAM = Benchmark(
    _PAIR, ("--transport", "ipc,staged", "--sizes", "32,128", "--pushes", "50", "--runs", "10"),
    ("--transport", "ipc,staged", "--sizes", "1,2", "--pushes", "3", "--runs", "2"),
    (Target(Goal("ipc, 128 MiB", OfLimit(Row(_PAIR, ("ipc",), Take.LARGEST)), Bound(0.9)),
            "1: on one GPU the add reads and writes the same bytes as the local one",
            "whether the ranks' contexts take turns; the link between two GPUs"),
     Target(Goal("staged, 128 MiB", OverRate(Row(_PAIR, ("staged",), Take.LARGEST), STAGED / MIB,
                                             f"45 GB/s ({STAGED / MIB:.0f} MiB/s)"), Bound(1)),
            "1.04: PCIe 5 gives 47 GB/s each way at once", "whether copies in and out go at the same time")),
    4, 4 * 2 * 128 * MIB, 5, ranks=2)
# A third of the tiles fits beside what cuBLAS takes: the matrices stream through.
_SMALL_PRODUCT = ("--size", "500", "--tile", "64")
_BOUNDED = (*_SMALL_PRODUCT, "--device-memory", "33MiB")

ON_GPU: dict[str, OnGpu] = {
    "cg": OnGpu(
        (SmallRun("memory", ("--size", "1001", "--iterations", "5", *_BOTH_STORAGES,
                             "--algorithm", "classic,single-reduction")),
         SmallRun("files", ("--size", "1001", "--iterations", "5"), ("native",), files=True)),
        # Of 65536 the goals are what an H200 had.
        (_cg(16384, 200, 0.97, 0.93, 1.9), _cg(4096, 1000, 0.9, 0, 1.6), _cg(65536, 50, 0.995, 0.925, 0, LARGER)),
        (Profile(1, ("--size", "16384", *_BOTH_STORAGES, "--iterations", "3"),
                 ("--size", "512", *_BOTH_STORAGES, "--iterations", "2")),)),
    "fft": OnGpu(
        (SmallRun("memory", ("--size", "3600")), SmallRun("files", ("--size", "3600"), ("native",), files=True)),
        (_fft(24, 1.15), _fft(27, 1.05), _fft(30, 1.25), _fft_in_tiles(24, 4096, 0.95), _fft(26, 1.05),
         _fft(28, 1.05), _fft_in_tiles(31, 32768, 0.4), _fft_in_tiles(32, 65536, 0.4)),
        (Profile(1, ("--size", "2^24", "--tiles", "4096"), ("--size", "2^12", "--tiles", "64")),
         Profile(2, ("--size", "2^26", "--transport", "ipc"),
                 ("--size", "2^12", "--tiles", "64", "--transport", "ipc"))),
        vendors_on_one=True),
    "matmul": OnGpu(
        (SmallRun("memory", _SMALL_PRODUCT), SmallRun("bounded", _BOUNDED, ("native",)),
         SmallRun("files", _BOUNDED, ("native",), files=True)),
        (_matmul("16384, TF32, from host memory", 16384, ("--math", "tf32"), 0.9, 6),
         _matmul("65536 from host memory", 65536, ("--device-memory", "8GiB"), 0.95, 2, LARGER)),
        (Profile(1, ("--size", "8192"), ("--size", "256", "--tile", "64")),)),
    "stream": OnGpu(
        (SmallRun("pushes", ("--sizes", "2", "--pushes", "3")),), (_STREAM,),
        (Profile(2, ("--transport", "ipc", "--sizes", "128", "--pushes", "3"),
                 ("--transport", "ipc", "--sizes", "1", "--pushes", "2")),), least_ranks=2)}
