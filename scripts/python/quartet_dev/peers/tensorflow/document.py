"""A result document of a TensorFlow program, in the suite's own schema, so that every tool reads it.

Machine, problem, work and the row's name come from the document of our data flow that it stands beside;
formulation and transport say whose the times are."""

import math
import os
import statistics
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from quartet.results import TENSORFLOW, Case, cases
from quartet.results import statistics as own_statistics
from quartet.units import MIB
from quartet_dev.peers.tensorflow.plan import Plan, Record

TRANSPORT = "grpc"
MILLISECONDS = 1e3


def document(companion: dict[str, Any], plan: Plan, records: list[Record], python: Path) -> dict[str, Any]:
    """The document of the runs that the processes have recorded, by rank."""
    case = cases(companion)[0]
    rows = _Rows(case, plan, records).all()
    return {"context": _context(companion["context"], plan, records[0].version, python), "benchmarks": rows}


def run_name(text: str) -> str:
    """Makes the name of TensorFlow's row of the name of our data flow's."""
    kernel, _formulation, device, _transport, *rest = text.split("/")
    return "/".join((kernel, TENSORFLOW, device, TRANSPORT, *rest))


def _context(ours: dict[str, Any], plan: Plan, version: str, python: Path) -> dict[str, Any]:
    quartet = ours["quartet"]
    processor = quartet["device_description"].split(";")[0]
    made = {
        **quartet,
        "build": {"compiler": f"TensorFlow {version} from PyPI", "flags": "its makers'",
                  "type": "Release", "cblas": "TensorFlow's own (Eigen, oneDNN)"},
        "options": {"warmup": str(plan.warmup), "runs": str(plan.runs),
                    **{key: str(value) for key, value in plan.options.items()}},
        "placement": [{"rank": rank, "role": job, "host": ours["host_name"], "node": 0,
                       "local_rank": rank, "cpus": ",".join(map(str, plan.cpus)),
                       "cores": len(plan.cpus)} for rank, (job, _) in enumerate(plan.tasks)],
        "reducers": len(plan.reducers),
        "device_description": f"{processor}; TensorFlow {version}",
        "mpi": "none: TensorFlow's gRPC over loopback",
        "environment": {"OMP_NUM_THREADS": str(plan.threads), "CUDA_VISIBLE_DEVICES": ""},
        "limits": [],
        "warnings": [],
        "method": {
            "groups": 1, "rounds": plan.runs, "stopped": False, "order": "one run after the other",
            "warmup_discarded": plan.warmup,
            "barrier": "all processes begin a run after a barrier of queues, each times it by its own "
                       "clock, and the slowest one's time stands",
            "timer": "Python's time.monotonic",
            "central_value": "median of the runs; no run is left out for its own time"}}
    made.pop("mpi_settings", None)
    return {**ours, "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "executable": str(python), "load_avg": list(os.getloadavg()), "quartet": made}


class _Rows:
    """The rows of one case: its runs, then what sums them up; likewise by the paper's clock."""

    def __init__(self, case: Case, plan: Plan, records: list[Record]):
        self._case, self._plan, self._records = case, plan, records
        self._work = case.rate * case.seconds  # in the rate's unit
        self._name = run_name(case.text)
        self._factors = {**case.median["factors"], "formulation": TENSORFLOW, "transport": TRANSPORT}
        self._cpu = [max(times) for times in zip(*(record.cpu for record in records))]
        self._by_rank = list(zip(*(record.seconds for record in records)))

    def all(self) -> list[dict[str, Any]]:
        paper = next((record.paper for record in self._records if record.paper), [])
        return [*self._timed(self._name, [max(times) for times in self._by_rank], self._details()),
                *(self._timed(self._name + "/paper", paper, {}) if paper else [])]

    def _timed(self, name: str, seconds: list[float], details: dict[str, Any]) -> list[dict[str, Any]]:
        common = {"run_name": name, "factors": self._factors, "repetitions": len(seconds),
                  "threads": self._plan.threads, "time_unit": "ms"}
        runs = [{"name": name, **common, "run_type": "iteration", "repetition_index": number,
                 "iterations": 1, "real_time": MILLISECONDS * each, "round": number,
                 "cpu_time": MILLISECONDS * self._cpu[number], **self._rate(each)}
                for number, each in enumerate(seconds)]
        return runs + [self._aggregate(kind, value, name, common, details)
                       for kind, value in _summary(seconds).items()]

    def _aggregate(self, kind: str, value: float, name: str, common: dict[str, Any],
                   details: dict[str, Any]) -> dict[str, Any]:
        is_spread = kind in ("stddev", "cv")
        made = {"name": f"{name}_{kind}", **common, "run_type": "aggregate", "aggregate_name": kind,
                "aggregate_unit": "percentage" if kind == "cv" else "time",
                "iterations": common["repetitions"],
                "real_time": value if kind == "cv" else MILLISECONDS * value,
                "cpu_time": MILLISECONDS * statistics.median(self._cpu),
                **({} if is_spread else self._rate(value))}
        if kind != "median" or not details:
            return made
        return {**made, **details, "per_worker": self._work / value / details["workers"]}

    def _rate(self, seconds: float) -> dict[str, float]:
        rate = self._work / seconds
        more = {"bytes_per_second": rate * MIB} if self._case.unit == "MiB/s" else {}
        return {self._case.unit: rate, **more}

    def _details(self) -> dict[str, Any]:
        ours = self._case.median
        longest = [max(times) for times in self._by_rank]
        middle = min(range(len(longest)), key=lambda run: abs(longest[run] - statistics.median(longest)))
        checks = [check for record in self._records for check in record.check]
        finite = [check for check in checks if math.isfinite(check.error)]
        worst = max(finite, key=lambda check: check.error - check.tolerance, default=None)
        setup = max(record.setup for record in self._records)
        return {"rank_seconds": list(self._by_rank[middle]), "phases": {}, "flops": ours["flops"],
                "bytes": ours["bytes"], "workers": ours["workers"],
                "verified": all(check.passed for check in checks),
                **({"error": worst.error, "tolerance": worst.tolerance} if worst else {}),
                "total_seconds": setup + statistics.median(longest),
                "note": f"TensorFlow {self._records[0].version}, the paper's data flow over gRPC"}


def _summary(seconds: list[float]) -> dict[str, float]:
    """By the names of aggregates."""
    many = len(seconds) > 1
    deviation = statistics.stdev(seconds) if many else 0.0
    interval = own_statistics.median_interval(seconds)
    return {"median": statistics.median(seconds), "mean": statistics.mean(seconds),
            "stddev": deviation, "cv": own_statistics.variation(seconds) if many else 0.0,
            "min": min(seconds), "max": max(seconds),
            **({"ci95_low": interval[0], "ci95_high": interval[1]} if interval else {})}
