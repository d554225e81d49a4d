"""Signals that ask a job to stop, and a rank that stands still for a while."""

import signal
import time
from typing import Any

from quartet.exit_codes import FAILED, STOPPED, VERIFIED
from quartet.results import load
from quartet.results.case import NOT_RUN
from quartet_dev.soak.programs import ENDLESS, LONGER, SMALL
from quartet_dev.soak.room import Room, is_verified, rows

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1)
RESULTS = "results.json"
RANKS_ALONE, SCRIPT, ALL = "one rank", "launch.sh", "all ranks"


def _runs(room: Room, file: Any) -> int:
    """The runs of the document as it is now."""
    try:
        return len(rows(load(file)))
    except FileNotFoundError:
        return 0


def stop(room: Room) -> None:
    """One job that is asked to stop."""
    chances = room.chances
    program, number = chances.choice(sorted(SMALL)), chances.choice(STOPPING)
    target, early = chances.choice((RANKS_ALONE, SCRIPT, ALL)), chances.random() < 0.25
    moment, ranks = chances.random(), chances.choice((2, 2, 3))
    transport = chances.choice(("mpi", "shm"))
    file = room.folder / RESULTS
    job = room.start(program, ranks, SMALL[program], f"--runs {ENDLESS} --transport {transport}", f"--json {file}")
    if early:
        time.sleep(moment)
    elif not job.wait_until(file.exists):
        raise job.end().fault("wrote no document in time")
    else:
        time.sleep(moment / 2)
    before, found = _runs(room, file), job.ranks()
    chosen = {RANKS_ALONE: found[:1], ALL: found}.get(target, [])
    job.send(chosen or [job.process.pid], number)
    sent = f"{number.name} to {target if chosen else SCRIPT} after {before} runs"
    ended = job.end(after=sent)
    room.counts[number.name] += 1
    document = room.document(file, ended)
    # Before a program can take signals they end it, and its launcher's code is not ours. Without a
    # complete run nothing is kept.
    kept_nothing = ended.code == FAILED and any(text in ended.errors for text in NOT_RUN)
    if ended.code != STOPPED and (before or 0 <= ended.code <= 128 and not kept_nothing):
        raise ended.fault(f"{sent}: not {STOPPED}")
    if len(rows(document)) < before:
        raise ended.fault(f"{sent}: {len(rows(document))} are left")
    if ended.code == STOPPED and not ended.errors.strip():
        raise ended.fault(f"{sent}: stopped without a word")
    _check_left(room, ended)


def pause(room: Room) -> None:
    """One job in which a rank stands still for a second."""
    chances = room.chances
    program, ranks = chances.choice(sorted(LONGER)), chances.choice((2, 3))
    moment, transport = chances.random(), chances.choice(("mpi", "shm"))
    file = room.folder / RESULTS
    job = room.start(program, ranks, LONGER[program], f"--runs 5 --transport {transport}", f"--json {file}")
    job.wait_until(lambda: len(job.ranks()) == ranks)
    time.sleep(moment)
    found = job.ranks()
    chosen = found[int(moment * len(found)):][:1]
    job.send(chosen, signal.SIGSTOP)
    time.sleep(1)
    job.send(chosen, signal.SIGCONT)
    ended = job.end()
    room.counts["pauses"] += len(chosen)
    if ended.code != VERIFIED or not is_verified(room.document(file, ended)):
        raise ended.fault("a rank stood still for a second: not right and verified")
    _check_left(room, ended)


def _check_left(room: Room, ended: Any) -> None:
    # A job that a signal ends before it can take it leaves what its launcher's next one removes.
    room.check_files(ended, (RESULTS,))
    if ended.code not in (VERIFIED, STOPPED):
        room.run_verified("stream", 2, SMALL["stream"])
    room.check_shared_memory(ended)
