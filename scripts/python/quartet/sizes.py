"""Sizes of problems: how they are written, and weak scaling, which gives every worker the same work."""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Callable

TILE = "1024"  # the default of --tile


def points(text: str) -> int:
    """Reads a size as programs do: "8192", "2^13", "8k" (8192), "1e4". Raises ValueError."""
    match = re.fullmatch(r"(?:2\^(\d{1,2})|(\d{1,18}(?:\.\d{1,9})?(?:e\d{1,2})?))([kmgt]?)", text.lower(), re.ASCII)
    value = (2 ** int(match[1]) if match[1] else Decimal(match[2])) * 1024 ** "\0kmgt".find(match[3] or "\0") \
        if match else 0
    if value < 1 or value >= 2**63 or value != int(value):
        raise ValueError(f"size '{text:.60}': write 8192, 2^13, 8k (which is 8192) or 1e4")
    return int(value)


def written(size: int, like: str) -> str:
    """Writes a size, as 2^k if `like` is written so."""
    power = size.bit_length() - 1
    return f"2^{power}" if "^" in like and size == 2**power else str(size)


@dataclass(frozen=True)
class Growth:
    """How the size grows with the workers in weak scaling."""

    exponent: int  # a run's work grows as size^exponent
    rounded: Callable[[float, int, dict[str, str]], int]  # rounds an exact size, by workers and flags


@dataclass(frozen=True)
class Grown:
    """A size, the exact one before rounding, and the change of the work by rounding."""

    size: int
    exact: float
    work: float  # work of the rounded size / work of the exact one - 1


def grow(growth: Growth, size: int, workers: int, base: int, options: dict[str, str]) -> Grown:
    """The size for `workers` if `base` workers have `size`. `options` are the program's flags."""
    exact = size * (workers / base) ** (1 / growth.exponent)
    rounded = growth.rounded(exact, workers, options)
    if workers == base:
        rounded, exact = size, size
    return Grown(rounded, exact, (rounded / exact) ** growth.exponent - 1)


def multiple(exact: float, step: int) -> int:
    """The nearest positive multiple of `step`."""
    return max(1, round(exact / step)) * step


def smooth_multiple(exact: float, step: int) -> int:
    """The nearest multiple of `step` whose other factors are 2, 3, 5 and 7, for which FFTs are fast."""
    share = exact / step
    return step * min(_smooth_numbers(2 * share), key=lambda value: abs(value - share))


def _smooth_numbers(limit: float) -> list[int]:
    found = [1]
    for factor in (2, 3, 5, 7):
        found = [value * factor**power for value in found
                 for power in range(int(math.log(max(limit / value, 1), factor)) + 1)]
    return found


GROWTH = {
    "matmul": Growth(3, lambda exact, _workers, flags: multiple(exact, points(flags.get("--tile", TILE)))),
    "cg": Growth(2, lambda exact, workers, _flags: multiple(exact, workers)),  # equal numbers of rows
    "fft": Growth(1, lambda exact, workers, _flags: smooth_multiple(exact, workers))}
