"""A machine for predictions: its rates, each with an uncertainty and a source, and its ranks per node. The names and
units of rates are defined by `rates` in scripts/slurm/machine.schema.json."""

import math
import random
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from quartet.slurm.machine import SlurmMachine

BISECTION, STAGED, LINK = "bisection", "staged_through_host", "link_bytes_per_second"
SAMPLES, SEED = 400, 1
LOW, HIGH = 0.05, 0.95  # quantiles: a band of 90%
DEVIATIONS = 1.6449  # within which 90% of a standard normal variable lies


@dataclass(frozen=True)
class Rate:
    """`uncertainty`: in nine of ten cases the true value is within a factor of 1 + this."""

    value: float
    uncertainty: float
    source: str

    def drawn(self, normal: float) -> float:
        """The value at so many standard deviations of its logarithm."""
        return self.value * math.exp(normal * math.log1p(self.uncertainty) / DEVIATIONS)


class Values(dict[str, float]):
    """Rates as plain numbers. Records which of them were used, and which of them are missing."""

    def __init__(self, rates: dict[str, float], bisection: dict[int, float], is_staged: bool):
        super().__init__(rates)
        self.used: set[str] = set()
        self.missing: list[str] = []
        self.is_staged = is_staged  # whether what GPUs send goes through the host's memory
        self._bisection = bisection

    def __getitem__(self, name: str) -> float:
        self.used.add(name)
        return super().__getitem__(name)

    def __missing__(self, name: str) -> float:
        self.missing += [name] if name not in self.missing else []
        return 1.0  # any number: the prediction goes on, to find the other ones

    def link(self, nodes: int) -> float:
        """Bytes per second of a node's link when that many nodes all send across their bisection."""
        self.used.add(BISECTION)
        shares = sorted(self._bisection.items())
        return self[LINK] * next((share for most, share in shares if nodes <= most), shares[-1][1] if shares else 1.0)


@dataclass(frozen=True)
class Machine:
    name: str
    per_node: int  # ranks
    has_gpus: bool  # one for each rank that computes
    rates: dict[str, Rate]
    bisection: dict[int, Rate] = field(default_factory=dict)  # shares of the link, by the largest number of nodes
    is_staged: bool = False

    @staticmethod
    def load(path: Path) -> "Machine":
        """Raises MachineError."""
        file = SlurmMachine.load(path)
        usual = file.rates.get("ranks_per_node") or file.gpus_per_node or file.cores_per_node
        return Machine.described(file.name, usual, file.gpus_per_node > 0, file.rates)

    @staticmethod
    def described(name: str, per_node: int, has_gpus: bool, rates: dict[str, Any]) -> "Machine":
        """From a machine file's object `rates`, which must follow its schema."""
        shares = {one["nodes"]: Rate(one["value"], one["uncertainty"], one["source"])
                  for one in rates.get(BISECTION, [])}
        return Machine(name, per_node, has_gpus, {key: Rate(**rate) for key, rate in rates.items()
                                                  if isinstance(rate, dict)}, shares, rates.get(STAGED, False))

    @cached_property
    def values(self) -> Values:
        return self._drawn(dict.fromkeys((*self.rates, BISECTION), 0.0))

    @cached_property
    def samples(self) -> list[Values]:
        """Random draws of the rates within their uncertainties, the same each time. Each rate has its own generator, so
        that its draws do not depend on the other rates."""
        sources = {name: random.Random(f"{SEED} {name}") for name in (*self.rates, BISECTION)}
        return [self._drawn({name: source.gauss(0, 1) for name, source in sources.items()}) for _ in range(SAMPLES)]

    def _drawn(self, normals: dict[str, float]) -> Values:
        return Values({name: rate.drawn(normals[name]) for name, rate in self.rates.items()},
                      {nodes: min(1.0, rate.drawn(normals[BISECTION])) for nodes, rate in self.bisection.items()},
                      self.is_staged)

    @property
    def used(self) -> list[tuple[str, Rate]]:
        """The rates that predictions so far have asked for."""
        found = [(name, rate) for name, rate in self.rates.items() if name in self.values.used]
        return found + [(f"{BISECTION}, to {nodes} nodes", rate) for nodes, rate in sorted(self.bisection.items())
                        if BISECTION in self.values.used]
