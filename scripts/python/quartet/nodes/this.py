"""Whether this node is sound, by a few quick launches within a budget of time: those of a check of all nodes, so that
rows have the same names.

Each launch gets an equal share of half the budget: all of them can be looked at twice. One that does not end well
beyond its share is killed. What a launch leaves is there for those after it."""

import math
import os
import shutil
import time
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Optional

from quartet.check_machine import sample
from quartet.exit_codes import VERIFIED, WRONG_RESULT
from quartet.files import FileProblem
from quartet.launch import Files, LocalLauncher, judged, quiet_job
from quartet.nodes.plan import CHECKS, title_of
from quartet.results import Row, load, rows_of
from quartet.results.reference import Reference, ReferenceRate
from quartet.rounds import Budget
from quartet.slurm.site import kind_of_this_node
from quartet.text import counted, rate

RUNS = "5"  # of a launch
SECONDS_TO_START = 2.0  # of a launch, beyond what it is given
SECONDS_TO_KILL = 1.0
MOST_GIVEN = 5  # seconds, however much time there is
PATIENCE = 5.0  # seconds more, after which a program hangs, or others are busy
BUSY = 0.1  # processors that others use while a program does not end: it may just be slow
UNLIKELY = 3  # times the rate of the reference: that was measured on other nodes, or on busy ones
MAKE_REFERENCE = "quartet nodes --this --results FOLDER on sound nodes, then --reference FOLDER"
LOOK_AT_IT = "quartet check-machine"
# What another launcher or batch system has told its own processes: MPI would go by it, to other nodes.
FOREIGN = ("SLURM", "PMI", "PBS_", "LSB_", "PE_HOSTFILE", "FLUX_", "OAR_", "COBALT_", "OMPI_COMM_")
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


class Verdict(Enum):
    """Of a node, the best first; of one launch, sick means suspect."""

    SOUND = "sound"
    CANNOT_TELL = "cannot tell"
    SICK = "sick"


@dataclass(frozen=True)
class ComparedRow:
    row: Row
    reference: Optional[ReferenceRate]

    @property
    def of_reference(self) -> Optional[float]:
        return self.row.rate / self.reference.rate if self.reference else None


@dataclass(frozen=True)
class Found:
    """What a look showed; of two looks, what both did."""

    verdict: Verdict
    reason: str = ""
    next: str = ""  # what to run
    rows: tuple[ComparedRow, ...] = ()
    is_wrong: bool = False  # a result was
    is_final: bool = False  # looking again would show the same


@dataclass(frozen=True)
class Launch:
    program: Path
    device: str
    ranks: int
    arguments: tuple[str, ...]

    @property
    def title(self) -> str:
        return title_of(self.program.name, self.device)


def launches(programs: Path, kernels: tuple[str, ...], counts: dict[str, int], is_small: bool) -> list[Launch]:
    """`counts` has how many cores, and how many GPUs, are to compute, by device."""
    found = []
    for device, count in counts.items():
        for kernel in kernels:
            size, *more = CHECKS[kernel].small if is_small else CHECKS[kernel].full
            found.append(Launch(programs / kernel, device, CHECKS[kernel].ranks(count), ("--size", size, *more)))
    return found


def gpus_here() -> int:
    """Those that the driver lists, or as many of them as CUDA may see."""
    there: int = kind_of_this_node().gpus_in_all
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return there if visible is None else min(there, len([name for name in visible.split(",") if name.strip()]))


def stand_alone() -> None:
    """Takes what is about a job out of the environment, and adds what a prolog lacks."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        del os.environ[name]
    os.environ.setdefault("HOME", "/")
    os.environ.setdefault("PATH", PATH)


def more_time(budget: float) -> str:
    """The command with about twice the budget."""
    return f"quartet nodes --this --budget {30 * math.ceil(budget / 15)}"


@dataclass
class NodeCheck:
    """Of this node, within a budget whose clock runs."""

    budget: Budget
    launcher: LocalLauncher
    reference: Reference
    folder: Path  # of what launches leave
    temporary: Path  # where they run, and have their temporary files

    def run(self, wanted: list[Launch]) -> Found:
        share = self.budget.left / (2 * max(1, len(wanted))) - SECONDS_TO_START
        given = max(1, min(MOST_GIVEN, int(share)))
        found = {launch: self._look(launch, given) for launch in wanted}
        again = [launch for launch, one in found.items() if one.verdict is not Verdict.SOUND and not one.is_final]
        for launch in sorted(again, key=lambda one: found[one].verdict is not Verdict.SICK):
            found[launch] = both(found[launch], self._look(launch, given))
        return _together(list(found.values()))

    def _look(self, launch: Launch, given: int) -> Found:
        """The program is killed where it takes much longer than so few runs do."""
        patient = given + SECONDS_TO_START + PATIENCE
        limit = min(patient, self.budget.left - SECONDS_TO_KILL)
        no_time = Found(Verdict.CANNOT_TELL, f"no time is left for {launch.title}", more_time(self.budget.seconds or 0))
        if not shutil.which(launch.program):
            return Found(Verdict.CANNOT_TELL, f"there is no program {launch.program}", "make build", is_final=True)
        if limit < given:
            return no_time
        files = Files(self.folder / f"{launch.program.name}-{launch.device}.json", self.folder / "log")
        files.document.unlink(missing_ok=True)
        arguments = ("--device", launch.device, *launch.arguments, "--threads", "1", "--runs", RUNS)
        # Others' files in a temporary folder that is shared would stop Open MPI.
        job = replace(quiet_job(launch.program, launch.ranks, 1, arguments, files.document), folder=self.temporary,
                      variables=(("TMPDIR", str(self.temporary)),))
        cpus, own = os.sched_getaffinity(0), sum(os.times()[2:4])  # of launches that have ended
        before, begin = sample(Path("/"), cpus), time.monotonic()
        running = self.launcher.submit(job, files.log)
        try:
            code = running.wait(limit)
            used = running.processor_seconds() if code is None else sum(os.times()[2:4]) - own
        finally:
            running.kill()
        seconds, after = time.monotonic() - begin, sample(Path("/"), cpus)
        ticks = after.busy + after.stolen - before.busy - before.stolen
        others = (ticks / os.sysconf("SC_CLK_TCK") - used) / seconds
        found = self._judged(launch, files, code, seconds) if code is not None else no_time if limit < patient else \
            Found(Verdict.SICK, f"{launch.title} hangs (it was killed after {limit:.0f} s)", LOOK_AT_IT)
        if found.verdict is not Verdict.SICK or found.is_wrong or others <= BUSY:
            return found
        what = found.reason if code is not None else f"{launch.title} did not end within {limit:.0f} s"
        return Found(Verdict.CANNOT_TELL, f"{what} while other programs kept {others:.1f} of "
                     f"{counted(len(cpus), 'processor')} busy", f"{LOOK_AT_IT} --quick", found.rows)

    def _judged(self, launch: Launch, files: Files, code: int, seconds: float) -> Found:
        outcome = judged(launch.program.name, files, code, seconds)
        if outcome.exit_code == WRONG_RESULT:
            return Found(Verdict.SICK, f"{launch.title} gives a wrong result", LOOK_AT_IT, is_wrong=True)
        failed = f"quartet launch {launch.ranks} {launch.program.name} --list"
        if outcome.exit_code != VERIFIED:
            return Found(Verdict.CANNOT_TELL, f"{launch.title} could not run ({outcome.message})", failed)
        try:
            measured = [row for row in rows_of(load(files.document)) if not row.error and row.rate > 0]
        except (FileProblem, OSError) as error:
            return Found(Verdict.CANNOT_TELL, f"{launch.title} left no document ({error})", failed)
        compared = tuple(ComparedRow(row, self.reference.of(row)) for row in measured)
        unknown = [each.row for each in compared if not each.reference]
        if unknown or not compared:
            why = self.reference.why_not(unknown[0]) if unknown else f"{launch.title} measured nothing"
            return Found(Verdict.CANNOT_TELL, why, MAKE_REFERENCE, compared, is_final=True)
        highest = max(each.of_reference or 0 for each in compared)
        if highest > UNLIKELY:
            return Found(Verdict.CANNOT_TELL, f"{launch.title} is {rate(highest)} times as fast as the reference, "
                         "which therefore does not fit this node", MAKE_REFERENCE, compared, is_final=True)
        slow = [(each.row, _how_slow(launch, each.row, each.reference)) for each in compared
                if each.reference and each.row.rate < each.reference.bound]
        if not slow:
            return Found(Verdict.SOUND, rows=compared)
        for row, text in slow:
            if "disturbed" in row.flags:
                return Found(Verdict.CANNOT_TELL, f"{text}, but it was disturbed: {row.flags['disturbed']}",
                             f"{LOOK_AT_IT} --quick", compared)
        return Found(Verdict.SICK, "; ".join(text for _, text in slow), LOOK_AT_IT, compared)


def _how_slow(launch: Launch, row: Row, reference: ReferenceRate) -> str:
    held_back = row.flags.get("held_back")
    return (f"{launch.title} reaches {rate(row.rate)} {row.unit}, {row.rate / reference.rate:.0%} of the reference "
            f"(median of {counted(reference.launches, 'launch')} {rate(reference.rate)}; below {rate(reference.bound)} "
            "is slow)"
            + f", {held_back}" * bool(held_back))


def both(first: Found, second: Found) -> Found:
    """Sick are who was suspect twice; a wrong result is not forgotten, though a right one came after it."""
    if first.verdict is second.verdict is Verdict.SICK:
        return Found(Verdict.SICK, f"{second.reason}, in both launches", second.next, second.rows or first.rows)
    wrong = next((one for one in (first, second) if one.is_wrong), None)
    if wrong:
        return Found(Verdict.CANNOT_TELL, f"{wrong.reason} in one launch of two", wrong.next, second.rows)
    better = min(first, second, key=lambda one: list(Verdict).index(one.verdict))
    return replace(better, rows=better.rows or second.rows or first.rows)


def _together(found: list[Found]) -> Found:
    rows = tuple(each for one in found for each in one.rows)
    worst = max((one.verdict for one in found), key=list(Verdict).index)
    if worst is not Verdict.SOUND:
        these = [one for one in found if one.verdict is worst]
        return Found(worst, "; ".join(dict.fromkeys(one.reason for one in these)), these[0].next, rows)
    lowest = min(rows, key=lambda each: each.of_reference or 0)
    text = f"every rate is {lowest.of_reference or 0:.0%} of the reference or more (lowest: {lowest.row.name.kernel})"
    return Found(Verdict.SOUND, text, "quartet run", rows)
