"""Threads of Python that keep a worker busy: while one waits for a tile to be taken, another computes."""

import threading
from typing import Any, Callable, Optional

from quartet_dev.peers.tensorflow.plan import Check

RUNNERS = 2  # of a worker
READ_AHEAD = 2  # tiles, or pairs of them, of a runner


def share(items: list[Any], parts: int, part: int) -> list[Any]:
    """A part of the list, dealt out in turn."""
    return items[part::parts]


def together(functions: list[Callable[[], None]]) -> None:
    """Runs each in a thread of its own. Raises what the first one that failed has raised."""
    failures: list[BaseException] = []

    def guarded(function: Callable[[], None]) -> None:
        try:
            function()
        except BaseException as error:  # it is raised below
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(each,)) for each in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class RunnersWorker:
    """A worker whose runners share its work; the reducer or merger checks what comes of it."""

    def __init__(self, make_runner: Callable[[int], Any]):
        self._runners = [make_runner(number) for number in range(RUNNERS)]

    def prepare(self, session: Any) -> None:
        for runner in self._runners:
            runner.prepare(session)

    def run(self, _session: Any) -> Optional[float]:
        together([runner.run for runner in self._runners])
        return None

    def check(self, _session: Any) -> Optional[Check]:
        return None
