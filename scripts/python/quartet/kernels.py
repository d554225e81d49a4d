"""What all tools need to know about each kernel. What only one tool needs, for instance flags of a sweep, is in that
tool's own table by kernel; a tool omits kernels that its table does not have."""

from dataclasses import dataclass
from enum import Enum

from quartet.units import MIB


class Reducers(Enum):
    """Ranks of a data flow that collect and do not compute."""

    NONE = "every rank computes"
    ONE = "one"
    CHOSEN = "as many as --reducers says"


@dataclass(frozen=True)
class Kernel:
    name: str
    unit: str  # of its rate
    size_flag: str = "--size"
    reducers: Reducers = Reducers.ONE
    least_ranks: int = 1
    library: str = ""  # what its library formulation runs on the host; empty: the BLAS that the program has

    @property
    def unit_size(self) -> float:
        """The number of operations or bytes a second that its unit stands for."""
        return {"GFLOP/s": 1e9, "MiB/s": MIB}[self.unit]

    def default_reducers(self, ranks: int) -> int:
        """The number of reducers that a data flow on so many ranks has without --reducers."""
        return {Reducers.NONE: 0, Reducers.ONE: 1, Reducers.CHOSEN: 1 if ranks < 4 else 2}[self.reducers]


KERNELS = {kernel.name: kernel for kernel in (Kernel("stream", "MiB/s", "--sizes", Reducers.NONE, 2, "plain MPI"),
    Kernel("matmul", "GFLOP/s", reducers=Reducers.CHOSEN, library="ScaLAPACK"), Kernel("cg", "GFLOP/s"),
    Kernel("fft", "GFLOP/s", library="FFTW"))}
NAMES = tuple(KERNELS)
# The meaning of the factors that a row's name holds without a key.
WORDS: dict[str, tuple[str, ...]] = {"cg": ("problem", "storage", "algorithm"), "fft": ("order",)}
