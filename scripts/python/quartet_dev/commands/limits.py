"""Compares each kernel with its limit and with its peers, on two cores.

Each kernel runs as two ranks of one thread and as one rank of two threads. Launches to be compared
follow one another, round after round. A ratio is the median over the rounds; its smallest and
largest value stand beside it. Nothing else should run on the machine meanwhile.

The peers are the programs' own `--formulation library`: plain MPI, ScaLAPACK's psgemm, BLAS's dgemv
and FFTW-MPI. HPC Challenge's MPIFFT joins them where hpcc is installed (scripts/setup.sh peers), and
MKL's cluster FFT and psgemm where the preset host-mkl was built. A peer that is not available is
named in its line. Each limit is checked by a loop of another program (limit_loops), which should agree
within 5%, and matmul's by BLIS where it is installed (scripts/setup.sh blis).

A missed goal does not change the exit code: 3 means that a launch failed, 1 that a result was wrong.

FFTW measures its plans before the rounds. That takes minutes and does not count towards the budget.
The plans stay in the file fftw-plans beside the documents; remove it on another machine.

The documents stay in results/limits/. --reuse shows them again; quartet report
results/limits makes a page of them."""

import argparse
import contextlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

from quartet.command_line import add_launch_arguments, seconds, some_of, whole_number, why_not
from quartet.exit_codes import BAD_USAGE, UNAVAILABLE, VERIFIED, worst
from quartet.machine import Machine
from quartet.paths import RESULTS
from quartet.text import say
from quartet.units import GIB
from quartet_dev.limits import table as limits_table
from quartet_dev.limits.folder import LimitsFolder
from quartet_dev.limits.loop import measure as measure_rounds
from quartet_dev.limits.match import LimitsFiles, Match
from quartet_dev.limits.plan import LIMITS, matches

EXAMPLE = "quartet limits --only cg,fft"
BUDGET = 3000  # seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", type=some_of(LIMITS), default=tuple(LIMITS),
                        metavar="LIST", help=f"some of {','.join(LIMITS)}")
    parser.add_argument("--pairs", type=whole_number(10_000), default=5, metavar="N",
                        help="rounds (%(default)s)")
    parser.add_argument("--budget", type=seconds, metavar="SECONDS",
                        help=f"begins no round that would pass it ({BUDGET}; with --full none); "
                        "FFTW's planning, before all rounds, is not counted")
    parser.add_argument("--full", action="store_true",
                        help="the larger sizes, too: hours")
    parser.add_argument("--reuse", action="store_true", help="measures nothing, shows what is there")
    parser.add_argument("--timeout", type=seconds, default=900, metavar="SECONDS",
                        help="of one launch (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "limits",
                        help="where the documents are (%(default)s)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="keeps data files there (a "
                        "temporary folder in --results)")
    add_launch_arguments(parser)


def problem(options: argparse.Namespace) -> str:
    """Why nothing can be measured; empty where it can."""
    programs = options.build / "bin"
    missing = [name for name in options.only if not (programs / name).exists()]
    if missing:
        return f"no {missing[0]} in {programs}: build it first (make build)"
    reason = why_not(options.launcher, [options.results, *([options.data] if options.data else [])])
    if reason:
        return reason
    room = shutil.disk_usage(options.data or options.results).free
    for name in options.only:
        needed = LIMITS[name].file_bytes[options.full]
        if room < needed:
            return (f"{options.data or options.results} has room for {room / GIB:.1f} GiB ({name}'s "
                    f"files take {needed / GIB:.0f}): name another --data, or --only others")
    return ""


def measure(options: argparse.Namespace, wanted: list[Match], folder: LimitsFolder) -> int:
    """Measures all matches. Returns STOPPED after an interrupt."""
    if Machine.here().cores < 2:
        say("this machine has one core and the goals are for two: do not quote what follows")
    return measure_rounds(options, wanted, folder, options.pairs)


def code_of(wanted: list[Match], folder: LimitsFolder) -> int:
    """The worst of all launches; a peer that is not available is no failure."""
    codes = [result.outcome.exit_code for match in wanted for results in folder.rounds(match)
             for result in results.values()]
    code = worst(codes)
    return VERIFIED if code == UNAVAILABLE else code


def data_folder(options: argparse.Namespace) -> contextlib.AbstractContextManager[Any]:
    """The folder of the data files; a temporary one is removed at the end."""
    if options.reuse or options.data:
        return contextlib.nullcontext(options.data or Path("none"))
    return tempfile.TemporaryDirectory(prefix="data-", dir=options.results)


def run(options: argparse.Namespace) -> int:
    if options.budget is None and not options.full:
        options.budget = BUDGET
    folder = LimitsFolder(options.results)
    reason = "" if options.reuse else problem(options)
    if reason:
        say(reason)
        return BAD_USAGE
    stopped = VERIFIED
    with data_folder(options) as data:
        files = LimitsFiles(options.build.resolve() / "bin", Path(data), options.results / "fftw-plans")
        wanted = [match for match in matches(files, options.full or options.reuse)
                  if match.kernel in options.only]
        if not options.reuse:
            stopped = measure(options, wanted, folder)
    if options.reuse:
        wanted = [match for match in wanted if folder.rounds(match)]
        if not wanted:
            say(f"no results in {options.results}: measure first (without --reuse)")
            return BAD_USAGE
    print(limits_table.render(wanted, folder), end="")
    return worst([stopped, code_of(wanted, folder)])
