"""The folder of a sweep: its results, and the files that a resumed sweep needs.

    sweep.plan              the plan, which never changes
    sweep.lock              locked while a sweep, or a job that it started, is running
    sweep.shown             exists once the sweep is over: its whole table was printed, or a check was cancelled
    NAME-launch2.json       results of one launch

and the other files of a LaunchFolder."""

import contextlib
import errno
import fcntl
import os
import re
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional

from quartet.exit_codes import BAD_USAGE, FAILED, STOPPED, VERIFIED, WRONG_RESULT
from quartet.files import FileProblem, make_folder, read_json, reason_of, write_json
from quartet.launch import Files, LaunchError, Outcome
from quartet.results import Row, judged, load, rows_of
from quartet.rounds import OUTCOME, LaunchFolder, shuffled
from quartet.sweep.plan import Configuration, Plan
from quartet.text import counted, say

PLAN_FILE, LOCK_FILE, SHOWN_FILE = "sweep.plan", "sweep.lock", "sweep.shown"
IN_USE = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)  # errors of a lock that another process holds


@dataclass(frozen=True)
class Launch:
    """One of the repeated launches of a configuration."""

    configuration: Configuration
    number: int  # of the configuration in the plan
    repetition: int  # from 1

    @property
    def name(self) -> str:
        one = self.configuration
        where = f"-{'-'.join(one.hosts)[:60]}" if one.hosts else f"-nodes{one.nodes}" if one.nodes else ""
        text = (f"{self.number:03}-{one.kernel}-{one.formulation}-{one.transport}-{one.device}"
                f"-{one.size}-ranks{one.ranks}{where}-launch{self.repetition}")
        return re.sub(r"[^A-Za-z0-9.-]", "_", text)

    @property
    def title(self) -> str:
        return f"{self.configuration.title}, launch {self.repetition}"


def launches(plan: Plan) -> list[Launch]:
    """All launches in the order in which they run. Each round has every configuration once, in a shuffled order: a
    drift of the machine affects all alike, and an interrupted sweep has about equally many launches of each."""
    repetitions = range(1, max(one.launches for one in plan.configurations) + 1)
    rounds = [[Launch(one, number, repetition) for number, one in enumerate(plan.configurations)
               if one.launches >= repetition] for repetition in repetitions]
    return shuffled(rounds, plan.seed)


class SweepFolder:
    """The plan, the results, and the launches that are left. Only one process uses a folder at a time."""

    def __init__(self, path: Path, plan: Plan):
        self.path = path
        self.plan = plan
        self._folder = LaunchFolder(path)
        self._damaged: set[str] = set()  # names of launches
        self.held: tuple[int, ...] = ()  # the lock, which jobs inherit

    @staticmethod
    def open(path: Path, plan: Plan) -> "SweepFolder":
        """Opens or makes the folder for this plan. Raises LaunchError if it has another plan or is in use."""
        make_folder(path)
        folder = SweepFolder(path, plan)
        folder._hold()
        there = stored_plan(path)
        if there is None:
            write_json(path / PLAN_FILE, plan.as_json())
        elif there != plan.as_json():
            raise LaunchError(BAD_USAGE, f"{path} has another sweep ({'; '.join(differences(there, plan.as_json()))}): "
                              "name another --folder, or go back to that plan")
        return folder

    def _hold(self) -> None:
        # Jobs inherit the lock: a job that outlives its sweep blocks the next sweep. Nothing is written to the file.
        file = self.path / LOCK_FILE
        try:
            self.held = (os.open(file, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_NOFOLLOW, 0o644),)
        except OSError as why:
            raise LaunchError(BAD_USAGE, f"{file} cannot be written ({reason_of(why)}): use another --folder") from None
        try:
            fcntl.flock(self.held[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in IN_USE:
                raise LaunchError(BAD_USAGE, f"{self.path} is in use (by another sweep, or by a launch that one left "
                                  "behind): wait until it has ended") from None
            # a file system without locks
            say(f"{file} cannot be locked ({reason_of(error)}): start no other sweep in this folder")

    def files(self, launch: Launch) -> Files:
        return self._folder.files(launch.name)

    def document(self, launch: Launch) -> Path:
        return self.files(launch).document

    def code_file(self, launch: Launch) -> Path:
        """The file with exit code and seconds of a launch in a queue, until they are recorded."""
        return self.path / f"{launch.name}.code"

    def record(self, launch: Launch, outcome: Outcome) -> None:
        self._damaged.discard(launch.name)
        self._folder.record(launch.name, outcome)

    def forget(self, launch: Launch) -> None:
        """Removes how an earlier attempt ended: array.sbatch runs no launch that has ended."""
        for file in (self.code_file(launch), self._folder.file(launch.name, OUTCOME), self.files(launch).log):
            file.unlink(missing_ok=True)

    def recorded(self, launch: Launch) -> Optional[Outcome]:
        """The recorded outcome; None if the launch is to be measured: it has no record, was cut off, or its record or
        document is damaged or gone, which is reported once."""
        try:
            recorded = self._folder.recorded(launch.name)
            if recorded and recorded.exit_code in (VERIFIED, WRONG_RESULT) and not self.document(launch).exists():
                raise FileProblem(f"{self.document(launch)} is gone")
            return None if recorded and recorded.exit_code == STOPPED else recorded
        except FileProblem as problem:
            if launch.name not in self._damaged:
                say(f"{problem}: it is measured again")
            self._damaged.add(launch.name)
            return None

    def outcome(self, launch: Launch) -> Optional[Outcome]:
        """How it ended; None if it has not run. A program that outlived its sweep has a document, but no record."""
        recorded = self.recorded(launch)
        if recorded or launch.name in self._damaged or self._folder.file(launch.name, OUTCOME).exists():
            return recorded
        document = self.loaded(launch)
        found = rows_of(document) if document else []
        if not document or document["context"]["quartet"].get("stopped") or any(row.is_not_run for row in found):
            return None
        code = FAILED if any(row.error for row in found) else \
            WRONG_RESULT if any(row.verified is False for row in found) else VERIFIED
        return Outcome(code, None)

    def left(self) -> list[Launch]:
        """Launches that have not ended. One with an exit code has, even if that is not recorded yet."""
        return [each for each in launches(self.plan) if not (self.outcome(each) or self.code_file(each).exists())]

    def loaded(self, launch: Launch) -> Optional[dict[str, Any]]:
        """Its document; None if there is none that can be read."""
        try:
            return load(self.document(launch))
        except (OSError, ValueError):
            return None

    def misplacement(self, launch: Launch) -> list[str]:
        """How its nodes differ from the requested ones; empty if it has no document, or requested none."""
        wanted, document = launch.configuration, self.loaded(launch) if launch.configuration.nodes else None
        if not document:
            return []
        quartet = document["context"]["quartet"]
        places = quartet.get("placement") or []
        ranks_of = Counter(place["node"] for place in places)
        hosts = {str(place["host"]).split(".")[0] for place in places}
        strangers = hosts - {host.split(".")[0] for host in wanted.hosts}
        restarts = str((quartet.get("slurm") or {}).get("SLURM_RESTART_COUNT", "0"))
        found = []
        if len(places) != wanted.ranks:
            found.append(f"it ran on {counted(len(places), 'rank')} ({wanted.ranks} were asked for)")
        if len(ranks_of) != wanted.nodes:
            found.append(f"it ran on {counted(len(ranks_of), 'node')} ({wanted.nodes} were asked for)")
        elif max(ranks_of.values()) > -(-wanted.ranks // wanted.nodes):
            numbers = ", ".join(map(str, ranks_of.values()))
            found.append(f"its nodes had {numbers} ranks (they should be dealt evenly)")
        if wanted.hosts and strangers:
            found.append(f"it ran on {', '.join(sorted(strangers))} (not on {' and '.join(wanted.hosts)})")
        if restarts != "0" and not wanted.hosts:
            found.append("its job was requeued (a node may have failed, others measured)")
        return found

    def mark_over(self) -> None:
        """Marks the sweep as over: the same command then begins a new one."""
        with contextlib.suppress(FileExistsError), open(self.path / SHOWN_FILE, "x", encoding="ascii"):
            pass

    def period(self) -> Optional[tuple[float, float]]:
        """When launches first and last wrote a file, in seconds since 1970; None if none did."""
        times = [file.stat().st_mtime for kind in ("json", "log") for file in self.path.glob(f"*-launch[0-9]*.{kind}")]
        return (min(times), max(times)) if times else None


def judged_launches(folder: SweepFolder, everything: list[Launch]) -> dict[Launch, list[Row]]:
    """The rows of every launch that has a document, all judged together."""
    found = {launch: document for launch in everything if (document := folder.loaded(launch))}
    return dict(zip(found, judged(found.values())))


def stored_plan(path: Path) -> Optional[dict[str, Any]]:
    """The plan in a folder, as JSON; None if there is none. Raises LaunchError if the plan is not valid."""
    try:
        data: dict[str, Any] = read_json(path / PLAN_FILE)
        problem = Plan.problem(data)
    except FileNotFoundError:
        return None
    except FileProblem as error:
        raise LaunchError(BAD_USAGE, f"{error}: name another --folder") from None
    if problem:
        raise LaunchError(BAD_USAGE, f"{path / PLAN_FILE}: no plan that can be run ({problem}): name another --folder")
    return data


def unfinished(parent: Path, is_wanted: Callable[[dict[str, Any]], bool], retries: bool) -> Optional[Path]:
    """The newest folder in `parent` with such a plan; None if there is none, or it is over and nothing `retries` it."""
    for file in sorted(parent.glob(f"*/{PLAN_FILE}"), reverse=True):
        try:
            there = stored_plan(file.parent)
        except LaunchError:
            continue  # of another version: it is left alone
        if there and is_wanted(there):
            return file.parent if retries or not (file.parent / SHOWN_FILE).exists() else None
    return None


def new_folder(parent: Path, plan: Plan) -> Path:
    return parent / f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{plan.name}"


def differences(there: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Says how two plans differ."""
    found = [f"{key} {there[key]} there, {wanted[key]} here" for key in ("name", "seed") if there[key] != wanted[key]]
    found += [f"{program} was {there['programs'].get(program, 'none')}, is {wanted['programs'].get(program, 'none')}"
              for program in sorted({*there["programs"], *wanted["programs"]})
              if there["programs"].get(program) != wanted["programs"].get(program)]
    for where, plan, other in (("there", there, wanted), ("here", wanted, there)):
        only = [item for item in plan["configurations"] if item not in other["configurations"]]
        found += [f"{counted(len(only), 'configuration')} only {where}, as {only[0]['kernel']} {only[0]['size']} on "
                  f"{only[0]['ranks']} x {only[0]['threads']}"] if only else []
    return found or ["its blocks are others"]
