"""What a plan's launches cost in node hours, before they are submitted: at most, by the limit of a launch, and
probably, by what like launches took in earlier folders."""

import statistics
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Optional

from quartet.exit_codes import VERIFIED
from quartet.launch import Job, LaunchError
from quartet.slurm.machine import MachineError, SlurmMachine
from quartet.slurm.request import shape_of
from quartet.sweep.folder import PLAN_FILE, SweepFolder, launches, stored_plan
from quartet.sweep.plan import Configuration, Plan
from quartet.text import WIDTH, counted, rate

HOUR = 3600.0
MOST_FOLDERS = 20  # earlier ones, the newest


def lines(plan: Plan, machine: Optional[SlurmMachine], timeout: float, earlier: Path) -> list[str]:
    """In lines of WIDTH. The machine's file says how many nodes a launch takes that names none; without one those count
    as one node."""
    return [line for text in _texts(plan, machine, timeout, earlier) for line in textwrap.wrap(text, WIDTH)]


def _texts(plan: Plan, machine: Optional[SlurmMachine], timeout: float, earlier: Path) -> list[str]:
    known = _seconds_of_earlier(earlier)
    each = [(one, nodes) for one in plan.configurations for nodes in [_nodes(one, machine)] if nodes]
    total = sum(one.launches * nodes for one, nodes in each)
    found = [(one, nodes, known[_kind(one)]) for one, nodes in each if _kind(one) in known]
    count = sum(one.launches for one, _ in each)
    fewest, most = (pick((nodes for _, nodes in each), default=0) for pick in (min, max))
    width = counted(most, "node") if fewest == most else f"{fewest} to {most} nodes"
    text = (f"{counted(count, 'launch')} on {width}: at most "
            f"{_hours(total * timeout)}, if each takes its limit of {timeout:g} s (--timeout)")
    if not found:
        return [text, "how much less is not known: no like launch has ended in an earlier folder; try a few nodes"]
    seconds = sum(one.launches * nodes * took for one, nodes, took in found)
    covered = sum(one.launches * nodes for one, nodes, _ in found)
    note = "" if covered == total else f"; {total - covered} of {total} are unknown and counted like the others"
    return [text, f"about {_hours(seconds * total / covered)}, as like launches took before{note}; starting and "
            "ending jobs comes on top"]


def _hours(seconds: float) -> str:
    return f"{rate(seconds / HOUR)} node hours"


def _nodes(one: Configuration, machine: Optional[SlurmMachine]) -> int:
    """0 if the machine has nothing for it."""
    if one.nodes or not machine:
        return one.nodes or 1
    try:
        return shape_of(machine, Job(Path(one.kernel), one.ranks, one.threads, one.command_line())).nodes
    except MachineError:
        return 0


def _kind(one: Configuration) -> Configuration:
    """What is alike wherever it runs, and however often."""
    return replace(one, launches=1, hosts=())


def _seconds_of_earlier(parent: Path) -> dict[Configuration, float]:
    found: dict[Configuration, list[float]] = {}
    for one, seconds in _earlier(parent):
        found.setdefault(_kind(one), []).append(seconds)
    return {kind: statistics.median(seconds) for kind, seconds in found.items()}


def _earlier(parent: Path) -> Iterator[tuple[Configuration, float]]:
    for file in sorted(parent.glob(f"*/{PLAN_FILE}"), reverse=True)[:MOST_FOLDERS]:
        try:
            there = stored_plan(file.parent)
        except LaunchError:
            continue
        if there:
            folder = SweepFolder(file.parent, Plan.from_json(there))
            for launch in launches(folder.plan):
                outcome = folder.outcome(launch) if folder.is_recorded(launch) else None
                if outcome and outcome.exit_code == VERIFIED and outcome.seconds is not None:
                    yield launch.configuration, outcome.seconds
