"""What `quartet limits` and `quartet peers` launch: groups of sides that are compared with each other. In each round the
sides of a group follow one another, every other round backwards."""

import argparse
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Callable, Iterable

from quartet.command_line import add_launch_arguments, seconds, some_of, whole_number, why_not
from quartet.exit_codes import BAD_USAGE, FAILED, STOPPED, UNAVAILABLE, UNDECIDED, ScriptError, worst
from quartet.files import FileProblem, read_json
from quartet.launch import Files, Job, LocalLauncher, Outcome, quiet_job
from quartet.machine import Machine
from quartet.paths import RESULTS
from quartet.results import Case, Name, cases, load
from quartet.rounds import Budget, Launch, Rounds, alternating
from quartet.text import counted, say


@dataclass(frozen=True)
class Setup:
    ranks: int
    threads: int  # of a rank

    def __str__(self) -> str:
        return f"{counted(self.ranks, 'rank')} x {counted(self.threads, 'thread')}"

    @property
    def short(self) -> str:
        return f"{self.ranks}x{self.threads}"


RANKS, THREADS, ONE = Setup(2, 1), Setup(1, 2), Setup(1, 1)


@dataclass(frozen=True)
class Side:
    """One launch of each round: a program of ours."""

    name: str
    setup: Setup
    arguments: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    build: Path = Path()  # in place of the one that is measured

    def job(self, programs: Path, kernel: str, files: Files) -> Job:
        arguments = (*self.arguments, "--device", "host", "--threads", str(self.setup.threads))
        program = (self.build / "bin" if self.build.name else programs) / kernel
        job = quiet_job(program, self.setup.ranks, self.setup.threads, arguments, files.document)
        return replace(job, variables=self.environment)

    def read(self, file: Path) -> list[Case]:
        return cases(load(file))


@dataclass(frozen=True)
class LoopSide(Side):
    """A loop that shares nothing with the suite's, to check a limit by: the program limit_loops, on two threads."""

    rate: float = 1  # in the unit of the row beside it, of one byte or operation per second

    def job(self, programs: Path, kernel: str, files: Files) -> Job:
        return Job(programs / "limit_loops", 1, 2, (*self.arguments, "2", str(files.document)))

    def read(self, file: Path) -> list[Case]:
        name = f"limit/library/host/none/loop:{self.arguments[0]}"
        return [Case(Name.parse(name), name, rate=self.rate * float(read_json(file)["per_second"]))]


@dataclass(frozen=True)
class Result:
    """What a launch left."""

    outcome: Outcome
    cases: list[Case] = field(default_factory=list)


Round = dict[str, Result]  # by the side's name


@dataclass(frozen=True)
class Group:
    kernel: str
    name: str
    sides: tuple[Side, ...]


def add_arguments(parser: argparse.ArgumentParser, kernels: Iterable[str], folder: str, rounds: int,
                  budget: float) -> None:
    known = tuple(kernels)
    parser.add_argument("--only", type=some_of(known), default=known, metavar="LIST",
                        help=f"some of {','.join(known)}")
    parser.add_argument("--rounds", type=whole_number(10_000), default=rounds, metavar="N",
                        help="rounds; in each of them all sides run (%(default)s)")
    parser.add_argument("--budget", type=seconds, default=budget, metavar="SECONDS",
                        help="ends within it, by the clock (%(default)s)")
    parser.add_argument("--timeout", type=seconds, default=900, metavar="SECONDS",
                        help="limit of one launch (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / folder,
                        help="where the documents are (%(default)s)")
    add_launch_arguments(parser)


def check(options: argparse.Namespace, *others: str) -> None:
    """Raises ScriptError with the reason why nothing can be measured; `others` are needed beside the kernels."""
    programs = options.build / "bin"
    missing = [name for name in (*options.only, *others) if not (programs / name).exists()]
    reason = f"no {missing[0]} in {programs}: build it first (make build TARGETS={missing[0]})" if missing else \
        why_not(options.launcher, [options.results])
    if reason:
        raise ScriptError(reason, BAD_USAGE)
    if Machine.here().cores < RANKS.ranks:
        say("this machine has fewer than two cores, which these launches are for: do not quote what follows")


def measure(options: argparse.Namespace, groups: list[Group]) -> tuple[dict[str, list[Round]], int]:
    """Runs so many rounds of all groups, or as many as fit the budget; the documents stay in the folder of results.
    Returns the rounds by group, and the worst exit code: what is unavailable, or got no time, is no failure."""
    programs = options.build.resolve() / "bin"
    found: dict[str, list[Round]] = {group.name: [{} for _ in range(options.rounds)] for group in groups}
    places: dict[str, tuple[Group, Side, Round]] = {}
    plan: list[list[Launch]] = []
    for number in range(options.rounds):
        for group in groups:
            plan.append([])
            for side in alternating(group.sides, number):
                name = f"{group.name}-{side.name}-{number + 1}"
                files = Files(options.results / f"{name}.json", options.results / f"{name}.log")
                files.document.unlink(missing_ok=True)
                places[name] = group, side, found[group.name][number]
                title = f"round {number + 1}, {group.name}, {side.name}"
                plan[-1].append(Launch(name, title, _job(side, programs, group.kernel, files), files,
                                       alike=((group.name, side.name),)))

    def ended(launch: Launch, outcome: Outcome) -> None:
        rounds.say(launch, outcome, len(places))
        _, side, round_ = places[launch.name]
        try:
            rows = side.read(launch.files.document) if launch.files.document.exists() else []
        except FileProblem as problem:
            outcome, rows = replace(outcome, exit_code=FAILED, message=str(problem)), []
        if outcome.exit_code == STOPPED:  # what it had no time for is not run
            rows = [case for case in rows if not case.error]
        if rows or outcome.exit_code != STOPPED:
            round_[side.name] = Result(outcome, rows)

    launcher = Path(shutil.which(options.launcher) or options.launcher).resolve()
    rounds = Rounds(LocalLauncher(launcher), Budget(options.budget), options.timeout)
    end = rounds.run(plan, ended)
    if end.left:
        say(f"{counted(len(end.left), 'launch')} not run: {end.reason}")
    codes = {result.outcome.exit_code for some in found.values() for each in some for result in each.values()}
    code = worst(codes - {UNAVAILABLE, STOPPED} | ({STOPPED} if end.is_interrupted else set())) if codes else UNDECIDED
    return {name: [each for each in some if each] for name, some in found.items()}, code


def _job(side: Side, programs: Path, kernel: str, files: Files) -> Callable[[float], Job]:
    return lambda _share: side.job(programs, kernel, files)
