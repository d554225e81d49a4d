"""The cases of result documents as the report needs them: launches of one case joined."""

import math
import statistics
from dataclasses import dataclass, field
from typing import Optional

from quartet.results import RATE_UNITS, Name

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
SUSPICIOUS_FRACTION = 1.05  # of a limit


@dataclass(frozen=True)
class Limit:
    what: str
    rate: float  # in the case's unit


@dataclass(frozen=True)
class Published:
    """A published rate, and ours over it."""

    value: float
    unit: str
    bound: str
    conditions: str
    source: str
    caveat: str
    ratio: float


@dataclass(frozen=True)
class Measurement:
    """One case in one document."""

    path: str
    run_name: str
    name: Name
    machine: str
    nodes: int
    commit: str
    unit: str
    rate: float  # of the median run
    interval: Optional[tuple[float, float]]  # 95% of the median
    runs: int
    seconds: float  # of the median run
    total_seconds: Optional[float]  # with input and output
    workers: int
    limit: Optional[Limit]
    fraction: Optional[float]
    verified: Optional[bool]
    error: Optional[float]
    tolerance: Optional[float]
    phases: dict[str, float] = field(default_factory=dict)  # busy seconds, they overlap
    published: Optional[Published] = None
    note: str = ""


@dataclass(frozen=True)
class Failure:
    """A case that failed or was refused."""

    path: str
    name: str
    message: str


def number(row: dict, key: str, default=...) -> float:
    """A finite number of a row. Raises ValueError where it is none."""
    value = row.get(key, default)
    if value is default and default is not ...:
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{key} is not a number: {value!r:.40}")
    return float(value)


def machine(document: dict) -> str:
    """What computes: the GPU's name, or the processor with its cores."""
    context, quartet = document["context"], document["context"]["quartet"]
    description = str(quartet.get("device_description", "")).split(";")[0].strip()
    if quartet.get("device") == "cuda":
        gpus = quartet.get("gpus") or [{}]
        return str(gpus[0].get("name") or description or "unnamed GPU")
    return f"{description or 'unnamed processor'}, {context.get('num_cpus', '?')} CPUs a node"


def read(path: str, document: dict) -> tuple[list[Measurement], list[Failure]]:
    """The cases of a document and its failures. Raises ValueError, with the reason, where a row is
    not as the schema has it."""
    try:
        return _measurements(path, document), _failures(path, document)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"{path}: a row is not as the schema has it "
                         f"({type(error).__name__}: {error})") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _failures(path: str, document: dict) -> list[Failure]:
    return [Failure(path, row["name"][: -len("/error")], row["error_message"])
            for row in document["benchmarks"] if row.get("error_occurred")]


def _measurements(path: str, document: dict) -> list[Measurement]:
    aggregates: dict[str, dict[str, dict]] = {}
    for row in document["benchmarks"]:
        if row.get("run_type") == "aggregate" and not row.get("error_occurred"):
            aggregates.setdefault(row["run_name"], {})[row["aggregate_name"]] = row
    # What is timed by the paper's own clock is no case of its own: its number goes with the case.
    return [_measurement(path, document, run_name, rows,
                         aggregates.get(run_name + "/paper", {}).get("median", {}))
            for run_name, rows in aggregates.items()
            if "median" in rows and not run_name.endswith("/paper")]


def _measurement(path, document, run_name, rows, paper) -> Measurement:
    median, quartet = rows["median"], document["context"]["quartet"]
    unit = next(unit for unit in RATE_UNITS if unit in median)
    bounds = sorted(number(rows[key], unit) for key in ("ci95_low", "ci95_high") if key in rows)
    limit = median.get("limit")
    return Measurement(
        path=path, run_name=run_name, name=Name.parse(run_name), machine=machine(document),
        nodes=int(number(quartet, "nodes", 1)), commit=str(quartet.get("commit", "")), unit=unit,
        rate=_positive(median, unit),
        interval=(bounds[0], bounds[1]) if len(bounds) == 2 else None,
        runs=int(number(median, "iterations", 1)),
        seconds=_positive(median, "real_time") * SECONDS[median["time_unit"]],
        total_seconds=number(median, "total_seconds", None),
        workers=int(_positive(median, "workers")),
        limit=Limit(str(limit["what"]), _positive(limit, "rate")) if limit else None,
        fraction=number(median, "fraction_of_limit", None), verified=median.get("verified"),
        error=number(median, "error", None), tolerance=number(median, "tolerance", None),
        phases={str(phase): number(median["phases"], phase) for phase in median.get("phases", {})},
        published=_published(paper.get("published", median.get("published"))),
        note=str(median.get("note", "")))


def _positive(row: dict, key: str) -> float:
    value = number(row, key)
    if value <= 0:
        raise ValueError(f"{key} is not positive: {value:g}")
    return value


def _published(item: Optional[dict]) -> Optional[Published]:
    if not item:
        return None
    return Published(_positive(item, "value"), str(item["unit"]), str(item["bound"]),
                     str(item["conditions"]), str(item["source"]), str(item.get("caveat", "")),
                     _positive(item, "ratio"))


@dataclass(frozen=True)
class Result:
    """One case on one kind of machine, over all its launches."""

    launches: tuple[Measurement, ...]

    @property
    def first(self) -> Measurement:
        return self.launches[0]

    @property
    def name(self) -> Name:
        return self.first.name

    @property
    def rate(self) -> float:
        """The median of the launches' medians."""
        return statistics.median(launch.rate for launch in self.launches)

    @property
    def interval(self) -> Optional[tuple[float, float]]:
        """Of one launch the 95% interval of its median; of several their range."""
        if len(self.launches) == 1:
            return self.first.interval
        rates = [launch.rate for launch in self.launches]
        return min(rates), max(rates)

    @property
    def limit(self) -> Optional[Limit]:
        limits = [launch.limit for launch in self.launches if launch.limit]
        if not limits:
            return None
        return Limit(limits[0].what, statistics.median(limit.rate for limit in limits))

    @property
    def fraction(self) -> Optional[float]:
        known = [launch.fraction for launch in self.launches if launch.fraction is not None]
        return statistics.median(known) if known else None

    @property
    def is_suspicious(self) -> bool:
        return (self.fraction or 0) > SUSPICIOUS_FRACTION

    @property
    def verified(self) -> Optional[bool]:
        """Of all launches; None where one was not checked."""
        checks = {launch.verified for launch in self.launches}
        return False if False in checks else None if None in checks else True

    @property
    def seconds(self) -> float:
        return statistics.median(launch.seconds for launch in self.launches)

    @property
    def total_seconds(self) -> Optional[float]:
        known = [launch.total_seconds for launch in self.launches if launch.total_seconds]
        return statistics.median(known) if known else None

    @property
    def published(self) -> Optional[Published]:
        return next((launch.published for launch in self.launches if launch.published), None)


def joined(measurements: list[Measurement]) -> list[Result]:
    """Launches of the same case on the same kind and number of nodes, in order of appearance."""
    groups: dict[tuple, list[Measurement]] = {}
    for item in measurements:
        groups.setdefault((item.run_name, item.machine, item.nodes), []).append(item)
    return [Result(tuple(group)) for group in groups.values()]
