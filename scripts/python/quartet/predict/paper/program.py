"""What the paper's program for a kernel is as a model."""

from dataclasses import dataclass, field
from typing import Callable

from quartet.predict.rates import Values


@dataclass(frozen=True)
class Setting:
    """What the paper gave its program, on one machine."""

    size: int = 0  # bytes of a vector, or N
    tile: int = 0
    protocol: str = ""
    memory: str = "device"


Constants = dict[str, float]


@dataclass(frozen=True)
class Constant:
    """A property of the program that nobody has measured: fitted to the published numbers, among these values."""

    meaning: str
    unit: str
    scale: float  # of the unit
    among: tuple[float, ...]


@dataclass(frozen=True)
class Program:
    """`seconds` takes rates, constants, a setting and the number of workers."""

    seconds: Callable[[Values, Constants, Setting, int], float]
    constants: dict[str, Constant]
    verdict: str  # what the fit is worth
    sizes: dict[str, int] = field(default_factory=dict)  # by unit, where the paper prints none
    options: Callable[[Setting], dict[str, str]] = lambda setting: {}  # of our program
    flattens: bool = False  # whether the paper says that the next doubling of GPUs gains nothing
    is_general: bool = False  # whether numbers are predicted from those of other machines alone


def grid(first: float, last: float, step: float, scale: float) -> tuple[float, ...]:
    """From first to last, times the scale."""
    return tuple(scale * (first + place * step) for place in range(round((last - first) / step) + 1))
