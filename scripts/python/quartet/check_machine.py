"""What disturbs measurements on this machine: the settings of the operating system, the load while nothing of ours
runs, and how steady the rates of memory and cores are in short launches. `root` is the folder with proc/ and sys/, for
tests."""

import os
import tempfile
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Callable, Optional

from quartet.exit_codes import STOPPED, UNAVAILABLE, VERIFIED
from quartet.launch import Files, LocalLauncher, Outcome, quiet_job
from quartet.machine import Machine, processor_quota
from quartet.results import Row, load, rows_of
from quartet.rounds import Budget, Launch, Rounds
from quartet.terminal import GREEN, RED, YELLOW, Style
from quartet.text import WIDTH, counted, rate
from quartet.units import GIB, MIB

BUDGET = 15.0  # seconds, of all launches
LOOK_MEMORY, BAD_MEMORY = 0.1, 0.3  # range of the probes / their median
LOOK_CORE, BAD_CORE = 0.05, 0.3
# Processors that other programs may use while nothing of ours runs.
LOOK_LOAD, BAD_LOAD = 0.1, 0.5
LOOK_STEAL, BAD_STEAL = 0.01, 0.05  # share of the time
LEAST_MEMORY = 0.2  # share of the memory that should be free


class Level(Enum):
    OK = "ok"
    LOOK = "look"  # figures may suffer
    BAD = "bad"  # figures will suffer

    @property
    def colour(self) -> str:
        return {Level.OK: GREEN, Level.LOOK: YELLOW, Level.BAD: RED}[self]


@dataclass(frozen=True)
class Finding:
    what: str
    level: Level
    text: str
    remedy: str = ""

    @property
    def sentence(self) -> str:
        """The finding in words, without its level."""
        return f"{self.what}: {self.text}" + (f" ({self.remedy})" if self.remedy else "")

    def lines(self, style: Style, width: int = 0) -> list[str]:
        """One line, with the remedy unless it is ok; `width` is the length of the longest `what`."""
        label = f"{self.what:<{width}}"
        text = f"{self.level.value:<4}  {label}  {self.text}"
        if self.level is not Level.OK and self.remedy:
            text += f": {self.remedy}"
        lines = textwrap.wrap(text, WIDTH, subsequent_indent=" " * (8 + len(label)), break_long_words=False)
        head = self.level.value
        return [style.paint(head, self.level.colour) + lines[0][len(head):], *lines[1:]]


def level_of(value: float, look: float, bad: float) -> Level:
    """OK below `look`, BAD from `bad` on."""
    return Level.BAD if value >= bad else Level.LOOK if value >= look else Level.OK


@dataclass(frozen=True)
class CpuTimes:
    """Clock ticks since the start, of the processors that this process may use."""

    busy: float
    stolen: float
    total: float
    swapped: int  # pages, of the whole machine


def text_of(file: Path) -> str:
    """The file's text; empty if it cannot be read."""
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def cpu_times(root: Path, cpus: set[int]) -> CpuTimes:
    busy = stolen = total = 0.0
    for line in text_of(root / "proc/stat").splitlines():
        words = line.split()
        if words[0].startswith("cpu") and words[0][3:].isdigit() and int(words[0][3:]) in cpus:
            ticks = [float(word) for word in words[1:9]]
            total += sum(ticks)
            busy += sum(ticks[:3]) + sum(ticks[5:7])
            stolen += ticks[7] if len(ticks) > 7 else 0
    pages = dict(line.split()[:2] for line in text_of(root / "proc/vmstat").splitlines() if line)
    swapped = int(pages.get("pswpin", 0)) + int(pages.get("pswpout", 0))
    return CpuTimes(busy, stolen, total, swapped)


def watch_others(seconds: float, root: Path = Path("/"), cpus: Optional[set[int]] = None,
                 sleep: Callable[[float], None] = time.sleep) -> list[Finding]:
    """Sleeps for so many seconds, and returns what other programs did meanwhile."""
    own = os.sched_getaffinity(0) if cpus is None else cpus
    before = cpu_times(root, own)
    sleep(seconds)
    after = cpu_times(root, own)
    total = after.total - before.total
    if total <= 0:
        return [Finding("load of others", Level.LOOK, "/proc/stat does not say")]
    load = (after.busy - before.busy) / total * len(own)
    stolen = (after.stolen - before.stolen) / total
    return [
        Finding("load of others", level_of(load, LOOK_LOAD, BAD_LOAD),
                f"{load:.2f} of {counted(len(own), 'processor')} busy", "end what runs (top shows it), or wait"),
        Finding("steal", level_of(stolen, LOOK_STEAL, BAD_STEAL), f"the hypervisor withheld {stolen:.1%} of the time",
                "another guest is busy: wait, or use a dedicated host"),
        Finding("swap", Level.BAD if after.swapped > before.swapped else Level.OK,
                f"{after.swapped - before.swapped} pages moved", "free memory first")]


def settings(root: Path = Path("/"), cpus: Optional[set[int]] = None) -> list[Finding]:
    """Returns findings about the machine's settings."""
    own = os.sched_getaffinity(0) if cpus is None else cpus
    return [_governor(root, own), _quota(root, own), _affinity(root, own), _huge_pages(root), _memory(root)]


def _governor(root: Path, cpus: set[int]) -> Finding:
    folder = root / "sys/devices/system/cpu"
    names = sorted({text_of(folder / f"cpu{cpu}/cpufreq/scaling_governor") for cpu in cpus} - {""})
    if not names:
        return Finding("governor", Level.OK, "unknown, as on virtual machines")
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


def _huge_pages(root: Path) -> Finding:
    text = text_of(root / "sys/kernel/mm/transparent_hugepage/enabled")
    chosen = text.partition("[")[2].partition("]")[0]
    if chosen in ("always", "madvise"):
        return Finding("huge pages", Level.OK, f"transparent ones: {chosen}")
    return Finding("huge pages", Level.LOOK, f"transparent ones: {chosen or 'unknown'}",
                   "`echo madvise >/sys/kernel/mm/transparent_hugepage/enabled`, as root")


def _memory(root: Path) -> Finding:
    lines = (line.split() for line in text_of(root / "proc/meminfo").splitlines())
    sizes = {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines if len(words) > 1}
    total, free = sizes.get("MemTotal", 0), sizes.get("MemAvailable", 0)
    if not total:
        return Finding("memory", Level.LOOK, "/proc/meminfo does not say")
    return Finding("memory", Level.OK if free >= LEAST_MEMORY * total else Level.LOOK,
                   f"{free / GIB:.1f} of {total / GIB:.1f} GiB available", "end what holds it")


def launches(machine: Machine) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Ranks and arguments by program; the probes of their limits show the memory's rate over time."""
    size = 64 if 12 * 64 * MIB <= machine.memory else 8
    # All cores read memory together; the larger matrix does not fit their caches.
    rows = 8192 if 1.1 * 8 * 8192**2 <= machine.memory else 2048
    return {"stream": (2, ("--sizes", str(size), "--pushes", "20")),
            "cg": (machine.cores, ("--size", str(rows), "--iterations", "10", "--verify", "off"))}


def run_probes(folder: Path, launcher: LocalLauncher, machine: Machine, budget: float = BUDGET
               ) -> tuple[list[Finding], bool]:
    """Launches each of these programs that is built. Returns the findings, and whether a launch failed."""
    found: list[Finding] = []
    has_failed = False
    with tempfile.TemporaryDirectory(prefix="quartet-") as name:
        def launch_of(program: str, ranks: int, arguments: tuple[str, ...]) -> Launch:
            files = Files(Path(name) / f"{program}.json", Path(name) / f"{program}.log")
            return Launch(program, program, lambda share: quiet_job(
                folder / program, ranks, 1, ("--device", "host", *arguments, "--runs", "12"), files.document), files,
                weight=1)

        def ended(launch: Launch, outcome: Outcome) -> None:
            nonlocal has_failed
            has_failed = has_failed or outcome.exit_code not in (VERIFIED, STOPPED, UNAVAILABLE)
            found.extend(_of_launch(launch, outcome))

        built = [launch_of(program, *how) for program, how in launches(machine).items() if (folder / program).exists()]
        ending = Rounds(launcher, Budget(budget)).run([built], ended)
        if ending.is_interrupted:
            raise KeyboardInterrupt
    return found or [Finding("launches", Level.LOOK, f"no program in {folder}", "`make build`")], has_failed


def _of_launch(launch: Launch, outcome: Outcome) -> list[Finding]:
    document = load(launch.files.document) if launch.files.document.exists() else {"benchmarks": []}
    measured = [row for row in rows_of(document) if not row.error]
    if outcome.exit_code not in (VERIFIED, STOPPED) or not measured:
        busy = "something else takes the machine's time: see the lines above" if outcome.exit_code == STOPPED else \
            f"`quartet launch 2 {launch.name} --list` says what can run here"
        return [Finding(launch.name, Level.BAD, f"no run ended ({outcome.message})", busy)]
    return [finding for row in measured
            for finding in (*_memory_rate(launch.name, row), *_core_rate(launch.name, document, row),
                            *(Finding(f"{kind.replace('_', ' ')}, {launch.name}", Level.LOOK, text)
                              for kind, text in row.flags.items()))]


def _spread(name: str, values: list[float], look: float, bad: float, text: str, remedy: str) -> Finding:
    """By range / median; one value shows no spread."""
    ordered = sorted(values)
    if not ordered[1:]:
        return Finding(name, Level.LOOK, text, "a single value shows no spread: check again")
    return Finding(name, level_of((ordered[-1] - ordered[0]) / ordered[len(ordered) // 2], look, bad), text, remedy)


def _memory_rate(program: str, row: Row) -> Iterator[Finding]:
    limit = row.limit or {}
    probes = [limit["rate"] * limit["seconds"] / probe for probe in limit.get("probes", [])]
    if probes:
        yield _spread(f"memory, {program}", probes, LOOK_MEMORY, BAD_MEMORY, f"{limit['what']}: {rate(min(probes))} to "
                      f"{rate(max(probes))} {row.unit} in {counted(len(probes), 'probe')}",
                      "perhaps another process or guest uses the memory or the processors: wait")


def _core_rate(program: str, document: dict[str, Any], row: Row) -> Iterator[Finding]:
    loops = [entry["core_loop_seconds"] for entry in document["benchmarks"]
             if entry.get("run_name") == row.text and entry.get("run_type") == "iteration"
             and entry.get("core_loop_seconds")]
    if loops:
        yield _spread(f"cores, {program}", loops, LOOK_CORE, BAD_CORE,
                      f"a fixed loop takes {1e6 * min(loops):.1f} to {1e6 * max(loops):.1f} us",
                      "perhaps other programs run, a hyperthread is busy, or the clock changes (governor, power)")
