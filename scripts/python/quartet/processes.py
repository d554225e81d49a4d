"""Finds and ends the processes of a job: all of them stay in its session."""

import contextlib
import math
import os
import signal
import time
from pathlib import Path

POLL_SECONDS = 0.02


def alive_in_session(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, its_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except (OSError, ValueError):
            continue  # gone meanwhile
        if int(its_session) == session and state not in ("Z", "X"):
            found.append(int(folder.name))
    return sorted(found)


def processor_seconds(session: int) -> float:
    """Processor time of the living processes of a session, and of their children that have ended."""
    ticks = 0
    for process in alive_in_session(session):
        with contextlib.suppress(OSError, ValueError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def words_of(process: int) -> list[str]:
    """The words of a process's command line; none if it has ended."""
    try:
        return os.fsdecode(Path(f"/proc/{process}/cmdline").read_bytes()).split("\0")
    except OSError:
        return []


def send(processes: list[int], number: signal.Signals) -> int:
    """Sends the signal. Returns how many processes got it."""
    count = 0
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)
            count += 1
    return count


def kill_session(session: int, seconds: float = math.inf) -> None:
    """Kills all processes of a session, also those started meanwhile; tries for so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and (processes := alive_in_session(session)):
        send(processes, signal.SIGKILL)
        time.sleep(POLL_SECONDS)


def wait_for_the_last(session: int, seconds: float) -> list[int]:
    """Waits at most so many seconds for the end of a session. Returns the processes that are still alive."""
    end = time.monotonic() + seconds
    while (left := alive_in_session(session)) and time.monotonic() < end:
        time.sleep(POLL_SECONDS)
    return left
