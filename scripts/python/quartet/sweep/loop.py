"""Runs a sweep's launches one after the other on this machine; queue.py does so through Slurm."""

import argparse
import time
from dataclasses import replace
from typing import Optional

from quartet.exit_codes import FAILED, STOPPED, VERIFIED, worst
from quartet.files import reason_of
from quartet.launch import Job, LocalLauncher, Outcome, quiet_job
from quartet.sweep import placement
from quartet.sweep.folder import Launch, SweepFolder, launches
from quartet.text import say


class Clock:
    """Estimates how long a launch takes: as its configuration's last one, else the mean of its
    kernel's, else of all."""

    def __init__(self) -> None:
        self._seconds: list[tuple[Launch, float]] = []

    def add(self, launch: Launch, outcome: Optional[Outcome]) -> None:
        if outcome and outcome.seconds is not None:
            self._seconds.append((launch, outcome.seconds))

    def expected(self, launch: Launch) -> Optional[float]:
        same = [seconds for known, seconds in self._seconds if known.number == launch.number]
        kernel = [seconds for known, seconds in self._seconds
                  if known.configuration.kernel == launch.configuration.kernel]
        for seconds in (same[-1:], kernel, [seconds for _, seconds in self._seconds]):
            if seconds:
                return sum(seconds) / len(seconds)
        return None

    def left(self, remaining: list[Launch]) -> str:
        expected = [seconds for seconds in map(self.expected, remaining) if seconds is not None]
        if not remaining or len(expected) < len(remaining):
            return ""
        seconds = sum(expected)
        return f"; about {seconds / 60:.0f} min left" if seconds > 100 else f"; about {seconds:.0f} s left"


class Sweep:
    """The loop over launches."""

    def __init__(self, folder: SweepFolder, launcher: Optional[LocalLauncher], options: argparse.Namespace):
        self._folder = folder
        self._launcher = launcher
        self._programs = options.build.resolve() / "bin"
        self._timeout = options.timeout
        self._budget = options.budget
        self._retries = options.retry_failed
        self._clock = Clock()

    def run(self) -> int:
        """Runs what is left. Returns the worst exit code; STOPPED where launches remain."""
        everything = launches(self._folder.plan)
        remaining = [launch for launch in everything if self._is_left(launch)]
        if len(remaining) < len(everything):
            done = len(everything) - len(remaining)
            say(f"{done} of {len(everything)} launches are done already")
        stopped = self._run_all(remaining, len(everything))
        if stopped:
            say(f"{stopped}: the same command goes on")
        outcomes = [self._folder.outcome(launch) for launch in everything]
        codes = [outcome.exit_code for outcome in outcomes if outcome]
        return worst(codes + ([STOPPED] if stopped else []))

    def _is_left(self, launch: Launch) -> bool:
        outcome = self._folder.outcome(launch)
        if outcome and self._retries and outcome.exit_code != VERIFIED:
            return True
        self._clock.add(launch, outcome)
        return outcome is None

    def _run_all(self, remaining: list[Launch], total: int) -> str:
        """The reason why it stopped before all was run; empty if it did not."""
        begin = time.monotonic()
        for index, launch in enumerate(remaining):
            over = time.monotonic() - begin + (self._clock.expected(launch) or 0)
            if self._budget is not None and over > self._budget:
                return f"{len(remaining) - index} launches were left out by the budget of {self._budget:g} s"
            try:
                outcome = self._attempt(launch)
                self._report(launch, outcome, total, remaining[index + 1:])
            except KeyboardInterrupt:
                left = sum(self._folder.outcome(each) is None for each in remaining)
                return f"interrupted with {left} launches to go"
        return ""

    def _report(self, launch: Launch, outcome: Outcome, total: int, left: list[Launch]) -> None:
        self._clock.add(launch, outcome)
        how = "ok" if outcome.exit_code == VERIFIED else outcome.message
        how += "".join(f", but {problem}" for problem in placement.problems_of(self._folder, launch))
        took = "" if outcome.seconds is None else f"{outcome.seconds:.1f} s, "
        say(f"{total - len(left)} of {total}: {launch.title}: {took}{how}" + self._clock.left(left))

    def _attempt(self, launch: Launch) -> Outcome:
        assert self._launcher, "launches that are submitted have other loops"
        try:
            outcome = self._launcher.complete(self._job(launch), self._folder.files(launch),
                                              self._timeout, self._folder.held)
        except OSError as error:  # its files cannot be written
            outcome = Outcome(FAILED, None, f"{error.filename}: {reason_of(error)}")
        self._folder.record(launch, outcome)
        return outcome

    def _job(self, launch: Launch) -> Job:
        """The launch as a job. Removes the document of an earlier, failed attempt."""
        one, document = launch.configuration, self._folder.document(launch)
        document.unlink(missing_ok=True)
        job = quiet_job(self._programs / one.kernel, one.ranks, one.threads, one.command_line(), document.resolve())
        return replace(job, nodes=one.nodes, hosts=one.hosts)
