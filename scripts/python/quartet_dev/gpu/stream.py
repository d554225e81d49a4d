"""stream on a GPU: pushes in its memory."""

from typing import Optional

from quartet.results import Case
from quartet.units import MIB
from quartet_dev.gpu.ceilings import Ceilings
from quartet_dev.gpu.promise import Benchmark, OnGpu, Profile, Promise, SmallRun
from quartet_dev.limits.comparisons import OfLimit, Row, Take
from quartet_dev.limits.goals import Bound, Goal

NAME = "stream"
_PAIR = f"{NAME}, a pair"
_PROMISES = (Promise(
    Goal("ipc of the local add", OfLimit(Row(_PAIR, ("ipc",), takes=Take.LARGEST)), Bound(0.9)),
    "1: on one GPU the add reads and writes the same bytes as the local one",
    "the kernel update_packs; whether the ranks' contexts take turns; the link between two GPUs"),)


def _expected_on_gpu(case: Case, ceilings: Ceilings) -> Optional[float]:
    # Both vectors are read and one is written, on one GPU that the ranks share.
    is_shared = case.median.get("gpus") == 1 and case.name.transport == "ipc"
    return ceilings.memory / 3 / MIB if ceilings.memory and is_shared else None


ON_GPU = OnGpu(
    small_runs=(SmallRun("pushes", ("--sizes", "2", "--pushes", "3")),),
    benchmarks=(Benchmark(_PAIR, 2, ("--transport", "ipc,staged", "--sizes", "32,128",
                                     "--pushes", "50"), 120,
                          small=("--transport", "ipc,staged", "--sizes", "1,2", "--pushes", "3",
                                 "--runs", "2"),
                          promises=_PROMISES, expected=_expected_on_gpu),),
    profiles=(Profile(2, ("--transport", "ipc", "--sizes", "128", "--pushes", "3"),
                      ("--transport", "ipc", "--sizes", "1", "--pushes", "2")),),
    least_ranks=2)
