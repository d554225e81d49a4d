#!/usr/bin/env python3
"""Everything that wants a GPU, in one command and within ten minutes: builds for the GPU that is
here, runs the tests that need one, runs all that --list shows on cuda once and small (under
compute-sanitizer where it is there), and measures what the suite promises on one GPU.

`make gpu` calls it. It needs no network. Each step has a share of the time; one that fails or takes
too long does not stop the others. It ends with one table of results and one of steps, and with a
status that is not 0 where any step failed or was left out. What this build or GPU cannot do is
listed as not here, and no failure."""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Optional

from quartet import table
from quartet.command_line import run_script, some_of
from quartet.exit_codes import FAILED, UNAVAILABLE, VERIFIED, worst
from quartet.gpu.steps import (GROUPS, Gpu, Place, Step, bench_steps, build_steps, check_steps,
                               last_line, test_steps)
from quartet.launch import Running
from quartet.machine import Machine
from quartet.paths import LAUNCHER, RESULTS, ROOT
from quartet.results import load
from quartet.wording import say, slug

LEAST_SECONDS = 5  # less is no use to any step
LOG_LINES_SHOWN = 15  # of a step that failed


class Clock:
    """What is left of the time."""

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._end = now() + seconds

    def left(self) -> float:
        return self._end - self._now()


def run(step: Step, clock: Clock, logs: Path) -> None:
    """Runs a step within its time and what is left of all; its output goes to a log."""
    if step.code is not None:
        say(f"{step.title}: {step.reason}")  # found out while planning
        return
    seconds = min(step.seconds, clock.left())
    if seconds < min(step.seconds, LEAST_SECONDS):
        step.reason = "left out: no time left"
        say(f"{step.title}: {step.reason}")
        return
    say(f"{step.title} (at most {seconds:.0f} s)")
    log = logs / f"{slug(step.group + ' ' + step.title)}.log"
    if step.document:
        step.document.unlink(missing_ok=True)
    begin = time.monotonic()
    try:
        with open(log, "wb") as output:
            running = Running(subprocess.Popen(
                step.command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env={**step.environment, **os.environ}, start_new_session=True))
            code = None
            try:
                code = running.wait(seconds)
            finally:  # whoever interrupts this leaves nothing behind
                if code is None:
                    running.cancel()
        step.code, step.reason = judge(step, code, seconds)
    except OSError as error:
        step.code, step.reason = FAILED, f"cannot be started ({error.strerror})"
    step.took = time.monotonic() - begin
    if step.code == UNAVAILABLE:
        step.reason = last_line(log.read_text(errors="replace"))  # the program says why
        say(step.reason)
    elif not step.passed:
        show_end(log, step)
    elif step.document:
        shutil.copyfile(step.document, step.result)


def judge(step: Step, code: Optional[int], seconds: float) -> tuple[int, str]:
    """The exit code that counts, and what is to be said of it."""
    if code is None:
        return FAILED, f"ended after {seconds:.0f} s: it took too long"
    if code == VERIFIED and step.document and not step.document.exists():
        return FAILED, f"left no {step.document}"
    return code, "" if code == VERIFIED else f"exit code {code}"


def show_end(log: Path, step: Step) -> None:
    say(f"{step.title}: {step.reason}; the end of {log}:")
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    for line in lines[-LOG_LINES_SHOWN:]:
        print(f"    {line}", file=sys.stderr, flush=True)


def summary(steps: list[Step]) -> str:
    """One line for each step: how it went, how long it took, what it is."""
    lines = []
    for step in steps:
        state = "left out" if step.code is None else "ok" if step.passed else "FAILED"
        if step.code == UNAVAILABLE:
            state = "not here"
        note = f": {step.reason}" if step.reason else ""
        lines.append(f"{state:<8} {step.took:6.1f} s  {step.group:<5}  {step.title}{note}")
    return "\n".join(lines) + "\n"


def outcome(steps: list[Step]) -> int:
    """What was left out has not passed. What is not here, beside things that are, is no failure."""
    codes = [FAILED if step.code is None else step.code for step in steps]
    return worst([code for code in codes if code != UNAVAILABLE] or codes)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", type=some_of(GROUPS), default=GROUPS, metavar="LIST",
                        help=f"some of {','.join(GROUPS)}")
    parser.add_argument("--budget", type=float, default=600, metavar="SECONDS",
                        help="in all (%(default)s)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "gpu",
                        help="build folder (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "measured",
                        help="documents go to a folder of it that is named after the GPU")
    parser.add_argument("--launcher", type=Path, default=LAUNCHER,
                        help="called as LAUNCHER RANKS PROGRAM ARGUMENTS (%(default)s)")
    parser.add_argument("--gpu", metavar="NAME,CAPABILITY", type=Gpu.parse,
                        help="instead of the one that nvidia-smi names: 'NVIDIA H200, 9.0'")
    return parser.parse_args()


def plan(group: str, place: Place, gpu: Gpu, machine: Machine) -> list[Step]:
    """The steps of a group; one that has failed where they cannot be found out."""
    plans = {"build": lambda: build_steps(place, gpu, machine),
             "tests": lambda: test_steps(place),
             "check": lambda: check_steps(place, machine, shutil.which("compute-sanitizer")),
             "bench": lambda: bench_steps(place, machine)}
    try:
        return plans[group]()
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return [Step(group, f"planning of {group}", [], 0, code=FAILED, reason=str(error))]


def main() -> int:
    options = parse_arguments()
    gpu = options.gpu or Gpu.here()
    if gpu is None:
        say("no GPU is here (nvidia-smi finds none): run it where there is one")
        return UNAVAILABLE
    clock = Clock(options.budget)
    machine = Machine.here()
    build = options.build.resolve()
    place = Place(build, options.launcher.resolve(), (options.results / gpu.folder).resolve(),
                  build / "gpu-logs")
    place.results.mkdir(parents=True, exist_ok=True)
    place.logs.mkdir(parents=True, exist_ok=True)
    say(f"{gpu.name}, architecture {gpu.architecture}, {machine.cores} cores")
    steps: list[Step] = []
    for group in (group for group in GROUPS if group in options.only):
        # Planned when the group before is done: what can be checked, the programs say.
        planned = plan(group, place, gpu, machine)
        for step in planned:
            run(step, clock, place.logs)
        steps += planned
    show(steps)
    return outcome(steps)


def show(steps: list[Step]) -> None:
    files = [step.document for step in steps if step.document and step.document.exists()]
    if files:
        print(table.render([load(file) for file in files]))
    print(summary(steps), end="")
    for step in steps:
        if step.result and step.passed:
            print(os.path.relpath(step.result))


if __name__ == "__main__":
    run_script(main)
