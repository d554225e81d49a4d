"""The plan and the records of the processes of a launch, and the result document that is made from them, in the suite's
schema. Machine, problem, work and the row's name come from the document of our data flow that it is compared with; only
formulation and transport differ."""

import json
import math
import os
import statistics
import sys
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Optional

from quartet.results import TENSORFLOW, Row, rows_of
from quartet.units import MIB

TRANSPORT = "grpc"
REDUCER, WORKER = "reducer", "worker"


@dataclass(frozen=True)
class Plan:
    """The plan of one launch. The first ranks are reducers, the others workers, as in our data flow."""

    kernel: str
    companion: str  # the document of our data flow
    document: str  # to be written
    data: str  # folder of the .npy files
    reducers: list[str]  # their addresses
    workers: list[str]
    threads: int  # of a process, that compute
    cpus: list[int]  # shared by all processes; empty: any
    warmup: int
    runs: int
    queue: int  # items that a queue holds
    options: dict[str, int]  # the kernel's own, by the names of its factors

    @property
    def tasks(self) -> list[tuple[str, int]]:
        """Job and index of each process, by rank."""
        return [*((REDUCER, index) for index in range(len(self.reducers))),
                *((WORKER, index) for index in range(len(self.workers)))]

    def record(self, rank: int) -> Path:
        """The file for the record of a process."""
        return Path(f"{self.document}.rank{rank}")


@dataclass(frozen=True)
class Record:
    """The measurements of a process: for each run its seconds, by its own clock, and its processor time."""

    version: str  # TensorFlow's
    setup: float  # seconds until the first run
    seconds: list[float]
    cpu: list[float]
    paper: list[float]  # seconds by the paper's own clock; empty if another process has it, or none
    check: Optional[tuple[float, float]]  # the worst difference to NumPy's result, and how large it may be

    @property
    def passed(self) -> bool:
        return self.check is None or self.check[0] <= self.check[1]  # which is false of a NaN


def write(file: Path, what: Any) -> None:
    file.write_text(json.dumps(asdict(what)), encoding="utf-8")


def document(ours: dict[str, Any], plan: Plan, records: list[Record]) -> dict[str, Any]:
    """The document of a launch, from the records of its processes in the order of ranks."""
    quartet = ours["context"]["quartet"]
    maker = f"TensorFlow {records[0].version}"
    made = {**quartet, "build": {**quartet["build"], "compiler": f"{maker} from PyPI", "flags": "its makers'"},
            "device_description": f"{quartet['device_description'].split(';')[0]}; {maker}",
            "mpi": "none: TensorFlow's gRPC over loopback", "limits": [], "warnings": []}
    for key in ("mpi_settings", "method"):
        made.pop(key, None)
    context = {**ours["context"], "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
               "executable": sys.executable, "load_avg": list(os.getloadavg()), "quartet": made}
    return {"context": context, "benchmarks": _entries(rows_of(ours)[0], plan, records)}


def run_name(text: str) -> str:
    """The name of TensorFlow's row, from that of our data flow's row."""
    kernel, _formulation, device, _transport, *rest = text.split("/")
    return "/".join((kernel, TENSORFLOW, device, TRANSPORT, *rest))


def _entries(ours: Row, plan: Plan, records: list[Record]) -> list[dict[str, Any]]:
    """The entries of the runs and of their median; then the same by the paper's clock."""
    by_run = list(zip(*(record.seconds for record in records)))
    longest = [max(times) for times in by_run]
    middle = min(range(len(longest)), key=lambda run: abs(longest[run] - statistics.median(longest)))
    checks = [record.check for record in records if record.check and math.isfinite(record.check[0])]
    worst = max(checks, key=lambda check: check[0] - check[1], default=None)
    workers = ours.median["workers"]
    details = {"rank_seconds": list(by_run[middle]), "phases": {}, "workers": workers,
               "flops": ours.median["flops"], "bytes": ours.median["bytes"],
               "verified": all(record.passed for record in records),
               **({"error": worst[0], "tolerance": worst[1]} if worst else {}),
               "total_seconds": max(record.setup for record in records) + statistics.median(longest),
               "per_worker": ours.rate * ours.seconds / statistics.median(longest) / workers,
               "note": f"TensorFlow {records[0].version}, the paper's data flow over gRPC"}
    cpu = [max(times) for times in zip(*(record.cpu for record in records))]
    paper = next((record.paper for record in records if record.paper), [])
    name = run_name(ours.text)
    return [*_timed(name, ours, plan, longest, cpu, details),
            *(_timed(f"{name}/paper", ours, plan, paper, cpu, {}) if paper else [])]


def _timed(name: str, ours: Row, plan: Plan, seconds: list[float], cpu: list[float],
           details: dict[str, Any]) -> list[dict[str, Any]]:
    common = {"run_name": name, "factors": {**ours.median["factors"], "formulation": TENSORFLOW,
                                            "transport": TRANSPORT},
              "repetitions": len(seconds), "threads": plan.threads, "time_unit": "ms"}

    def rates(time: float) -> dict[str, float]:
        rate = ours.rate * ours.seconds / time
        return {ours.unit: rate, **({"bytes_per_second": rate * MIB} if ours.unit == "MiB/s" else {})}

    runs = [{"name": name, **common, "run_type": "iteration", "repetition_index": number, "iterations": 1,
             "real_time": 1e3 * each, "round": number, "cpu_time": 1e3 * cpu[number], **rates(each)}
            for number, each in enumerate(seconds)]
    median = statistics.median(seconds)
    return [*runs, {"name": f"{name}_median", **common, "run_type": "aggregate", "aggregate_name": "median",
                    "aggregate_unit": "time", "iterations": len(seconds), "real_time": 1e3 * median,
                    "cpu_time": 1e3 * statistics.median(cpu), **rates(median), **details}]
