"""The folder of `quartet limits`. Table and report can be made from it again without measuring.

    MATCH-SIDE-1.json       results of a launch in the first round
    MATCH-SIDE-1.out        what another suite's program printed in it
    MATCH-SIDE-1.cores      how far apart the cores were before and after it, in seconds

and the other files of a LaunchFolder."""

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

from quartet.exit_codes import FAILED
from quartet.files import FileProblem, read_json, write_json
from quartet.launch import Files, Outcome
from quartet.results import cases, load
from quartet.rounds import LaunchFolder
from quartet.terminal import printable
from quartet_dev.limits.comparisons import DAMAGE, Result, Round
from quartet_dev.limits.match import Match, Side

CORES = "cores"
KINDS = ("json", "out", "outcome", "log", CORES)


def _name(match: Match, side: Side, number: int) -> str:
    return f"{match.name}-{side.name}-{number}"


class LimitsFolder:
    def __init__(self, path: Path):
        self.path = path
        self._folder = LaunchFolder(path)

    def files(self, match: Match, side: Side, number: int) -> Files:
        """Names the files that a launch writes; rounds are numbered from 1."""
        return self._folder.files(_name(match, side, number), side.kind)

    def clear(self, match: Match) -> None:
        """Forgets an earlier measurement of it."""
        for side in match.sides:
            for kind in KINDS:
                for file in self.path.glob(f"{match.name}-{side.name}-[0-9]*.{kind}"):
                    file.unlink()

    def record(self, match: Match, side: Side, number: int, outcome: Outcome,
               core_distances: tuple[float, ...] = ()) -> None:
        self._folder.record(_name(match, side, number), outcome)
        write_json(self._folder.file(_name(match, side, number), CORES), core_distances)

    def _core_distances(self, match: Match, side: Side, number: int) -> tuple[float, ...]:
        try:
            return tuple(map(float, read_json(self._folder.file(_name(match, side, number), CORES))))
        except (FileProblem, *DAMAGE):
            return ()

    def result(self, match: Match, side: Side, number: int) -> Optional[Result]:
        """None if it was not launched."""
        try:
            outcome = self._folder.recorded(_name(match, side, number))
        except FileProblem as problem:
            return Result(Outcome(FAILED, None, str(problem)))
        if outcome is None:
            return None
        document = self.files(match, side, number).document
        try:
            found = side.peer.read(document) if side.peer else cases(load(document))
            return Result(outcome, found, self._core_distances(match, side, number))
        except OSError:  # it has left no document
            return Result(outcome)
        except DAMAGE as error:
            return Result(replace(outcome, message=f"a damaged document ({printable(str(error))})"))

    def rounds(self, match: Match) -> list[Round]:
        """Reads all rounds that were begun."""
        found: list[Round] = []
        while True:
            results = {side.name: self.result(match, side, len(found) + 1) for side in match.sides}
            there = {name: result for name, result in results.items() if result}
            if not there:
                return found
            found.append(there)

    def documents(self, match: Match) -> list[dict[str, Any]]:
        """Reads all documents of the suite's schema."""
        found = []
        for number, results in enumerate(self.rounds(match), start=1):
            for side in match.sides:
                file = self.files(match, side, number).document
                if side.name in results and file.is_file() and side.kind == "json":
                    with contextlib.suppress(*DAMAGE):  # result() says so
                        found.append(load(file))
        return found
