"""Two jobs at once with one file, one folder, or one /dev/shm that is too small for both."""

import time

from quartet.exit_codes import BAD_USAGE, FAILED, VERIFIED
from quartet_dev.soak import shared_memory
from quartet_dev.soak.job import Ended
from quartet_dev.soak.programs import SMALL
from quartet_dev.soak.room import Room, is_verified

RESULTS, FOLDER = "results.json", "shared"


def _together(room: Room, *jobs: tuple[str, str]) -> list[Ended]:
    """Programs and words; the second begins a moment after the first."""
    delay, running = room.chances.choice((0, 0, 0.1, 0.4)), []
    for number, (program, words) in enumerate(jobs):
        running.append(room.start(program, 2, words, where=str(number)))
        time.sleep(delay)
    return [job.end() for job in running]


def _check(ended: list[Ended], codes: tuple[int, ...]) -> None:
    """One is right; what is refused says so in a line."""
    for one in ended:
        if one.code not in codes:
            raise one.fault(f"one of two jobs at once: code {one.code}")
        if one.code and len(one.errors.splitlines()) != 1:
            raise one.fault("one of two jobs at once: not one line")
    if VERIFIED not in [one.code for one in ended]:
        raise ended[0].fault("of two jobs at once neither is right")


def results(room: Room) -> list[Ended]:
    file = room.folder / RESULTS
    program = room.chances.choice(sorted(SMALL))
    words = f"{SMALL[program]} --runs 50 --force --json {file}"
    ended = _together(room, (program, words), (program, words))
    _check(ended, (VERIFIED, BAD_USAGE))
    if not is_verified(room.document(file, ended[0])):
        raise ended[0].fault("two jobs with one --json: no document that is verified")
    return ended


def checkpoints(room: Room) -> list[Ended]:
    words = f"--problem random --size 120 --iterations 200 --every 20 --checkpoint {room.folder / FOLDER}"
    ended = _together(room, ("cg", words), ("cg", words))
    _check(ended, (VERIFIED, BAD_USAGE))
    room.run_verified("cg", 2, words, "--restart")
    return ended


def data(room: Room) -> list[Ended]:
    program = room.chances.choice(("matmul", "cg", "fft"))
    keep = "--keep" if program != "cg" and room.chances.random() < 0.5 else ""
    words = f"{SMALL[program]} --data {room.folder / FOLDER} --runs 5"
    ended = _together(room, (program, f"{words} --generate {keep}"), (program, f"{words} --generate {keep}"))
    _check(ended, (VERIFIED, BAD_USAGE))
    room.run_verified(program, 2, words)
    return ended


def memory(room: Room) -> list[Ended]:
    """In the size of /dev/shm there is not always room for two."""
    size = room.chances.choice((4, 12, 20))  # MiB, of stream's buffers
    words = f"--sizes {size}MiB --pushes 3 --runs 3 --warmup 0 --transport shm"
    with shared_memory.of_size("60m"):
        ended = _together(room, ("stream", words), ("stream", words))
    _check(ended, (VERIFIED, BAD_USAGE, FAILED))
    return ended


def disturb(room: Room) -> None:
    """One pair of jobs."""
    ways = [results, checkpoints, data] + [memory] * (not room.why_no_mounts)
    way = room.chances.choice(ways)
    ended = way(room)
    room.counts["pairs"] += 1
    room.check_files(ended[-1], (RESULTS, FOLDER))
    room.check_shared_memory(ended[-1])
