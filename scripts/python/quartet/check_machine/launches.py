"""What short launches show: whether the memory's rate and the cores' keep still."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

from quartet.check_machine.finding import Finding, Level, graded
from quartet.exit_codes import VERIFIED
from quartet.launch import Files, Job, LocalLauncher, quiet_job
from quartet.machine import Machine
from quartet.results import Case, cases, load
from quartet.text import rate
from quartet.units import MIB

SECONDS = 60  # that a launch may take
LOOK_MEMORY, BAD_MEMORY = 0.1, 0.3  # from the slowest to the fastest probe, of the median
LOOK_CORE, BAD_CORE = 0.05, 0.3


def _one_pair(machine: Machine) -> tuple[int, tuple[str, ...]]:
    size = 64 if 12 * 64 * MIB <= machine.memory else 8
    return 2, ("--device", "host", "--sizes", str(size), "--pushes", "20", "--runs", "12")


def _all_cores(machine: Machine) -> tuple[int, tuple[str, ...]]:
    """Returns ranks and arguments for all cores to read memory together, far beyond their caches if it is so large."""
    size = 8192 if 1.1 * 8 * 8192**2 <= machine.memory else 2048
    return machine.cores, ("--device", "host", "--size", str(size), "--iterations", "10", "--runs",
                           "12", "--verify", "off")


# Ranks and arguments of launches of a few seconds, whose limits show the memory's rate over time.
LAUNCHES: dict[str, Callable[[Machine], tuple[int, tuple[str, ...]]]] = {"stream": _one_pair, "cg": _all_cores}


def look(folder: Path, launcher: LocalLauncher, machine: Machine) -> list[Finding]:
    """Looks at every kernel that is built and has such a launch."""
    found = []
    for name, launch in LAUNCHES.items():
        if (folder / name).exists():
            ranks, arguments = launch(machine)
            found += _launch(folder / name, launcher, ranks, arguments)
    return found or [Finding("launches", Level.LOOK, f"no program in {folder}", "`make build`")]


def _launch(program: Path, launcher: LocalLauncher, ranks: int, arguments: tuple[str, ...]) -> list[Finding]:
    with tempfile.TemporaryDirectory(prefix="quartet-") as name:
        files = Files(Path(name) / "run.json", Path(name) / "log")
        job: Job = quiet_job(program, ranks, 1, arguments, files.document)
        outcome = launcher.complete(job, files, SECONDS)
        if outcome.exit_code != VERIFIED:
            return [Finding(program.name, Level.BAD, f"failed ({outcome.message})",
                            f"`{program} --list` says what can run here")]
        document = load(files.document)
    measured = [case for case in cases(document) if not case.error]
    return [finding for case in measured
            for finding in (*_memory(program.name, case), *_cores(program.name, document, case),
                            *_flags(program.name, case))]


def _spread(values: list[float]) -> float:
    ordered = sorted(values)
    return (ordered[-1] - ordered[0]) / ordered[len(ordered) // 2]


def _memory(program: str, case: Case) -> Iterator[Finding]:
    limit = case.limit or {}
    probes = [limit["rate"] * limit["seconds"] / probe for probe in limit.get("probes", [])]
    if probes:
        spread = _spread(probes)
        yield Finding(f"memory, {program}", graded(spread, LOOK_MEMORY, BAD_MEMORY),
                      f"{limit['what']}: {rate(min(probes))} to {rate(max(probes))} {case.unit} "
                      f"in {len(probes)} probes", "another process or guest uses the memory: compare "
                      "fractions of the limit, not rates, or wait")


def _cores(program: str, document: dict[str, Any], case: Case) -> Iterator[Finding]:
    loops = [row["core_loop_seconds"] for row in document["benchmarks"]
             if row.get("run_name") == case.text and row.get("run_type") == "iteration"
             and row.get("core_loop_seconds")]
    if loops:
        spread = _spread(loops)
        yield Finding(f"cores, {program}", graded(spread, LOOK_CORE, BAD_CORE),
                      f"a fixed loop takes {1e6 * min(loops):.1f} to {1e6 * max(loops):.1f} us",
                      "the clock changes, or a hyperthread is busy: governor, power limit, neighbours")


def _flags(program: str, case: Case) -> Iterator[Finding]:
    for kind, text in case.flags.items():
        yield Finding(f"{kind.replace('_', ' ')}, {program}", Level.LOOK, text)
