#!/usr/bin/env python3
"""Does everything that needs a GPU, within ten minutes. `make gpu` calls it.

It builds for the GPU that is here and runs the tests that need one. It runs all that --list shows on
cuda once, on small problems, under compute-sanitizer where that is installed. Then it measures the
suite's single-GPU benchmarks. No network is needed.

Each step has a time limit; a step that fails or takes too long does not stop the others. It prints a
table of results and a list of steps. The exit code is not 0 if a step failed or was left out. What
this build or GPU cannot do is listed as not here and is no failure."""

import argparse
import os
import shutil
import subprocess
from pathlib import Path

from quartet import table
from quartet.command_line import add_launcher, parser_of, run_script, seconds_or_none, some_of
from quartet.documents import collect
from quartet.exit_codes import FAILED, UNAVAILABLE
from quartet.gpu.execution import Clock, outcome, run, summary
from quartet.gpu.steps import (GROUPS, Gpu, Place, Step, bench_steps, build_steps, check_steps,
                               test_steps)
from quartet.machine import Machine
from quartet.paths import RESULTS, ROOT
from quartet.wording import say


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(__doc__.splitlines()[0])
    parser.add_argument("--only", type=some_of(GROUPS), default=GROUPS, metavar="LIST",
                        help=f"some of {','.join(GROUPS)}")
    parser.add_argument("--budget", type=seconds_or_none, default=600, metavar="SECONDS",
                        help="in all (%(default)s)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "gpu",
                        help="build folder (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "measured",
                        help="documents go to a folder of it that is named after the GPU")
    add_launcher(parser)
    parser.add_argument("--gpu", metavar="NAME,CAPABILITY", type=Gpu.parse,
                        help="instead of the one that nvidia-smi names: 'NVIDIA H200, 9.0'")
    return parser.parse_args()


def plan(group: str, place: Place, gpu: Gpu, machine: Machine) -> list[Step]:
    """The steps of a group, or a failed step that says why they cannot be planned."""
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
        found = collect(files)
        for problem in found.skipped:
            say(f"left out {problem}")
        print(table.render([document for _, document in found.documents]))
    print(summary(steps), end="")
    for step in steps:
        if step.result and step.passed:
            print(os.path.relpath(step.result))


if __name__ == "__main__":
    run_script(main)
