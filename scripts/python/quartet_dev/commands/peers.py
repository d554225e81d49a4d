"""Runs the paper's data flows by TensorFlow itself beside ours.

Each kernel runs five ways, on two processes of one thread: TensorFlow's program of its data flow, our
data flow over gRPC, over TCP and through shared memory, and our native formulation. Launches follow one
another, round after round; a ratio to TensorFlow has its 95% interval. Nothing else should run on the
machine meanwhile. A transport that is unavailable is named in its line.

TensorFlow is in an environment of its own: scripts/setup.sh tensorflow makes it (1.5 GB). Its programs
are in scripts/python/quartet_dev/peers/tensorflow, a file for each kernel. Each result is compared with
NumPy's.
While it measures, TensorFlow listens on ports of all of this machine's network interfaces.

The documents stay in results/peers/, TensorFlow's with the formulation `tensorflow`: table, report and
compare read them like all others. --reuse shows the table again.

Exit codes: 1 a wrong result, 3 a failed launch, 77 no TensorFlow."""

import argparse
import contextlib
import tempfile
from pathlib import Path

from quartet.command_line import add_launch_arguments, seconds, some_of, whole_number, why_not
from quartet.exit_codes import BAD_USAGE, UNAVAILABLE, VERIFIED, worst
from quartet.machine import Machine
from quartet.paths import RESULTS
from quartet.text import say
from quartet_dev.limits.folder import LimitsFolder
from quartet_dev.limits.loop import measure as measure_rounds
from quartet_dev.limits.match import RANKS, Match
from quartet_dev.peers.tensorflow import environment
from quartet_dev.peers.tensorflow import table as peers_table
from quartet_dev.peers.tensorflow.matches import BESIDE, matches

EXAMPLE = "quartet peers --only cg --rounds 4"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", type=some_of(BESIDE), default=tuple(BESIDE),
                        metavar="LIST", help=f"some of {','.join(BESIDE)}")
    parser.add_argument("--rounds", type=whole_number(1000), default=6, metavar="N",
                        help="rounds (%(default)s)")
    parser.add_argument("--runs", type=whole_number(1000), default=3, metavar="N",
                        help="measured runs of a launch, after one that warms up (%(default)s)")
    parser.add_argument("--budget", type=seconds, default=600, metavar="SECONDS",
                        help="begins no round that would pass it (%(default)s)")
    parser.add_argument("--reuse", action="store_true", help="measures nothing, shows what is there")
    parser.add_argument("--timeout", type=seconds, default=120, metavar="SECONDS",
                        help="of one launch (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "peers",
                        help="where the documents are (%(default)s)")
    parser.add_argument("--python", type=Path, default=environment.PYTHON,
                        help="one that has TensorFlow 2 (%(default)s)")
    add_launch_arguments(parser)


def measure(options: argparse.Namespace, wanted: list[Match], folder: LimitsFolder) -> int:
    """Measures all matches. Returns STOPPED after an interrupt."""
    if Machine.here().cores < RANKS.ranks:
        say("this machine has fewer cores than processes are compared: do not quote what follows")
    return measure_rounds(options, wanted, folder, options.rounds)


def problem(options: argparse.Namespace) -> tuple[str, int]:
    """Why nothing can be measured, and the exit code."""
    programs = options.build / "bin"
    missing = [name for name in options.only if not (programs / name).exists()]
    if missing:
        return f"no {missing[0]} in {programs}: build it first (make build)", BAD_USAGE
    reason = why_not(options.launcher, [options.results])
    if reason:
        return reason, BAD_USAGE
    return environment.why_not(options.python), UNAVAILABLE


def run(options: argparse.Namespace) -> int:
    folder = LimitsFolder(options.results)
    reason, code = ("", VERIFIED) if options.reuse else problem(options)
    if reason:
        say(reason)
        return code
    with contextlib.ExitStack() as stack:
        data = Path("none") if options.reuse else Path(stack.enter_context(
            tempfile.TemporaryDirectory(prefix="data-", dir=options.results)))
        wanted = [match for match in matches(folder, data.absolute(), options.python, options.runs)
                  if match.kernel in options.only]
        stopped = VERIFIED if options.reuse else measure(options, wanted, folder)
    there = [match for match in wanted if folder.rounds(match)]
    if not there:
        say(f"no results in {options.results}: measure first (without --reuse)")
        return BAD_USAGE if stopped == VERIFIED else stopped
    print(peers_table.render(there, folder), end="")
    codes = {result.outcome.exit_code for match in there for results in folder.rounds(match)
             for result in results.values()}
    return worst({stopped, *(codes - {UNAVAILABLE})})
