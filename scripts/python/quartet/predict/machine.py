"""A machine file as a prediction needs it: its rates, and how ranks lie on its nodes."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Optional

from quartet.kernels import Kernel
from quartet.predict.cluster import Cluster
from quartet.predict.duration import Duration
from quartet.predict.model import Model, Options, Run
from quartet.predict.models import MODELS
from quartet.predict.open_mpi import AllToAll, told
from quartet.predict.rates import BISECTION, Rate, Rates, Values
from quartet.slurm.machine import SlurmMachine

SAMPLES = 400
LOW, HIGH = 0.05, 0.95  # quantiles: a band of 90%


@dataclass(frozen=True)
class Work:
    """What is predicted: a kernel in one formulation, at one size, on so many ranks."""

    kernel: Kernel
    formulation: str
    size: int
    ranks: int
    options: Options
    transport: str = ""
    nodes: int = 0  # 0: as few as hold the ranks

    @property
    def model(self) -> Model:
        return MODELS[self.kernel.name]

    @property
    def reducers(self) -> int:
        """Ranks that do not compute."""
        return self.model.reducers(self.ranks, self.options) if self.formulation == "dataflow" else 0

    @property
    def workers(self) -> int:
        return self.ranks - self.reducers

    @property
    def why_not(self) -> str:
        """The reason why nobody can run it; empty if one can."""
        if self.workers < 1:
            return "no worker would be left"
        if self.ranks < self.model.least_ranks:
            return f"it takes {self.model.least_ranks} ranks"
        return ""


@dataclass(frozen=True)
class Prediction:
    """`rate` and the 90% band around it, in the kernel's unit."""

    work: Work
    nodes: int
    duration: Duration
    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class Machine:
    name: str
    per_node: int  # ranks
    has_gpus: bool
    rates: Rates
    all_to_all: Optional[AllToAll] = None  # as its jobs tell Open MPI
    notes: dict[str, str] = field(default_factory=dict)  # what is to be known of a rate

    @staticmethod
    def load(path: Path, per_node: Optional[int] = None) -> "Machine":
        """Raises ScriptError."""
        machine = SlurmMachine.load(path)
        usual = machine.rates.get("ranks_per_node") or machine.gpus_per_node or machine.cores_per_node
        return Machine(machine.name, per_node or usual, machine.gpus_per_node > 0,
                       Rates.described(machine.rates), told(machine.environment))

    def with_measured(self, rates: dict[str, Rate], shares: Optional[dict[int, Rate]] = None,
                      notes: Optional[dict[str, str]] = None) -> "Machine":
        return replace(self, rates=self.rates.replaced(rates, shares), notes=notes or {})

    @cached_property
    def _values(self) -> Values:
        return self.rates.values()

    @cached_property
    def _samples(self) -> list[Values]:
        return self.rates.samples(SAMPLES)

    @property
    def used(self) -> Rates:
        """The rates that predictions so far have asked for."""
        used = self._values.used
        single = {name: rate for name, rate in self.rates.single.items() if name in used}
        return Rates(single, self.rates.bisection if BISECTION in used else ())

    @property
    def used_notes(self) -> list[str]:
        return [note for name, note in self.notes.items() if name in self._values.used]

    def predict(self, work: Work) -> Prediction:
        """Raises MissingRate."""
        run = self._run(work, self._values)
        formula = work.model.formulations[work.formulation]
        units = work.model.work(run) / work.kernel.unit_size
        duration = formula(run)
        rate = units / duration.total
        rates = sorted(units / formula(self._run(work, values)).total for values in self._samples)
        low, high = (rates[round(quantile * (len(rates) - 1))] for quantile in (LOW, HIGH))
        return Prediction(work, run.cluster.nodes, duration, rate, min(low, rate), max(high, rate))

    def _run(self, work: Work, values: Values) -> Run:
        cluster = Cluster(values, work.ranks, self._most_per_node(work), self.has_gpus, work.transport,
                          self.all_to_all)
        return Run(cluster, work.formulation, work.size, work.options)

    def _most_per_node(self, work: Work) -> int:
        if work.nodes:
            return -(-work.ranks // work.nodes)
        if not self.has_gpus:
            return self.per_node
        # Reducers come beside those that have a GPU.
        return -(-work.ranks // -(-work.workers // self.per_node))
