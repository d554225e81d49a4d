"""Cases as lines of a chart: by size, by workers on one problem, by workers on growing problems."""

from dataclasses import dataclass
from typing import Any, Callable

from quartet.sizes import GROWTH

from .cases import Result
from .factors import alike, factors, grouped, label, size_of

# Chosen by the programs from the number of ranks, so alike within a line though they differ.
FOLLOW_RANKS = ("ranks", "nodes", "tiles", "reducers", "gpus")
ROUNDING = 0.06  # by how much a weak problem's N may differ: it is rounded to what tiles divide


@dataclass(frozen=True)
class Line:
    label: str
    points: tuple[tuple[float, Result], ...]  # by x

    @property
    def formulation(self) -> str:
        return self.points[0][1].name.formulation

    @property
    def transport(self) -> str:
        return self.points[0][1].name.transport


@dataclass(frozen=True)
class Panel:
    """What one chart shows."""

    common: dict[str, str]  # factors that all its cases share
    lines: list[Line]
    machine: str
    about: str = ""


def by(x: Callable[[Result], float], members: list[Result], leave_out: Any = FOLLOW_RANKS,
       about: str = "") -> Panel:
    """One line for each way to run the problem; of several cases at one point, the best."""
    common = alike(members, apart_from=leave_out)
    ways = grouped(members, lambda result: tuple(
        (key, value) for key, value in factors(result).items() if key not in leave_out))
    lines = []
    for group in ways.values():
        best: dict[float, Result] = {}
        for result in sorted(group, key=lambda item: item.rate):
            best[x(result)] = result
        lines.append(Line(label(group[0], {*leave_out, *common}),
                          tuple(sorted(best.items(), key=lambda item: item[0]))))
    return Panel(common, lines, members[0].machine, about)


def weak_sets(results: list[Result]) -> list[list[Result]]:
    """Cases of weak scaling: the problem grows with the workers. One list for each smallest problem."""
    ways = grouped((result for result in results if result.name.kernel in GROWTH),
                   lambda result: (result.machine, result.name.kernel, tuple(
                       (key, value) for key, value in factors(result).items()
                       if key not in (*FOLLOW_RANKS, "n"))))
    sets: dict[tuple[Any, ...], list[Result]] = {}
    for members in ways.values():
        fewest = min(result.workers for result in members)
        for base in members:
            grown = [result for result in members if _is_grown(result, base)]
            if base.workers == fewest and grown:
                key = (base.machine, base.name.kernel, base.name.device, base.name.size, fewest)
                sets.setdefault(key, []).extend([base, *grown])
    return list(sets.values())


def _is_grown(result: Result, base: Result) -> bool:
    more = result.workers / base.workers
    power = GROWTH[base.name.kernel].exponent
    return more > 1 and abs(size_of(result) / size_of(base) / more ** (1 / power) - 1) < ROUNDING
