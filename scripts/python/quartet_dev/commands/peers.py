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
from pathlib import Path

from quartet.command_line import whole_number
from quartet.exit_codes import BAD_USAGE, UNAVAILABLE
from quartet.text import say
from quartet_dev.limits import command
from quartet_dev.limits.folder import LimitsFolder
from quartet_dev.peers.tensorflow import environment
from quartet_dev.peers.tensorflow import table as peers_table
from quartet_dev.peers.tensorflow.matches import BESIDE, matches

EXAMPLE = "quartet peers --only cg --rounds 4"
BUDGET = 600  # seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    command.add_arguments(parser, BESIDE, "peers", rounds=6, budget=BUDGET, timeout=120)
    parser.add_argument("--runs", type=whole_number(1000), default=3, metavar="N",
                        help="measured runs of a launch, after one that warms up (%(default)s)")
    parser.add_argument("--python", type=Path, default=environment.PYTHON,
                        help="a Python that has TensorFlow 2 (%(default)s)")


def run(options: argparse.Namespace) -> int:
    options.budget = options.budget or BUDGET
    reason = "" if options.reuse else command.problem(options)
    if reason:
        say(reason)
        return BAD_USAGE
    reason = "" if options.reuse else environment.why_not(options.python)
    if reason:
        say(reason)
        return UNAVAILABLE
    folder = LimitsFolder(options.results)
    with command.data_folder(options) as data:
        wanted = [match for match in matches(folder, Path(data).absolute(), options.python, options.runs)
                  if match.kernel in options.only]
        stopped = command.measured(options, wanted, folder)
    return command.show(options, wanted, folder, stopped, peers_table.render)
