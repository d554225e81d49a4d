"""Measures with every program that was built, on this machine's cores and within a time budget, and prints one table
and a verdict. The budget is wall time: each launch gets a share of what is left, and ends after its current run. The
native rows of each kernel come first. Launches whose time did not suffice are named. `make run` builds first.

Exit codes: 1 a wrong result, 3 a launch failed, 4 a kernel got no rate, 75 interrupted."""

import argparse
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from quartet import check_machine
from quartet.check_machine import Level
from quartet.command_line import add_launch_arguments, require_launcher, seconds, seconds_or_none
from quartet.exit_codes import BAD_USAGE, FAILED, STOPPED, UNAVAILABLE, UNDECIDED, VERIFIED, worst
from quartet.launch import Files, Job, LocalLauncher, Outcome
from quartet.machine import Machine
from quartet.paths import RESULTS
from quartet.results import Name, Row, collect, judged_rows
from quartet.results.row import NOT_RUN
from quartet.rounds import SECONDS_TO_START, Budget, Launch, Rounds
from quartet.tables import table, verdict
from quartet.terminal import Style
from quartet.text import counted, say, shown
from quartet.units import MIB

EXAMPLE = "quartet run --budget 300"
ROUNDED = 30  # seconds of which a proposed budget is a multiple
NATIVE, PAIR, DATAFLOW, ALL = "native", "native,library", "dataflow", "native,dataflow,library"
TRANSPORTS = "shm,mpi,rma"  # of stream


@dataclass(frozen=True)
class Run:
    name: str  # the program's; of its later launches with an ending, as "cg-library-dataflow"
    ranks: int
    arguments: tuple[str, ...]
    weight: int  # of its share of the budget

    @property
    def program(self) -> str:
        return self.name.partition("-")[0]


def runs(machine: Machine) -> tuple[list[Run], list[Run]]:
    """The first launch of each program, and the later ones."""
    all_cores = max(2, machine.cores)  # one rank a core; a data flow has a worker and a reducer at least
    ranks = {**dict.fromkeys(ARGUMENTS, all_cores), "stream": 2}
    # A library runs in the launch of the native rows that it is compared with. The first rows of a kernel must not wait
    # for the other transports of stream.
    ways = {**dict.fromkeys(ARGUMENTS, PAIR), "stream": NATIVE}
    first = [Run(name, ranks[name], arguments_of(name, machine, ranks[name], ways[name], "shm"), weight)
             for name, weight in WEIGHTS.items()]
    rest = [Run("stream-mpi-rma", 2, arguments_of("stream", machine, 2, PAIR, "mpi,rma"), 20),
            *(Run(f"{name}-dataflow", ranks[name], arguments_of(name, machine, ranks[name], DATAFLOW), weight)
              for name, weight in {"matmul": 6, "cg": 9, "fft": 6, "stream": 16}.items())]
    if machine.cores > 2:
        rest.append(Run("stream", machine.cores, arguments_of("stream", machine, machine.cores, ALL), 30))
    # The paper's third protocol is so slow that only one size is measured.
    grpc = ("--device", "host", "--sizes", str(_largest(machine, 2)), "--pushes", "5", "--transport", "grpc")
    return first, [*rest, Run("stream-grpc", 2, grpc, 6)]


def arguments_of(program: str, machine: Machine, ranks: int, formulations: str = ALL, transports: str = TRANSPORTS
                 ) -> tuple[str, ...]:
    more = ("--transport", transports) if program == "stream" else ()
    return ("--device", "host", *ARGUMENTS[program](machine, ranks), *more, "--formulation", formulations)


def _largest(machine: Machine, ranks: int) -> int:
    # For each rank, vectors, buffers and the limit's arrays take six times the size; all smaller sizes take as much.
    return _halved(128, 2, lambda largest: 12 * ranks * largest * MIB <= machine.memory)


def _halved(size: int, least: int, fits: Callable[[int], bool]) -> int:
    while size > least and not fits(size):
        size //= 2
    return size


def _stream(machine: Machine, ranks: int) -> tuple[str, ...]:
    # From the paper's smallest to its largest size.
    doublings = _largest(machine, ranks).bit_length() - 2
    sizes = dict.fromkeys(2 << (step * doublings + 2) // 4 for step in range(5))
    return "--sizes", ",".join(map(str, sizes)), "--pushes", "10"


def _matmul(machine: Machine, ranks: int) -> tuple[str, ...]:
    # A run takes a fraction of a second: 2 N^3 operations at some 10^11 a second and core.
    wanted = 2048 if ranks < 4 else 4096 if ranks < 8 else 8192 if ranks < 32 else 16384
    # Three matrices, and three small ones of each rank for the limit.
    size = _halved(wanted, 1024, lambda size: (3 * size**2 + 3 * ranks * 2048**2) * 4 <= machine.memory)
    tile = min(1024, size // 4)  # 2, 4, 8 .. ranks then have equal numbers of tiles
    return "--size", str(size), "--tile", str(tile), "--threads", "1"


def _cg(machine: Machine, _ranks: int) -> tuple[str, ...]:
    # The matrix, 8 N^2 bytes, and the arrays of its limit.
    size = _halved(8192, 1024, lambda size: 1.1 * 8 * size**2 <= machine.memory)
    return "--size", str(size), "--storage", "full,symmetric", "--threads", "1", "--iterations", "20"


def _fft(machine: Machine, _ranks: int) -> tuple[str, ...]:
    # Six arrays of 16 bytes a point: input, work space, result, two of the limit, the library's.
    size = _halved(2**24, 2**10, lambda size: 6 * 16 * size <= machine.memory)
    return "--size", f"2^{size.bit_length() - 1}"


ARGUMENTS: dict[str, Callable[[Machine, int], tuple[str, ...]]] = {
    "stream": _stream, "matmul": _matmul, "cg": _cg, "fft": _fft}
WEIGHTS = {"stream": 16, "matmul": 12, "cg": 18, "fft": 12}  # of the first launches


def rounds_of(programs: Path, machine: Machine, results: Path, stamp: str) -> Iterator[list[Launch]]:
    """The launches of all programs that are built; the names of their documents in `results` begin with `stamp`."""
    for members in runs(machine):
        built = [run for run in members if (programs / run.program).exists()]
        if built:
            yield [_launch(run, programs, machine, results / f"{stamp}-{run.name}-{run.ranks}.json") for run in built]


def _launch(run: Run, programs: Path, machine: Machine, document: Path) -> Launch:
    title = f"{run.name} on {run.ranks} ranks"

    def job(share: float) -> Job:
        say(f"{title}: has {share + SECONDS_TO_START:.0f} s, and then ends after its current run")
        return Job(programs / run.program, run.ranks, max(1, machine.cores // run.ranks),
                   (*run.arguments, "--progress", "on", "--json", str(document)))

    return Launch(f"{run.name}-{run.ranks}", title, job, Files(document), weight=run.weight)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_launch_arguments(parser)
    parser.add_argument("--budget", type=seconds, default=90, metavar="SECONDS",
                        help="time for measuring with all programs, by the clock (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "runs",
                        help="where the JSON documents go (%(default)s)")
    parser.add_argument("--look", type=seconds_or_none, default=2, metavar="SECONDS",
                        help="how long to watch for disturbances before measuring (%(default)s; 0: not)")
    parser.add_argument("--all", action="store_true", help="show every size and warning, not three of each")


def warn_about_machine(seconds: float) -> None:
    """Says what may disturb the measurements."""
    for finding in [*check_machine.watch_others(seconds), *check_machine.settings()] if seconds > 0 else []:
        if finding.level is not Level.OK:
            say("this machine: " + finding.sentence)


def measure(rounds: list[list[Launch]], launcher: Path, budget: float) -> tuple[list[int], str, int]:
    """The exit codes of all launches; which ones lacked time, or an empty text; and the budget that would probably
    suffice, or 0 if something else is to be done first."""
    say(f"about {budget:.0f} s of measuring")
    codes: list[int] = []
    launches = [launch for members in rounds for launch in members]
    done = dict.fromkeys(launches, 0.0)  # the share of each

    def ended(launch: Launch, outcome: Outcome) -> None:
        done[launch] = 0.5 if outcome.exit_code == STOPPED else 1  # a guess: how much was left is not known
        if outcome.exit_code not in (VERIFIED, UNAVAILABLE):
            say(f"{launch.title}: {outcome.message}")
        # The table lists what is not available here; that is no failure.
        if outcome.exit_code != STOPPED and (outcome.exit_code != UNAVAILABLE or not launch.files.document.exists()):
            codes.append(outcome.exit_code)

    clock = Budget(budget)
    found = Rounds(LocalLauncher(launcher), clock).run(rounds, ended)
    if found.is_interrupted:
        raise KeyboardInterrupt
    short = [launch for launch in launches if done[launch] < 1]
    if not short:
        return codes, "", 0
    missing = sum(launch.weight for launch in launches) / max(sum(each.weight * done[each] for each in launches), 1)
    unbegun = [launch for launch in short if not done[launch]]
    lacked = (f"the time did not suffice for {counted(len(short), 'launch')} "
              f"({', '.join(launch.title for launch in short)})"
              + f"; {len(unbegun)} of them did not begin" * bool(unbegun))
    if set(codes) - {VERIFIED, UNAVAILABLE}:
        return codes, lacked + ": first see to what failed", 0
    needed = max((budget - clock.left) * missing, budget + 1)
    return codes, lacked, ROUNDED * math.ceil(needed / ROUNDED)


def show(rounds: list[list[Launch]], everything: bool, was_interrupted: bool) -> tuple[list[Row], bool]:
    """Prints table, verdict and where the documents are. Returns the rows, and whether all documents could be read."""
    files = [launch.files.document for members in rounds for launch in members if launch.files.document.exists()]
    found = collect(files)
    for problem in found.skipped:
        say(f"left out {problem}")
    rows = judged_rows(document for _, document in found.documents)
    names = [launch.name.split("-") for launch in rounds[0] if not launch.files.document.exists()] if rows else []
    rows += [Row(Name(kernel, NATIVE, "host", values={"ranks": ranks}), kernel, NOT_RUN[0], context=rows[0].context)
             for kernel, ranks in names if all(row.name.kernel != kernel for row in rows)]
    if was_interrupted and all(row.error for row in rows):
        print("Nothing was measured yet.")
        return rows, not found.skipped
    style = Style.of(sys.stdout)
    print(table.render(rows, is_short=not everything, style=style))
    if files:
        print(f"{counted(len(files), 'document')}: {shown(files[0].parent / files[0].name.partition('-')[0])}-*.json")
    print(verdict.render(rows, style), end="")
    return rows, not found.skipped


def run(options: argparse.Namespace) -> int:
    require_launcher(options.launcher, options.results)
    programs, stamp = options.build / "bin", time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    rounds = list(rounds_of(programs, Machine.here(), options.results, stamp))
    if not rounds:
        say(f"no program of the suite in {programs}: build it first (make build)")
        return BAD_USAGE
    try:
        warn_about_machine(options.look)
        codes, lacked, needed = measure(rounds, options.launcher, options.budget)
    except KeyboardInterrupt:
        every = [launch.files.document.exists() for members in rounds for launch in members]
        say(f"interrupted: these are the results so far; {every.count(False)} of {counted(len(every), 'launch')} left "
            "none")
        codes, lacked, needed = [STOPPED], "", 0
    rows, is_whole = show(rounds, options.all, STOPPED in codes)
    if not is_whole or (not rows and worst(codes) == VERIFIED):
        codes.append(FAILED)
    without = [launch.name for launch in rounds[0]
               if not any(row.rate for row in rows if launch.name.startswith(row.name.kernel))]
    if worst(codes) == VERIFIED and without:
        say(f"no rate of {', '.join(name.partition('-')[0] for name in without)}")
        codes.append(UNDECIDED)
    measured = [row for row in rows if not row.error]
    disturbed = sum("disturbed" in row.flags for row in measured)
    is_busy = 2 * disturbed > len(measured)
    if lacked:
        say(lacked + (f": try `quartet run --budget {needed}`, or more" if needed and not is_busy else ""))
    if is_busy:
        say(f"this machine was busy: {disturbed} of {counted(len(measured), 'row')} may be disturbed. End other "
            "programs, or wait, and measure again (quartet check-machine)")
    return UNDECIDED if UNDECIDED in codes else worst(codes)
