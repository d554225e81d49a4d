"""Submits jobs to Slurm as tasks of arrays, and asks for their states. Or runs programs as steps of the Slurm job that
this process is part of, in salloc's shell or a batch script.

A task is called "1234_5": array 1234, index 5. A file names its launches, one or several (scripts/slurm/array.sbatch),
and a file for each launch has its exit code, since Slurm forgets jobs minutes after their end."""

import contextlib
import math
import os
import re
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator, Mapping, Optional

from quartet.exit_codes import FAILED
from quartet.files import read_text, reason_of
from quartet.launch import Job, LaunchError, LocalLauncher
from quartet.paths import ROOT, SLURM
from quartet.results import whole_number
from quartet.slurm.machine import MachineError, Request, Shape, SlurmMachine, request, request_of_nodes, shape_of
from quartet.slurm.site import answer, ask

START = SLURM / "start.sh"
NO_TASK = "4294967294"  # Slurm's number for no task
NUMBER = "number"  # the file with the array's number, beside the files of its tasks
LONGEST_ARRAY = 1000  # Slurm's MaxArraySize, unless the site has set another
# Errors of sbatch that mean: submit fewer jobs, or try again later.
LIMITS = ("MaxSubmitJob", "MaxJobCount", "Job violates accounting/QOS policy", "Invalid job array specification",
          "Slurm temporarily unable to accept job")
UP = {"idle", "planned", "allocated", "mixed", "completing"}  # states of nodes that run jobs now, or could


class QueueFull(LaunchError):
    """Slurm accepts no more jobs now, or not so many at once."""


class SlurmLauncher:
    def __init__(self, machine: SlurmMachine, seconds: float, job_seconds: Optional[float] = None):
        """Each launch may take `seconds`. With `job_seconds` all launches on the same number of nodes share one job
        with that time limit; else each launch is a job."""
        self._machine = machine
        self._seconds = math.ceil(seconds)
        self._minutes = max(1, math.ceil((job_seconds or seconds) / 60))
        self.shares = job_seconds is not None

    def request(self, job: Job) -> Request:
        """The request for a job; jobs with equal requests can share an array or a job. Raises LaunchError."""
        try:
            shape = shape_of(self._machine, job)
            return (request_of_nodes if self.shares else request)(self._machine, shape, self._minutes)
        except MachineError as error:
            raise LaunchError(FAILED, str(error)) from None

    def submit(self, wanted: Request, jobs: dict[str, Job], folder: Path, after: Iterable[str] = (),
               held: tuple[int, ...] = ()) -> dict[str, str]:
        """Submits jobs, by name, as an array that begins when the arrays `after` have ended, with whatever result.
        Makes `folder`; beside it a job writes NAME.log and at its end NAME.code, and Slurm its own messages about a
        task in TASK.slurm. Returns the tasks by name. Raises QueueFull, or LaunchError if Slurm refuses. sbatch writes
        the array's number to the folder itself, even if this process is killed, and keeps the files `held` open."""
        tasks = [jobs] if self.shares else [{name: job} for name, job in jobs.items()]
        _write_tasks([{name: self._words(job) for name, job in task.items()} for task in tasks], folder)
        array = f"--array=0-{len(tasks) - 1}%{self._machine.jobs_at_a_time}"
        arrays = ":".join(after)
        dependency = [f"--dependency=afterany:{arrays}"] if arrays else []
        beside = str(folder.resolve().parent).replace("%", "%%")
        with open(folder / NUMBER, "w", encoding="utf-8") as number:
            answer = ask(["sbatch", "--parsable", *wanted.options, array, *dependency,
                           f"--output={beside}/%A_%a.slurm", str(SLURM / "array.sbatch"), f"--root={ROOT}",
                           str(folder.resolve())], number, held)
        if answer.returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            is_full = any(words in answer.stderr for words in LIMITS)
            raise (QueueFull if is_full else LaunchError)(FAILED, f"not submitted: {' '.join(answer.stderr.split())}")
        found = submitted(folder)
        if not found:
            raise LaunchError(FAILED, "sbatch named no job: check squeue before you continue")
        return found

    def _words(self, job: Job) -> tuple[str, ...]:
        """The arguments of batch.sh for a job."""
        step = (*shape_of(self._machine, job).step, f"--seconds={self._seconds}") if self.shares else ()
        return (*self._machine.settings, *step, str(job.program), *job.arguments)

    def waiting(self, tasks: Iterable[str]) -> Optional[dict[str, str]]:
        """The tasks in the queue, each with Slurm's reason why it waits. None if Slurm does not answer now."""
        tasks = set(tasks)
        arrays = sorted({task.split("_")[0] for task in tasks})
        answer = ask(["squeue", "-h", "-r", "-o", "%F_%K %r", f"--jobs={','.join(arrays)}"])
        if answer.returncode == 0:
            found = (line.strip().partition(" ") for line in answer.stdout.splitlines())
            return {task: why for task, _, why in found if task in tasks}
        # This error means that it has forgotten all of these jobs.
        return {} if "Invalid job id" in answer.stderr else None

    def unavailable(self, hosts: Iterable[str]) -> list[str]:
        """The nodes among `hosts` that run no jobs now; all of them if Slurm does not answer."""
        names = list(dict.fromkeys(hosts))
        with contextlib.suppress(LaunchError):
            states = node_states()
            return [name for name in names if states.get(name) not in UP] or names
        return names

    def final_state(self, task: str) -> str:
        """The state in which a task ended ("CANCELLED", "NODE_FAIL"); empty if Slurm has forgotten it."""
        array, index = task.split("_")
        states = {}
        for record in ask(["scontrol", "-o", "show", "job", array]).stdout.splitlines():
            words = dict(word.split("=", 1) for word in record.split() if "=" in word)
            states[words.get("ArrayTaskId", "")] = words.get("JobState", "")
        # Tasks that never started share one record, "0-4%2"; after a cancellation it has no indices.
        together = [state for indices, state in states.items() if not indices.isdigit() or indices == NO_TASK]
        return states.get(index, next(iter(together), ""))

    def cancel(self, tasks: Iterable[str]) -> None:
        """Cancels the tasks. Raises LaunchError if Slurm refuses."""
        answer = ask(["scancel", *tasks])
        if answer.returncode != 0:
            raise LaunchError(FAILED, f"not cancelled: {' '.join(answer.stderr.split())}")


def _write_tasks(tasks: list[dict[str, tuple[str, ...]]], folder: Path) -> None:
    """Writes a file for each task, as array.sbatch reads it: the words of each launch by name. Raises LaunchError."""
    try:
        folder.mkdir()
        for index, task in enumerate(tasks):
            text = b""
            for name, words in task.items():
                encoded = [os.fsencode(word) for word in (name, str(len(words)), *words)]
                if any(b"\0" in word for word in encoded):
                    raise LaunchError(FAILED, f"{name}: an argument has a zero byte (none can be passed on)")
                text += b"".join(word + b"\0" for word in encoded)
            (folder / str(index)).write_bytes(text)
    except OSError as error:
        raise LaunchError(FAILED, f"{folder}: {reason_of(error)}") from None


def submitted(folder: Path) -> dict[str, str]:
    """The tasks of an array by name, from the folder that submit() made; empty if it was not submitted."""
    try:
        number = read_text(folder / NUMBER, 100).strip().split(";")[0]
        files = [file for file in folder.iterdir() if file.name.isdigit()] if number.isdigit() else []
        return {name: f"{number}_{file.name}" for file in files for name in _names(file.read_bytes())}
    except (OSError, ValueError):
        return {}


def _names(text: bytes) -> Iterator[str]:
    """The names of the launches in a task's file. Raises ValueError."""
    words = text.split(b"\0")
    place = 0
    while place + 1 < len(words):
        yield os.fsdecode(words[place])
        place += 2 + int(words[place + 1])


@dataclass(frozen=True)
class Allocation:
    job: str  # its number
    nodes: tuple[str, ...]

    @staticmethod
    def here(environment: Mapping[str, str] = os.environ) -> Optional["Allocation"]:
        """The job that this process is part of; None if there is none. Raises LaunchError if its nodes are unknown."""
        job, nodes = environment.get("SLURM_JOB_ID", ""), environment.get("SLURM_JOB_NODELIST", "")
        return Allocation(job, hosts_of(nodes)) if job and nodes else None

    @property
    def has_ended(self) -> bool:
        """True if Slurm says that the job has ended: launches that fail then are not to blame."""
        done = ask(["squeue", "-h", "-j", self.job, "-t", "RUNNING", "-o", "%i"])
        return not done.stdout.strip() and (done.returncode == 0 or "Invalid job id" in done.stderr)


def hosts_of(nodes: str) -> tuple[str, ...]:
    """The names in a list of nodes as Slurm writes it, "n[1-3,7]". Raises LaunchError."""
    found = tuple(answer("scontrol", "show", "hostnames", nodes).split())
    if not found:
        raise LaunchError(FAILED, f"'{nodes:.60}' is no list of nodes (scontrol names none): write it as n[1-3,7]")
    return found


def node_states(partition: str = "") -> dict[str, str]:
    """The states of nodes by name, as sinfo prints them. Raises LaunchError."""
    where = ["-p", partition] if partition else []
    return dict(line.split()[:2] for line in answer("sinfo", "-h", "-N", "-o", "%N %T", *where).splitlines() if line)


def machine_here(environment: Mapping[str, str] = os.environ) -> SlurmMachine:
    """The nodes of this job, from its environment variables, without a machine file: each hardware thread counts as a
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
        """Raises LaunchError if the job does not fit the machine."""
        try:
            return shape_of(self._machine, job)
        except MachineError as error:
            raise LaunchError(FAILED, str(error)) from None

    def command(self, job: Job) -> list[str]:
        return [str(START), *self._machine.settings, *self.shape(job).step, str(job.program), *job.arguments]
