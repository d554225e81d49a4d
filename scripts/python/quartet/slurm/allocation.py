"""The Slurm job that this process is part of, in salloc's shell or a batch script, and how programs run
as its steps."""

import os
import re
import signal
import subprocess
from dataclasses import dataclass
from typing import Mapping, Optional

from quartet.exit_codes import FAILED
from quartet.launch import Job, LaunchError, LocalLauncher
from quartet.paths import SLURM
from quartet.results import whole_number
from quartet.slurm.machine import MachineError, SlurmMachine
from quartet.slurm.request import Shape, shape_of
from quartet.slurm.site import answer

START = SLURM / "start.sh"


@dataclass(frozen=True)
class Allocation:
    job: str  # its number
    nodes: tuple[str, ...]

    @staticmethod
    def here(environment: Mapping[str, str] = os.environ) -> Optional["Allocation"]:
        """None if this is no part of a job. Raises LaunchError if its nodes cannot be told."""
        job, nodes = environment.get("SLURM_JOB_ID", ""), environment.get("SLURM_JOB_NODELIST", "")
        return Allocation(job, hosts_of(nodes)) if job and nodes else None

    @property
    def has_ended(self) -> bool:
        """True if Slurm says so: what fails then has not failed by itself."""
        done = subprocess.run(["squeue", "-h", "-j", self.job, "-t", "RUNNING", "-o", "%i"], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return not done.stdout.strip() and (done.returncode == 0 or "Invalid job id" in done.stderr)


def hosts_of(nodes: str) -> tuple[str, ...]:
    """The names in a list as Slurm writes it, "n[1-3,7]". Raises LaunchError."""
    found = tuple(answer("scontrol", "show", "hostnames", nodes).split())
    if not found:
        raise LaunchError(FAILED, f"'{nodes:.60}' is no list of nodes (scontrol names none): write it as n[1-3,7]")
    return found


def machine_here(environment: Mapping[str, str] = os.environ) -> SlurmMachine:
    """Describes the job's nodes by its variables, for want of a machine file: each hardware thread counts as a
    core. Raises MachineError."""
    cores = re.match(r"[0-9]+", environment.get("SLURM_JOB_CPUS_PER_NODE", ""))
    if not cores:
        raise MachineError("no Slurm job (SLURM_JOB_ID is not set): salloc or sbatch first, or name a machine "
                           "file (--slurm)")
    gpus = whole_number(environment.get("SLURM_GPUS_ON_NODE", "0")) or 0
    return SlurmMachine.of({"name": "this job", "cores_per_node": int(cores[0]), "gpus_per_node": gpus,
                            "launcher": environment.get("QUARTET_LAUNCHER", "srun"),
                            "mpi": environment.get("QUARTET_MPI", "pmix")})


class StepLauncher(LocalLauncher):
    """Runs jobs as steps of the Slurm job that this is part of."""

    ENDING = (signal.SIGTERM, signal.SIGINT)  # srun ends a step by an interrupt, whatever its ranks do

    def __init__(self, machine: SlurmMachine):
        super().__init__(START)
        self._machine = machine

    def shape(self, job: Job) -> Shape:
        """Raises LaunchError if the machine has nothing for it."""
        try:
            return shape_of(self._machine, job)
        except MachineError as error:
            raise LaunchError(FAILED, str(error)) from None

    def command(self, job: Job) -> list[str]:
        return [str(START), *self._machine.settings, *self.shape(job).step, str(job.program), *job.arguments]
