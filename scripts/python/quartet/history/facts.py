"""What a document records of the machine and the build, as texts: what may have changed when a rate did."""

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from quartet.results import Case, isa
from quartet.results.statistics import ERROR
from quartet.units import GIB

PARTS = ("system", "build", "mpi_settings", "environment")  # of the document, each with facts of its own
OF_GPUS = ("name", "driver", "vbios", "power_limit_watts", "error_correction", "mig")
MATCHES = 1 - ERROR  # of launches that a fact puts on their side: it changed when the rate did
Dated = Sequence[tuple[float, str]]  # a value by its launch's time
Value = TypeVar("Value")


def facts(document: dict[str, Any], rows: Iterable[Case]) -> dict[str, str]:
    """The facts by name, of a document with these rows. What a document does not record is absent."""
    context, quartet = document["context"], document["context"]["quartet"]
    found = {"version": quartet.get("version"), "commit": quartet.get("commit"), "MPI": quartet.get("mpi"),
             "road": ", ".join(sorted({case.road.most for case in rows} - {""})),
             "instruction set": isa(document), "CPUs": context.get("num_cpus"),
             "binding": "; ".join(str(place.get("cpus", "")) for place in quartet.get("placement") or [])}
    for part in PARTS:
        found.update(_flat("" if part in ("system", "build") else part.partition("_")[0], quartet.get(part) or {}))
    if "memory bytes" in found:  # kernels keep some of it
        found["memory bytes"] = f"{round(float(found['memory bytes']) / GIB)} GiB"
    gpus = quartet.get("gpus") or []
    found.update({f"GPU {key}": ", ".join(sorted({str(gpu[key]) for gpu in gpus if key in gpu})) for key in OF_GPUS})
    return {key: str(value) for key, value in found.items() if value not in (None, "")}


def _flat(prefix: str, values: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        name = f"{prefix} {key if prefix == 'environment' else key.replace('_', ' ')}".strip()
        if isinstance(value, dict):
            found.update(_flat(name, value))
        else:
            found[name] = value
    return found


@dataclass(frozen=True)
class Cause:
    """A fact that changed, and how well that divides the launches before a moment from those after it."""

    what: str
    before: str
    after: str
    share: float  # of the launches, balanced between the sides, whose value is that of their side
    elsewhere: float  # the same of nodes whose rates did not change

    @property
    def matches(self) -> bool:
        return self.share >= MATCHES


def causes(affected: dict[str, dict[str, Dated]], others: dict[str, dict[str, Dated]],
           times: Iterable[float]) -> list[Cause]:
    """Facts that changed at one of these times, the best first. Values by fact and node; of equal facts one that
    stayed as it was where rates did, too, comes first."""
    found, times = [], list(times)
    for what, by_node in affected.items():
        best = max(times, key=lambda time: _share(by_node, time))
        share = _share(by_node, best)
        if share > 0:
            before, after = (", ".join(sorted({_mode(side) for values in by_node.values()
                                               if (side := sides(values, best)[which])})) for which in (0, 1))
            found.append(Cause(what, before, after, share, _share(others.get(what, {}), best)))
    return sorted(found, key=lambda cause: (-round(cause.share, 3), cause.elsewhere, cause.what))


def sides(values: Sequence[tuple[float, Value]], time: float) -> tuple[list[Value], list[Value]]:
    """Values before that time, and from then on."""
    return [value for when, value in values if when < time], [value for when, value in values if when >= time]


def _mode(values: list[str]) -> str:
    return Counter(values).most_common(1)[0][0]


def _share(by_node: dict[str, Dated], time: float) -> float:
    """The balanced accuracy of "the value of before, or that of after", over nodes; 0 where the value stayed."""
    shares = []
    for values in by_node.values():
        before, after = sides(values, time)
        if before and after:
            old, new = _mode(before), _mode(after)
            shares.append(0.0 if old == new else (before.count(old) / len(before) + after.count(new) / len(after)) / 2)
    return statistics.mean(shares) if shares else 0.0
