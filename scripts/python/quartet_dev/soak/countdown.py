"""Time that a job may take: what passes while this process can look."""

import time
from typing import Callable


class Countdown:
    """Some seconds. Where this process stood still between two looks, a suspended machine or one that is
    busy with others, its jobs did too: a long gap counts as a short one."""

    LONGEST_GAP = 0.5

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic):
        self._left = seconds
        self._clock = clock
        self._last = clock()

    def is_over(self) -> bool:
        """To be asked more often than every LONGEST_GAP seconds."""
        now = self._clock()
        self._left -= min(now - self._last, self.LONGEST_GAP)
        self._last = now
        return self._left <= 0
