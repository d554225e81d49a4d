"""Measures with every program that was built, on this machine's cores and within a time budget, shows
one table and ends with a verdict. The budget holds by the clock: each launch gets its share of the time
that is left, and ends with the run under way. The native rows of each kernel come first. What got no time
is named and "not run". `make run` builds first.

Exit codes: 1 a wrong result, 3 a launch failed, 4 a kernel got no rate, 75 interrupted."""

import argparse
import math
import os
import sys
import time
from pathlib import Path

from quartet import check_machine
from quartet import run as launches
from quartet.check_machine import Level
from quartet.command_line import add_launch_arguments, require_launcher, seconds, seconds_or_none
from quartet.exit_codes import BAD_USAGE, FAILED, STOPPED, UNAVAILABLE, UNDECIDED, VERIFIED, worst
from quartet.launch import LocalLauncher, Outcome
from quartet.machine import Machine
from quartet.paths import RESULTS
from quartet.results import Case, collect, judged_cases
from quartet.rounds import Budget, Launch, Rounds
from quartet.tables import table, verdict
from quartet.terminal import Style
from quartet.text import counted, say

EXAMPLE = "quartet run --budget 300"
ROUNDED = 30  # a budget that is proposed, in seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_launch_arguments(parser)
    parser.add_argument("--budget", type=seconds, default=90, metavar="SECONDS",
                        help="time for measuring with all programs, by the clock (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "runs",
                        help="where the JSON documents go (%(default)s)")
    parser.add_argument("--look", type=seconds_or_none, default=2, metavar="SECONDS",
                        help="how long to watch what disturbs the machine, before measuring (%(default)s; 0: not at "
                             "all)")
    parser.add_argument("--all", action="store_true", help="show every size and warning, not three of each")


def look_at_the_machine(seconds: float) -> None:
    """Says what is not as it should be."""
    for finding in [*check_machine.quiet_time(seconds), *check_machine.settings()] if seconds > 0 else []:
        if finding.level is not Level.OK:
            say("this machine: " + finding.sentence)


def measure(rounds: list[list[Launch]], launcher: Path, budget: float) -> tuple[list[int], list[Path]]:
    """The exit codes of all launches, and their documents."""
    say(f"about {budget:.0f} s of measuring")
    codes: list[int] = []
    files = [launch.files.document for members in rounds for launch in members]

    def ended(launch: Launch, outcome: Outcome) -> None:
        if outcome.exit_code not in (VERIFIED, UNAVAILABLE):
            say(f"{launch.title}: {outcome.message}")
        # The table lists what is not available here; that is no failure.
        is_fine = outcome.exit_code == STOPPED or outcome.exit_code == UNAVAILABLE and launch.files.document.exists()
        codes.append(VERIFIED if is_fine else outcome.exit_code)

    clock = Budget(budget)
    found = Rounds(LocalLauncher(launcher), clock).run(rounds, ended)
    if found.is_interrupted:
        say("interrupted: this is what there is")
        codes.append(STOPPED)
    elif found.left:
        weights, left = (sum(launch.weight for launch in each)
                         for each in ([launch for members in rounds for launch in members], found.left))
        needed = (budget - clock.left) * weights / max(weights - left, 1)
        names = ", ".join(launch.title for launch in found.left)
        say(f"no time was left for all of {counted(len(found.left), 'launch')} ({names}): "
            f"quartet run --budget {ROUNDED * math.ceil(needed / ROUNDED)}")
    return codes, [file for file in files if file.exists()]


def show(files: list[Path], everything: bool, was_interrupted: bool) -> tuple[list[Case], bool]:
    """The table, where its documents are, and the verdict. Returns the cases, and whether all documents could be
    read."""
    found = collect(files)
    for problem in found.skipped:
        say(f"left out {problem}")
    cases = judged_cases(document for _, document in found.documents)
    if was_interrupted and all(case.error for case in cases):
        print("Nothing was measured yet.")
        return cases, not found.skipped
    style = Style.of(sys.stdout)
    print(table.render(cases, is_short=not everything, style=style))
    if files:
        stamp = os.path.relpath(files[0]).partition("-")[0]
        print(f"{counted(len(files), 'document')}: {stamp}-*.json")
    print(verdict.render(cases, style), end="")
    return cases, not found.skipped


def run(options: argparse.Namespace) -> int:
    require_launcher(options.launcher, options.results)
    programs, stamp = options.build / "bin", time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    rounds = list(launches.rounds(programs, Machine.here(), options.results, stamp))
    if not rounds:
        say(f"no program of the suite in {programs}: build it first (make build)")
        return BAD_USAGE
    try:
        look_at_the_machine(options.look)
        codes, files = measure(rounds, options.launcher, options.budget)
    except KeyboardInterrupt:
        say("interrupted: this is what there is")
        codes, files = [STOPPED], []
    cases, is_whole = show(files, options.all, STOPPED in codes)
    if not is_whole or (not files and worst(codes) == VERIFIED):
        codes.append(FAILED)
    without = [launch.name for launch in rounds[0]
               if not any(case.rate for case in cases if launch.name.startswith(case.name.kernel))]
    if worst(codes) == VERIFIED and without:
        say(f"no rate of {', '.join(name.partition('-')[0] for name in without)}: give more by --budget, or see "
            "the table")
        return UNDECIDED
    return worst(codes)
