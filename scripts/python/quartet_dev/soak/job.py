"""A job in the background, to be disturbed while it runs."""

import os
import shlex
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable, Optional

from quartet.processes import SECONDS_BETWEEN_LOOKS, alive_in_session, kill_session, send, words_of
from quartet.terminal import printable
from quartet_dev.soak.countdown import Countdown

SHOWN = 300  # characters of what a job has said
SECONDS_TO_VANISH = 10  # for what a killed launcher leaves to others to end


class Fault(Exception):
    """What the suite did wrong, and the command that showed it."""

    def __init__(self, what: str, command: Iterable[object] = ()):
        super().__init__(what)
        self.command = shlex.join(str(word) for word in command)


@dataclass(frozen=True)
class Ended:
    """How a job ended."""

    code: int  # negative where a signal has ended the launcher's script
    errors: str
    command: tuple[str, ...]
    launcher_stayed: bool  # after its ranks had gone

    def fault(self, what: str) -> Fault:
        said = printable(" ".join(self.errors.split()))
        return Fault(f"{what} (code {self.code}, it said: {said[:SHOWN] or 'nothing'})", self.command)


def _default_signals() -> None:
    # Whoever started this may ignore what a terminal sends, and a shell could then not trap it.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Job:
    """A program under the launcher, in a session of its own."""

    def __init__(self, command: Iterable[object], folder: Path, scratch: Path, patience: float):
        """`scratch` is for the launcher's own files. Nothing that is to happen takes longer than
        `patience`, in seconds."""
        self.command = tuple(str(word) for word in command)
        self._program = self.command[2]
        self._patience = patience
        # Files, not pipes: a process that outlives the job would keep a pipe open, and the wait for it would not end.
        self._errors = tempfile.TemporaryFile()
        environment = {**os.environ, "TMPDIR": str(scratch), "QUARTET_BIND": "none"}
        self.process = subprocess.Popen(
            self.command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self._errors, start_new_session=True,
            preexec_fn=_default_signals)

    def ranks(self) -> list[int]:
        """The processes of the ranks, but not of the launcher."""
        return [process for process in alive_in_session(self.process.pid)
                if self._program in words_of(process)[:2]]  # a script's is the second

    def launchers(self) -> list[int]:
        """MPI's, which the script has started."""
        return [process for process in alive_in_session(self.process.pid)
                if process != self.process.pid and "-n" in words_of(process)[1:2]]

    def wait_until(self, condition: Callable[[], object]) -> bool:
        """False if the job ended first, or it took too long."""
        patience = Countdown(self._patience)
        while self.process.poll() is None and not patience.is_over():
            if condition():
                return True
            time.sleep(0.002)
        return bool(condition())

    def kill_all(self) -> None:
        kill_session(self.process.pid)

    def send(self, processes: list[int], number: signal.Signals) -> int:
        return send(processes, number)

    def _code(self) -> Optional[int]:
        patience = Countdown(self._patience)
        while self.process.poll() is None and not patience.is_over():
            time.sleep(SECONDS_BETWEEN_LOOKS)
        return self.process.poll()

    def _remains(self) -> bool:
        """True if processes are left that had time to vanish."""
        patience = Countdown(max(SECONDS_TO_VANISH, self._patience))
        while left := alive_in_session(self.process.pid):
            if patience.is_over():
                break
            time.sleep(SECONDS_BETWEEN_LOOKS)
        return bool(left)

    def end(self, after: str = "") -> Ended:
        """Waits until nothing of it is left. Returns how it ended. Raises Fault if it does not end in time, or
        leaves processes; `after` says what was done to it."""
        code, stayed = self._code(), False
        if code is None:
            # Open MPI 4.1.4's launcher may wait for a lock of its own where a rank was killed; that
            # no rank is left is what counts.
            ranks = self.ranks()
            stayed = not ranks and bool(self.launchers())
            if not stayed:
                shown = self._alive()
                self.kill_all()
                self.process.wait()
                raise self._ended(-signal.SIGKILL, False).fault(f"{after} did not end: {shown}".strip())
            self.kill_all()
            code = self.process.wait()
        if self._remains():
            # Without its script such a launcher has nobody to end it.
            stayed = stayed or not self.ranks() and bool(self.launchers())
            shown = self._alive()
            self.kill_all()
            if not stayed:
                raise self._ended(code, False).fault(f"left processes behind: {shown}")
        return self._ended(code, stayed)

    def _alive(self) -> str:
        return "; ".join(" ".join(words_of(process))[:SHOWN] for process in alive_in_session(self.process.pid))

    def _ended(self, code: int, stayed: bool) -> Ended:
        self._errors.seek(0)
        text = self._errors.read().decode("utf-8", "replace")
        return Ended(code, text, self.command, stayed)
