"""What a machine can do, as a prediction needs it: rates with their uncertainty and their source.

Their names and units are those of `rates` in scripts/slurm/machine.schema.json."""

import math
import random
from dataclasses import dataclass, replace
from typing import Any, Mapping, Optional, Union

from quartet.exit_codes import ScriptError

BISECTION, STAGED, LINK = "bisection", "staged_through_host", "link_bytes_per_second"
SEED = 1
# Of a standard normal variable 90% lies within so many deviations.
DEVIATIONS = 1.6449

Shares = tuple[tuple[int, float], ...]  # of a link that is left, by the number of nodes up to which


@dataclass(frozen=True)
class Rate:
    """`uncertainty`: in nine of ten cases the true value is within a factor of 1 + this."""

    value: float
    uncertainty: float
    source: str

    def drawn(self, normal: float) -> float:
        """The value at so many standard deviations; its logarithm is normally distributed."""
        return self.value * math.exp(normal * math.log1p(self.uncertainty) / DEVIATIONS)


# What may be left out, and then is this.
DEFAULTS = {
    "launch_seconds": Rate(0.0, 0.0, "none: no GPU"),
    "addition_seconds": Rate(1e-9, 0.5, "assumed: a few cycles"),
    "compute_variation": Rate(0.0, 0.0, "none: all ranks are equally fast"),
}


class MissingRate(ScriptError):
    """A rate that a prediction needs, and which is not described."""


class Values(dict[str, Any]):
    """Rates as plain numbers, by name; `bisection` as Shares, `staged_through_host` as 0 or 1. Keeps
    which of them were asked for. Raises MissingRate."""

    def __init__(self, entries: Mapping[str, Any]):
        super().__init__(entries)
        self.used: set[str] = set()

    def __getitem__(self, name: str) -> float:
        self.used.add(name)
        value: float = super().__getitem__(name)
        return value

    @property
    def shares(self) -> Shares:
        """The share of a link that is left if so many nodes send."""
        self.used.add(BISECTION)
        shares: Shares = self.get(BISECTION, ())
        return shares

    def __missing__(self, name: str) -> float:
        raise MissingRate(f"no {name} (this prediction needs it): add it to the machine file's rates, "
                          "with where it is from, or measure it (--from)")


@dataclass(frozen=True)
class Rates:
    single: dict[str, Rate]
    bisection: tuple[tuple[int, Rate], ...] = ()  # by nodes, ascending
    is_staged: bool = False  # whether what GPUs send goes through the host's memory

    @staticmethod
    def described(rates: dict[str, Any]) -> "Rates":
        """Reads a machine file's object, which its schema has found valid."""
        single = {name: Rate(**rate) for name, rate in rates.items() if isinstance(rate, dict)}
        shares = sorted(((entry["nodes"], Rate(entry["value"], entry["uncertainty"], entry["source"]))
                         for entry in rates.get(BISECTION, [])), key=lambda entry: entry[0])
        return Rates({**DEFAULTS, **single}, tuple(shares), rates.get(STAGED, False))

    def replaced(self, measured: dict[str, Rate], shares: Optional[dict[int, Rate]] = None) -> "Rates":
        """Returns the rates with measured ones, and shares by nodes, in place of described ones."""
        bisection = {**dict(self.bisection), **(shares or {})}
        return replace(self, single={**self.single, **measured}, bisection=tuple(sorted(bisection.items())))

    def values(self) -> Values:
        return self._drawn(dict.fromkeys((*self.single, BISECTION), 0.0))

    def samples(self, count: int, seed: int = SEED) -> list[Values]:
        """Draws rates as they may be, given their uncertainty. They are the same for the same seed; each rate has
        random numbers of its own, so that another one more or less changes none of them."""
        sources = {name: random.Random(f"{seed} {name}") for name in (*self.single, BISECTION)}
        return [self._drawn({name: source.gauss(0, 1) for name, source in sources.items()}) for _ in range(count)]

    def _drawn(self, normals: dict[str, float]) -> Values:
        values: dict[str, Union[float, Shares]] = {
            name: rate.drawn(normals[name]) for name, rate in self.single.items()}
        values[STAGED] = self.is_staged
        values[BISECTION] = tuple((nodes, min(1.0, rate.drawn(normals[BISECTION])))
                                  for nodes, rate in self.bisection)
        return Values(values)
