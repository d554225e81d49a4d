"""A check of one node, from the first look to the verdict, within a budget of time.

Each launch gets an equal share of half the budget: all of them can be looked at twice. One that does not end well
beyond its share hangs, and is killed. What a launch leaves is there for those after it."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from quartet.launch import LocalLauncher
from quartet.node_check.look import Row, Seen, State, both, look
from quartet.node_check.plan import Launch
from quartet.results.reference import Reference
from quartet.text import fraction

SECONDS_TO_START = 2.0  # of a launch, beyond what it is told
SECONDS_TO_KILL = 1.0
MOST_TOLD = 5  # seconds, however much time there is
PATIENCE = 5.0  # seconds more, after which a program hangs


def more_time(budget: float) -> str:
    """The command with about twice the budget."""
    return f"quartet node-check --budget {30 * math.ceil(budget / 15)}"


class Verdict(Enum):
    SOUND = "sound"
    SICK = "sick"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True)
class Found:
    verdict: Verdict
    reason: str
    next: str  # what to run
    rows: tuple[Row, ...] = ()


@dataclass
class NodeCheck:
    """The clock runs from the start."""

    budget: float
    launcher: LocalLauncher
    reference: Reference
    folder: Path  # of what launches leave
    clock: Callable[[], float] = time.monotonic
    _seen: dict[Launch, Seen] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._end = self.clock() + self.budget

    @property
    def left(self) -> float:
        return self._end - self.clock()

    def run(self, launches: list[Launch]) -> Found:
        share = self.left / (2 * max(1, len(launches))) - SECONDS_TO_START
        told = max(1, min(MOST_TOLD, int(share)))
        for launch in launches:
            self._seen[launch] = self._look(launch, told)
        again = [launch for launch, seen in self._seen.items() if seen.state is not State.FINE and not seen.is_final]
        for launch in sorted(again, key=lambda one: self._seen[one].state is not State.SUSPECT):
            self._seen[launch] = both(self._seen[launch], self._look(launch, told))
        return self._found()

    def _look(self, launch: Launch, told: int) -> Seen:
        patient = told + SECONDS_TO_START + PATIENCE
        limit = min(patient, self.left - SECONDS_TO_KILL)
        seen = look(launch, self.launcher, told, limit, limit == patient, self.folder,
                    self.reference) if limit >= told else None
        return seen or Seen(State.UNSURE, f"no time was left for {launch.title}", more_time(self.budget))

    def _found(self) -> Found:
        rows = tuple(row for seen in self._seen.values() for row in seen.rows)
        for state, verdict in ((State.SUSPECT, Verdict.SICK), (State.UNSURE, Verdict.CANNOT_TELL)):
            these = [seen for seen in self._seen.values() if seen.state is state]
            if these:
                return Found(verdict, "; ".join(dict.fromkeys(seen.reason for seen in these)), these[0].next, rows)
        if not rows:
            return Found(Verdict.CANNOT_TELL, "nothing to run", "make build")
        lowest = min(rows, key=lambda row: row.of_reference or 0)
        text = f"lowest is {lowest.case.name.kernel}, {fraction(lowest.of_reference or 0)} of its reference"
        return Found(Verdict.SOUND, text, "quartet run", rows)
