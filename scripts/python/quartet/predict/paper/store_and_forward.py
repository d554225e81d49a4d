"""TensorFlow 1.11 without GPUDirect moves a vector whole through one stage after the other: from the GPU,
over the link, to the GPU, and into the sum; over MPI it is serialised, too."""

from quartet.predict.paper.program import Constant, Constants, Program, Setting, grid
from quartet.predict.rates import Values

SERIALISE = "serialise"
ADDED = 3  # bytes read and written for each byte that is added


def seconds_per_byte(values: Values, memory: str, serialise: float = 0.0) -> float:
    """The seconds per byte of a push."""
    adding = "host_memory_bytes_per_second" if memory == "host" else "memory_bytes_per_second"
    path = 1 / values["link_bytes_per_second"] + ADDED / values[adding] + serialise
    return path if memory == "host" else path + 2 / values["host_link_bytes_per_second"]


def _seconds(values: Values, constants: Constants, setting: Setting, _workers: int) -> float:
    serialise = constants[SERIALISE] if setting.protocol == "mpi" else 0.0
    return setting.size * seconds_per_byte(values, setting.memory, serialise)


def StoreAndForward() -> Program:
    return Program(_seconds, {SERIALISE: Constant("serialising for MPI", "ns/B", 1e-9,
                                                  grid(0.5, 4.0, 0.1, 1e-9))},
                   "Explained: two numbers need the constant, three do not")
