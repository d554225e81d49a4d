"""Starts programs under SimGrid's smpirun, each rank a light thread of one process."""

import shutil
from pathlib import Path

from quartet.exit_codes import UNAVAILABLE, ScriptError
from quartet.launch import Job, LocalLauncher
from quartet.predict.machine import Machine

COMMAND = "smpirun"
# What a probe or a test takes: a data flow polls, and by SimGrid's default each time takes 100 us.
POLL_SECONDS = 5e-7
COLLECTIVES = ("ompi", "mpich", "mvapich2", "impi")


def require_simulator() -> None:
    """Raises ScriptError."""
    if not shutil.which(COMMAND):
        raise ScriptError("SimGrid is not installed (there is no smpirun): scripts/setup.sh simulate",
                          UNAVAILABLE)


class Simulator(LocalLauncher):
    """Of one platform. No time of this machine counts."""

    def __init__(self, machine: Machine, platform: tuple[Path, Path], collectives: str):
        super().__init__(Path(COMMAND))
        overhead = machine.rates.values()["overhead_seconds"]
        # The network's own model: SimGrid's default has factors of a Gigabit Ethernet in it.
        settings = {"network/model": "CM02", "network/crosstraffic": "0",
                    "smpi/simulate-computation": "no", "smpi/host-speed": "1Gf",
                    "smpi/iprobe": POLL_SECONDS, "smpi/test": POLL_SECONDS,
                    "smpi/grow-injected-times": "yes",
                    "smpi/os": f"0:{overhead}:0", "smpi/ois": f"0:{overhead}:0",
                    "smpi/or": f"0:{overhead}:0",
                    "smpi/shared-malloc": "global", "smpi/shared-malloc-blocksize": str(2**25),
                    "smpi/coll-selector": collectives}
        self._options = ("-quiet", "-no-privatize", "-platform", str(platform[0]),
                         "-hostfile", str(platform[1]), "--log=root.thres:error",
                         *(f"--cfg={name}:{value}" for name, value in settings.items()))

    def command(self, job: Job) -> list[str]:
        return [COMMAND, "-np", str(job.ranks), *self._options, str(job.program), *job.arguments]
