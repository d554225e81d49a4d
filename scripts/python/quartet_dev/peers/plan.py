"""The launches of `quartet peers`: a match for each kernel and size, in it the same data flow by TensorFlow
and by us over three ways to move data, and our best beside them. All of them on the same cores, on as many
processes and threads, with the same data."""

from pathlib import Path

from quartet.kernels import KERNELS
from quartet.kernels.kernel import Kernel
from quartet_dev.limits.folder import LimitsFolder
from quartet_dev.limits.match import RANKS, Match, Side
from quartet_dev.peers.tensorflow.launch import TensorFlow
from quartet.results import TENSORFLOW
from quartet.text import slug

NATIVE, FLOW = "native", "dataflow-shm"
FLOW_OVER_GRPC, FLOW_OVER_TCP = "dataflow-grpc", "dataflow-tcp"
LABELS = {TENSORFLOW: "TensorFlow, gRPC", FLOW_OVER_GRPC: "our data flow, gRPC",
          FLOW_OVER_TCP: "our data flow, TCP", FLOW: "our data flow, shared memory",
          NATIVE: "native, shared memory"}
# Open MPI's messages then leave through the loopback interface, as gRPC's do.
OVER_TCP = (("OMPI_MCA_pml", "ob1"), ("OMPI_MCA_btl", "self,tcp"))
WITH_PEERS = {name: kernel for name, kernel in KERNELS.items() if kernel.peers}


def matches(folder: LimitsFolder, data: Path, python: Path, runs: int) -> list[Match]:
    """All of them; `python` has TensorFlow, `data` is where files with data are made."""
    return [_match(kernel, size, folder, data, python, runs)
            for kernel in WITH_PEERS.values() for size in kernel.peers.sizes]


def _match(kernel: Kernel, size: str, folder: LimitsFolder, data: Path, python: Path,
           runs: int) -> Match:
    peers = kernel.peers
    name = f"{kernel.name}-{slug(size)}"
    files = data / name
    common = (f"{kernel.size_flag} {size} {peers.arguments} --runs {runs} --limits off "
              "--remeasure off")
    where = ("--generate", "--data", str(files)) if peers.files else ()

    def ours(side_name: str, formulation: str, transport: str, more: str = "",
             variables: tuple[tuple[str, str], ...] = ()) -> Side:
        return Side(side_name, RANKS, (
            *f"{common} --formulation {formulation} --transport {transport} {more}".split(), *where),
            environment=variables)

    # TensorFlow's program is told by a document of the data flow what to do: it comes after.
    beside = TensorFlow(kernel.name, python, folder.path / f"{name}-{FLOW}-[0-9]*.json", files)
    return Match(kernel.name, name, (
        ours(FLOW, "dataflow", "shm"), ours(NATIVE, "native", "shm", peers.native),
        ours(FLOW_OVER_TCP, "dataflow", "mpi", variables=OVER_TCP),
        ours(FLOW_OVER_GRPC, "dataflow", "grpc"),
        Side(TENSORFLOW, RANKS, (), peer=beside)), ())
