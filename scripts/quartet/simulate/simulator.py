"""Starts programs under SimGrid's smpirun, each rank a light thread of one process."""

import shutil
from pathlib import Path

from quartet.exit_codes import UNAVAILABLE, ScriptError
from quartet.launch import Job, LocalLauncher
from quartet.predict.collectives import goes_in_pairs
from quartet.predict.machine import Machine

COMMAND = "smpirun"
# What a probe or a test takes beside the overhead of its message. By SimGrid's default it is 100 us, and grows with
# the polls of all ranks together: a rank would notice its message the later the more others wait.
POLL_SECONDS = 1e-8
# Smaller messages leave at once, as MPI's eager ones do. SimGrid's default lets each wait until it is received: who
# takes in many would then wait for each one's latency in turn. It is Open MPI's limit for InfiniBand (ompi_info:
# btl_openib_eager_limit); by TCP it is 65536, and small parts of an all-to-all take longer (docs/simulation.md).
EAGER_BYTES = 12288
COLLECTIVES = ("ompi", "mpich", "mvapich2", "impi")


def require_simulator() -> None:
    """Raises ScriptError."""
    if not shutil.which(COMMAND):
        raise ScriptError("SimGrid is not installed (there is no smpirun): scripts/setup.sh simulate",
                          UNAVAILABLE)


class Simulator(LocalLauncher):
    """Of one platform. No time of this machine counts."""

    def __init__(self, machine: Machine, platform: tuple[Path, Path], algorithms: str):
        super().__init__(Path(COMMAND))
        overhead = machine.rates.values()["overhead_seconds"]
        # The network's own model: SimGrid's default has factors of a Gigabit Ethernet in it.
        settings = {"network/model": "CM02", "network/crosstraffic": "0",
                    "smpi/simulate-computation": "no", "smpi/host-speed": "1Gf",
                    "smpi/iprobe": POLL_SECONDS, "smpi/test": POLL_SECONDS,
                    "smpi/grow-injected-times": "no",
                    "smpi/async-small-thresh": EAGER_BYTES, "smpi/send-is-detached-thresh": EAGER_BYTES,
                    "smpi/os": f"0:{overhead}:0", "smpi/ois": f"0:{overhead}:0",
                    "smpi/or": f"0:{overhead}:0",
                    "smpi/shared-malloc": "global", "smpi/shared-malloc-blocksize": str(2**25),
                    "smpi/coll-selector": algorithms,
                    # Some that it selects divide by 0; no timed step of what is simulated has one. A broadcast is
                    # part of the MPI_Allgatherv of a set-up among three.
                    "smpi/allreduce": "rdb", "smpi/bcast": "binomial_tree"}
        self._is_open_mpi = algorithms == "ompi"
        self._options = ("-quiet", "-no-privatize", "-platform", str(platform[0]),
                         "-hostfile", str(platform[1]), "--log=root.thres:error",
                         *(f"--cfg={name}:{value}" for name, value in settings.items()))

    def command(self, job: Job) -> list[str]:
        return [COMMAND, "-np", str(job.ranks), *self._options, *self._exchange(job.ranks), str(job.program), *job.arguments]

    def _exchange(self, ranks: int) -> list[str]:
        """Where Open MPI's all-to-all goes pair by pair and SimGrid's needs a power of two, another one of its has the
        same steps."""
        is_power = ranks & (ranks - 1) == 0
        wanted = self._is_open_mpi and not is_power and goes_in_pairs(ranks)
        return ["--cfg=smpi/alltoallv:ring"] if wanted else []
