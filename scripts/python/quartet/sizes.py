"""Sizes of problems: as written, and as a problem that grows needs them."""

import math
import re


def points(text: str) -> int:
    """A size written in digits, or as 2^k. Raises ValueError."""
    match = re.fullmatch(r"(?:2\^(\d{1,2})|([1-9]\d{0,17}))", text, re.ASCII)
    if not match:
        raise ValueError(f"size '{text}' (weak scaling multiplies it): write digits or 2^k")
    return 2 ** int(match[1]) if match[1] else int(match[2])


def written(size: int, like: str) -> str:
    """As 2^k where the size `like` is."""
    power = size.bit_length() - 1
    return f"2^{power}" if "^" in like and size == 2**power else str(size)


def multiple(exact: float, step: int) -> int:
    """The nearest positive multiple of `step`."""
    return max(1, round(exact / step)) * step


def smooth_multiple(exact: float, step: int) -> int:
    """The nearest multiple of `step` whose other factors are 2, 3, 5 and 7, which FFTs like."""
    share = exact / step
    return step * min(_smooth_numbers(2 * share), key=lambda value: abs(value - share))


def _smooth_numbers(limit: float) -> list[int]:
    found = [1]
    for factor in (2, 3, 5, 7):
        found = [value * factor**power for value in found
                 for power in range(int(math.log(max(limit / value, 1), factor)) + 1)]
    return found
