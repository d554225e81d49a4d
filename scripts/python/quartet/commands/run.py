"""Measures with every program that was built, on this machine's cores and within a time budget, shows
one table and ends with a verdict. The budget holds by the clock: each launch gets its share of the time
that is left, and makes as many runs as fit. Launches that got no time are named. `make run` builds first."""

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from quartet.check_machine import system
from quartet.check_machine.finding import Level
from quartet.command_line import add_launch_arguments, seconds, seconds_or_none, why_not
from quartet.exit_codes import BAD_USAGE, FAILED, STOPPED, VERIFIED, worst
from quartet.launch import LocalLauncher
from quartet.machine import Machine
from quartet.paths import RESULTS
from quartet.results import collect, judged_cases
from quartet.run.budget import Budget
from quartet.run.plan import BEFORE_ITS_FIRST_RUN, Launch, measure, plan
from quartet.tables import table, verdict
from quartet.terminal import Style
from quartet.text import counted, say

EXAMPLE = "quartet run --budget 300"
NO_TIME = "no time was left for it in the budget: give more by --budget"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_launch_arguments(parser)
    parser.add_argument("--budget", type=seconds, default=90, metavar="SECONDS",
                        help="time for measuring with all programs, by the clock (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "runs",
                        help="where the JSON documents go (%(default)s)")
    parser.add_argument("--look", type=seconds_or_none, default=2, metavar="SECONDS",
                        help="how long to watch what disturbs the machine, before measuring (%(default)s; 0: not at "
                             "all)")
    parser.add_argument("--all", action="store_true",
                        help="show every size and warning, not three of each")


def measure_all(launches: list[Launch], options: argparse.Namespace, codes: list[int],
                files: list[Path]) -> None:
    """Adds each launch's exit code and document as they come."""
    budget = Budget(options.budget, launches)
    say(f"about {options.budget:.0f} s of measuring")
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    while (chosen := budget.next()) is not None:
        launch, share, limit = chosen
        file = options.results / f"{stamp}-{launch.name}-{launch.ranks}.json"
        try:
            codes.append(measure(launch, file, share, limit))
        finally:  # interrupted, it has left what it had measured
            if file.exists():
                files.append(file)
    if budget.left_out:
        say(budget.shortfall())


def look_at_the_machine(seconds: float) -> None:
    """Says what is not as it should be."""
    if not seconds > 0:
        return
    findings = [*system.quiet_time(seconds), *system.settings()]
    for finding in findings:
        if finding.level is not Level.OK:
            say("this machine: " + finding.sentence)


def show(files: list[Path], everything: bool, was_interrupted: bool) -> bool:
    """The table, where its documents are, and the verdict. Returns whether all could be read."""
    found = collect(files)
    for problem in found.skipped:
        say(f"left out {problem}")
    cases = judged_cases(document for _, document in found.documents)
    if not was_interrupted:  # nobody but the budget has asked a launch to end
        cases = [replace(case, error=NO_TIME) if case.error == BEFORE_ITS_FIRST_RUN else case for case in cases]
    if was_interrupted and all(case.error for case in cases):
        print("Nothing was measured yet.")
        return not found.skipped
    style = Style.of(sys.stdout)
    print(table.render(cases, is_short=not everything, style=style))
    if files:
        stamp = os.path.relpath(files[0]).partition("-")[0]
        print(f"{counted(len(files), 'document')}: {stamp}-*.json")
    print(verdict.render(cases, style), end="")
    return not found.skipped


def run(options: argparse.Namespace) -> int:
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
        look_at_the_machine(options.look)
        measure_all(launches, options, codes, files)
    except KeyboardInterrupt:
        say("interrupted: this is what there is")
        codes.append(STOPPED)
    if not show(files, options.all, STOPPED in codes) or (not files and worst(codes) == VERIFIED):
        codes.append(FAILED)
    return worst(codes)
