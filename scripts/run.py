#!/usr/bin/env python3
"""Measures with every program of the suite that was built, on this machine's cores and within a
time budget, and shows one table. `make run` calls it; --help lists what can be chosen."""

import argparse
import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

from quartet import table
from quartet.command_line import add_launch_arguments, positive_number, run_script, why_not
from quartet.exit_codes import BAD_USAGE, FAILED, STOPPED, UNAVAILABLE, VERIFIED, worst
from quartet.kernels import KERNELS
from quartet.kernels.kernel import Effort
from quartet.launch import Job, LaunchError, LocalLauncher, checked_code, end_jobs_when_ended
from quartet.machine import Machine
from quartet.paths import RESULTS
from quartet.results import load
from quartet.wording import say


@dataclass
class Launch:
    """One run of a program under the MPI launcher."""

    launcher: LocalLauncher
    program: Path
    ranks: int
    threads: int
    arguments: list[str]
    effort: Effort
    count: int = 0  # of the effort, as chosen
    seconds: tuple[float, float] = (0, 0)  # as estimated, with the least and with full effort

    @property
    def title(self) -> str:
        return f"{self.program.name} on {self.ranks} ranks"

    def start(self, arguments: list[str], output) -> subprocess.CompletedProcess:
        job = Job(self.program, self.ranks, self.threads, (*self.arguments, *arguments))
        return self.launcher.run(job, output)


def plan(folder: Path, launcher: LocalLauncher, machine: Machine) -> list[Launch]:
    """Every launch of every program in `folder`."""
    launches = []
    for name, run in ((name, kernel.run) for name, kernel in KERNELS.items()):
        if not (folder / name).exists():
            continue
        for ranks in run.ranks(machine):
            threads = max(1, machine.cores // ranks)
            launches.append(Launch(launcher, folder / name, ranks, threads,
                                   run.arguments(machine, ranks), run.effort))
    return launches


def parse_estimate(output: str) -> Optional[float]:
    """Seconds from the one line "estimated time: 12.3 s"; None where it is not just that."""
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
    """Sets the same share of each launch's effort, so that all fit the budget; time is taken as
    linear between the least and the full effort. Returns the seconds expected."""
    least, full = (sum(launch.seconds[i] for launch in launches) for i in (0, 1))
    share = 1.0 if full <= max(budget, least) else max(0.0, (budget - least) / (full - least))
    for launch in launches:
        effort = launch.effort
        launch.count = effort.least + int(share * (effort.full - effort.least))
    return least + share * (full - least)


def measure(launch: Launch, file: Path) -> int:
    """Runs the program. Its progress is shown; its own table is not, there will be one for all."""
    effort = launch.effort
    say(f"{launch.title}, {effort.flag} {launch.count}"
        + (f" (not {effort.full}: the budget)" if launch.count < effort.full else ""))
    arguments = [*effort.arguments(launch.count), "--progress", "on", "--json", str(file)]
    code = checked_code(launch.start(arguments, subprocess.DEVNULL).returncode, file)
    # What this machine does not have is said in the table; it makes nothing wrong that ran.
    return VERIFIED if code == UNAVAILABLE and file.exists() else code


def attempt(step: Callable[..., int], launch: Launch, *arguments) -> int:
    """The exit code of a step of a launch, whose failure is said."""
    try:
        return step(launch, *arguments)
    except LaunchError as error:
        say(f"{launch.title}: {error}")
        return error.code


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_launch_arguments(parser)
    parser.add_argument("--budget", type=positive_number, default=90, metavar="SECONDS",
                        help="of measuring, all programs together (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "runs",
                        help="where the JSON documents go (%(default)s)")
    return parser.parse_args()


def measure_all(launches: list[Launch], options: argparse.Namespace, codes: list[int],
                files: list[Path]) -> None:
    """Adds each launch's exit code and document as they come."""
    codes += [attempt(estimate, launch) for launch in launches]
    ready = [launch for launch, code in zip(launches, codes) if code == VERIFIED]
    seconds = choose_efforts(ready, options.budget)
    if seconds > options.budget:
        say(f"about {seconds:.0f} s of measuring, the least that there is; the budget was "
            f"{options.budget:.0f} s")
    elif ready:
        say(f"about {seconds:.0f} s of measuring")
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    for launch in ready:
        file = options.results / f"{stamp}-{launch.program.name}-{launch.ranks}.json"
        try:
            codes.append(attempt(measure, launch, file))
        finally:  # interrupted, it has left what it had measured
            if file.exists():
                files.append(file)


def main() -> int:
    options = parse_arguments()
    end_jobs_when_ended()
    reason = why_not(options.launcher, [options.results])
    if reason:
        say(reason)
        return BAD_USAGE
    launches = plan(options.build / "bin", LocalLauncher(options.launcher), Machine.here())
    if not launches:
        say(f"no program of the suite in {options.build / 'bin'}: build it first (make build)")
        return BAD_USAGE
    codes: list[int] = []
    files: list[Path] = []
    try:
        measure_all(launches, options, codes, files)
    except KeyboardInterrupt:
        say("interrupted: this is what there is")
        codes.append(STOPPED)
    print(table.render([load(file) for file in files]), end="")
    for file in files:
        print(os.path.relpath(file))
    return worst(codes)


if __name__ == "__main__":
    run_script(main)
