"""Constants of the paper's programs, fitted to its numbers: all of them, and all but some."""

import itertools
import math
from dataclasses import dataclass
from typing import Any

from quartet.predict.paper.points import Point
from quartet.predict.paper.program import Constants


@dataclass(frozen=True)
class Fit:
    """The fit of the numbers of one kernel; model / published - 1 with all fitted, and with constants that are
    fitted without each number (and where `by_machine`, without any of its machine)."""

    points: tuple[Point, ...]
    constants: Constants
    off: tuple[float, ...]
    left_out: tuple[float, ...]
    by_machine: bool

    @property
    def numbers(self) -> list[Point]:
        return _numbers(self.points)

    @property
    def worst(self) -> float:
        return max(map(abs, self.off))

    @property
    def mean(self) -> float:
        return sum(map(abs, self.off)) / len(self.off)

    @property
    def how_left_out(self) -> str:
        what = "Each machine's numbers" if self.by_machine else "Each number"
        return f"{what} left out of the fit and predicted"


def _numbers(points: Any) -> list[Point]:
    return [point for point in points if point.is_number]


def fitted(points: list[Point]) -> Fit:
    """By least squares of the logarithms, over the grid of the constants."""
    program, numbers = points[0].program, _numbers(points)
    choices = [dict(zip(program.constants, values)) for values in
               itertools.product(*(constant.among for constant in program.constants.values()))]
    errors = [[math.log(point.data_flow(chosen) / point.value) for point in numbers] for chosen in choices]
    every = range(len(numbers))
    best = _least(errors, every)
    machines = [point.where for point in numbers]
    by_machine = len(set(machines)) > 1 and program.is_general
    left_out = []
    for own in every:
        kept = [other for other in every if (machines[other] != machines[own] if by_machine else other != own)]
        left_out.append(math.expm1(errors[_least(errors, kept)][own]))
    return Fit(tuple(points), choices[best], tuple(map(math.expm1, errors[best])), tuple(left_out), by_machine)


def _least(errors: list[list[float]], kept: Any) -> int:
    """Which choice has the least sum of squares over these numbers."""
    sums = [sum(row[place]**2 for place in kept) for row in errors]
    return sums.index(min(sums))
