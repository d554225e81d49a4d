"""The machine that this process runs on: its cores and memory."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Optional

MOST_RANKS = 10**6  # of a job


@dataclass(frozen=True)
class Machine:
    cores: int
    memory: int  # bytes that may be used

    @staticmethod
    def here() -> "Machine":
        return Machine(_cores(), _memory() // 2)


def _cores() -> int:
    """Physical cores that this process may use, within its container's quota."""
    allowed = os.sched_getaffinity(0)
    siblings = set()
    for cpu in allowed:
        file = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        siblings.add(file.read_text(encoding="ascii") if file.exists() else str(cpu))
    quota = processor_quota()
    return len(siblings) if quota is None else max(1, min(len(siblings), int(quota)))


def processor_quota(root: Path = Path("/")) -> Optional[float]:
    """The number of processors whose time the control groups of this process allow; None if there is no limit. `root`
    is the folder with proc/ and sys/."""
    quotas = []
    for folder, files in _group_folders(root):
        try:
            text = " ".join((folder / file).read_text(encoding="ascii") for file in files)
            quota, period = map(int, text.split())
        except (OSError, ValueError):  # no such files, or "max"
            continue
        if quota > 0 and period > 0:
            quotas.append(quota / period)
    return min(quotas, default=None)


def _group_folders(root: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The folders of this process's control group for processors and of all above it, each with the files that hold the
    limit: one file in version 2, two in version 1."""
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    mount = root / "sys/fs/cgroup"
    for number, controllers, path in (line.split(":", 2) for line in lines if line.count(":") > 1):
        names = [name for name in Path(path).parts if name not in ("/", "..")]
        groups = [Path(*names[:depth]) for depth in range(len(names) + 1)]
        if (number, controllers) == ("0", ""):
            yield from ((mount / group, ("cpu.max",)) for group in groups)
        elif "cpu" in controllers.split(","):
            yield from ((mount / "cpu" / group, ("cpu.cfs_quota_us", "cpu.cfs_period_us")) for group in groups)


def _memory() -> int:
    """Bytes available here, within the container's limit."""
    text = Path("/proc/meminfo").read_text(encoding="ascii")
    [kibibytes] = re.findall(r"^MemAvailable:\s+(\d+) kB$", text, re.MULTILINE)
    available = int(kibibytes) * 1024
    try:
        return min(available, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    except (OSError, ValueError):
        return available
