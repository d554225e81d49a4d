"""What the operating system tells of a machine: its settings, and what happens while nothing of ours
runs. `root` is where proc/ and sys/ are, for tests."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Optional

from quartet.check_machine.finding import Finding, Level, graded
from quartet.machine import processor_quota
from quartet.text import counted
from quartet.units import GIB

# Of processors: what others may take while nothing of ours runs.
LOOK_LOAD, BAD_LOAD = 0.1, 0.5
LOOK_STEAL, BAD_STEAL = 0.01, 0.05  # share of the time
LEAST_MEMORY = 0.2  # of it all, that should be free


@dataclass(frozen=True)
class Sample:
    """Ticks since the start, of the processors that may be used and of the whole machine."""

    seconds: float
    busy: float
    stolen: float
    total: float
    swapped: int  # pages
    running: int  # threads that run or want to


def text_of(file: Path) -> str:
    """Empty if it cannot be read."""
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def sample(root: Path, cpus: set[int]) -> Sample:
    busy = stolen = total = 0.0
    running = 0
    for line in text_of(root / "proc/stat").splitlines():
        words = line.split()
        if words[0] == "procs_running":
            running = int(words[1])
        if words[0].startswith("cpu") and words[0][3:].isdigit() and int(words[0][3:]) in cpus:
            ticks = [float(word) for word in words[1:9]]
            total += sum(ticks)
            busy += sum(ticks[:3]) + sum(ticks[5:7])
            stolen += ticks[7] if len(ticks) > 7 else 0
    pages = dict(line.split()[:2] for line in text_of(root / "proc/vmstat").splitlines() if line)
    swapped = int(pages.get("pswpin", 0)) + int(pages.get("pswpout", 0))
    return Sample(time.monotonic(), busy, stolen, total, swapped, running)


def quiet_time(seconds: float, root: Path = Path("/"), cpus: Optional[set[int]] = None,
               sleep: Callable[[float], None] = time.sleep) -> list[Finding]:
    """Sleeps for so long, and returns what others did meanwhile."""
    own = os.sched_getaffinity(0) if cpus is None else cpus
    before = sample(root, own)
    queue = []
    for _ in range(10):
        sleep(seconds / 10)
        queue.append(sample(root, own))
    after = queue[-1]
    total = after.total - before.total
    if total <= 0:
        return [Finding("load of others", Level.LOOK, "not told by /proc/stat")]
    load = (after.busy - before.busy) / total * len(own)
    waiting = sum(each.running for each in queue) / len(queue) - 1  # this process asks
    stolen = (after.stolen - before.stolen) / total
    return [
        Finding("load of others", graded(load, LOOK_LOAD, BAD_LOAD),
                f"{load:.2f} of {counted(len(own), 'processor')} busy",
                "end what runs (top shows it), or wait"),
        Finding("run queue", graded(waiting - len(own), 0.01, len(own)),
                f"{max(waiting, 0):.1f} threads ran or waited for {counted(len(own), 'processor')}",
                "ranks would wait"),
        Finding("steal", graded(stolen, LOOK_STEAL, BAD_STEAL),
                f"the hypervisor withheld {stolen:.1%} of the time",
                "another guest is busy: wait, or use a dedicated host"),
        Finding("swap", Level.BAD if after.swapped > before.swapped else Level.OK,
                f"{after.swapped - before.swapped} pages moved", "free memory first")]


def settings(root: Path = Path("/"), cpus: Optional[set[int]] = None) -> list[Finding]:
    """Returns findings about the machine's settings."""
    own = os.sched_getaffinity(0) if cpus is None else cpus
    return [_governor(root, own), _quota(root, own), _affinity(root, own), _siblings(root, own),
            _huge_pages(root), _memory(root)]


def _governor(root: Path, cpus: set[int]) -> Finding:
    folder = root / "sys/devices/system/cpu"
    names = sorted({text_of(folder / f"cpu{cpu}/cpufreq/scaling_governor") for cpu in cpus} - {""})
    if not names:
        return Finding("governor", Level.OK, "not told, as on virtual machines")
    level = Level.OK if names == ["performance"] else Level.LOOK
    return Finding("governor", level, ", ".join(names), "clocks follow the load: "
                   "`cpupower frequency-set -g performance`, as root")


def _quota(root: Path, cpus: set[int]) -> Finding:
    quota = processor_quota(root)
    if quota is None or quota >= len(cpus):
        return Finding("quota", Level.OK, "none" if quota is None else f"{quota:g} processors")
    level = Level.LOOK if quota >= 1 and quota == int(quota) else Level.BAD
    return Finding("quota", level, f"{quota:g} of {counted(len(cpus), 'processor')}",
                   "the kernel stops a process that has used it up: use whole processors (cpuset), or run no "
                   "more ranks and threads than the quota")


def _cpu_list(text: str) -> Iterator[int]:
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _affinity(root: Path, cpus: set[int]) -> Finding:
    online = set(_cpu_list(text_of(root / "sys/devices/system/cpu/online"))) or cpus
    if cpus >= online:
        return Finding("binding", Level.OK, f"all {counted(len(online), 'processor')} may be used")
    return Finding("binding", Level.LOOK, f"{len(cpus)} of {counted(len(online), 'processor')} may "
                   "be used", "the ranks are not bound then; others on the rest share caches and "
                   "memory: `taskset -p $$` shows who decided")


def _siblings(root: Path, cpus: set[int]) -> Finding:
    folder = root / "sys/devices/system/cpu"
    cores = {text_of(folder / f"cpu{cpu}/topology/thread_siblings_list") or str(cpu) for cpu in cpus}
    if len(cores) == len(cpus):
        return Finding("hyperthreads", Level.OK, "one processor a core, as far as is told")
    return Finding("hyperthreads", Level.OK, f"{len(cpus)} processors on {counted(len(cores), 'core')}"
                   ": ranks take whole cores")


def _huge_pages(root: Path) -> Finding:
    text = text_of(root / "sys/kernel/mm/transparent_hugepage/enabled")
    chosen = text.partition("[")[2].partition("]")[0]
    if chosen in ("always", "madvise"):
        return Finding("huge pages", Level.OK, f"transparent ones: {chosen}")
    return Finding("huge pages", Level.LOOK, f"transparent ones: {chosen or 'not told'}",
                   "`echo madvise >/sys/kernel/mm/transparent_hugepage/enabled`, as root")


def _memory(root: Path) -> Finding:
    lines = (line.split() for line in text_of(root / "proc/meminfo").splitlines())
    sizes = {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines if len(words) > 1}
    total, free = sizes.get("MemTotal", 0), sizes.get("MemAvailable", 0)
    if not total:
        return Finding("memory", Level.LOOK, "not told by /proc/meminfo")
    return Finding("memory", Level.OK if free >= LEAST_MEMORY * total else Level.LOOK,
                   f"{free / GIB:.1f} of {total / GIB:.1f} GiB available", "end what holds it")
