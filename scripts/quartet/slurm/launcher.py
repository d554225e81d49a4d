"""Submits jobs to Slurm, many at a time as the tasks of an array, and asks what became of them.

A task is called "1234_5": array 1234, index 5. What it runs is in a file of its own (see
scripts/slurm/array.sbatch); its exit code comes in another, since Slurm forgets jobs that have ended
after minutes."""

import math
import os
import subprocess
from pathlib import Path
from typing import Iterable, Optional

from quartet.exit_codes import FAILED
from quartet.files import reason_of
from quartet.launch import Job, LaunchError
from quartet.paths import SLURM
from quartet.slurm.machine import MachineError, Request, SlurmMachine, request

NO_TASK = "4294967294"  # Slurm's word for none
LONGEST_ARRAY = 1000  # Slurm's MaxArraySize, unless the site has set another


class SlurmLauncher:
    def __init__(self, machine: SlurmMachine, seconds: float):
        """Jobs may take so many seconds each."""
        self._machine = machine
        self._minutes = max(1, math.ceil(seconds / 60))

    def request(self, job: Job) -> Request:
        """What a job asks for: those that ask for the same fit one array. Raises LaunchError where
        the machine has nothing for it."""
        try:
            return request(self._machine, job, self._minutes)
        except MachineError as error:
            raise LaunchError(FAILED, str(error)) from None

    def submit(self, wanted: Request, jobs: dict[str, Job], folder: Path,
               after: Iterable[str] = ()) -> dict[str, str]:
        """Submits jobs, by name, as an array that waits for other arrays to end, well or not. What
        NAME leaves lies beside `folder`, which is made: NAME.log, and NAME.code at its end. The
        tasks, by name. Raises LaunchError where Slurm refuses."""
        _write_tasks(jobs, folder)
        array = f"--array=0-{len(jobs) - 1}%{self._machine.jobs_at_a_time}"
        arrays = ":".join(after)
        dependency = [f"--dependency=afterany:{arrays}"] if arrays else []
        variables = {**self._machine.variables(), "QUARTET_TASKS": str(folder.resolve())}
        answer = _ask(["sbatch", "--parsable", *wanted.options, array, *dependency,
                       str(SLURM / "array.sbatch")], variables)
        if answer.returncode != 0:
            raise LaunchError(FAILED, f"not submitted: {_one_line(answer.stderr)}")
        number = answer.stdout.strip().split(";")[0]
        return {name: f"{number}_{index}" for index, name in enumerate(jobs)}

    def waiting(self, tasks: Iterable[str]) -> Optional[set[str]]:
        """Which of the tasks are in the queue: pending, running or about to end. None where Slurm
        gives no answer now."""
        tasks = set(tasks)
        arrays = sorted({task.split("_")[0] for task in tasks})
        answer = _ask(["squeue", "-h", "-r", "-o", "%F_%K", f"--jobs={','.join(arrays)}"])
        if answer.returncode == 0:
            return tasks & set(answer.stdout.split())
        # Of jobs that it has forgotten it knows just that.
        return set() if "Invalid job id" in answer.stderr else None

    def ending(self, task: str) -> str:
        """The state in which a task ended ("CANCELLED", "NODE_FAIL"); empty where it is forgotten."""
        array, index = task.split("_")
        states = {}
        for record in _ask(["scontrol", "-o", "show", "job", array]).stdout.splitlines():
            words = dict(word.split("=", 1) for word in record.split() if "=" in word)
            states[words.get("ArrayTaskId", "")] = words.get("JobState", "")
        # Tasks that never started have one record together, "0-4%2"; cancelled, it has no numbers.
        together = [state for indices, state in states.items()
                    if not indices.isdigit() or indices == NO_TASK]
        return states.get(index, next(iter(together), ""))

    def cancel(self, tasks: Iterable[str]) -> None:
        """Raises LaunchError where Slurm does not."""
        answer = _ask(["scancel", *tasks])
        if answer.returncode != 0:
            raise LaunchError(FAILED, f"not cancelled: {_one_line(answer.stderr)}")


def _write_tasks(jobs: dict[str, Job], folder: Path) -> None:
    """A file for each task, as array.sbatch reads it. Raises LaunchError."""
    try:
        folder.mkdir()
        for index, (name, job) in enumerate(jobs.items()):
            words = [os.fsencode(word) for word in (name, str(job.program), *job.arguments)]
            if any(b"\0" in word for word in words):
                raise LaunchError(FAILED, f"{name}: an argument has a zero byte (none can be passed on)")
            (folder / str(index)).write_bytes(b"".join(word + b"\0" for word in words))
    except OSError as error:
        raise LaunchError(FAILED, f"{folder}: {reason_of(error)}") from None


def _ask(command: list[str], variables: Optional[dict[str, str]] = None
         ) -> subprocess.CompletedProcess:
    try:
        return subprocess.run(command, env={**os.environ, **(variables or {})}, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except (OSError, ValueError) as error:
        raise LaunchError(FAILED, f"{command[0]} cannot be run ({error}): go to a machine with Slurm"
                          ) from None


def _one_line(text: str) -> str:
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())
