#!/usr/bin/env python3
"""Measures with every program of the suite that was built, on this machine's cores and within a
time budget, and shows one table. `make run` calls it; --help lists what can be chosen."""

import argparse
import contextlib
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

from quartet import table
from quartet.launch import (BAD_USAGE, FAILED, STOPPED, UNAVAILABLE, VERIFIED, Job, LaunchError,
                            LocalLauncher, Machine, add_launch_arguments, checked_code,
                            end_jobs_when_ended, positive_number, why_not, worst)
from quartet.paths import RESULTS
from quartet.results import load

MIB = 1024**2


@dataclass(frozen=True)
class Effort:
    """The flag that decides how long a program measures, and the counts between which to choose."""

    flag: str
    full: int
    least: int

    def arguments(self, count: int) -> list[str]:
        return [self.flag, str(count)]


@dataclass(frozen=True)
class Program:
    """How one program is run on one machine."""

    ranks: Callable[[Machine], list[int]]  # a launch for each
    arguments: Callable[[Machine, int], list[str]]  # machine, ranks
    effort: Effort


def _pair_and_all_cores(machine: Machine) -> list[int]:
    return [2, machine.cores] if machine.cores > 2 else [2]


def _stream_arguments(machine: Machine, ranks: int) -> list[str]:
    # Vectors, what they are pushed through, and the arrays of the limit: six times the size a rank.
    largest = 128
    while largest > 2 and 6 * ranks * largest * MIB > machine.memory:
        largest //= 2
    # The paper's sizes; through a queue, and plain send, receive and add, beside the direct push.
    return ["--device", "host", "--sizes", f"2:{largest}", "--transport", "mpi,shm,rma",
            "--formulation", "native,dataflow,library"]


def _one_rank_a_core(machine: Machine) -> list[int]:
    return [max(2, machine.cores)]  # the data flow has a worker and a reducer at the least


def _matmul_arguments(machine: Machine, ranks: int) -> list[str]:
    # A run takes seconds: 2 N^3 operations at some 10^11 a second and core.
    size = 4096 if ranks < 8 else 8192 if ranks < 32 else 16384
    # Three matrices, and three small ones of each rank for the limit.
    while size > 1024 and (3 * size**2 + 3 * ranks * 2048**2) * 4 > machine.memory:
        size //= 2
    # ScaLAPACK's product beside ours.
    return ["--device", "host", "--size", str(size), "--threads", "1", "--formulation",
            "native,dataflow,library"]


def _cg_arguments(machine: Machine, ranks: int) -> list[str]:
    # The matrix, 8 N^2 bytes, and what reading it allows.
    size = 8192
    while size > 1024 and 1.1 * 8 * size**2 > machine.memory:
        size //= 2
    return ["--device", "host", "--size", str(size), "--storage", "full,symmetric",
            "--formulation", "native,dataflow,library", "--threads", "1", "--runs", "6"]


def _fft_arguments(machine: Machine, ranks: int) -> list[str]:
    # 16 bytes a point: input, cells, result, what the limit sends and receives, the library's.
    exponent = 24
    while exponent > 10 and 6 * 16 * 2**exponent > machine.memory:
        exponent -= 1
    # FFTW's distributed transform beside ours, both with the one exchange that they need.
    return ["--device", "host", "--size", f"2^{exponent}", "--formulation",
            "native,dataflow,library"]


PROGRAMS = {
    "stream": Program(_pair_and_all_cores, _stream_arguments, Effort("--pushes", 100, 5)),
    "matmul": Program(_one_rank_a_core, _matmul_arguments, Effort("--runs", 5, 3)),
    "cg": Program(_one_rank_a_core, _cg_arguments, Effort("--iterations", 100, 10)),
    "fft": Program(_one_rank_a_core, _fft_arguments, Effort("--runs", 10, 3)),
}


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
    for name, program in PROGRAMS.items():
        if not (folder / name).exists():
            continue
        for ranks in program.ranks(machine):
            threads = max(1, machine.cores // ranks)
            launches.append(Launch(launcher, folder / name, ranks, threads,
                                   program.arguments(machine, ranks), program.effort))
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


def say(text: str) -> None:
    with contextlib.suppress(OSError):  # the terminal may be gone
        print(f"run: {text}", file=sys.stderr, flush=True)


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
    sys.exit(main())
