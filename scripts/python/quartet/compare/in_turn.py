"""Launches two builds of a program in turn until every case is decided.

It looks after 5, 10 and 20 launches of each side. Whoever looks three times errs more often, so each
look takes intervals that miss in 2.2%, which makes 5% of all three together (Pocock, Biometrika 64,
1977). The first launch of a round alternates, so that a trend of the machine hits both alike."""

from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from quartet.compare.pairs import Pair, Verdict, compare
from quartet.compare.sides import Side, read_sides
from quartet.exit_codes import STOPPED, VERIFIED, WRONG_RESULT, ScriptError
from quartet.launch import LocalLauncher, Outcome, quiet_job
from quartet.rounds import Budget, Launch, LaunchFolder, Rounds, alternating
from quartet.text import say

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
        rounds = Rounds(self.launcher, Budget(self.budget), TIMEOUT)
        for side in "ab":
            (self.folder / side).mkdir(parents=True, exist_ok=True)
        for done, look in zip((0, *LOOKS), LOOKS):
            found = rounds.run([[self._launch(side, number) for side in alternating("ab", number)]
                                for number in range(done, look)], _require_no_failure)
            if found.is_interrupted:
                raise KeyboardInterrupt
            sides = read_sides({label: [self.folder / label.lower()] for label in "AB"})
            rows = compare(sides[0], sides[1], threshold, ERROR)
            if found.reason:
                say(f"{found.reason}: more launches would say more")
            if found.reason or all(row.is_decided or row.verdict is Verdict.NOT_COMPARABLE for row in rows):
                break
            say(f"{sum(not row.is_decided for row in rows)} of {len(rows)} cases undecided after "
                f"{look} launches of each side")
        return sides, rows

    def _launch(self, side: str, number: int) -> Launch:
        files = LaunchFolder(self.folder / side).files(f"{number:02}")
        job = quiet_job(self.programs["ab".index(side)], self.ranks, self.threads, tuple(self.arguments),
                        files.document)
        return Launch(f"{side}{number}", str(job.program), lambda _: job, files, (side,))


def _require_no_failure(launch: Launch, outcome: Outcome) -> None:
    if outcome.exit_code not in (VERIFIED, WRONG_RESULT, STOPPED):
        raise ScriptError(f"{launch.title}: {outcome.message}", outcome.exit_code)
