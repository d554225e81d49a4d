"""Reads the suite's result documents: Google Benchmark's schema with the keys that Quartet adds."""

import json
from dataclasses import dataclass, field
from typing import Optional

RATE_UNITS = ("MiB/s", "GFLOP/s")


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
    error: str = ""
    unit: str = ""
    rate: float = 0  # median
    interval: Optional[tuple[float, float]] = None  # 95% of the median, as rates
    limit: Optional[dict] = None
    fraction_of_limit: Optional[float] = None
    verified: Optional[bool] = None
    note: str = ""  # what the transport says of itself
    published: Optional[dict] = None


def load(path) -> dict:
    """The document at `path`. Raises ValueError where it is none of ours."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if not isinstance(document, dict) or not {"context", "benchmarks"} <= document.keys():
        raise ValueError(f"{path}: not a results document (no context and benchmarks)")
    return document


def warnings(document: dict) -> list[str]:
    return document["context"].get("quartet", {}).get("warnings", [])


def cases(document: dict) -> list[Case]:
    """Every case, in the document's order. What is timed by the paper's own clock (".../paper")
    is no case of its own: its published number goes with the case that it belongs to."""
    aggregates: dict[str, dict[str, dict]] = {}
    result = []
    for row in document["benchmarks"]:
        if row.get("error_occurred"):
            name = Name.parse(row["name"][: -len("/error")])
            result.append(Case(name, error=row["error_message"]))
        elif row["run_type"] == "aggregate":
            aggregates.setdefault(row["run_name"], {})[row["aggregate_name"]] = row
    for run_name, rows in aggregates.items():
        if "median" in rows and not run_name.endswith("/paper"):
            paper = aggregates.get(run_name + "/paper", {}).get("median", {})
            result.append(_measured(run_name, rows, paper))
    return result


def _measured(run_name: str, rows: dict[str, dict], paper: dict) -> Case:
    median = rows["median"]
    unit = next(unit for unit in RATE_UNITS if unit in median)
    bounds = sorted(rows[key][unit] for key in ("ci95_low", "ci95_high") if key in rows)
    return Case(
        name=Name.parse(run_name),
        unit=unit,
        rate=median[unit],
        interval=(bounds[0], bounds[1]) if len(bounds) == 2 else None,
        limit=median.get("limit"),
        fraction_of_limit=median.get("fraction_of_limit"),
        verified=median.get("verified"),
        note=median.get("note", ""),
        published=paper.get("published", median.get("published")),
    )
