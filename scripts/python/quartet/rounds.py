"""Launches programs in rounds, within a budget of time; used by run, check-machine, sweep, compare, nodes, limits and
peers.

A round is one launch, or several that are compared and follow one another. It runs as a whole or is left out.

A budget is wall time. A round that would probably exceed it is left out; the others are tried. A launch that is still
running when its time is over is asked to end: it finishes the current run and keeps what it has measured. So everything
ends within 10% of the budget, or one run after it. Launches that got no time are "not run": this is no failure, and
nothing is recorded that would keep the same command from running them later.

Each launch of a folder leaves

    NAME.json       results, written by the program, whole or not at all
    NAME.outcome    how the launch ended
    NAME.log        what it wrote to standard error"""

import os
import random
import signal
import time
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Callable, Optional, TypeVar

from quartet.exit_codes import FAILED, STOPPED, UNAVAILABLE, VERIFIED
from quartet.files import FileProblem, read_json, reason_of, write_json
from quartet.launch import (
    SECONDS_TO_FINISH,
    Files,
    Job,
    LaunchError,
    LocalLauncher,
    Outcome,
    Running,
    held_interrupts,
    outcome_of,
)
from quartet.schema import problem as problem_of
from quartet.terminal import printable
from quartet.text import say
from quartet.units import MIB

Item = TypeVar("Item")

OUTCOME = "outcome"
MOST_BYTES = MIB  # of a record
LEAST = 2.0  # seconds that a launch with a share of the budget gets at least; with less left it is not run
SECONDS_TO_START = 1.0  # of such a launch, before it measures
OVERTIME = 0.05  # share of a budget, in which launches with a share may still end by themselves
POLL_SECONDS = 0.1
# Codes of a job that was asked to end; None: it had to be killed. Any other code is a failure.
AS_ASKED = (None, VERIFIED, STOPPED, UNAVAILABLE, -signal.SIGTERM, 128 + signal.SIGTERM)


class LaunchFolder:
    """The files that launches have written, so that a table can be made again and a command resumed."""

    def __init__(self, path: Path):
        self.path = path

    def file(self, name: str, kind: str) -> Path:
        return self.path / f"{name}.{kind}"

    def files(self, name: str, kind: str = "json") -> Files:
        """The files that a launch writes; `kind` is the ending of its results."""
        return Files(self.file(name, kind), self.file(name, "log"))

    def record(self, name: str, outcome: Outcome) -> None:
        write_json(self.file(name, OUTCOME), asdict(outcome))

    def recorded(self, name: str) -> Optional[Outcome]:
        """None if the launch has not ended. Raises FileProblem if the record is damaged."""
        file = self.file(name, OUTCOME)
        try:
            record = read_json(file, MOST_BYTES)
        except FileNotFoundError:
            return None
        except FileProblem:
            if os.path.lexists(file):
                raise
            return None  # there can be none: this is no folder, or we may not read it
        problem = problem_of(OUTCOME, record)
        if problem:
            raise FileProblem(f"{file}: a damaged record of how a launch ended ({problem})")
        return Outcome(record["exit_code"], record["seconds"], printable(record["message"]))


class Budget:
    """Seconds from now on; None: unlimited."""

    def __init__(self, seconds: Optional[float], clock: Callable[[], float] = time.monotonic):
        self.seconds = seconds
        self._clock = clock
        self._end = float("inf") if seconds is None else clock() + seconds

    @property
    def left(self) -> float:
        return self._end - self._clock()


@dataclass(frozen=True, eq=False)
class Launch:
    """One launch of a program, with what Rounds needs to know about it."""

    name: str  # different for all launches
    title: str
    job: Callable[[float], Job]  # called when it starts, with its share of the budget in seconds
    files: Files
    alike: tuple[Hashable, ...] = ()  # keys of launches that take about as long; the most similar first
    weight: float = 0.0  # of its share of the budget, after which it is asked to end; 0: it has no share
    hosts: tuple[str, ...] = ()  # the nodes that it has for itself
    launcher: Optional[LocalLauncher] = None  # in place of that of Rounds


def shuffled(rounds: Iterable[Sequence[Item]], seed: int) -> list[Item]:
    """The items of all rounds, each round in a random order: a drift of the machine then affects all alike."""
    shuffler = random.Random(seed)
    return [item for members in rounds for item in shuffler.sample(members, len(members))]


def alternating(items: Sequence[Item], number: int) -> list[Item]:
    """The items in the order of round `number`: reversed in every other round, so that none is always last."""
    return list(items if number % 2 == 0 else reversed(items))


class Durations:
    """How long launches took, and how long others will probably take."""

    def __init__(self) -> None:
        self._seconds: dict[Hashable, list[float]] = {}

    def add(self, launch: Launch, outcome: Optional[Outcome]) -> None:
        if outcome and outcome.seconds is not None:
            for key in (*launch.alike, None):
                self._seconds.setdefault(key, []).append(outcome.seconds)

    def of(self, launch: Launch) -> Optional[float]:
        """The time of the last launch with its first key, else the mean time by its next known key, else of all."""
        keys = (*launch.alike, None)
        known = next((self._seconds[key][-1:] if key == keys[0] else self._seconds[key]
                      for key in keys if key in self._seconds), [])
        return sum(known) / len(known) if known else None


@dataclass
class Ended:
    """How rounds ended."""

    left: list[Launch] = field(default_factory=list)  # not run, or cut off
    reason: str = ""  # why not all was run
    is_interrupted: bool = False


@dataclass(frozen=True)
class _Started:
    launch: Launch
    job: Job
    running: Running
    begin: float
    limit: float  # seconds
    is_of_budget: bool  # the limit; else it is --timeout


class Stop(Exception):
    """Nothing more can be run; the message says why."""


class Rounds:
    """Runs launches. The times of earlier ones may be added to `durations`."""

    def __init__(self, launcher: LocalLauncher, budget: Optional[Budget] = None, timeout: float = float("inf"),
                 at_once: int = 1, held: tuple[int, ...] = (), is_over: Callable[[], str] = str):
        """`timeout`: seconds of one launch. Up to `at_once` launches run at the same time, on different nodes. Jobs
        inherit the file descriptors `held`. After a failed launch `is_over` returns the reason why nothing more can be
        run, or an empty text; with a reason that launch is not a failure."""
        self.budget = budget or Budget(None)
        self.durations = Durations()
        self._launcher, self._timeout, self._at_once = launcher, timeout, at_once
        self._held, self._is_over = held, is_over
        self._waiting: list[Launch] = []
        self._rounds: dict[str, tuple[Launch, ...]] = {}  # by the name of a launch that has not begun
        self._running: list[_Started] = []

    def run(self, rounds: Iterable[Sequence[Launch]], ended: Callable[[Launch, Outcome], None]) -> Ended:
        """Runs all rounds, or as many as the budget allows. `ended` is called as each launch ends."""
        self._rounds = {launch.name: tuple(each) for each in rounds for launch in each}
        self._waiting = [launch for each in dict.fromkeys(self._rounds.values()) for launch in each]
        found = Ended()
        try:
            while self._waiting or self._running:
                self._start_some(found, ended)
                self._collect_some(found, ended)
        except Stop as stop:
            found.reason = str(stop)
        except KeyboardInterrupt:
            found.reason, found.is_interrupted = "interrupted", True
        finally:
            for each in self._running:
                each.running.cancel()
        found.left += [*(each.launch for each in self._running), *self._waiting]
        if found.left and not found.reason:
            found.reason = f"the budget of {self.budget.seconds:g} s is over"
        self._running, self._waiting = [], []
        return found

    def _start_some(self, found: Ended, ended: Callable[[Launch, Outcome], None]) -> None:
        for launch in list(self._waiting):
            if launch not in self._waiting:
                continue  # left out with its round
            busy = {host for each in self._running for host in each.launch.hosts}
            is_beside = launch.hosts and all(each.launch.hosts for each in self._running)
            if self._running and (len(self._running) >= self._at_once or not is_beside):
                return
            if busy & set(launch.hosts):
                continue
            if not self._has_time(launch):
                its_round = [each for each in self._rounds[launch.name] if each in self._waiting]
                self._waiting = [each for each in self._waiting if each not in its_round]
                found.left += its_round
                continue
            try:
                with held_interrupts():
                    self._running.append(self._started(launch))
            except (LaunchError, OSError) as error:
                text = str(error) if isinstance(error, LaunchError) else f"{error.filename}: {reason_of(error)}"
                ended(launch, Outcome(FAILED, None, text))

    def _has_time(self, launch: Launch) -> bool:
        """True if the launch fits the budget; the first one of a round only if the whole round probably does."""
        members = self._rounds[launch.name]
        is_first = all(each in self._waiting for each in members)
        expected = sum(self.durations.of(each) or 0 for each in members if not each.weight) if is_first else 0
        return self.budget.left > max(expected, LEAST if launch.weight else 0)

    def _started(self, launch: Launch) -> _Started:
        left, members = self.budget.left, [each for each in self._rounds[launch.name] if each in self._waiting]
        weights = sum(each.weight for each in self._waiting)
        share = max(left * launch.weight / weights - SECONDS_TO_START, LEAST) if launch.weight else left
        limit = left / len(members)  # an equal part for each launch of its round
        if launch.weight:
            limit = min(share + SECONDS_TO_START, left + OVERTIME * (self.budget.seconds or 0))
        self._waiting.remove(launch)
        job = launch.job(share)
        launcher = launch.launcher or self._launcher
        running = launcher.submit(job, launch.files.log, self._held)
        return _Started(launch, job, running, time.monotonic(), min(limit, self._timeout), limit < self._timeout)

    def _collect_some(self, found: Ended, ended: Callable[[Launch, Outcome], None]) -> None:
        """Waits a little for a launch to end, and handles those that have ended or are late."""
        for place, each in enumerate(list(self._running)):
            if each.running.wait(0 if place else POLL_SECONDS) is None and time.monotonic() - each.begin <= each.limit:
                continue
            outcome = self._outcome(each)
            self._running.remove(each)
            reason = self._is_over() if outcome.exit_code not in (VERIFIED, STOPPED) else ""
            if reason:
                self._waiting.insert(0, each.launch)
                raise Stop(reason)
            has_share = each.launch.weight and each.launch.files.document.exists()
            if outcome.exit_code == STOPPED and not has_share:
                found.left.append(each.launch)
            self.durations.add(each.launch, outcome)
            ended(each.launch, outcome)

    def _outcome(self, each: _Started) -> Outcome:
        code, is_cut = each.running.wait(0), False
        if code is None and each.is_of_budget:
            is_cut = True
            each.running.ask()
            code = each.running.wait(SECONDS_TO_FINISH)
        if code is None:
            each.running.cancel()
        seconds = time.monotonic() - each.begin
        if is_cut and code in AS_ASKED and not (code == VERIFIED and each.launch.files.document.exists()):
            how = " (killed: the run under way did not end)" if code is None else ""
            return Outcome(STOPPED, seconds, f"its time was over, and it ended after {seconds:.0f} s{how}")
        if code is None:
            return Outcome(FAILED, seconds, f"did not end within {self._timeout:g} s (--timeout)")
        name = each.job.program.name
        own = [line for line in each.running.last_lines if line.startswith(f"{name}: ")]
        return outcome_of(name, each.launch.files, code, seconds, own)

    def say(self, launch: Launch, outcome: Outcome, total: int, remarks: Iterable[str] = (),
            left: Optional[list[Launch]] = None) -> None:
        """Reports how a launch ended, of `total`, and how long the others will take. Those `left` wait in a
        queue, which may run them together."""
        in_queue = left is not None
        if left is None:
            left = [*(each.launch for each in self._running), *self._waiting]
        how = "ok" if outcome.exit_code == VERIFIED else outcome.message
        how += "".join(f", but {remark}" for remark in remarks)
        took = "" if outcome.seconds is None else f"{outcome.seconds:.1f} s, "
        say(f"{total - len(left)} of {total}: {launch.title}: {took}{how}{self._time_left(left, in_queue)}")

    def _time_left(self, launches: list[Launch], in_queue: bool) -> str:
        expected = [self.durations.of(each) for each in launches]
        if not launches or None in expected:
            return ""
        at_once = len(self._running) + 1  # as it was until this launch ended
        work, budget = sum(each or 0 for each in expected) / at_once, max(self.budget.left, 0)
        seconds, what = (work, "") if work <= budget else (budget, " of the budget")
        text = f"{seconds / 60:.0f} min" if seconds > 100 else f"{seconds:.0f} s"
        return f"; about {text} of launches left" if in_queue else f"; about {text}{what} left"
