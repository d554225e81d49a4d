"""The launches of `quartet run`: each is asked for an estimate, then all are fitted to a budget."""

import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

from quartet.exit_codes import FAILED, UNAVAILABLE, VERIFIED, WRONG_RESULT
from quartet.launch import Job, LaunchError, LocalLauncher, checked_code
from quartet.machine import Machine
from quartet.run.kernels import RUNS, Effort
from quartet.text import say


@dataclass
class Launch:
    """One run of a program under the MPI launcher."""

    launcher: LocalLauncher
    program: Path
    ranks: int
    threads: int
    arguments: list[str]
    effort: Effort
    label: str = ""
    is_optional: bool = False  # a second launch of the same program
    count: int = 0  # of the effort, as chosen
    seconds: tuple[float, float] = (0, 0)  # as estimated, with the least and with full effort

    @property
    def name(self) -> str:
        """Different for each of a machine's launches on so many ranks."""
        return "-".join(filter(None, (self.program.name, self.label)))

    @property
    def title(self) -> str:
        return f"{self.name} on {self.ranks} ranks"

    @property
    def expected(self) -> float:
        """Seconds with the effort that was chosen; linear between the least and the full one."""
        (least, full), effort = self.seconds, self.effort
        share = (self.count - effort.least) / max(1, effort.full - effort.least)
        return least + share * (full - least)

    def start(self, arguments: list[str], output: int, limit: Optional[float] = None
              ) -> subprocess.CompletedProcess[str]:
        job = Job(self.program, self.ranks, self.threads, (*self.arguments, *arguments))
        return self.launcher.run(job, output, limit)


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
                                   run.arguments(machine, ranks), run.effort, run.label, is_optional))
    return launches


def parse_estimate(output: str) -> Optional[float]:
    """Seconds from the one line "estimated time: 12.3 s"; None if it is not just that."""
    found = re.findall(r"^estimated time: (\d+(?:\.\d+)?) s$", output, re.MULTILINE)
    return float(found[0]) if len(found) == 1 else None


def estimate(launch: Launch) -> int:
    """Asks the program how long it expects to take."""
    effort = launch.effort
    launch.seconds = (_estimate(launch, effort.least), _estimate(launch, effort.full))
    return VERIFIED


def _estimate(launch: Launch, count: int) -> float:
    done = launch.start([*launch.effort.arguments(count), "--dry-run"], subprocess.PIPE)
    if done.returncode != VERIFIED:
        raise LaunchError(done.returncode, f"--dry-run ended with exit code {done.returncode}")
    seconds = parse_estimate(done.stdout)
    if seconds is None:
        raise LaunchError(FAILED, "--dry-run printed no single line 'estimated time: N s'")
    return seconds


def choose_efforts(launches: list[Launch], budget: float) -> float:
    """Gives each launch the same share of its effort, so that all fit the budget. Returns the expected seconds."""
    least, full = (sum(launch.seconds[i] for launch in launches) for i in (0, 1))
    share = 1.0 if full <= max(budget, least) else max(0.0, (budget - least) / (full - least))
    for launch in launches:
        effort = launch.effort
        launch.count = effort.least + int(share * (effort.full - effort.least))
    return sum(launch.expected for launch in launches)


def measure(launch: Launch, file: Path, limit: Optional[float] = None) -> int:
    """Runs the program; after `limit` seconds it is asked to end. Shows its progress, not its table: one table for all
    comes later."""
    effort = launch.effort
    say(f"{launch.title}, {effort.flag} {launch.count}"
        + (f" (not {effort.full}: the budget)" if launch.count < effort.full else ""))
    arguments = [*effort.arguments(launch.count), "--progress", "on", "--json", str(file)]
    begin = time.monotonic()
    code = launch.start(arguments, subprocess.DEVNULL, limit).returncode
    if limit is not None and time.monotonic() - begin >= limit and code != WRONG_RESULT:
        say(f"{launch.title}: ended after {limit:.0f} s, to keep the budget"
            + ("" if file.exists() else ": nothing was measured yet"))
        return VERIFIED
    code = checked_code(code, file)
    # The table lists what is not available here; that is no failure.
    return VERIFIED if code == UNAVAILABLE and file.exists() else code


def attempt(step: Callable[..., int], launch: Launch, *arguments: Any) -> int:
    """The exit code of a step; a LaunchError is said."""
    try:
        return step(launch, *arguments)
    except LaunchError as error:
        say(f"{launch.title}: {error}")
        return error.code
