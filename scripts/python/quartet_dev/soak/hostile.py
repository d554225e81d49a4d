"""Hostile inputs, generated: words, paths and damaged files. Each is answered, in one line where it is
refused, in time, and changes none of its inputs."""

import os
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Optional, Union

from quartet.exit_codes import BAD_USAGE, FAILED, STOPPED, UNAVAILABLE, VERIFIED
from quartet_dev.soak import hostile_words, mutations
from quartet_dev.soak.job import Ended, Fault, Job
from quartet_dev.soak.programs import SMALL
from quartet_dev.soak.room import Room

ANSWERS = (VERIFIED, BAD_USAGE, FAILED, STOPPED, UNAVAILABLE)
BATCH = 16
AT_A_TIME = 3
CRASHES = ("Traceback", "terminate called", "Sanitizer", "Segmentation fault", "Bus error", "bad_alloc",
           "filesystem error", "*** Process received signal")
SEARCHED = {"matmul": "tiles", "cg": "blocks", "fft": "vectors"}  # folders of --data
CHECKPOINTS, MATRIX, SETTINGS = "checkpoints", "matrix.npy", "settings"


@dataclass(frozen=True)
class Input:
    """A hostile job, in a folder of its own."""

    folder: Path
    program: str
    ranks: str
    words: list[str]
    may_change: bool = False  # its folder, where it ends well: by going on from a checkpoint


def sound(room: Room) -> Path:
    """A folder of inputs that can be used. Made once."""
    folder = room.cache / "sound"
    if folder.is_dir():
        return folder
    made = folder.with_name("sound.unfinished")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    for program, name in SEARCHED.items():
        room.run_verified(program, 2, SMALL[program], f"--runs 1 --data {made / name} --generate")
    room.run_verified("cg", 1, SMALL["cg"], f"--runs 1 --data {made / 'matrix'} --generate")
    (made / "matrix" / "A-0.npy").rename(made / MATRIX)
    shutil.rmtree(made / "matrix")
    room.run_verified("cg", 2, "--size 100 --iterations 10 --every 5", f"--checkpoint {made / CHECKPOINTS}")
    (made / SETTINGS).write_text("runs = 2\nwarmup = 0\nverify = on\n# a comment\nseed = 7\n")
    made.rename(folder)
    return folder


def _damaged(room: Room, folder: Path, chances: Random) -> Input:
    """A job whose data, matrix, checkpoint or settings are not as they should be."""
    program = chances.choice(sorted(SMALL))
    sources = {"cg": [SEARCHED["cg"], CHECKPOINTS, CHECKPOINTS, MATRIX, SETTINGS], "stream": [SETTINGS]}
    name = chances.choice(sources[program] if program in sources else [SEARCHED[program]] * 2 + [SETTINGS])
    source, copy = sound(room) / name, folder / name
    if source.is_dir():
        shutil.copytree(source, copy)
        files = sorted(file for file in copy.rglob("*") if file.suffix in (".json", ".npy"))
        manifests = [file for file in files if file.suffix == ".json"]
        mutations.mutate(chances.choice(files + manifests * 3), chances)
    else:
        shutil.copyfile(source, copy)
        mutations.mutate(copy, chances)
    flag = {CHECKPOINTS: "--checkpoint", MATRIX: "--problem", SETTINGS: "--config"}.get(name, "--data")
    more = {CHECKPOINTS: ["--restart", "--iterations", "10", "--every", "5"], MATRIX: ["--runs", "1"],
            SETTINGS: ["--dry-run"]}.get(name, ["--runs", "1"])
    words = [word for word in hostile_words.small(program)]
    if name == CHECKPOINTS:
        words[words.index("--iterations") + 1] = "10"
        more = ["--restart", "--every", "5"]
    return Input(folder, program, "2", [*words, flag, name, *more], name == CHECKPOINTS)


def _worded(_room: Room, folder: Path, chances: Random) -> Input:
    program = chances.choice(sorted(SMALL))
    make = chances.choice((hostile_words.numbers, hostile_words.numbers, hostile_words.flags, hostile_words.paths))
    ranks = chances.choice(hostile_words.RANKS) if chances.random() < 0.03 else chances.choice(("2", "2", "3"))
    return Input(folder, program, ranks, make(program, folder, chances))


def _state(folder: Path) -> dict[str, Union[bytes, int]]:
    """Of all that is in a folder: contents of regular files, kinds of others. Of a large one, its size."""
    found: dict[str, Union[bytes, int]] = {}
    for file in folder.rglob("*"):
        state = file.lstat()
        if stat.S_ISREG(state.st_mode):
            found[str(file.relative_to(folder))] = file.read_bytes() if state.st_size < 2**24 else state.st_size
        else:
            found[str(file.relative_to(folder))] = stat.S_IFMT(state.st_mode)
    return found


def _changed(given: Input, before: dict[str, Any], ended: Ended) -> str:
    """Which of the inputs are not as they were; empty if all are."""
    after = _state(given.folder)
    if given.may_change and ended.code == VERIFIED:
        return ""
    changed = [name for name, value in before.items() if after.get(name) != value]
    if ended.code in (BAD_USAGE, UNAVAILABLE):
        changed += [f"{name} (new)" for name in after.keys() - before.keys()]
    changed += [name for name in after.keys() - before.keys() if "pwned" in name or name.endswith(".tmp")]
    return ", ".join(sorted(changed))[:200]


def _fault(given: Input, before: dict[str, Any], ended: Ended) -> Optional[Fault]:
    crashes = [word for word in CRASHES if word in ended.errors]
    if ended.code not in ANSWERS:
        return ended.fault("a hostile input: no code for that")
    if crashes:
        return ended.fault(f"a hostile input: {crashes[0]}")
    lines = len([line for line in ended.errors.splitlines() if line.strip()])
    if ended.code == BAD_USAGE and lines != 1:
        return ended.fault(f"a hostile input is refused in {lines} lines")
    if "\x1b" in ended.errors:
        return ended.fault("a hostile input moves the terminal's cursor")
    changed = _changed(given, before, ended)
    return ended.fault(f"a hostile input has changed {changed}") if changed else None


def _try(room: Room, given: Input) -> Optional[Fault]:
    """None if it is answered as it should be."""
    before, scratch = _state(given.folder), room.scratch / given.folder.name
    scratch.mkdir()
    words = [os.fsencode(word) for word in given.words]
    command = [room.launcher, given.ranks, room.programs / given.program, *map(os.fsdecode, words)]
    try:
        ended = Job(command, given.folder, scratch, room.patience).end()
    except Fault as fault:
        return fault
    return _fault(given, before, ended)


def disturb(room: Room) -> None:
    """A batch, some at a time. Raises the first Fault; the others are said in it."""
    made = []
    for number in range(BATCH):
        folder = room.folder / f"input-{number}"
        folder.mkdir()
        make = _damaged if room.chances.random() < 0.5 else _worded
        made.append(make(room, folder, Random(room.chances.random())))
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        faults = [fault for fault in pool.map(lambda given: _try(room, given), made) if fault]
    room.counts["hostile inputs"] += len(made)
    room.faults += faults
    room.check_shared_memory(Ended(0, "", (), False))
