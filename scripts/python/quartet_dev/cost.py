"""What a kernel costs: its time and memory against its size, beside the formulas."""

import multiprocessing
import resource
import sys
from dataclasses import asdict, dataclass
from math import log2
from pathlib import Path
from typing import Callable

from quartet import schema
from quartet.exit_codes import STOPPED, VERIFIED
from quartet.files import FileProblem, read_json, write_json
from quartet.launch import Files, Job, LaunchError, LocalLauncher, Outcome, end_jobs_when_ended, quiet_job
from quartet.results import cases, load
from quartet.text import say
from quartet.units import MIB

RANKS = 2
START_GOAL = 2.0  # seconds


@dataclass(frozen=True)
class Growth:
    """How time and memory of a kernel grow with the size n, and what is launched to see it."""

    sizes: tuple[int, ...]
    small: int  # a size with next to no memory of its own
    arguments: Callable[[int], str]
    work: Callable[[int], float]  # of a run, in what time is proportional to
    memory: Callable[[int], float]  # bytes of the largest of two ranks
    time_formula: str
    memory_formula: str
    unit: str = ""  # of the size


def doublings(smallest: int) -> tuple[int, ...]:
    return tuple(smallest * 2**power for power in range(5))


COSTS = {
    # The receiver has its vector and the sums that it expects, and reads the sender's in place.
    "stream": Growth(doublings(8), 1, lambda n: f"--sizes {n} --pushes 20 --transport shm",
                     lambda n: n, lambda n: 3.0 * n * MIB, "n", "3 n bytes", "MiB"),
    # A rank reads one of A and B whole and half of the other, fills half of the rest, and has its half of C.
    "matmul": Growth(doublings(512), 64, lambda n: f"--size {n} --tile {n // 4}",
                     lambda n: 2.0 * n**3 - n**2, lambda n: 9.0 * n**2, "2 n^3 - n^2",
                     "4 n^2 (1 + 3/4 + 1/2) bytes"),
    # A rank has its block of rows; vectors are few.
    "cg": Growth(doublings(1024), 64, lambda n: f"--size {n} --iterations 40",
                 lambda n: 2.0 * n**2, lambda n: 4.0 * n**2, "2 n^2 an iteration", "8 n^2 / 2 bytes"),
    # A rank has input, work space and result of its half, and reads the other half in place.
    "fft": Growth(doublings(2**20), 2**16, lambda n: f"--size {n}", lambda n: 5.0 * n * log2(n),
                  lambda n: 3.5 * 8.0 * n, "5 n log2 n", "16 n (3/2 + 1/4) bytes")}


def fitted(sizes: list[int], values: list[float]) -> float:
    """The exponent e of values ~ size^e, by least squares over the logarithms."""
    across, up = [log2(size) for size in sizes], [log2(value) for value in values]
    middle, level = sum(across) / len(across), sum(up) / len(up)
    return (sum((x - middle) * (y - level) for x, y in zip(across, up)) / sum((x - middle) ** 2 for x in across))


@dataclass(frozen=True)
class Point:
    """What one size costs."""

    size: int
    seconds: float  # of the median run
    memory: float  # bytes of the largest rank


@dataclass(frozen=True)
class Cost:
    points: list[Point]
    start: float  # seconds until the first timed run of the smallest size, at most

    def store(self, file: Path) -> None:
        write_json(file, asdict(self))

    @staticmethod
    def stored(file: Path) -> "Cost":
        """Raises FileNotFoundError if there is none, and FileProblem where it is damaged."""
        data = read_json(file)
        problem = schema.problem("cost", data)
        if problem:
            raise FileProblem(f"{file}: {problem}: measure again (without --reuse)")
        return Cost([Point(**point) for point in data["points"]], data["start"])


def _complete(launcher: LocalLauncher, job: Job, files: Files, timeout: float) -> tuple[Outcome, int]:
    """Returns how the job ended, and the peak memory of its largest process. The kernel of the operating
    system keeps that peak over all children of a process, hence a process for each job."""
    end_jobs_when_ended()
    try:
        outcome = launcher.complete(job, files, timeout)
    except KeyboardInterrupt:  # the parent says so
        sys.exit(STOPPED)
    return outcome, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


class Laboratory:
    """Launches a kernel at some size."""

    def __init__(self, launcher: LocalLauncher, programs: Path, results: Path, timeout: float):
        self._launcher = launcher
        self._programs = programs
        self._results = results
        self._timeout = timeout

    def cost(self, name: str) -> Cost:
        """Raises LaunchError."""
        kernel = COSTS[name]
        small, _ = self._launch(name, kernel.small, "--runs 1 --limits off")
        beside = small.memory - kernel.memory(kernel.small)  # libraries, MPI's own
        points = []
        for size in kernel.sizes:
            point, outcome = self._launch(name, size, "--runs 5 --limits off")
            points.append(Point(size, point.seconds, point.memory - beside))
            say(f"{name} {size} {kernel.unit}".rstrip() + f": {outcome.seconds:.1f} s")
        once, outcome = self._launch(name, kernel.sizes[0], "--runs 1")
        return Cost(points, (outcome.seconds or 0.0) - once.seconds)

    def _launch(self, name: str, size: int, how_often: str) -> tuple[Point, Outcome]:
        stem = f"cost-{name}-{size}"
        files = Files(self._results / f"{stem}.json", self._results / f"{stem}.log")
        arguments = (*COSTS[name].arguments(size).split(), *how_often.split(), "--device", "host", "--threads", "1")
        job = quiet_job(self._programs / name, RANKS, 1, arguments, files.document)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            outcome, memory = pool.apply(_complete, (self._launcher, job, files, self._timeout))
            pool.close()
            pool.join()  # it ends by itself: a signal is for one that has a job to end
        if outcome.exit_code != VERIFIED:
            raise LaunchError(outcome.exit_code, f"{name} {size}: {outcome.message}")
        return Point(size, cases(load(files.document))[0].seconds, memory), outcome


def describe(name: str, cost: Cost) -> str:
    """The sizes, and the exponents fitted and expected."""
    kernel, sizes = COSTS[name], [point.size for point in cost.points]
    last = cost.points[-1]
    lines = [f"{name}, {RANKS} ranks x 1 thread",
             f"{'n ' + kernel.unit:>12} {'ms':>10} {'as the last':>11} {'MiB a rank':>10} "
             f"{'formula':>10}"]
    for point in cost.points:
        foreseen = last.seconds * kernel.work(point.size) / kernel.work(last.size)
        lines.append(f"{point.size:>12} {1e3 * point.seconds:>10.2f} "
                     f"{point.seconds / foreseen:>10.2f}x {point.memory / MIB:>10.1f} "
                     f"{kernel.memory(point.size) / MIB:>10.1f}")
    time = fitted(sizes, [point.seconds for point in cost.points])
    memory = fitted(sizes, [max(point.memory, 1.0) for point in cost.points])
    lines += [f"  time ~ n^{time:.2f}; {kernel.time_formula}: "
              f"n^{fitted(sizes, [kernel.work(size) for size in sizes]):.2f}",
              f"  memory ~ n^{memory:.2f}; {kernel.memory_formula}: "
              f"n^{fitted(sizes, [kernel.memory(size) for size in sizes]):.2f}",
              f"  start to first timed run: {cost.start:.1f} s at most (goal <={START_GOAL:g}: "
              f"{'met' if cost.start <= START_GOAL else 'missed'})"]
    return "\n".join(lines)
