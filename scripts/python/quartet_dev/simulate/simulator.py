"""Starts programs under SimGrid's smpirun, each rank a light thread of one process."""

import shutil
from pathlib import Path

from quartet.exit_codes import UNAVAILABLE, ScriptError
from quartet.launch import Job, LocalLauncher
from quartet.predict.machine import Machine
from quartet.predict.open_mpi import AllToAll, all_to_all

COMMAND = "smpirun"
# What a probe or a test takes beside the overhead of its message. By SimGrid's default it is 100 us, and grows with
# the polls of all ranks together: a rank would notice its message the later the more others wait.
POLL_SECONDS = 1e-8
# Smaller messages leave at once, as MPI's eager ones do. SimGrid's default lets each wait until it is received: who
# takes in many would then wait for each one's latency in turn. It is Open MPI's limit for InfiniBand (ompi_info:
# btl_openib_eager_limit); by TCP it is 65536. Only of an all-to-all in pairs all wait: those that leave at once make
# ranks lose step in SimGrid, which costs far more than over real links (docs/simulation.md).
EAGER_BYTES = 12288
COLLECTIVES = ("ompi", "mpich", "mvapich2", "impi")


def require_simulator() -> None:
    """Raises ScriptError."""
    if not shutil.which(COMMAND):
        raise ScriptError("SimGrid is not installed (there is no smpirun): scripts/setup.sh simulate", UNAVAILABLE)


class Simulator(LocalLauncher):
    """The simulator of one platform. No time of this machine counts. `exchanges`: whether programs make all-to-alls."""

    def __init__(self, machine: Machine, platform: tuple[Path, Path], algorithms: str, exchanges: bool = False):
        super().__init__(Path(COMMAND))
        self._overhead = machine.rates.values()["overhead_seconds"]
        # The network's own model: SimGrid's default has factors of a Gigabit Ethernet in it.
        settings = {"network/model": "CM02", "network/crosstraffic": "0",
                    "smpi/simulate-computation": "no", "smpi/host-speed": "1Gf",
                    "smpi/iprobe": POLL_SECONDS, "smpi/test": POLL_SECONDS,
                    "smpi/grow-injected-times": "no", "smpi/or": f"0:{self._overhead}:0",
                    "smpi/shared-malloc": "global", "smpi/shared-malloc-blocksize": str(2**25),
                    "smpi/coll-selector": algorithms,
                    # Some that it selects divide by 0; no timed step of what is simulated has one. A broadcast is
                    # part of the MPI_Allgatherv of a set-up among three.
                    "smpi/allreduce": "rdb", "smpi/bcast": "binomial_tree"}
        self._is_open_mpi, self._told, self._exchanges = algorithms == "ompi", machine.all_to_all, exchanges
        self._options = ("-quiet", "-no-privatize", "-platform", str(platform[0]),
                         "-hostfile", str(platform[1]), "--log=root.thres:error",
                         *_flags(settings))

    def command(self, job: Job) -> list[str]:
        return [COMMAND, "-np", str(job.ranks), *self._options, *_flags(self._messages(job.ranks)), str(job.program),
                *job.arguments]

    def _messages(self, ranks: int) -> dict[str, object]:
        """Open MPI's all-to-all in pairs sends to the rank i places further in step i. So does this one of SimGrid's,
        after a barrier; its own pairs differ in one bit of their numbers. There messages wait for their receivers.
        SimGrid counts a receiver's overhead only if the sender does not wait: else the sender has both."""
        in_pairs = self._is_open_mpi and all_to_all(ranks, self._told) is AllToAll.IN_PAIRS
        eager, overheads = (0, 2) if in_pairs and self._exchanges else (EAGER_BYTES, 1)
        sending = f"0:{overheads * self._overhead}:0"
        settings = {"smpi/async-small-thresh": eager, "smpi/send-is-detached-thresh": eager,
                    "smpi/os": sending, "smpi/ois": sending}
        if in_pairs:
            settings["smpi/alltoallv"] = "ring_one_barrier"
        elif self._is_open_mpi and self._told:
            settings["smpi/alltoallv"] = "ompi_basic_linear"
        return settings


def _flags(settings: dict[str, object]) -> list[str]:
    return [f"--cfg={name}:{value}" for name, value in settings.items()]
