"""Reads the suite's result documents: Google Benchmark's schema with the keys that Quartet adds.

This is the only reader. collect() finds documents, cases() gives what was measured in one. Scripts
that show figures take checked_cases(), which refuses rows that are not as the schema has them."""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from quartet.units import SECONDS

RATE_UNITS = ("MiB/s", "GFLOP/s")
ROW_TYPES = ("iteration", "aggregate")
SCHEMA_VERSION = 1  # the newest that is understood here
HARMLESS_FLAGS = {"above_limit", "overhead"}  # the first has a mark of its own
SUSPICIOUS_FRACTION = 1.05  # of the limit: above it, limit and rate disagree


@dataclass(frozen=True)
class Name:
    """What a row's name says: "stream/native/host/shm/size:2MiB/pushes:100/ranks:2/threads:1"."""

    kernel: str
    formulation: str = ""
    device: str = ""
    transport: str = ""
    words: tuple[str, ...] = ()  # factors without a key, as "laplace"
    values: dict[str, str] = field(default_factory=dict)  # factors with one, in the name's order

    @staticmethod
    def parse(text: str) -> "Name":
        parts = text.split("/")
        plain = [part for part in parts if ":" not in part]
        values = dict(part.split(":", 1) for part in parts if ":" in part)
        leading = (plain + [""] * 4)[:4]
        return Name(*leading, words=tuple(plain[4:]), values=values)

    @property
    def size(self) -> str:
        return self.values.get("size", self.values.get("n", ""))


@dataclass(frozen=True)
class Case:
    """One way to run a kernel, and how it went: a rate, or an error."""

    name: Name
    text: str = ""  # its name as written
    error: str = ""
    unit: str = ""
    rate: float = 0  # median
    interval: Optional[tuple[float, float]] = None  # 95% of the median, as rates
    limit: Optional[dict] = None
    fraction_of_limit: Optional[float] = None
    verified: Optional[bool] = None
    workers: int = 0  # computing devices
    note: str = ""  # what the transport says of itself
    published: Optional[dict] = None
    median: dict = field(default_factory=dict)  # the row, as written
    rates: tuple[float, ...] = ()  # of each run

    @property
    def seconds(self) -> float:
        """Of the median run."""
        return self.median["real_time"] * SECONDS[self.median["time_unit"]]

    @property
    def total_seconds(self) -> Optional[float]:
        """With input and output."""
        return self.median.get("total_seconds")

    @property
    def runs(self) -> int:
        return self.median.get("iterations", 1)

    @property
    def phases(self) -> dict[str, float]:
        """Busy seconds of the slowest rank by phase; they overlap."""
        return self.median.get("phases", {})

    @property
    def huge_pages(self) -> bool:
        """Whether the row says that its windows are mapped by huge pages."""
        return self.median.get("huge_pages") is True

    @property
    def is_suspicious(self) -> bool:
        """Whether limit and rate disagree by more than chance, as its program says; of an older
        document, whether its fraction of the limit is implausible."""
        if self.median.get("distrusted") is not None:
            return "above_limit" in self.flags
        return (self.fraction_of_limit or 0) > SUSPICIOUS_FRACTION

    @property
    def flags(self) -> dict[str, str]:
        """What is odd about the row: by kind, in plain words. Of an older document its drift."""
        found = {str(flag.get("kind")): str(flag.get("text", ""))
                 for flag in self.median.get("flags") or []}
        if "distrusted" not in self.median and "drift" in self.median:
            found.setdefault("drift", f"drifted by {self.median['drift']:+.0%}")
        return found

    @property
    def is_distrusted(self) -> bool:
        """Whether a flag stayed that is about more than the limit: never quote it without `?`."""
        kinds = set(self.flags)
        is_harmless = bool(kinds) and kinds <= HARMLESS_FLAGS
        return self.median.get("distrusted", "drift" in kinds) is True and not is_harmless

    @property
    def mark(self) -> str:
        """That stands behind its rate everywhere."""
        return "?" if self.is_distrusted else "!" if self.is_suspicious else ""

    @property
    def fraction_interval(self) -> Optional[tuple[float, float]]:
        """95% of the fraction of the limit."""
        bounds = self.median.get("fraction_of_limit_ci95")
        return (bounds[0], bounds[1]) if bounds else None


def are_suspicious(launches) -> bool:
    """Whether a case was above its limit in most of its launches."""
    return 2 * sum(case.is_suspicious for case in launches) > len(launches)


def load(path) -> dict:
    """The document at `path`. Raises ValueError, with the path and the reason, where it is none of
    ours, or newer than what is understood here."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not a whole JSON document ({error})") from None
    problem = _problem(document)
    if problem:
        raise ValueError(f"{path}: {problem}")
    return document


def _problem(document) -> str:
    """Why this is no results document; empty where it is one."""
    if not isinstance(document, dict) or not {"context", "benchmarks"} <= document.keys():
        return "not a results document (no context and benchmarks)"
    context, rows = document["context"], document["benchmarks"]
    quartet = context.get("quartet") if isinstance(context, dict) else None
    version = quartet.get("schema_version") if isinstance(quartet, dict) else None
    if not isinstance(version, int):
        return "not a results document of Quartet's (no schema version of its own)"
    if version > SCHEMA_VERSION:
        return f"schema version {version} (these scripts know {SCHEMA_VERSION}): use newer scripts"
    if not isinstance(rows, list) or not all(map(_is_row, rows)):
        return "not a results document (a row lacks what every row has)"
    return ""


def _is_row(row) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("name"), str):
        return False
    if row.get("error_occurred"):
        return row["name"].endswith("/error") and isinstance(row.get("error_message"), str)
    named = isinstance(row.get("run_name"), str) and row.get("run_type") in ROW_TYPES
    if named and row["run_type"] == "aggregate":
        named = isinstance(row.get("aggregate_name"), str)
    is_spread = row.get("aggregate_name") in ("stddev", "cv")  # these have no rate
    return named and (is_spread or any(isinstance(row.get(unit), (int, float))
                                       for unit in RATE_UNITS))


@dataclass(frozen=True)
class Collection:
    """What was found at some paths: documents that can be used, and why the others cannot."""

    documents: list[tuple[Path, dict]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def collect(paths) -> Collection:
    """The documents at these paths: files, and all that end in .json in folders and below."""
    found = Collection()
    seen: set[Path] = set()
    for path in map(Path, paths):
        for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
            if file.resolve() in seen:
                continue  # named twice
            seen.add(file.resolve())
            try:
                found.documents.append((file, load(file)))
            except (OSError, ValueError) as error:
                found.skipped.append(str(error))
    return found


def nodes(document: dict) -> int:
    return int(document["context"]["quartet"].get("nodes", 1))


def commit(document: dict) -> str:
    """Of the programs' sources; empty where it is not recorded."""
    return str(document["context"]["quartet"].get("commit", ""))


def device(document: dict) -> str:
    """What computed: the GPU's model, or the processor's with how many CPUs the node has."""
    context = document["context"]
    quartet = context["quartet"]
    models = sorted({gpu.get("name", "GPU") for gpu in quartet.get("gpus", [])})
    if quartet.get("device") == "cuda" and models:
        return ", ".join(models)
    processor = quartet.get("device_description", "unknown processor").split(";")[0]
    return f"{processor}, {context.get('num_cpus', '?')} CPUs"


def warnings(document: dict) -> list[str]:
    return document["context"].get("quartet", {}).get("warnings", [])


def cases(document: dict) -> list[Case]:
    """Every case, in the document's order. What is timed by the paper's own clock (".../paper")
    is no case of its own: its published number goes with the case that it belongs to."""
    aggregates: dict[str, dict[str, dict]] = {}
    runs: dict[str, list[dict]] = {}
    result = []
    for row in document["benchmarks"]:
        if row.get("error_occurred"):
            name = Name.parse(row["name"][: -len("/error")])
            result.append(Case(name, row["name"][: -len("/error")], row["error_message"]))
        elif row["run_type"] == "aggregate":
            aggregates.setdefault(row["run_name"], {})[row["aggregate_name"]] = row
        else:
            runs.setdefault(row["run_name"], []).append(row)
    for run_name, rows in aggregates.items():
        if "median" in rows and not run_name.endswith("/paper"):
            paper = aggregates.get(run_name + "/paper", {}).get("median", {})
            result.append(_measured(run_name, rows, paper, runs.get(run_name, [])))
    return result


def _measured(run_name: str, rows: dict[str, dict], paper: dict, runs: list[dict]) -> Case:
    median = rows["median"]
    unit = next(unit for unit in RATE_UNITS if unit in median)
    bounds = sorted(rows[key][unit] for key in ("ci95_low", "ci95_high") if key in rows)
    return Case(
        name=Name.parse(run_name),
        text=run_name,
        unit=unit,
        rate=median[unit],
        interval=(bounds[0], bounds[1]) if len(bounds) == 2 else None,
        limit=median.get("limit"),
        fraction_of_limit=median.get("fraction_of_limit"),
        verified=median.get("verified"),
        workers=median.get("workers", 0),
        note=median.get("note", ""),
        published=paper.get("published", median.get("published")),
        median=median,
        rates=tuple(row[unit] for row in runs),
    )


def checked_cases(path: object, document: dict) -> list[Case]:
    """cases(), once all figures are known to be numbers. Raises ValueError, with the path and the
    reason, where a row is not as the schema has it."""
    try:
        found = cases(document)
        for case in found:
            if not case.error:
                _check_figures(case)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"{path}: a row is not as the schema has it "
                         f"({type(error).__name__}: {error})") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return found


def _check_figures(case: Case) -> None:
    """Raises ValueError, or what indexing and calling raise, where one is none."""
    for row, keys in ((case.median, (case.unit, "real_time", "workers")),
                      (case.limit or {}, ("rate",) if case.limit else ()),
                      (case.published or {}, ("value", "ratio") if case.published else ())):
        for key in keys:
            if _number(row, key) <= 0:
                raise ValueError(f"{key} is not positive: {row[key]:g}")
    for bound in (*(case.interval or ()), *(case.fraction_interval or ())):
        _number({"ci95": bound}, "ci95")
    for key in ("iterations", "total_seconds", "fraction_of_limit", "error", "tolerance"):
        if case.median.get(key) is not None:
            _number(case.median, key)
    for phase in case.phases:
        _number(case.phases, phase)
    dict(case.flags)  # raises where one is no flag
    SECONDS[case.median["time_unit"]]


def _number(row: dict, key: str) -> float:
    value = row[key]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{key} is not a number: {value!r:.40}")
    return value
