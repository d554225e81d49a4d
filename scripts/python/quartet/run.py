"""What `quartet run` launches: each program's native rows first, so that a short budget has a rate of every kernel, and
then the rest. Sizes fit the machine's memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from quartet.launch import Files, Job
from quartet.machine import Machine
from quartet.rounds import Launch
from quartet.text import say
from quartet.units import MIB

NATIVE, REST, ALL = "native", "dataflow,library", "native,dataflow,library"


@dataclass(frozen=True)
class Run:
    program: str
    ranks: int
    arguments: tuple[str, ...]
    weight: int  # of the budget, beside the others'
    label: str = ""  # of a launch beside the program's first

    @property
    def name(self) -> str:
        return f"{self.program}-{self.label}" if self.label else self.program

    @property
    def title(self) -> str:
        return f"{self.name} on {self.ranks} ranks"


def runs(machine: Machine) -> tuple[list[Run], list[Run]]:
    """The first launch of each program, and the others."""
    all_cores = max(2, machine.cores)  # one rank a core; a data flow has a worker and a reducer at least
    ranks = {**dict.fromkeys(ARGUMENTS, all_cores), "stream": 2}
    first, rest = ([Run(name, ranks[name], arguments_of(name, machine, ranks[name], formulations), weight, label)
                    for name, weight in WEIGHTS.items()] for formulations, label in ((NATIVE, ""), (REST, "rest")))
    if machine.cores > 2:
        rest.append(Run("stream", machine.cores, arguments_of("stream", machine, machine.cores, ALL), 30))
    # The paper's third protocol is so slow that one size must do.
    grpc = ("--device", "host", "--sizes", str(_largest(machine, 2)), "--pushes", "5", "--transport", "grpc")
    return first, [*rest, Run("stream", 2, grpc, 6, "grpc")]


def arguments_of(program: str, machine: Machine, ranks: int, formulations: str = ALL) -> tuple[str, ...]:
    return ("--device", "host", *ARGUMENTS[program](machine, ranks), "--formulation", formulations)


def _largest(machine: Machine, ranks: int) -> int:
    # Vectors, what they are pushed through, and the limit's arrays: six times the size a rank.
    largest = 128
    while largest > 2 and 6 * ranks * largest * MIB > machine.memory:
        largest //= 2
    return largest


def _stream(machine: Machine, ranks: int) -> tuple[str, ...]:
    # The paper's smallest and largest size; the data flow and plain MPI calls stand beside the direct push.
    largest = _largest(machine, ranks)
    sizes = f"2,{largest}" if largest > 2 else "2"
    return "--sizes", sizes, "--pushes", "10", "--transport", "shm,mpi,rma"


def _matmul(machine: Machine, ranks: int) -> tuple[str, ...]:
    # A run takes a fraction of a second: 2 N^3 operations at some 10^11 a second and core.
    size = 2048 if ranks < 4 else 4096 if ranks < 8 else 8192 if ranks < 32 else 16384
    # Three matrices, and three small ones of each rank for the limit.
    while size > 1024 and (3 * size**2 + 3 * ranks * 2048**2) * 4 > machine.memory:
        size //= 2
    tile = min(1024, size // 4)  # as many tiles to each of 2, 4, 8 .. ranks
    return "--size", str(size), "--tile", str(tile), "--threads", "1"


def _cg(machine: Machine, _ranks: int) -> tuple[str, ...]:
    # The matrix, 8 N^2 bytes, and the arrays of its limit.
    size = 8192
    while size > 1024 and 1.1 * 8 * size**2 > machine.memory:
        size //= 2
    return "--size", str(size), "--storage", "full,symmetric", "--threads", "1", "--iterations", "20"


def _fft(machine: Machine, _ranks: int) -> tuple[str, ...]:
    # Six arrays of 16 bytes a point: input, work space, result, two of the limit, the library's.
    exponent = 24
    while exponent > 10 and 6 * 16 * 2**exponent > machine.memory:
        exponent -= 1
    return "--size", f"2^{exponent}"


ARGUMENTS: dict[str, Callable[[Machine, int], tuple[str, ...]]] = {
    "stream": _stream, "matmul": _matmul, "cg": _cg, "fft": _fft}
WEIGHTS = {"stream": 16, "matmul": 8, "cg": 12, "fft": 8}  # of the native rows, and of the others again


def rounds(programs: Path, machine: Machine, results: Path, stamp: str) -> Iterator[list[Launch]]:
    """The launches of all programs that are there; their documents in `results` begin with `stamp`."""
    for members in runs(machine):
        built = [run for run in members if (programs / run.program).exists()]
        if built:
            yield [_launch(run, programs, machine, results / f"{stamp}-{run.name}-{run.ranks}.json") for run in built]


def _launch(run: Run, programs: Path, machine: Machine, document: Path) -> Launch:
    def job(share: float) -> Job:
        say(f"{run.title}, {share:.0f} s at most")
        return Job(programs / run.program, run.ranks, max(1, machine.cores // run.ranks),
                   (*run.arguments, "--progress", "on", "--json", str(document)))

    return Launch(f"{run.name}-{run.ranks}", run.title, job, Files(document), weight=run.weight)
