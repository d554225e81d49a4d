"""The launches of `quartet peers`: a match for each kernel and size, in it the same data flow by TensorFlow
and by us over three ways to move data, and our best beside them. All of them on the same cores, on as many
processes and threads, with the same data."""

from dataclasses import dataclass
from pathlib import Path

from quartet.kernels import KERNELS, Kernel
from quartet.results import TENSORFLOW
from quartet.text import slug
from quartet_dev.limits.folder import LimitsFolder
from quartet_dev.limits.match import RANKS, Match, Side
from quartet_dev.peers.tensorflow.launch import TensorFlow

NATIVE, FLOW = "native", "dataflow-shm"
FLOW_OVER_GRPC, FLOW_OVER_TCP = "dataflow-grpc", "dataflow-tcp"
LABELS = {TENSORFLOW: "TensorFlow, gRPC", FLOW_OVER_GRPC: "our data flow, gRPC",
          FLOW_OVER_TCP: "our data flow, TCP", FLOW: "our data flow, shared memory",
          NATIVE: "native, shared memory"}
# Open MPI's messages then leave through the loopback interface, as gRPC's do.
OVER_TCP = (("OMPI_MCA_pml", "ob1"), ("OMPI_MCA_btl", "self,tcp"))


@dataclass(frozen=True)
class Beside:
    """What is launched beside a kernel's TensorFlow program, on two processes: sizes that take a second or so in the
    slowest of them."""

    sizes: tuple[str, ...]
    arguments: str  # of all sides of ours
    native: str = ""  # of that formulation alone
    files: bool = True  # whether the data are in files, the same for all sides
    paper_clock: bool = False  # whether the paper's clock stops earlier
    remarks: tuple[str, ...] = ()  # what is not alike


BESIDE = {
    "stream": Beside(
        ("2", "16"), "--pushes 40", files=False,
        remarks=("Each push of TensorFlow's is a run of a graph, acknowledged before the next; ours takes the next "
                 "vector in when the queue has room.",)),
    "matmul": Beside(
        ("2048",), "--tile 512",
        remarks=("In every data flow one process multiplies and the other adds, and each partial tile is sent; "
                 "native multiplies in both and sends none.",)),
    "cg": Beside(
        ("1024", "4096"), "--problem random --iterations 50",
        remarks=("An iteration is three round trips, one after the other, in every data flow; native has one "
                 "all-gather and two sums, and both processes multiply.",)),
    "fft": Beside(
        ("2^22",), "--tiles 64", native="--order natural", paper_clock=True,
        remarks=("In every data flow one process transforms tiles and the other merges them; TensorFlow's merger "
                 "does so in NumPy with one thread, as the paper's. Native transforms and merges in both.",))}


def matches(folder: LimitsFolder, data: Path, python: Path, runs: int) -> list[Match]:
    """Returns all matches; `python` has TensorFlow, `data` is where files with data are made."""
    return [_match(kernel, size, folder, data, python, runs)
            for kernel in (KERNELS[name] for name in BESIDE) for size in BESIDE[kernel.name].sizes]


def _match(kernel: Kernel, size: str, folder: LimitsFolder, data: Path, python: Path, runs: int) -> Match:
    beside = BESIDE[kernel.name]
    name = f"{kernel.name}-{slug(size)}"
    files = data / name
    common = f"{kernel.size_flag} {size} {beside.arguments} --runs {runs} --limits off --remeasure off"
    where = ("--generate", "--data", str(files)) if beside.files else ()

    def ours(side_name: str, formulation: str, transport: str, more: str = "",
             variables: tuple[tuple[str, str], ...] = ()) -> Side:
        return Side(side_name, RANKS, (
            *f"{common} --formulation {formulation} --transport {transport} {more}".split(), *where),
            environment=variables)

    # TensorFlow's program is told by a document of the data flow what to do: it comes after.
    theirs = TensorFlow(kernel.name, python, folder.path / f"{name}-{FLOW}-[0-9]*.json", files)
    return Match(kernel.name, name, (
        ours(FLOW, "dataflow", "shm"), ours(NATIVE, "native", "shm", beside.native),
        ours(FLOW_OVER_TCP, "dataflow", "mpi", variables=OVER_TCP),
        ours(FLOW_OVER_GRPC, "dataflow", "grpc"),
        Side(TENSORFLOW, RANKS, (), peer=theirs)), ())
