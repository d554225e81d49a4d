"""What a kernel's model is: formulas for the time of a run, and what they take from measurements."""

from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Union

from quartet.exit_codes import ScriptError
from quartet.predict.network import Cluster, DataFlow, Duration
from quartet.results import Case, whole_number
from quartet.sizes import points
from quartet.text import one_of

MOST = 10**12  # of an option that is a number
Options = dict[str, Any]  # by the names that flags and rows' names share


@dataclass(frozen=True)
class Run:
    """What is to be predicted. A data flow's reducers are ranks of the cluster, too."""

    cluster: Cluster
    size: int
    options: Options
    reducers: int

    @property
    def ranks(self) -> int:
        return self.cluster.ranks

    def count(self, name: str) -> int:
        """An option that is a number."""
        return int(self.options[name])

    @property
    def flow(self) -> DataFlow:
        return DataFlow(self.cluster, max(1, self.reducers))

    def computed(self, work: float, rate: str, launches: float = 0) -> Duration:
        """So much work of a rank, in operations or bytes."""
        return Duration(compute=work / self.cluster.values[rate], overhead=launches * self.cluster.launch)


@dataclass(frozen=True)
class Model:
    """`options` has each option's default, or its choices, the first being the default."""

    work: Callable[[Run], float]  # operations, or bytes, that the kernel's rate counts
    formulations: dict[str, Callable[[Run], Duration]]
    options: dict[str, Union[int, tuple[str, ...]]] = field(default_factory=dict)
    # Ranks of a data flow that collect: of all ranks and the options.
    reducers: Callable[[int, Options], int] = lambda ranks, options: 1
    size_of: Callable[[str], int] = points  # as a flag has it; raises ValueError
    rate: str = ""  # that rows of one node show
    # The work of a native row, in operations or bytes, and the seconds of it.
    shows: Callable[[Case, Options], tuple[float, float]] = lambda case, options: (0.0, 0.0)
    # Rates and their uncertainties that rows of two ranks on two nodes show.
    shows_link: Callable[[list[tuple[Case, Options]]], dict[str, tuple[float, float]]] = lambda rows: {}
    least_ranks: int = 1

    def chosen(self, given: dict[str, str], is_strict: bool = True) -> Options:
        """Options with their defaults. Raises ScriptError if one has a wrong value, or with `is_strict` is not
        known."""
        unknown = sorted(given.keys() - self.options.keys())
        if unknown and is_strict:
            known = ", ".join(f"--{name}" for name in self.options) or "none"
            raise ScriptError(f"--{unknown[0]:.40} (no option that changes this prediction): known are {known}")
        return {name: _value(name, given.get(name), default) for name, default in self.options.items()}


def _value(name: str, text: Optional[str], default: Union[int, tuple[str, ...]]) -> Union[int, str]:
    if isinstance(default, tuple):
        if text is not None and text not in default:
            raise ScriptError(f"--{name} '{text:.40}': give {one_of(text, default)}")
        return text or default[0]
    number = default if text is None else whole_number(text)
    if number is None or not 0 <= number <= MOST or text == "0":
        raise ScriptError(f"--{name} '{text:.40}': give a whole number from 1 to {MOST}")
    return number
