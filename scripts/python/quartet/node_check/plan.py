"""What a check of one node runs: what a check of all nodes runs on each, so that rows have the same names."""

import os
from dataclasses import dataclass
from pathlib import Path

from quartet.launch import Job, quiet_job
from quartet.nodes.plan import CHECKS, title_of
from quartet.slurm.this_node import kind_of_this_node

# What another launcher or batch system has told its own processes: MPI would go by it, to other nodes.
FOREIGN = ("SLURM", "PMI", "PBS_", "LSB_", "PE_HOSTFILE", "FLUX_", "OAR_", "COBALT_", "OMPI_COMM_")
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


@dataclass(frozen=True)
class Launch:
    program: Path
    device: str
    ranks: int
    arguments: tuple[str, ...]

    @property
    def title(self) -> str:
        return title_of(self.program.name, self.device)

    def job(self, budget: int, document: Path) -> Job:
        """Rows in doubt are not measured again: a second look does that."""
        return quiet_job(self.program, self.ranks, 1, (
            "--device", self.device, *self.arguments, "--threads", "1", "--budget", str(budget), "--remeasure", "off"),
            document)


def launches(programs: Path, kernels: tuple[str, ...], counts: dict[str, int], is_small: bool) -> list[Launch]:
    """`counts` has how many cores, and how many GPUs, are to compute, by device."""
    found = []
    for device, count in counts.items():
        for kernel in kernels:
            check = CHECKS[kernel]
            size, *more = check.small if is_small else check.full
            found.append(Launch(programs / kernel, device, check.ranks(count), ("--size", size, *more)))
    return found


def gpus_here() -> int:
    """Those that the driver lists, or as many of them as CUDA may see."""
    there = kind_of_this_node().gpus_in_all
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return there if visible is None else min(there, len([name for name in visible.split(",") if name.strip()]))


def stand_alone() -> None:
    """Takes what is about a job out of the environment, and adds what a prolog lacks."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        del os.environ[name]
    os.environ.setdefault("HOME", "/")
    os.environ.setdefault("PATH", PATH)
