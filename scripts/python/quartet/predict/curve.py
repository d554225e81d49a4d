"""Predictions over numbers of ranks, and what is to be seen in them."""

from dataclasses import dataclass
from typing import Callable

from quartet.exit_codes import ScriptError
from quartet.kernels import Kernel
from quartet.predict.duration import Duration
from quartet.predict.machine import Machine, Prediction, Work
from quartet.predict.model import Options
from quartet.sizes import GROWTH, grow

OVERTAKEN = "communication takes longer than computing"
LATENT = "latency takes longer than all else"
FASTEST = "fastest; more ranks are slower"
FASTEST_LAST = "fastest of these"


@dataclass(frozen=True)
class Wanted:
    kernel: Kernel
    formulation: str
    size: int  # of the first in weak scaling
    ranks: tuple[int, ...]
    options: Options
    is_weak: bool = False


@dataclass(frozen=True)
class Curve:
    wanted: Wanted
    points: tuple[Prediction, ...]
    left_out: dict[int, str]  # numbers of ranks, and why

    @property
    def marks(self) -> dict[int, list[str]]:
        """By the number of ranks: what begins there, and which is the fastest."""
        found: dict[int, list[str]] = {}
        rules: dict[str, Callable[[Duration], bool]] = {
            OVERTAKEN: lambda spent: spent.communication > spent.compute,
            LATENT: lambda spent: spent.latency > spent.total / 2}
        for text, holds in rules.items():
            ranks = [point.work.ranks for point in self.points if holds(point.duration)]
            if ranks:
                until = "on" if ranks[-1] == self.points[-1].work.ranks else f"to {ranks[-1]} ranks"
                found.setdefault(ranks[0], []).append(f"from here {until} {text}")
        best = max(self.points, key=lambda point: point.rate)
        if len(self.points) > 1:
            text = FASTEST_LAST if best is self.points[-1] else FASTEST
            found.setdefault(best.work.ranks, []).append(text)
        return found

    def efficiency(self, point: Prediction) -> float:
        """The rate of a worker, by that of a worker of the first point."""
        first = self.points[0]
        return point.rate / point.work.workers / (first.rate / first.work.workers)


def curve(machine: Machine, wanted: Wanted) -> Curve:
    """Raises ScriptError if nothing is left, or a rate is missing."""
    works = [Work(wanted.kernel, wanted.formulation, wanted.size, ranks, wanted.options)
             for ranks in sorted(set(wanted.ranks))]
    left_out = {work.ranks: work.why_not for work in works if work.why_not}
    possible = [work for work in works if not work.why_not]
    if not possible:
        raise ScriptError(f"{wanted.kernel.name} {wanted.formulation} cannot run on these ranks "
                          f"({next(iter(left_out.values()))}): give more")
    if wanted.is_weak:
        possible = [_grown(work, possible[0].workers) for work in possible]
    return Curve(wanted, tuple(map(machine.predict, possible)), left_out)


def _grown(work: Work, base: int) -> Work:
    """Returns the work of the size that gives each worker as much as at the base."""
    growth = GROWTH.get(work.kernel.name)
    if not growth:
        raise ScriptError(f"--weak: {work.kernel.name} has no problem that grows with its workers: leave it out")
    flags = {f"--{name}": str(value) for name, value in work.options.items()}
    size = grow(growth, work.size, work.workers, base, flags).size
    return Work(work.kernel, work.formulation, size, work.ranks, work.options)
