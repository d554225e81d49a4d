"""The launches of `quartet run`."""

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from quartet.exit_codes import UNAVAILABLE, VERIFIED, WRONG_RESULT
from quartet.launch import Job, LaunchError, LocalLauncher, checked_code
from quartet.machine import Machine
from quartet.run.kernels import RUNS
from quartet.text import say

BEFORE_ITS_FIRST_RUN = "stopped on request before its first run"  # a program's words


@dataclass
class Launch:
    """One run of a program under the MPI launcher."""

    launcher: LocalLauncher
    program: Path
    ranks: int
    threads: int
    arguments: list[str]
    weight: int  # of the budget, beside the other launches'
    label: str = ""
    is_optional: bool = False  # a second launch of the same program

    @property
    def name(self) -> str:
        """Different for each of a machine's launches on so many ranks."""
        return "-".join(filter(None, (self.program.name, self.label)))

    @property
    def title(self) -> str:
        return f"{self.name} on {self.ranks} ranks"


def plan(folder: Path, launcher: LocalLauncher, machine: Machine) -> list[Launch]:
    """Every launch of every program in `folder`."""
    launches: list[Launch] = []
    for name, run in ((name, run) for name, runs in RUNS.items() for run in runs):
        if not (folder / name).exists():
            continue
        for ranks in run.ranks(machine):
            threads = max(1, machine.cores // ranks)
            is_optional = any(launch.program.name == name for launch in launches)
            launches.append(Launch(launcher, folder / name, ranks, threads,
                                   run.arguments(machine, ranks), run.weight, run.label, is_optional))
    return launches


def measure(launch: Launch, file: Path, budget: int, limit: float) -> int:
    """Runs the program; after `limit` seconds it is asked to end. Shows its progress, not its table: one table for all
    comes later. The exit code; a LaunchError is said."""
    say(f"{launch.title}, about {budget} s")
    job = Job(launch.program, launch.ranks, launch.threads,
              (*launch.arguments, "--budget", str(budget), "--progress", "on", "--json", str(file)))
    begin = time.monotonic()
    try:
        code = launch.launcher.run(job, subprocess.DEVNULL, limit).returncode
        if time.monotonic() - begin >= limit and code != WRONG_RESULT:
            say(f"{launch.title}: ended after {limit:.0f} s, to keep the budget"
                + ("" if file.exists() else ": nothing was measured yet"))
            return VERIFIED
        code = checked_code(code, file)
    except LaunchError as error:
        say(f"{launch.title}: {error}")
        return error.code
    # The table lists what is not available here; that is no failure.
    return VERIFIED if code == UNAVAILABLE and file.exists() else code
