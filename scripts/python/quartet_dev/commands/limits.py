"""Compares each kernel with its limit and with its peers, on two cores.

Each kernel runs as two ranks of one thread and as one rank of two threads; fft in caches as one
rank of one thread. Launches to be compared follow one another, round after round. A ratio is the
median over the rounds; its smallest and largest value stand beside it. Nothing else should run on
the machine meanwhile.

The peers are the programs' own `--formulation library`: plain MPI, ScaLAPACK's psgemm, BLAS's dgemv
and FFTW-MPI. A peer
that is not available is named in its line. Each limit is checked by a loop of another program
(limit_loops), which should agree within 5%.

Some goals differ by the vector instructions that a row's documents name: AVX-512 has goals of its own,
any other set has AVX2's (">=1|1.2" where nothing was measured). The table names the sets.

A missed goal does not change the exit code: 3 means that a launch failed, 1 that a result was wrong.

FFTW measures its plans before the rounds. That takes minutes and does not count towards the budget.
The plans stay in the file fftw-plans in results/limits/; remove it on another machine.

The documents stay in results/limits/, with --isa in a folder of that name there, so --reuse shows one
set's alone. quartet report results/limits makes a page of all."""

import argparse
import shutil
from pathlib import Path

from quartet.exit_codes import BAD_USAGE
from quartet.text import say
from quartet.units import GIB
from quartet_dev.limits import command
from quartet_dev.limits import table as limits_table
from quartet_dev.limits.folder import LimitsFolder
from quartet_dev.limits.match import LimitsFiles
from quartet_dev.limits.plan import LIMITS, matches

EXAMPLE = "quartet limits --only cg,fft"
BUDGET = 3000  # seconds
ISAS = ("baseline", "avx2", "avx512", "neon", "sve256", "sve512")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    command.add_arguments(parser, LIMITS, "limits", rounds=5, budget=BUDGET, timeout=900)
    parser.add_argument("--full", action="store_true",
                        help="also the larger sizes: takes hours, without a budget unless --budget is given; FFTW's "
                             "planning, before all rounds, counts in none")
    parser.add_argument("--isa", choices=ISAS, metavar="NAME",
                        help=f"vector instructions of all launches, one of {','.join(ISAS)} (the programs' own "
                             "choice); documents are in a folder of that name in --results")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="keeps data files there (a "
                        "temporary folder in --results)")


def problem(options: argparse.Namespace) -> str:
    """The reason why nothing can be measured; empty if it can."""
    reason = command.problem(options, *([options.data] if options.data else []))
    if reason:
        return reason
    room = shutil.disk_usage(options.data or options.results).free
    for name in options.only:
        needed = LIMITS[name].file_bytes[options.full]
        if room < needed:
            return (f"{options.data or options.results} has room for {room / GIB:.1f} GiB ({name}'s "
                    f"files take {needed / GIB:.0f}): name another --data, or --only others")
    return ""


def run(options: argparse.Namespace) -> int:
    if options.budget is None and not options.full:
        options.budget = BUDGET
    plans = options.results / "fftw-plans"  # the same for all sets: FFTW chooses its own
    if options.isa:
        options.results /= options.isa
    reason = "" if options.reuse else problem(options)
    if reason:
        say(reason)
        return BAD_USAGE
    folder = LimitsFolder(options.results)
    with command.data_folder(options, options.data) as data:
        files = LimitsFiles(options.build.resolve() / "bin", Path(data), plans,
                            ("--isa", options.isa) if options.isa else ())
        wanted = [match for match in matches(files, options.full or options.reuse)
                  if match.kernel in options.only]
        stopped = command.measured(options, wanted, folder)
    return command.show(options, wanted, folder, stopped, limits_table.render)
