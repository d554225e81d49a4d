"""Checks whether this node is sound, by a few quick launches within a budget of time: the launches of a check of all
nodes, so that rows have the same names.

Each launch gets an equal share of half the budget, so that all of them can be repeated. A launch that runs much longer
than its share is killed. Unused time is left for later launches."""

import math
import os
import shutil
import time
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Optional

from quartet.check_machine import cpu_times
from quartet.exit_codes import VERIFIED, WRONG_RESULT
from quartet.files import FileProblem
from quartet.launch import Files, LocalLauncher, outcome_of, quiet_job
from quartet.nodes.plan import CHECKS, title_of
from quartet.results import Row, load, rows_of
from quartet.results.reference import UNLIKELY, Reference, ReferenceRate
from quartet.rounds import Budget
from quartet.slurm.site import kind_of_this_node
from quartet.text import counted, rate

RUNS = "5"  # of a launch
SECONDS_TO_START = 2.0  # of a launch, beyond its share
SECONDS_TO_KILL = 1.0
MOST_GIVEN = 5  # seconds, even if there is more time
PATIENCE = 5.0  # seconds more, after which a program is taken to hang, unless other programs are busy
LONGEST = MOST_GIVEN + SECONDS_TO_START + PATIENCE
# Processors: if others use more while a program does not end, it may just be slow. They explain a loss that is not
# larger than their processors, since a program that uses all of them waits for the slowest.
BUSY = 0.1
MAKE_REFERENCE = "quartet nodes --this --results FOLDER on sound nodes, then --reference FOLDER"
CHECK_MACHINE = "quartet check-machine"
# Variables that launchers and batch systems set for their own processes: MPI would start ranks on other nodes by them.
FOREIGN = ("SLURM", "PMI", "PBS_", "LSB_", "PE_HOSTFILE", "FLUX_", "OAR_", "COBALT_", "OMPI_COMM_")
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


class Verdict(Enum):
    """The verdict on a node, best first; on a single launch, SICK means suspect."""

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
class NodeResult:
    """The result of one launch, of two launches of one program, or of all programs."""

    verdict: Verdict
    reason: str = ""
    next: str = ""  # what to run
    rows: tuple[ComparedRow, ...] = ()
    is_wrong: bool = False  # a result is wrong
    is_final: bool = False  # another launch would give the same


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
    """`counts` is how many cores, or GPUs, are to compute, by device."""
    found = []
    for device, count in counts.items():
        for kernel in kernels:
            size, *more = CHECKS[kernel].small if is_small else CHECKS[kernel].full
            found.append(Launch(programs / kernel, device, CHECKS[kernel].ranks(count), ("--size", size, *more)))
    return found


def gpus_here() -> int:
    """The number of GPUs that the driver lists, at most as many as CUDA_VISIBLE_DEVICES has."""
    there: int = kind_of_this_node().gpus_in_all
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return there if visible is None else min(there, len([name for name in visible.split(",") if name.strip()]))


def leave_job() -> None:
    """Removes the variables of a job from the environment, and adds those that a prolog lacks."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        del os.environ[name]
    os.environ.setdefault("HOME", "/")
    os.environ.setdefault("PATH", PATH)


def more_time(budget: float) -> str:
    """The command with about twice the budget."""
    return f"quartet nodes --this --budget {30 * math.ceil(budget / 15)}"


@dataclass
class NodeCheck:
    """A check of this node, within a budget that has already begun."""

    budget: Budget
    launcher: LocalLauncher
    reference: Reference
    folder: Path  # for the files that launches write
    temporary: Path  # where they run, and have their temporary files

    def run(self, wanted: list[Launch]) -> NodeResult:
        share = self.budget.left / (2 * max(1, len(wanted))) - SECONDS_TO_START
        given = max(1, min(MOST_GIVEN, int(share)))
        found = {launch: self._check(launch, given) for launch in wanted}
        again = [launch for launch, one in found.items() if one.verdict is not Verdict.SOUND and not one.is_final]
        for launch in sorted(again, key=lambda one: found[one].verdict is not Verdict.SICK):
            found[launch] = combine_launches(found[launch], self._check(launch, given))
        return _combine_programs(list(found.values()))

    def _check(self, launch: Launch, given: int) -> NodeResult:
        """Launches once. Kills a program that takes much longer than so few runs do."""
        patient = given + SECONDS_TO_START + PATIENCE
        limit = min(patient, self.budget.left - SECONDS_TO_KILL)
        no_time = NodeResult(Verdict.CANNOT_TELL, f"no time is left for {launch.title}",
                             more_time(self.budget.seconds or 0))
        if not shutil.which(launch.program):
            return NodeResult(Verdict.CANNOT_TELL, f"there is no program {launch.program}", "make build", is_final=True)
        if limit < given:
            return no_time
        files = Files(self.folder / f"{launch.program.name}-{launch.device}.json", self.folder / "log")
        files.document.unlink(missing_ok=True)
        arguments = ("--device", launch.device, *launch.arguments, "--threads", "1", "--runs", RUNS)
        # Other users' files in a shared temporary folder would stop Open MPI.
        job = replace(quiet_job(launch.program, launch.ranks, 1, arguments, files.document), folder=self.temporary,
                      variables=(("TMPDIR", str(self.temporary)),))
        cpus, own = os.sched_getaffinity(0), sum(os.times()[2:4])  # of launches that have ended
        before, begin = cpu_times(Path("/"), cpus), time.monotonic()
        running = self.launcher.submit(job, files.log)
        try:
            code = running.wait(limit)
            used = running.processor_seconds() if code is None else sum(os.times()[2:4]) - own
        finally:
            running.kill()
        seconds, after = time.monotonic() - begin, cpu_times(Path("/"), cpus)
        ticks = after.busy + after.stolen - before.busy - before.stolen
        others = (ticks / os.sysconf("SC_CLK_TCK") - used) / seconds
        found = self._compare(launch, files, code, seconds) if code is not None else replace(
            no_time, reason=f"{launch.title} did not end within {limit:.0f} s") if limit < patient else \
            NodeResult(Verdict.SICK, f"{launch.title} hangs (it was killed after {limit:.0f} s)", CHECK_MACHINE)
        loss = 1 - min((each.of_reference or 1 for each in found.rows), default=1)
        if found.verdict is not Verdict.SICK or found.is_wrong or others < max(loss, BUSY):
            return found
        what = found.reason if code is not None else f"{launch.title} did not end within {limit:.0f} s"
        return NodeResult(Verdict.CANNOT_TELL, f"{what} while other programs kept {others:.1f} of "
                          f"{counted(len(cpus), 'processor')} busy", f"{CHECK_MACHINE} --quick", found.rows)

    def _compare(self, launch: Launch, files: Files, code: int, seconds: float) -> NodeResult:
        outcome = outcome_of(launch.program.name, files, code, seconds)
        if outcome.exit_code == WRONG_RESULT:
            return NodeResult(Verdict.SICK, f"{launch.title} gives a wrong result", CHECK_MACHINE, is_wrong=True)
        failed = f"quartet launch {launch.ranks} {launch.program.name} --list"
        if outcome.exit_code != VERIFIED:
            return NodeResult(Verdict.CANNOT_TELL, f"{launch.title} could not run ({outcome.message})", failed)
        try:
            measured = [row for row in rows_of(load(files.document)) if not row.error and row.rate > 0]
        except (FileProblem, OSError) as error:
            return NodeResult(Verdict.CANNOT_TELL, f"{launch.title} left no document ({error})", failed)
        compared = tuple(ComparedRow(row, self.reference.of(row)) for row in measured)
        unknown = [each.row for each in compared if not each.reference]
        if unknown or not compared:
            why = self.reference.why_not(unknown[0]) if unknown else f"{launch.title} measured nothing"
            return NodeResult(Verdict.CANNOT_TELL, why, MAKE_REFERENCE, compared, is_final=True)
        highest = max(each.of_reference or 0 for each in compared)
        if highest > UNLIKELY:
            return NodeResult(Verdict.CANNOT_TELL, f"{launch.title} is {rate(highest)} times as fast as the reference, "
                              "which therefore does not fit this node", MAKE_REFERENCE, compared, is_final=True)
        slow = [(each.row, _how_slow(launch, each.row, each.reference)) for each in compared
                if each.reference and each.row.rate < each.reference.bound]
        loose = next((each.reference for each in compared if each.reference and each.reference.is_loose), None)
        if loose and not slow:
            why = (f"{counted(loose.launches, 'launch')} of the reference differ so much that {launch.title} is only "
                   f"slow if it loses over {1 - loose.bound / loose.rate:.0%}")
            return NodeResult(Verdict.CANNOT_TELL, why, MAKE_REFERENCE, compared, is_final=True)
        if not slow:
            return NodeResult(Verdict.SOUND, rows=compared)
        for row, text in slow:
            if "disturbed" in row.flags:
                return NodeResult(Verdict.CANNOT_TELL, f"{text}, but it was disturbed: {row.flags['disturbed']}",
                                  f"{CHECK_MACHINE} --quick", compared)
        return NodeResult(Verdict.SICK, "; ".join(text for _, text in slow), CHECK_MACHINE, compared)


def _how_slow(launch: Launch, row: Row, reference: ReferenceRate) -> str:
    held_back = row.flags.get("held_back")
    return (f"{launch.title} reaches {rate(row.rate)} {row.unit}, {row.rate / reference.rate:.0%} of the reference "
            f"(median of {counted(reference.launches, 'launch')} {rate(reference.rate)}; below {rate(reference.bound)} "
            "is slow)" + f", {held_back}" * bool(held_back))


def combine_launches(first: NodeResult, second: NodeResult) -> NodeResult:
    """A node is sick if two launches are suspect. After a wrong result a right one does not make it sound."""
    if first.verdict is second.verdict is Verdict.SICK:
        is_same = (first.is_wrong, bool(first.rows)) == (second.is_wrong, bool(second.rows))
        reason = f"{second.reason}, in both launches" if is_same else f"{first.reason}, and then {second.reason}"
        return NodeResult(Verdict.SICK, reason, second.next, second.rows or first.rows)
    wrong = next((one for one in (first, second) if one.is_wrong), None)
    if wrong:
        return NodeResult(Verdict.CANNOT_TELL, f"{wrong.reason} in one launch of two", wrong.next, second.rows)
    better = min(first, second, key=lambda one: list(Verdict).index(one.verdict))
    return replace(better, rows=better.rows or second.rows or first.rows)


def _combine_programs(found: list[NodeResult]) -> NodeResult:
    rows = tuple(each for one in found for each in one.rows)
    worst = max((one.verdict for one in found), key=list(Verdict).index)
    if worst is not Verdict.SOUND:
        these = [one for one in found if one.verdict is worst]
        return NodeResult(worst, "; ".join(dict.fromkeys(one.reason for one in these)), these[0].next, rows)
    lowest = min(rows, key=lambda each: each.of_reference or 0)
    text = f"every rate is {lowest.of_reference or 0:.0%} of the reference or more (lowest: {lowest.row.name.kernel})"
    return NodeResult(Verdict.SOUND, text, "quartet run", rows)
