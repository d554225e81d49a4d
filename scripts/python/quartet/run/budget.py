"""Keeps `quartet run` within its budget by the clock, whatever the machine.

Estimates say how the launches compare, the clock says how long they take: before each launch the time that is left is
shared out anew among those to come, at the pace of those that are over. A launch that takes longer than its share is
asked to end, and keeps the runs that it has made. Every program is measured; a further launch of one that no longer
fits is left out, and said."""

import math
import time
from dataclasses import dataclass, field
from typing import Callable, Optional

from quartet.run.plan import Launch, choose_efforts
from quartet.text import counted

FOR_REPEATS = 0.5  # of the time that is left: disturbed runs are measured again, and estimates are short
LEAST_OF_EQUAL, MOST_OF_EQUAL = 0.6, 1.1  # what a program gets, of an equal share: estimates may be far off, and what
# each takes beyond its share is the last one's loss
SECONDS_TO_END = 3.0  # that a job takes once it is asked to
ROUNDED = 30  # a budget that is proposed, in seconds


@dataclass
class Budget:
    """The budget of one `quartet run`. The clock runs from the start."""

    seconds: float
    clock: Callable[[], float] = time.monotonic
    left_out: list[Launch] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._end = self.clock() + self.seconds
        self._waiting: list[Launch] = []
        self._expected = self._taken = 0.0

    @property
    def left(self) -> float:
        return self._end - self.clock()

    @property
    def pace(self) -> float:
        """The time that the launches that are over took, over what was expected."""
        return self._taken / self._expected if self._expected else 1.0

    def begin(self, launches: list[Launch]) -> float:
        """The first of each program come first. Returns the seconds that all are expected to take."""
        self._waiting = sorted(launches, key=lambda launch: launch.is_optional)
        self._drop()
        return self._share_out()

    def next(self) -> Optional[tuple[Launch, float]]:
        """The launch to start now, its effort chosen, and after how many seconds to ask it to end; None if there is
        none left."""
        self._drop()
        if not self._waiting:
            return None
        whole = self._share_out()
        launch = self._waiting.pop(0)
        share = self.left * launch.expected / whole if whole else self.left
        programs = 1 + sum(not waiting.is_optional for waiting in self._waiting)
        equal = self.left / programs
        share = min(max(share, LEAST_OF_EQUAL * equal), MOST_OF_EQUAL * equal)
        return launch, max(share - SECONDS_TO_END, SECONDS_TO_END)

    def ended(self, launch: Launch, seconds: float) -> None:
        self._expected += launch.expected
        self._taken += seconds

    def _share_out(self) -> float:
        return choose_efforts(self._waiting, (1 - FOR_REPEATS) * self.left / self.pace)

    def _drop(self) -> None:
        """Further launches of a program that cannot be had even with the least effort, from the last one on."""
        while (self._waiting and self._waiting[-1].is_optional
               and self.pace * sum(launch.seconds[0] for launch in self._waiting) > self.left):
            self.left_out.append(self._waiting.pop())

    def shortfall(self) -> str:
        """Says what was left out, and which budget would do; empty if all was measured."""
        if not self.left_out:
            return ""
        more = self.pace * sum(launch.seconds[1] for launch in self.left_out) / (1 - FOR_REPEATS)
        enough = ROUNDED * math.ceil((self.seconds + more) / ROUNDED)
        names = ", ".join(launch.title for launch in reversed(self.left_out))
        return f"no time was left for {counted(len(self.left_out), 'launch')} ({names}): quartet run --budget {enough}"
