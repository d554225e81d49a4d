"""Sizes that give every worker the same work, whatever the number of workers."""

import math
import re
from dataclasses import dataclass

# What a worker has: 2 N^3 operations, 8 N^2 bytes, N points (but for the logarithm).
EXPONENTS = {"matmul": 3, "cg": 2, "fft": 1}


@dataclass(frozen=True)
class Grown:
    """A size, what it would be if sizes were no whole numbers, and how the work differs by that."""

    size: int
    exact: float
    work: float


def grow(kernel: str, size: int, workers: int, base: int, tile: int) -> Grown:
    """The size for `workers` when it is `size` for `base`: of matmul in whole tiles, of cg as many
    rows to each worker, of fft as fft_size() says."""
    exponent = EXPONENTS[kernel]
    exact = size * (workers / base) ** (1 / exponent)
    step = tile if kernel == "matmul" else workers
    rounded = fft_size(exact, workers) if kernel == "fft" else max(1, round(exact / step)) * step
    if workers == base:
        rounded, exact = size, size
    return Grown(rounded, exact, (rounded / exact) ** exponent - 1)


def fft_size(exact: float, workers: int) -> int:
    """A multiple of the workers whose other factors are 2, 3, 5 and 7: these run at full speed."""
    share = exact / workers
    return workers * min(_smooth_numbers(2 * share), key=lambda value: abs(value - share))


def _smooth_numbers(limit: float) -> list[int]:
    found = [1]
    for factor in (2, 3, 5, 7):
        found = [value * factor**power for value in found
                 for power in range(int(math.log(max(limit / value, 1), factor)) + 1)]
    return found


def points(text: str) -> int:
    """A size of matmul, cg or fft: digits, or 2^k. Raises ValueError."""
    match = re.fullmatch(r"(?:2\^(\d{1,2})|([1-9]\d*))", text)
    if not match:
        raise ValueError(f"size '{text}' (weak scaling multiplies it): write digits or 2^k")
    return 2 ** int(match[1]) if match[1] else int(match[2])


def written(size: int, like: str) -> str:
    """As 2^k where the first size was."""
    power = size.bit_length() - 1
    return f"2^{power}" if "^" in like and size == 2**power else str(size)
