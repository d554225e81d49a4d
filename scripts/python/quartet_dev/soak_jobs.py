"""Jobs that a soak disturbs while they run, the folder of a round, and mounts of its own."""

import contextlib
import ctypes
import os
import random
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Optional

from quartet.exit_codes import VERIFIED, ScriptError
from quartet.files import FileProblem
from quartet.processes import SECONDS_BETWEEN_LOOKS, alive_in_session, kill_session, send, wait_for_the_last, words_of
from quartet.results import load
from quartet.terminal import printable

SHOWN = 300  # characters of what a job has said
SECONDS_TO_VANISH = 10  # for what a killed launcher leaves to others to end
SHARED = Path("/dev/shm")
SHARED_SIZE = "2g"
CLONE_NEWNS = 0x00020000  # <sched.h>
COMMON = ("--device", "host", "--threads", "1", "--limits", "off", "--progress", "off")
LAUNCHERS_FOLDER = "launcher"  # for its own files


class Fault(Exception):
    """What the suite did wrong, and the command that showed it."""


@dataclass(frozen=True)
class Ended:
    """How a job ended."""

    code: int  # negative where a signal has ended the launcher's script
    errors: str
    command: tuple[str, ...]

    def fault(self, what: str) -> Fault:
        said = printable(" ".join(self.errors.split()))
        return Fault(f"{what} (code {self.code}, it said: {said[:SHOWN] or 'nothing'}): {shlex.join(self.command)}")


def _default_signals() -> None:
    # Whoever started this may ignore what a terminal sends, and a shell could then not trap it.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Job:
    """A program under the launcher, in a session of its own."""

    def __init__(self, command: Iterable[object], folder: Path, scratch: Path, patience: float):
        """`scratch` is for the launcher's own files. Nothing that is to happen takes longer than `patience` seconds."""
        self.command = tuple(str(word) for word in command)
        self._patience = patience
        # A file, not a pipe: a process that outlives the job would keep a pipe open, and the wait would not end.
        self._errors = tempfile.TemporaryFile()
        environment = {**os.environ, "TMPDIR": str(scratch), "QUARTET_BIND": "none"}
        self.process = subprocess.Popen(
            self.command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self._errors, start_new_session=True, preexec_fn=_default_signals)

    def ranks(self) -> list[int]:
        """The processes of the ranks, but not of the launcher."""
        return [process for process in alive_in_session(self.process.pid)
                if self.command[2] in words_of(process)[:2]]  # a script's is the second

    def launchers(self) -> list[int]:
        """MPI's, which the script has started."""
        return [process for process in alive_in_session(self.process.pid)
                if process != self.process.pid and "-n" in words_of(process)[1:2]]

    def wait_until(self, condition: Callable[[], object]) -> bool:
        """False if the job ended first, or it took too long."""
        end = time.monotonic() + self._patience
        while self.process.poll() is None and time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.002)
        return bool(condition())

    def send(self, processes: list[int], number: signal.Signals) -> int:
        return send(processes, number)

    def kill_all(self) -> None:
        kill_session(self.process.pid)

    def end(self, after: str = "") -> Ended:
        """Waits until nothing of it is left. Raises Fault if it does not end in time, or leaves processes; `after` says
        what was done to it. Open MPI 4.1.4's launcher may wait for a lock of its own where a rank was killed: that no
        rank is left is what counts."""
        self.wait_until(lambda: False)
        code = self.process.poll()
        left = wait_for_the_last(self.process.pid, 0 if code is None else max(SECONDS_TO_VANISH, self._patience))
        is_launchers_own = not self.ranks() and bool(self.launchers())
        shown = "; ".join(" ".join(words_of(process))[:SHOWN] for process in left)
        self.kill_all()
        ended = self._ended(self.process.wait())
        if left and not is_launchers_own:
            raise ended.fault(f"{after} {'did not end' if code is None else 'left processes behind'}: {shown}".strip())
        return ended

    def _ended(self, code: int) -> Ended:
        self._errors.seek(0)
        return Ended(code, self._errors.read().decode("utf-8", "replace"), self.command)


@dataclass
class Room:
    """What one round has: a folder of its own, chances, the programs, and checks of what jobs leave."""

    folder: Path
    programs: Path
    launcher: Path
    patience: float  # seconds
    chances: random.Random
    stop_at: float  # when no more than the least is to be tried, by time.monotonic()
    why_no_mounts: str = ""  # empty if this process has mounts of its own
    counts: Counter[str] = field(default_factory=Counter[str])  # of what was done
    jobs: list[Job] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._shared_before = _shared_entries()
        self.scratch.mkdir()

    @property
    def scratch(self) -> Path:
        return self.folder / LAUNCHERS_FOLDER

    def start(self, program: str, ranks: int, *words: str) -> Job:
        """Words are split at blanks."""
        arguments = [part for word in words for part in word.split()]
        command = [self.launcher, ranks, self.programs / program, *COMMON, *arguments]
        self.jobs.append(Job(command, self.folder, self.scratch, self.patience))
        return self.jobs[-1]

    def run(self, program: str, ranks: int, *words: str) -> Ended:
        return self.start(program, ranks, *words).end()

    def run_verified(self, program: str, ranks: int, *words: str) -> Ended:
        """Undisturbed. Raises Fault if it is not right."""
        ended = self.run(program, ranks, *words)
        if ended.code != VERIFIED:
            raise ended.fault("an undisturbed run failed")
        return ended

    def document(self, file: Path, ended: Ended) -> Optional[dict[str, Any]]:
        """None if there is none. Raises Fault if it is not valid."""
        try:
            return load(file)
        except FileNotFoundError:
            return None
        except FileProblem as problem:
            raise ended.fault(f"left a document that is not valid: {problem}") from None

    def check(self, ended: Ended, *allowed: str) -> None:
        """Raises Fault if the round's folder has other entries than those, or /dev/shm some that it had not before.
        Where others use that, too, nobody can tell whose they are."""
        found = sorted(set(os.listdir(self.folder)) - {LAUNCHERS_FOLDER, *allowed})
        if found:
            raise ended.fault(f"left {', '.join(found)} behind")
        end = time.monotonic() + 2  # for what is removed a moment after the last process has ended
        while not self.why_no_mounts and (found := sorted(_shared_entries() - self._shared_before)):
            if time.monotonic() > end:
                raise ended.fault(f"left {', '.join(found)} in {SHARED} behind")
            time.sleep(SECONDS_BETWEEN_LOOKS)

    def end(self) -> None:
        """Ends the jobs that an exception has left, so that nothing outlives its round."""
        for job in self.jobs:
            job.kill_all()


def rows(document: Optional[dict[str, Any]], run_type: str = "iteration") -> list[dict[str, Any]]:
    """Measured runs of a document, or its aggregates; none if there is no document."""
    found = document["benchmarks"] if document else []
    return [row for row in found if row.get("run_type") == run_type and "error_occurred" not in row]


def verified_median(document: Optional[dict[str, Any]]) -> Optional[dict[str, Any]]:
    """The first median, if there is one and all of them are right."""
    medians = [row for row in rows(document, "aggregate") if row["aggregate_name"] == "median"]
    return medians[0] if medians and all(row.get("verified") is True for row in medians) else None


def _shared_entries() -> set[str]:
    with contextlib.suppress(OSError):
        return set(os.listdir(SHARED))
    return set()


def _mount(*words: str) -> bool:
    return subprocess.run(["mount", *words], stderr=subprocess.DEVNULL, check=False).returncode == 0


def have_own_mounts() -> str:
    """Gives this process a /dev/shm of its own, which ends with it. Why it cannot; empty if it could. To be called
    before there are threads."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        return "mounting is for root"
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
        return f"no mounts of one's own here ({os.strerror(ctypes.get_errno())})"
    # Otherwise other namespaces would see what is mounted here.
    if not _mount("--make-rprivate", "/") or not _mount("-t", "tmpfs", "-o", f"size={SHARED_SIZE}", "none", str(SHARED)):
        return "nothing can be mounted here"
    return ""


@contextlib.contextmanager
def full_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of that size at `folder`, which is made."""
    folder.mkdir()
    if not _mount("-t", "tmpfs", "-o", f"size={size}", "none", str(folder)):
        raise ScriptError(f"{folder}: nothing can be mounted there: leave that out with --only")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)
