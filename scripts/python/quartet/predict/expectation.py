"""What was measured beside what a described machine should give."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Optional

from quartet.exit_codes import ScriptError
from quartet.kernels import KERNELS
from quartet.machine import MOST_RANKS
from quartet.predict.duration import Duration
from quartet.predict.machine import Machine, Prediction, Work
from quartet.predict.measured import options_of
from quartet.predict.models import MODELS
from quartet.predict.rates import MissingRate
from quartet.results import Case
from quartet.slurm.machine import SlurmMachine
from quartet.text import rate, size_in_bytes

COMPUTING = ("compute", "merge")  # phases
# Where to look when a rate is below what was expected.
LOOK = {"compute": "the row's fraction of its limit, and what else the cores and the memory do",
        "latency": "how ranks lie on nodes, and which algorithm MPI chooses",
        "bandwidth": "the links between ranks (push over one of them), and who else uses them",
        "overhead": "how many messages there are, and whether ranks share cores"}
LOOK_ABOVE = "the machine file: it may describe a slower machine, or a cache helps"


@dataclass
class Expectations:
    """The expectations of cases on one machine. `missing` has what it does not describe."""

    machine: Machine
    missing: dict[str, None] = field(default_factory=dict)
    _known: dict[tuple[str, int], Optional[Prediction]] = field(default_factory=dict)

    @staticmethod
    def load(path: Path) -> "Expectations":
        """Raises ScriptError, also if the file describes no rates."""
        if not SlurmMachine.load(path).rates:
            raise ScriptError(f"{path}: describes no rates (nothing can be expected of it): add them, as "
                              "scripts/slurm/machine.schema.json has them")
        return Expectations(Machine.load(path))

    def of(self, case: Case, nodes: int) -> Optional[Prediction]:
        """None if nothing can be said of such a case."""
        key = (case.text, nodes)
        if key not in self._known:
            self._known[key] = self._predicted(case, nodes)
        return self._known[key]

    def _predicted(self, case: Case, nodes: int) -> Optional[Prediction]:
        options, name = options_of(case), case.name
        is_same_device = name.device == ("cuda" if self.machine.has_gpus else "host")
        if options is None or case.error or name.pair or not is_same_device \
                or name.formulation not in MODELS[name.kernel].formulations \
                or case.unit != KERNELS[name.kernel].unit:
            return None
        work = Work(KERNELS[name.kernel], name.formulation, size_in_bytes(name.size), name.ranks, options,
                    name.transport, nodes)
        if work.why_not or not 1 <= nodes <= name.ranks <= MOST_RANKS or work.size < 1:
            return None
        try:
            return self.machine.predict(work)
        except MissingRate as error:
            self.missing[str(error)] = None
            return None

    def surprise(self, case: Case, nodes: int, measured: float) -> str:
        """Says that a rate is outside the band, and where to look; empty if it is not."""
        expected = self.of(case, nodes)
        if not expected or expected.low <= measured <= expected.high:
            return ""
        look = LOOK[_slow_part(case, expected.duration)] if measured < expected.low else LOOK_ABOVE
        return (f"expected {rate(expected.low)} to {rate(expected.high)}, measured {rate(measured)}: look "
                f"at {look}")


def _slow_part(case: Case, expected: Duration) -> str:
    """The part of the time in which a slow run probably lost it: computing, where its phases took most
    of what is too much, else the largest part of the communication."""
    computing = sum(case.phases.get(phase, 0.0) for phase in COMPUTING)
    lost = case.seconds - expected.total
    if expected.communication == 0 or (computing and computing - expected.compute > lost / 2):
        return "compute"
    return replace(expected, compute=0.0).largest_part if computing else expected.largest_part
