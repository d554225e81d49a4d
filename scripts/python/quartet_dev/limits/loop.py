"""The launches of `quartet limits`: once what all rounds need, then rounds over all matches, in each of them side
after side, so that what is compared runs in turn and all matches have about as many rounds when time is up. Every
other round is run backwards, so that no side always comes last: a machine may slow down as it is used."""

import argparse
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Optional

from quartet.exit_codes import STOPPED, UNAVAILABLE, VERIFIED
from quartet.launch import Files, Job, LocalLauncher, Outcome, quiet_job
from quartet.text import say
from quartet_dev.limits.cores import Cores
from quartet_dev.limits.folder import LimitsFolder
from quartet_dev.limits.match import Match, Side


class Rounds:
    """Measures until all rounds are done, or another one would pass the budget."""

    def __init__(self, folder: LimitsFolder, launcher: LocalLauncher, programs: Path, timeout: float):
        self._folder = folder
        self._launcher = launcher
        self._programs = programs
        self._timeout = timeout
        self._cores = Cores(programs, folder.path / "messages.out")
        self._distance: Optional[float] = None  # of the cores, after the last launch
        self._last: dict[tuple[str, str], Outcome] = {}  # by match and side
        self._hopeless: dict[tuple[str, str], Outcome] = {}  # what no round need try again

    def prepare(self, matches: list[Match]) -> None:
        """The launches beforehand, which leave something and are no measurement: they have number 0,
        and no part in the budget."""
        for match, side in ((each, side) for each in matches for side in each.sides):
            if side.beforehand:
                say(f"before the rounds, {match.name}, {side.name}: {side.beforehand}")
                outcome = self._complete(match, side, 0)
                self._folder.files(match, side, 0).document.unlink(missing_ok=True)
                if outcome.exit_code != VERIFIED:
                    self._hopeless[match.name, side.name] = outcome

    def run(self, matches: list[Match], pairs: int, budget: Optional[float]) -> int:
        """Runs a match's rounds. Returns how many were left out by the budget of so many seconds."""
        begin = time.monotonic()
        plan = [(match, number) for number in range(1, pairs + 1) for match in matches
                if number <= (match.most_rounds or pairs)]
        left_out = 0
        for index, (match, number) in enumerate(plan):
            spent = time.monotonic() - begin
            if budget is not None and spent + self._expected(match) > budget:
                left_out += 1
                continue
            for side in match.sides[::1 if number % 2 else -1]:
                self._launch(match, side, number)
            self._say_what_is_left(plan[index + 1:], begin, budget)
        return left_out

    def _expected(self, match: Match) -> float:
        """Seconds of a round, as its last one took; 0 if there was none."""
        known = (self._last.get((match.name, side.name)) for side in match.sides)
        return sum(outcome.seconds or 0 for outcome in known if outcome)

    def _launch(self, match: Match, side: Side, number: int) -> None:
        key = (match.name, side.name)
        if key in self._hopeless:
            outcome = replace(self._hopeless[key], seconds=0)
        else:
            outcome = self._complete(match, side, number)
        if outcome.exit_code == UNAVAILABLE:
            self._hopeless[key] = outcome
        self._last[key] = outcome
        before, self._distance = self._distance, self._cores.distance()
        distances = tuple(distance for distance in (before, self._distance) if distance is not None)
        self._folder.record(match, side, number, outcome, distances)

    def _complete(self, match: Match, side: Side, number: int) -> Outcome:
        files = self._folder.files(match, side, number)
        if side.peer:
            outcome = side.peer.complete(self._launcher, side.setup.ranks, files, self._timeout)
        else:
            outcome = self._launcher.complete(self._job(match, side, files), files, self._timeout)
        how = "ok" if outcome.exit_code == VERIFIED else outcome.message
        when = f"round {number}" if number else "before the rounds"
        say(f"{when}, {match.name}, {side.name}: {outcome.seconds:.1f} s, {how}")
        return outcome

    def _job(self, match: Match, side: Side, files: Files) -> Job:
        arguments = (*side.arguments, "--device", "host", "--threads", str(side.setup.threads))
        job = quiet_job(self._programs / match.kernel, side.setup.ranks, side.setup.threads,
                        arguments, files.document)
        return replace(job, variables=side.environment)

    def _say_what_is_left(self, plan: list[tuple[Match, int]], begin: float, budget: Optional[float]) -> None:
        measured = {name for name, _ in self._last}
        if not plan or any(match.name not in measured for match, _ in plan):
            return  # not known before each was measured once
        seconds = sum(self._expected(match) for match, _ in plan)
        if budget is not None:
            seconds = min(seconds, max(0.0, budget - (time.monotonic() - begin)))
        say(f"at most about {seconds:.0f} s left")


def measure(options: argparse.Namespace, wanted: list[Match], folder: LimitsFolder, count: int) -> int:
    """Measures all matches anew, so many rounds of each within the budget. Returns STOPPED after an interrupt."""
    for match in wanted:
        folder.clear(match)
    launcher = Path(shutil.which(options.launcher) or options.launcher).resolve()
    rounds = Rounds(folder, LocalLauncher(launcher), options.build.resolve() / "bin", options.timeout)
    try:
        rounds.prepare(wanted)
        left_out = rounds.run(wanted, count, options.budget)
    except KeyboardInterrupt:
        say("interrupted: this is what there is")
        return STOPPED
    if left_out:
        say(f"{left_out} rounds were left out by the budget of {options.budget:g} s")
    return VERIFIED
