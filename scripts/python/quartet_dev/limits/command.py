"""What `quartet limits` and `quartet peers` share: flags, what must be there, and how a measurement ends."""

import argparse
import contextlib
import tempfile
from pathlib import Path
from typing import Any, Callable, Iterable, Optional

from quartet.command_line import add_launch_arguments, seconds, some_of, whole_number, why_not
from quartet.exit_codes import BAD_USAGE, UNAVAILABLE, worst
from quartet.machine import Machine
from quartet.paths import RESULTS
from quartet.text import say
from quartet_dev.limits.folder import LimitsFolder
from quartet_dev.limits.loop import measure
from quartet_dev.limits.match import RANKS, Match

ONE_CORE = "this machine has fewer than two cores, which these launches are for: do not quote what follows"


def add_arguments(parser: argparse.ArgumentParser, kernels: Iterable[str], folder: str, rounds: int,
                  budget: float, timeout: float) -> None:
    known = tuple(kernels)
    parser.add_argument("--only", type=some_of(known), default=known, metavar="LIST",
                        help=f"some of {','.join(known)}")
    parser.add_argument("--rounds", type=whole_number(10_000), default=rounds, metavar="N",
                        help="rounds; in each of them all sides run (%(default)s)")
    parser.add_argument("--budget", type=seconds, metavar="SECONDS",
                        help=f"begins no round that would pass it ({budget:g})")
    parser.add_argument("--reuse", action="store_true", help="measures nothing, shows what is there")
    parser.add_argument("--timeout", type=seconds, default=timeout, metavar="SECONDS",
                        help="limit of one launch (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / folder,
                        help="where the documents are (%(default)s)")
    add_launch_arguments(parser)


def problem(options: argparse.Namespace, *folders: Path) -> str:
    """The reason why nothing can be measured; empty if it can."""
    programs = options.build / "bin"
    missing = [name for name in options.only if not (programs / name).exists()]
    return f"no {missing[0]} in {programs}: build it first (make build)" if missing else \
        why_not(options.launcher, [options.results, *folders])


def data_folder(options: argparse.Namespace, kept: Optional[Path] = None) -> contextlib.AbstractContextManager[Any]:
    """The folder of the data files: a temporary one, removed at the end, unless one is to be kept."""
    if options.reuse or kept:
        return contextlib.nullcontext(kept or Path("none"))
    return tempfile.TemporaryDirectory(prefix="data-", dir=options.results)


def measured(options: argparse.Namespace, matches: list[Match], folder: LimitsFolder) -> int:
    """Measures them all, unless they are only to be shown. STOPPED after an interrupt."""
    if options.reuse:
        return 0
    if Machine.here().cores < RANKS.ranks:
        say(ONE_CORE)
    return measure(options, matches, folder, options.rounds)


def show(options: argparse.Namespace, matches: list[Match], folder: LimitsFolder, stopped: int,
         render: Callable[[list[Match], LimitsFolder], str]) -> int:
    """The table of what is there, and the worst of all launches; a side that is not available is no failure."""
    there = [match for match in matches if folder.rounds(match)]
    if not there:
        say(f"no results in {options.results}: measure first (without --reuse)")
        return stopped or BAD_USAGE
    print(render(there, folder), end="")
    codes = {result.outcome.exit_code for match in there for results in folder.rounds(match)
             for result in results.values()}
    return worst({stopped, *(codes - {UNAVAILABLE})})
