"""Counters of the GPU that show whether a promise is kept by accident, or why it is missed.

Nsight Compute (ncu) reads them, where it is there and permitted. The names are those of GPUs from Volta
on (ncu --query-metrics). Of each kernel the longest launch counts."""

import csv
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from quartet.exit_codes import UNAVAILABLE
from quartet.text import slug
from quartet_dev.gpu.kernels import ON_GPU
from quartet_dev.gpu.steps import NOT_HERE, WRONG, Place, Record, Step, not_here
from quartet_dev.limits.goals import Bound

NO_NCU = "ncu is not on PATH (it comes with Nsight Compute): no counters"
FORBIDDEN = "ERR_NVGPUCTRPERM"  # how ncu says that only administrators may read counters
TIME = "gpu__time_duration.sum"
MEMORY = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
SECTORS = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"
WAITING = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
TENSORS = "sm__inst_executed_pipe_tensor.sum"


@dataclass(frozen=True)
class Counter:
    metric: str
    bound: Bound
    meaning: str


_FULL = Counter(MEMORY, Bound(85), "percent of the memory's rate")
_WHOLE = Counter(SECTORS, Bound(15), "sectors of a load, 16 where all lanes read 16 bytes")
_WAITS = Counter(WAITING, Bound(), "warps that wait for memory, of each that issues")
# By a part of the kernel's name.
TABLE: dict[str, tuple[Counter, ...]] = {
    "multiply_pieces": (_FULL, _WHOLE, _WAITS),
    "multiply_tiles": (Counter(MEMORY, Bound(80), _FULL.meaning), _WAITS),
    "update_packs": (_FULL, _WHOLE),
    "multiply_by_twiddles": (_FULL, _WAITS),
    "unpack": (Counter(SECTORS, Bound(15), "sectors of a load: whole lines of a peer's memory"),),
    "transpose": (Counter(CONFLICTS, Bound(most=0), "bank conflicts"),),
    "gemm": (Counter(TENSORS, Bound(most=0), "instructions of tensor cores: not single precision"),),
}
# Neither the card's clocks are changed nor its caches emptied, as ncu would by itself.
AS_IT_RUNS = ("--clock-control", "none", "--cache-control", "none")
MOST_LAUNCHES = 40  # of the kernels above, that a profile looks at


@dataclass(frozen=True)
class Reading:
    """A counter of a kernel's longest launch."""

    kernel: str
    counter: Counter
    value: float

    @property
    def verdict(self) -> str:
        if not self.counter.bound.is_set:
            return ""
        return "met" if self.counter.bound.holds(self.value) else "missed"


def counter_steps(place: Place) -> list[Step]:
    ncu = shutil.which("ncu")
    if not ncu:
        return [not_here("counters", "counters of kernels", NO_NCU)]
    metrics = sorted({TIME, *(counter.metric for counters in TABLE.values() for counter in counters)})
    steps = []
    for name, kernel in ON_GPU.items():
        for number, profile in enumerate(kernel.profiles):
            title = f"{name}, profile {number + 1}"
            file = place.logs / f"counters-{slug(title)}.%p.csv"
            for old in place.logs.glob(file.name.replace("%p", "*")):
                old.unlink()
            command = place.launch(
                profile.ranks, ncu, *AS_IT_RUNS, "--target-processes", "all", "--csv", "--log-file", file,
                "--kernel-name-base", "demangled", "--kernel-name",
                f"regex:.*({'|'.join(TABLE)}).*", "--launch-count", MOST_LAUNCHES,
                "--metrics", ",".join(metrics), place.program(name), "--device", "cuda",
                *(profile.small if place.small else profile.arguments), "--runs", "1", "--warmup",
                "0", "--limits", "off", "--verify", "off", "--quiet")
            steps.append(Step("counters", title, command, 15, environment=place.cores_for(profile.ranks)))
    return steps


def excused(record: Record, logs: Path) -> Record:
    """A step that failed where counters may not be read is not here."""
    reason = refusal(logs) if record.state == WRONG else ""
    return replace(record, state=NOT_HERE, code=UNAVAILABLE, reason=reason) if reason else record


def refusal(logs: Path) -> str:
    """The reason why ncu may not read counters here; empty if it may."""
    for file in [*logs.glob("counters-*.csv"), *logs.glob("counters-*.log")]:
        if FORBIDDEN in file.read_text(encoding="utf-8", errors="replace"):
            return (f"ncu may not read counters here ({FORBIDDEN}): an administrator can permit it "
                    "(NVreg_RestrictProfilingToAdminUsers=0)")
    return ""


def readings(logs: Path) -> list[Reading]:
    """Reads what ncu has left in a folder, in the order of the table."""
    launches = [launch for file in sorted(logs.glob("counters-*.csv")) for launch in _launches(file)]
    found = []
    for kernel, counters in TABLE.items():
        own = [values for name, values in launches if kernel in name]
        longest = max(own, key=lambda values: values.get(TIME, 0.0), default=None)
        if longest:
            found += [Reading(kernel, counter, longest[counter.metric]) for counter in counters
                      if counter.metric in longest]
    return found


def _launches(file: Path) -> list[tuple[str, dict[str, float]]]:
    """Kernels' names and counters, a launch each."""
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    table = [line for line in lines if line.startswith('"')]
    launches: dict[tuple[str, str], tuple[str, dict[str, float]]] = {}
    for row in csv.DictReader(table):
        name, metric = row.get("Kernel Name"), row.get("Metric Name")
        value = _number(row.get("Metric Value"))
        if name and metric and value is not None:
            key = (row.get("Process ID") or "", row.get("ID") or "")
            launches.setdefault(key, (re.sub(r"\(.*", "", name), {}))[1][metric] = value
    return list(launches.values())


def _number(text: Optional[str]) -> Optional[float]:
    """ncu groups digits by commas."""
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return None
