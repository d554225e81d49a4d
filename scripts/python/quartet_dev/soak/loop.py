"""Rounds, one after another, until the time is over."""

import os
import shutil
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Sequence

from quartet import processes
from quartet.files import FileProblem
from quartet.text import say
from quartet_dev.soak.job import Fault
from quartet_dev.soak.plan import Kind, chances_of, kind_of
from quartet_dev.soak.room import Room


@dataclass(frozen=True)
class Setting:
    """What all rounds have in common."""

    seed: int
    programs: Path
    launcher: Path
    patience: float  # seconds
    kinds: Sequence[Kind]
    folder: Path  # of the rounds' folders
    why_no_mounts: str
    repeat: str  # a command without --seed, --round and --only


@dataclass(frozen=True)
class Failure:
    """A fault, and how to see it again."""

    kind: str
    number: int
    what: str
    command: str  # of the job
    repeat: str  # of the round


@dataclass
class Record:
    """What was done, and what failed."""

    rounds: Counter[str] = field(default_factory=Counter[str])  # by kind
    counts: dict[str, Counter[str]] = field(default_factory=dict)  # by kind
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0
    interrupted: bool = False


def _room(setting: Setting, kind: Kind, number: int, stop_at: float) -> Room:
    folder = setting.folder / f"round-{number}"
    folder.mkdir()
    return Room(folder, setting.programs, setting.launcher, setting.patience,
                chances_of(setting.seed, number, kind), stop_at, setting.why_no_mounts)


def one_round(setting: Setting, kind: Kind, number: int, stop_at: float, record: Record) -> None:
    """Says and records its fault."""
    room = _room(setting, kind, number, stop_at)
    fault = None
    try:
        kind.disturb(room)
    except Fault as caught:
        fault = caught
    except FileProblem as problem:
        fault = Fault(f"a document that is not valid: {problem}")
    except OSError as error:
        fault = Fault(f"{type(error).__name__}: {error}")
    finally:
        record.rounds[kind.name] += 1
        record.counts.setdefault(kind.name, Counter()).update(room.counts)
        end_all()
        room.clear()
    if fault:
        repeat = f"{setting.repeat} --seed {setting.seed} --only {kind.name} --round {number}"
        record.failures.append(Failure(kind.name, number, str(fault), fault.command, repeat))
        say(f"round {number}, {kind.name}: {fault}: {fault.command}")


def end_all() -> None:
    """Ends the jobs that an exception has left, so that nothing outlives its round."""
    for child in _children():
        processes.kill_session(child)


def _children() -> list[int]:
    """The first processes of jobs: each leads a session."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # gone meanwhile
        if int(fields[1]) == os.getpid() and int(fields[3]) == int(folder.name):
            found.append(int(folder.name))
    return found


def rounds(setting: Setting, numbers: Iterable[int], stop_at: float) -> Record:
    """Runs all rounds, or as many as begin before `stop_at`, by time.monotonic()."""
    record, begin = Record(), time.monotonic()
    try:
        for number in numbers:
            if time.monotonic() > stop_at:
                break
            one_round(setting, kind_of(setting.seed, number, setting.kinds), number, stop_at, record)
    except KeyboardInterrupt:
        record.interrupted = True
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    finally:
        shutil.rmtree(setting.folder, ignore_errors=True)
    record.seconds = time.monotonic() - begin
    return record
