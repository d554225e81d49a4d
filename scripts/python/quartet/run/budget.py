"""Shares the time of `quartet run` out among its launches.

Each program is told its share (--budget) and makes as many runs as fit, one of each row at least. What a launch leaves
is there for those after it. One that takes much longer than its share, on a machine so slow that one run of each row
takes longer, is asked to end, and keeps what it has."""

import math
import time
from dataclasses import dataclass, field
from typing import Callable, Optional

from quartet.run.plan import Launch
from quartet.text import counted

SECONDS_TO_START = 1.0  # of a job, before it measures
SECONDS_TO_END = 3.0  # that one may take beyond its share, before it is asked to
LEAST = 2.0  # seconds that a launch gets, however little is left
ROUNDED = 30  # a budget that is proposed, in seconds


@dataclass
class Budget:
    """The budget of one `quartet run`. The clock runs from the start."""

    seconds: float
    launches: list[Launch]
    clock: Callable[[], float] = time.monotonic
    left_out: list[Launch] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._end = self.clock() + self.seconds
        # The first launch of each program comes first.
        self._waiting = sorted(self.launches, key=lambda launch: launch.is_optional)

    @property
    def left(self) -> float:
        return self._end - self.clock()

    def next(self) -> Optional[tuple[Launch, int, float]]:
        """The launch to start now, its --budget in seconds, and after how many to ask it to end; None if there is none
        left. Every program is measured; a further launch of one is left out once no time is left."""
        while self._waiting:
            weight = sum(launch.weight for launch in self._waiting)
            launch = self._waiting.pop(0)
            if launch.is_optional and self.left < LEAST:
                self.left_out.append(launch)
                continue
            share = max(self.left * launch.weight / weight - SECONDS_TO_START, LEAST)
            return launch, round(share), max((share + self.left) / 2, share + SECONDS_TO_END)
        return None

    def shortfall(self) -> str:
        """Says what was left out, and which budget would do; empty if all was measured."""
        if not self.left_out:
            return ""
        share = sum(launch.weight for launch in self.left_out) / sum(launch.weight for launch in self.launches)
        enough = ROUNDED * math.ceil((self.seconds - self.left) / (1 - share) / ROUNDED)
        names = ", ".join(launch.title for launch in self.left_out)
        return f"no time was left for {counted(len(self.left_out), 'launch')} ({names}): quartet run --budget {enough}"
