"""The launches of `quartet limits` and `quartet peers`, and goals: ratios of rates of one round, with a verdict.

Launches are in groups of variants that are compared with each other. In each round the variants of a group follow one
another, in reverse order every other round. The verdict is on the median of a ratio over the rounds."""

import argparse
import functools
import shutil
import statistics
import textwrap
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Iterable, NamedTuple, Union

from quartet.command_line import add_launch_arguments, integer, require_launcher, seconds, some_of
from quartet.exit_codes import FAILED, STOPPED, UNAVAILABLE, UNDECIDED, ScriptError, worst
from quartet.files import FileProblem
from quartet.launch import Files, Job, LocalLauncher, Outcome, quiet_job
from quartet.machine import Machine
from quartet.paths import RESULTS
from quartet.results import Row, load, rows_of
from quartet.rounds import Budget, Launch, Rounds, alternating
from quartet.text import WIDTH, aligned, counted, fraction, rate, say, size_in_bytes, widths_of


@dataclass(frozen=True)
class Setup:
    ranks: int
    threads: int  # of a rank

    def __str__(self) -> str:
        return f"{counted(self.ranks, 'rank')} x {counted(self.threads, 'thread')}"


RANKS, THREADS, ONE = Setup(2, 1), Setup(1, 2), Setup(1, 1)


@dataclass(frozen=True)
class Variant:
    """One launch of each round."""

    name: str
    setup: Setup
    arguments: tuple[str, ...]
    build: Path = Path()  # in place of --build

    def job(self, programs: Path, kernel: str, files: Files, _share: float = 0) -> Job:
        arguments = (*self.arguments, "--device", "host", "--threads", str(self.setup.threads))
        program = (self.build / "bin" if self.build.name else programs) / kernel
        return quiet_job(program, self.setup.ranks, self.setup.threads, arguments, files.document)


@dataclass(frozen=True)
class Result:
    """The outcome of a launch, and its rows."""

    outcome: Outcome
    rows: list[Row] = field(default_factory=list)


Round = dict[str, Result]  # by the variant's name


@dataclass(frozen=True)
class Group:
    """Variants that are compared with each other, and the goals of their ratios."""

    kernel: str
    name: str
    variants: tuple[Variant, ...]
    title: str = ""
    goals: tuple["Goal", ...] = ()


def add_arguments(parser: argparse.ArgumentParser, kernels: Iterable[str], folder: str, rounds: int,
                  budget: float) -> None:
    known = tuple(kernels)
    parser.add_argument("--only", type=some_of(known), default=known, metavar="LIST", help=f"some of {','.join(known)}")
    parser.add_argument("--rounds", type=integer(10_000), default=rounds, metavar="N",
                        help="rounds; in each of them all variants run (%(default)s)")
    parser.add_argument("--budget", type=seconds, default=budget, metavar="SECONDS",
                        help="ends within it, by the clock (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / folder, help="where the documents are (%(default)s)")
    add_launch_arguments(parser)


def check(options: argparse.Namespace) -> None:
    """Raises ScriptError with the reason why nothing can be measured."""
    programs = options.build / "bin"
    missing = [name for name in options.only if not (programs / name).exists()]
    if missing:
        raise ScriptError(f"no {missing[0]} in {programs}: build it first (make build TARGETS={missing[0]})")
    require_launcher(options.launcher, options.results)
    if Machine.here().cores < RANKS.ranks:
        say("this machine has fewer than two cores, which these launches are for: do not quote what follows")


def measure(options: argparse.Namespace, groups: list[Group]) -> tuple[dict[str, list[Round]], int]:
    """Runs --rounds rounds of all groups, or as many as fit the budget; documents stay in --results. Returns the rounds
    by group, and the worst exit code: what is unavailable, or got no time, is no failure."""
    programs = options.build.resolve() / "bin"
    found: dict[str, list[Round]] = {group.name: [{} for _ in range(options.rounds)] for group in groups}
    places: dict[str, tuple[str, Round]] = {}  # variant and round of each launch
    plan: list[list[Launch]] = []
    for old in (file for group in groups for file in options.results.glob(f"{group.name}-*[0-9].*")):
        old.unlink()  # of an earlier measurement
    for number in range(options.rounds):
        for group in groups:
            plan.append([])
            for variant in alternating(group.variants, number):
                name = f"{group.name}-{variant.name}-{number + 1}"
                files = Files(options.results / f"{name}.json", options.results / f"{name}.log")
                places[name] = variant.name, found[group.name][number]
                title = f"round {number + 1}, {group.name}, {variant.name}"
                job = functools.partial(variant.job, programs, group.kernel, files)
                plan[-1].append(Launch(name, title, job, files, alike=((group.name, variant.name),)))

    def ended(launch: Launch, outcome: Outcome) -> None:
        variant, round_ = places[launch.name]
        try:
            rows = rows_of(load(launch.files.document)) if launch.files.document.exists() else []
        except FileProblem as problem:
            outcome, rows = replace(outcome, exit_code=FAILED, message=str(problem)), []
        rounds.say(launch, outcome, len(places))
        if outcome.exit_code == STOPPED:  # errors are then rows that got no time
            rows = [row for row in rows if not row.error]
        if rows or outcome.exit_code != STOPPED:
            round_[variant] = Result(outcome, rows)

    launcher = Path(shutil.which(options.launcher) or options.launcher).resolve()
    rounds = Rounds(LocalLauncher(launcher), Budget(options.budget))
    end = rounds.run(plan, ended)
    if end.left:
        say(f"{counted(len(end.left), 'launch')} not run: {end.reason}")
    codes = {result.outcome.exit_code for some in found.values() for each in some for result in each.values()}
    code = worst(codes - {UNAVAILABLE, STOPPED} | ({STOPPED} if end.is_interrupted else set())) if codes else UNDECIDED
    return {name: [each for each in some if each] for name, some in found.items()}, code


def lines_of(headings: tuple[str, ...], blocks: list[tuple[str, list[tuple[str, ...]]]],
              left_aligned: tuple[int, ...]) -> list[str]:
    """The lines of a table: blocks, each with a heading, in columns of the same width."""
    widths = widths_of([headings, *(row for _, members in blocks for row in members)])
    lines = [aligned(headings, widths, left_aligned)]
    for heading, members in blocks:
        lines += textwrap.wrap(heading, WIDTH, subsequent_indent="  ")
        lines += [aligned(cells, widths, left_aligned) for cells in members]
    return lines


class Missing(Exception):
    """A figure is missing; the message says why."""


@dataclass(frozen=True)
class Selector:
    """Selects the row of a variant's document whose name has these parts; with `largest` that of the largest size."""

    variant: str
    factors: tuple[str, ...] = ()
    largest: bool = False

    def of(self, results: Round) -> Row:
        """Raises Missing."""
        if self.variant not in results:
            raise Missing("not run")
        result = results[self.variant]
        found = [row for row in result.rows if set(self.factors) <= set(row.text.split("/"))]
        errors = [row.error for row in found or result.rows if row.error]
        if errors or not found:
            raise Missing(errors[0] if errors else result.outcome.message or "no such row")
        if any(row.verified is False for row in found):
            raise Missing("a wrong result")
        if len(found) > 1 and not self.largest:
            raise Missing(f"{len(found)} rows where there should be one")
        return max(found, key=lambda row: size_in_bytes(row.name.size))


@dataclass(frozen=True)
class Goal:
    what: str
    row: Selector
    least: float = 0  # of the ratio; 0: it is only shown
    over: Union[None, Selector, float] = None  # a row, a rate, or None: the row's limit
    label: str = "limit"


class Figures(NamedTuple):
    """The rate of one round, and the rate that it is compared with."""

    row: Row
    against: float
    ratio: float


def figures(goal: Goal, results: Round) -> Figures:
    """Raises Missing."""
    row = goal.row.of(results)
    if goal.over is None:
        if not row.limit or not row.fraction_of_limit:
            raise Missing("no limit was measured")
        return Figures(row, row.limit["rate"], row.fraction_of_limit)
    against = goal.over.of(results).rate if isinstance(goal.over, Selector) else goal.over
    return Figures(row, against, row.rate / against)


class Verdict(Enum):
    MET, MISSED, UNKNOWN, NONE = "met", "missed", "?", ""  # NONE: there is no goal
    ABOVE = "above"  # above its limit: rate or limit is wrong


@dataclass(frozen=True)
class Judged:
    """A goal, and its figures in the rounds."""

    goal: Goal
    found: tuple[Figures, ...]
    troubles: tuple[str, ...]  # why rounds are missing, each reason once

    @property
    def ratio(self) -> float:
        return statistics.median(each.ratio for each in self.found)

    @property
    def is_above(self) -> bool:
        """True if the row is flagged as above its limit in most rounds."""
        return self.goal.over is None and 2 * sum(each.row.is_above_limit for each in self.found) > len(self.found)

    @property
    def verdict(self) -> Verdict:
        if not self.goal.least:
            return Verdict.NONE
        if not self.found:
            return Verdict.UNKNOWN
        return Verdict.ABOVE if self.is_above else Verdict.MET if self.ratio >= self.goal.least else Verdict.MISSED

    def cells(self) -> tuple[str, ...]:
        """The cells: rate, label and rate of the other, ratio, range of the ratio, goal, verdict."""
        least = f">={self.goal.least:g}" if self.goal.least else ""
        if not self.found:
            return "", self.goal.label, "", "", "", least, self.verdict.value
        ratios = [each.ratio for each in self.found]
        return (rate(statistics.median(each.row.rate for each in self.found)), self.goal.label,
                rate(statistics.median(each.against for each in self.found)),
                fraction(self.ratio) + "!" * self.is_above, f"{fraction(min(ratios))}..{fraction(max(ratios))}",
                least, self.verdict.value)


def judge(goal: Goal, rounds: list[Round]) -> Judged:
    """Judges a goal over the rounds. Rounds without a figure are left out, with the reasons in `troubles`."""
    found: list[Figures] = []
    troubles: dict[str, None] = {}
    for results in rounds:
        try:
            found.append(figures(goal, results))
        except Missing as reason:
            troubles[str(reason)] = None
    return Judged(goal, tuple(found), tuple(troubles) if rounds else ("not run",))
