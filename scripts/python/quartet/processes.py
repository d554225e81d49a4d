"""Processes of a job, wherever its launcher has put them: they stay in its session."""

import contextlib
import math
import os
import signal
import time
from pathlib import Path

SECONDS_BETWEEN_LOOKS = 0.02


def alive_in_session(session: int) -> list[int]:
    """Returns the processes that a job has started and that have not ended."""
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
    """What the processes of a session that are alive have used, with their children that have ended."""
    ticks = 0
    for process in alive_in_session(session):
        with contextlib.suppress(OSError, ValueError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def words_of(process: int) -> list[str]:
    """Returns a process's command line; no words if it has ended."""
    try:
        return os.fsdecode(Path(f"/proc/{process}/cmdline").read_bytes()).split("\0")
    except OSError:
        return []


def send(processes: list[int], number: signal.Signals) -> int:
    """To how many of them the signal went."""
    count = 0
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)
            count += 1
    return count


def kill_session(session: int, seconds: float = math.inf) -> None:
    """Also what is started meanwhile; tries for so long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and (processes := alive_in_session(session)):
        send(processes, signal.SIGKILL)
        time.sleep(SECONDS_BETWEEN_LOOKS)


def wait_for_the_last(session: int, seconds: float) -> list[int]:
    """Waits for so long at most, and returns what is still alive of a session."""
    end = time.monotonic() + seconds
    while (left := alive_in_session(session)) and time.monotonic() < end:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    return left
