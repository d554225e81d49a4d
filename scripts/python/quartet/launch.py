"""Starts the suite's programs as MPI jobs on this machine, through scripts/launch.sh.

Slurm jobs are submitted many at a time: see slurm/launcher.py."""

import contextlib
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from quartet.exit_codes import FAILED, VERIFIED, WORST_FIRST, WRONG_RESULT, ScriptError
from quartet.processes import kill_session, processor_seconds
from quartet.terminal import printable
from quartet.units import KIB

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # the last one when the terminal is closed
ASKING = (signal.SIGTERM, signal.SIGTERM)  # sent to a job; the second one if it goes on
NO_LOG = Path()  # the job's standard error is ours
LAST_BYTES, LAST_LINES = 64 * KIB, 1000  # of a log, or of a standard error, in which the last line is looked for
SECONDS_TO_FINISH = 10  # for the current run, of a job that was asked to end
SECONDS_TO_CLEAN_UP = 5  # of a job that was asked to end, before it is killed


class LaunchError(ScriptError):
    """A launch that cannot go on; `code` is its exit code."""

    def __init__(self, code: int, message: str):
        super().__init__(message, code)


@dataclass(frozen=True)
class Outcome:
    """How a launch ended."""

    exit_code: int
    seconds: Optional[float]  # None if no script was there when it ended
    message: str = ""


@dataclass(frozen=True)
class Job:
    """One run of a program."""

    program: Path
    ranks: int
    threads: int  # of a rank
    arguments: tuple[str, ...]
    folder: Optional[Path] = None  # where it runs, if not here
    nodes: Optional[int] = None  # to be spread over; None: as few as hold it
    hosts: tuple[str, ...] = ()  # these nodes; empty: any
    variables: tuple[tuple[str, str], ...] = ()  # of its environment, in place of ours
    distribution: str = ""  # of ranks over nodes: block, cyclic or plane=N; empty: the machine's choice

    @property
    def environment(self) -> dict[str, str]:
        return {"QUARTET_THREADS": str(self.threads), **os.environ, **dict(self.variables)}


def options_of(arguments: tuple[str, ...]) -> dict[str, str]:
    """The value of each flag: the next word, or what follows "="."""
    joined = (word.split("=", 1) for word in arguments if word.startswith("--") and "=" in word)
    return {**dict(zip(arguments, arguments[1:])), **{flag: value for flag, value in joined}}


def quiet_job(program: Path, ranks: int, threads: int, arguments: tuple[str, ...], document: Path) -> Job:
    """A run that prints nothing and writes `document`, replacing an older one."""
    quietly = ("--progress", "off", "--quiet", "--json", str(document), "--force")
    return Job(program, ranks, threads, (*arguments, *quietly))


def _interrupt(_number: int, _frame: object) -> None:
    # Later signals are ignored, so that nothing interrupts the ending of a job.
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    if not _held:
        raise KeyboardInterrupt
    _held[-1] = True


_held: list[bool] = []  # of each held_interrupts(): whether a signal came


@contextlib.contextmanager
def held_interrupts() -> Iterator[None]:
    """A signal that ends this process waits until the end: a job that it started within is then known, and ended."""
    _held.append(False)
    try:
        yield
    finally:
        if _held.pop():
            raise KeyboardInterrupt


def end_jobs_when_ended() -> None:
    """Turns signals that end this process into KeyboardInterrupt, so that it ends its job first.
    Signals that it ignores (nohup) stay ignored."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


class Running:
    """A job that was started on this machine, in a session of its own."""

    def __init__(self, process: subprocess.Popen[Any], ending: tuple[signal.Signals, ...] = ASKING):
        self._process = process
        self._ending = ending
        self._is_ending = False
        self.last_lines = deque[str](maxlen=LAST_LINES)  # of its standard error
        self._errors = threading.Thread(target=self._pass_on_errors, daemon=True)
        self._errors.start()

    def _pass_on_errors(self) -> None:
        """Copies to our standard error until we end the job: what MPI says about that is not of interest."""
        for line in self._process.stderr or ():
            self.last_lines.append(line.decode("utf-8", "replace"))
            if not self._is_ending:
                with contextlib.suppress(OSError):  # the terminal may be gone
                    os.write(2, line)

    def wait(self, seconds: Optional[float] = None) -> Optional[int]:
        """Waits for so many seconds at most. Returns the exit code; None if it is still running."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
            self._errors.join(1)  # a process that outlives its job may keep the pipe open
        return self._process.returncode

    def cancel(self) -> None:
        """Ends launcher and ranks. launch.sh takes the first signal as a request to finish, the second as an order.
        What is left of the session is killed: launch.sh and Open MPI make process groups of their own."""
        for number in self._ending:
            self._signal(number)
            if self.wait(SECONDS_TO_CLEAN_UP) is not None:
                break
        self.kill()

    def kill(self) -> None:
        """Kills the job and all processes that it has started."""
        if self._process.poll() is None:
            self._signal(signal.SIGKILL)
        kill_session(self._process.pid, SECONDS_TO_CLEAN_UP)
        self._process.wait()

    def processor_seconds(self) -> float:
        """Processor time that its processes have used so far."""
        return processor_seconds(self._process.pid)

    def ask(self) -> None:
        """Asks the job to end once the run under way is over."""
        self._signal(self._ending[0])

    def _signal(self, number: signal.Signals) -> None:
        self._is_ending = True
        with contextlib.suppress(ProcessLookupError):  # gone meanwhile
            os.killpg(self._process.pid, number)


@dataclass(frozen=True)
class Files:
    """The files that a job writes."""

    document: Path
    log: Path = NO_LOG  # of its standard error

    def last_words(self, program: str, written: Iterable[str] = ()) -> str:
        """The last line that the program wrote, else the launcher's; of a job without a log one of `written`."""
        with contextlib.suppress(OSError), open(self.log, "rb") as log:
            log.seek(max(0, self.log.stat().st_size - LAST_BYTES))
            written = log.read(LAST_BYTES).decode("utf-8", "replace").split("\n")
        lines = [printable(line).strip() for line in written if line.strip()]
        own = [line for line in lines if line.startswith(f"{program}: ")]
        return next(reversed(own or lines), "")


def outcome_of(program: str, files: Files, code: int, seconds: Optional[float], written: Iterable[str] = ()) -> Outcome:
    """The outcome of a program that ended with `code`. It failed if `code` is not one of ours, or if `code` says that
    it has measured but its document is missing."""
    words = "" if code == VERIFIED else files.last_words(program, written)
    why = f"ended from outside, with exit code {code}" if code not in WORST_FIRST else \
        f"left no {files.document}" if code in (VERIFIED, WRONG_RESULT) and not files.document.exists() else ""
    if why:
        return Outcome(FAILED, seconds, "; ".join(filter(None, [why, words])))
    return Outcome(code, seconds, words or f"exit code {code}")


class LocalLauncher:
    """Runs jobs on this machine by a script: SCRIPT RANKS PROGRAM ARGUMENTS."""

    ENDING: tuple[signal.Signals, ...] = ASKING

    def __init__(self, script: Path):
        self._script = script

    def command(self, job: Job) -> list[str]:
        return [str(self._script), str(job.ranks), str(job.program), *job.arguments]

    def submit(self, job: Job, log: Path, held: tuple[int, ...] = ()) -> Running:
        """Starts the job. Its standard error goes to `log`, or to ours until we end it. It inherits the file
        descriptors `held`, for instance locks. An interrupt from the keyboard does not reach it: the caller decides."""
        if log != NO_LOG:
            log.unlink(missing_ok=True)  # it may be a link of another user
        with open(log, "xb") if log != NO_LOG else contextlib.nullcontext(subprocess.PIPE) as errors:
            return Running(subprocess.Popen(
                self.command(job), env=job.environment, cwd=job.folder, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True, pass_fds=held), self.ENDING)
