"""Sizes that give every worker the same work, whatever the number of workers."""

from dataclasses import dataclass

from quartet.kernels.kernel import Scaling


@dataclass(frozen=True)
class Grown:
    """A size, the exact one before rounding, and what rounding does to the work."""

    size: int
    exact: float
    work: float  # of the rounded size over that of the exact one, less 1


def grow(scaling: Scaling, size: int, workers: int, base: int, options: dict[str, str]) -> Grown:
    """The size for `workers` when it is `size` for `base`. `options` are the program's flags."""
    exact = size * (workers / base) ** (1 / scaling.exponent)
    rounded = scaling.rounded(exact, workers, options)
    if workers == base:
        rounded, exact = size, size
    return Grown(rounded, exact, (rounded / exact) ** scaling.exponent - 1)
