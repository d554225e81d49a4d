"""How `quartet run` launches each program: on how many ranks, with which flags, for what share of the time."""

from dataclasses import dataclass
from typing import Callable

from quartet.machine import Machine
from quartet.units import MIB


@dataclass(frozen=True)
class Run:
    """`quartet run` makes a launch for each number of ranks."""

    ranks: Callable[[Machine], list[int]]
    arguments: Callable[[Machine, int], list[str]]  # machine, ranks
    weight: int  # of the budget, beside the others'
    label: str = ""  # of a launch beside the program's first


def _one_rank_per_core(machine: Machine) -> list[int]:
    return [max(2, machine.cores)]  # a data flow has a worker and a reducer at least


def _a_pair_and_all_cores(machine: Machine) -> list[int]:
    return [2, machine.cores] if machine.cores > 2 else [2]


def _largest(machine: Machine, ranks: int) -> int:
    # Vectors, what they are pushed through, and the limit's arrays: six times the size a rank.
    largest = 128
    while largest > 2 and 6 * ranks * largest * MIB > machine.memory:
        largest //= 2
    return largest


def _stream(machine: Machine, ranks: int) -> list[str]:
    # The paper's smallest and largest size; the data flow and plain MPI calls stand beside the direct push.
    largest = _largest(machine, ranks)
    sizes = f"2,{largest}" if largest > 2 else "2"
    return ["--device", "host", "--sizes", sizes, "--pushes", "10", "--transport", "mpi,shm,rma",
            "--formulation", "native,dataflow,library"]


def _stream_by_grpc(machine: Machine, ranks: int) -> list[str]:
    # The paper's third protocol, so slow that one size must do.
    return ["--device", "host", "--sizes", str(_largest(machine, ranks)), "--pushes", "5", "--transport", "grpc"]


def _matmul(machine: Machine, ranks: int) -> list[str]:
    # A run takes a fraction of a second: 2 N^3 operations at some 10^11 a second and core.
    size = 2048 if ranks < 4 else 4096 if ranks < 8 else 8192 if ranks < 32 else 16384
    # Three matrices, and three small ones of each rank for the limit.
    while size > 1024 and (3 * size**2 + 3 * ranks * 2048**2) * 4 > machine.memory:
        size //= 2
    tile = min(1024, size // 4)  # as many tiles to each of 2, 4, 8 .. ranks
    # The library is ScaLAPACK.
    return ["--device", "host", "--size", str(size), "--tile", str(tile), "--threads", "1",
            "--formulation", "native,dataflow,library"]


def _cg(machine: Machine, _ranks: int) -> list[str]:
    # The matrix, 8 N^2 bytes, and the arrays of its limit.
    size = 8192
    while size > 1024 and 1.1 * 8 * size**2 > machine.memory:
        size //= 2
    return ["--device", "host", "--size", str(size), "--storage", "full,symmetric", "--formulation",
            "native,dataflow,library", "--threads", "1", "--iterations", "20"]


def _fft(machine: Machine, _ranks: int) -> list[str]:
    # Six arrays of 16 bytes a point: input, work space, result, two of the limit, the library's.
    exponent = 24
    while exponent > 10 and 6 * 16 * 2**exponent > machine.memory:
        exponent -= 1
    # The library is FFTW's distributed transform; both need one exchange only.
    return ["--device", "host", "--size", f"2^{exponent}", "--formulation",
            "native,dataflow,library"]


RUNS: dict[str, tuple[Run, ...]] = {
    "stream": (Run(_a_pair_and_all_cores, _stream, 30),
               Run(lambda _: [2], _stream_by_grpc, 6, "grpc")),
    "matmul": (Run(_one_rank_per_core, _matmul, 16),),
    "cg": (Run(_one_rank_per_core, _cg, 24),),
    "fft": (Run(_one_rank_per_core, _fft, 16),),
}
