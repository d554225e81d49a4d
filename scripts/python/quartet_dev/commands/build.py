"""Builds, and says how far it is: steps, percentage and time left. `make` calls it.

    quartet build build/host-release stream cg      # of a configured folder, some targets or all
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from quartet.exit_codes import FAILED, VERIFIED
from quartet.text import say

EXAMPLE = "quartet build build/host-release stream cg"
STEP = re.compile(r"\[(\d+)/(\d+)\] ")
PROCESSOR_SECONDS = 5.0  # of a step, about: what the time left is estimated by at the beginning
REPORTS = 10  # lines of progress where there is no terminal
FEWEST_STEPS = 2  # of a build that is worth a word


def duration(seconds: float) -> str:
    """ "40 s", "2 min 10 s"; in steps of ten seconds."""
    tens = max(10, 10 * round(seconds / 10))
    return f"{tens} s" if tens < 60 else f"{tens // 60} min {tens % 60} s"


def time_left(done: int, total: int, elapsed: float, expected: float) -> float:
    """Seconds: by the pace so far, and at the beginning by what was expected."""
    share = done / total
    pace = elapsed / share if done else expected
    return (1 - share) * (share * pace + (1 - share) * expected)


class Progress:
    """One line on a terminal, rewritten; elsewhere a line for each tenth of the build."""

    def __init__(self, processors: int):
        self._processors = processors
        self._total = 0
        self._expected = 0.0
        self._begin = time.monotonic()
        self._terminal = sys.stderr.isatty()
        self._reported = 0

    def step(self, done: int, total: int) -> None:
        if total <= FEWEST_STEPS:  # CMake looks for new files first
            return
        if not self._total:
            self._announce(total)
        left = time_left(done, total, time.monotonic() - self._begin, self._expected)
        text = f"build: {done} of {total} steps, {100 * done // total}%"
        text += f", about {duration(left)} left" if done < total else ""
        if self._terminal:
            print(f"\r{text:<78}", end="\n" if done == total else "", file=sys.stderr, flush=True)
        elif REPORTS * done // total > self._reported:
            self._reported = REPORTS * done // total
            print(text, file=sys.stderr, flush=True)

    def _announce(self, total: int) -> None:
        self._total = total
        self._expected = total * PROCESSOR_SECONDS / self._processors
        say(f"{total} steps, about {duration(self._expected)} on {self._processors} processors")

    def interrupt(self) -> None:
        """Ends the line on a terminal, so that something else can be printed."""
        if self._terminal:
            print(file=sys.stderr)


def build(folder: Path, targets: list[str]) -> int:
    """Runs the build; prints what the compiler says, and the steps as progress."""
    progress = Progress(len(os.sched_getaffinity(0)))
    with subprocess.Popen(["cmake", "--build", folder, "--target", *targets],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace") as process:
        try:
            for line in process.stdout or ():
                found = STEP.match(line)
                if found:
                    progress.step(int(found[1]), int(found[2]))
                elif line.strip() and not line.startswith("ninja: no work to do"):
                    progress.interrupt()
                    print(line, end="", flush=True)
        except BaseException:
            process.terminate()
            raise
    return process.returncode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="a build folder that CMake has configured")
    parser.add_argument("targets", nargs="*", help="what to build (all)")


def run(options: argparse.Namespace) -> int:
    return VERIFIED if build(options.folder, options.targets or ["all"]) == 0 else FAILED
