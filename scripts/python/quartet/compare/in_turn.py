"""Launches two builds of a program in turn until every case is decided.

It looks after 5, 10 and 20 launches of each side. Whoever looks three times errs more often, so each
look takes intervals that miss in 2.2%, which makes 5% of all three together (Pocock, Biometrika 64,
1977). The first launch of a round alternates, so that a trend of the machine hits both alike."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from quartet.compare.pairs import Pair, Verdict, compare
from quartet.compare.sides import Side, read_sides
from quartet.exit_codes import VERIFIED, WRONG_RESULT, ScriptError
from quartet.launch import Files, LocalLauncher, quiet_job
from quartet.text import counted, say

LOOKS = (5, 10, 20)  # launches of each side
ERROR = 0.022  # of an interval at each look
TIMEOUT = 1800  # seconds of a launch


def program_at(path: Path, command: list[str]) -> tuple[Path, list[str]]:
    """The program and its arguments: `path` is a program, or a folder with the one that the command
    begins with. Raises ScriptError if there is none."""
    if path.is_file():
        return path, command
    name = command[0] if command else ""
    found = next((place for place in (path / "bin" / name, path / name) if place.is_file()), None)
    if not name or not found:
        raise ScriptError(f"no program {name or 'is named'} in {path}: give the command after --, as in "
                          "-- PROGRAM ARGUMENTS, and build folders (or two programs)")
    return found, command[1:]


@dataclass
class Duel:
    """Two builds, and where their documents go."""

    launcher: LocalLauncher
    programs: tuple[Path, Path]
    arguments: list[str]
    ranks: int
    threads: int
    folder: Path
    budget: Optional[float] = None  # seconds

    def until_decided(self, threshold: float) -> tuple[list[Side], list[Pair]]:
        """Both sides and all rows, at the look that decided or at the last one."""
        begin, done = time.monotonic(), 0
        for look in LOOKS:
            while done < look:
                if done and self._is_over(begin, done):
                    say(f"the budget ends it after {counted(done, 'launch')} of each side")
                    return self._look(threshold)
                self._round(done)
                done += 1
            sides, rows = self._look(threshold)
            if all(row.is_decided or row.verdict is Verdict.NOT_COMPARABLE for row in rows):
                break
            say(f"{sum(not row.is_decided for row in rows)} of {len(rows)} cases undecided after "
                f"{done} launches of each side")
        return sides, rows

    def _is_over(self, begin: float, done: int) -> bool:
        """True if one more round would probably pass the budget."""
        passed = time.monotonic() - begin
        return self.budget is not None and passed * (done + 1) / done > self.budget

    def _round(self, number: int) -> None:
        for side in ((0, 1) if number % 2 == 0 else (1, 0)):
            self._launch(side, number)

    def _launch(self, side: int, number: int) -> None:
        folder = self.folder / "ab"[side]
        folder.mkdir(parents=True, exist_ok=True)
        files = Files(folder / f"{number:02}.json", folder / f"{number:02}.log")
        job = quiet_job(self.programs[side], self.ranks, self.threads, tuple(self.arguments),
                        files.document)
        outcome = self.launcher.complete(job, files, TIMEOUT)
        if outcome.exit_code not in (VERIFIED, WRONG_RESULT):
            raise ScriptError(f"{job.program}: {outcome.message}", outcome.exit_code)

    def _look(self, threshold: float) -> tuple[list[Side], list[Pair]]:
        sides = read_sides({label: [self.folder / label.lower()] for label in "AB"})
        return sides, compare(sides[0], sides[1], threshold, ERROR)
