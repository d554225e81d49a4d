"""Disks that are full while checkpoints or results are written to them."""

import shutil
from pathlib import Path

from quartet.exit_codes import BAD_USAGE, FAILED, VERIFIED
from quartet.units import KIB
from quartet_dev.soak import shared_memory
from quartet_dev.soak.job import Ended
from quartet_dev.soak.kills import bits, saved_iterations
from quartet_dev.soak.programs import SMALL
from quartet_dev.soak.room import Room, is_verified

DISK = "disk"


def _fill(disk: Path, leave: int) -> None:
    """Until so many bytes are free."""
    with open(disk / "filler", "wb") as filler:
        filler.write(bytes(max(0, shutil.disk_usage(disk).free - leave)))


def checkpoints(room: Room, disk: Path) -> Ended:
    """Checks that what was saved before the disk was full is there, and goes on from it."""
    chances, folder = room.chances, disk / "checkpoints"
    system = f"--problem random --size {chances.randint(60, 200)} --every 10 --checkpoint"
    room.run_verified("cg", 2, f"{system} {folder} --iterations 10")
    before = bits(folder / "iteration-10")
    _fill(disk, chances.randrange(16) * KIB)
    ended = room.run("cg", 2, f"{system} {folder} --iterations 40 --restart")
    if ended.code not in (VERIFIED, BAD_USAGE, FAILED):
        raise ended.fault("a full disk ended it with a code that is not for that")
    saved = saved_iterations(folder)
    if not saved or (saved[-1] == 10 and bits(folder / "iteration-10") != before):
        raise ended.fault("a full disk has cost a checkpoint that was complete")
    (disk / "filler").unlink()
    room.run_verified("cg", 2, f"{system} {folder} --iterations 40 --restart")
    room.run_verified("cg", 2, f"{system} {room.folder}/undisturbed --iterations 40")
    if bits(folder / "iteration-40") != bits(room.folder / "undisturbed" / "iteration-40"):
        raise ended.fault("after a full disk the bits are not those of an undisturbed run")
    return ended


def results(room: Room, disk: Path) -> Ended:
    """The document is valid, or is not there."""
    program = room.chances.choice(sorted(SMALL))
    _fill(disk, room.chances.randrange(24) * KIB)
    file = disk / "results.json"
    ended = room.run(program, 2, SMALL[program], f"--json {file}")
    document = room.document(file, ended)
    if ended.code not in (VERIFIED, BAD_USAGE, FAILED):
        raise ended.fault("a full disk ended it with a code that is not for that")
    # The document of the runs before stays where the last one cannot be written: that is a failure, too.
    if ended.code == VERIFIED and not is_verified(document):
        raise ended.fault("ended well without a document that is verified")
    left = sorted(entry.name for entry in disk.iterdir()
                  if entry.name not in ("filler", "results.json", ".results.json.lock"))
    if left:
        raise ended.fault(f"left {', '.join(left)} on the full disk behind")
    return ended


def disturb(room: Room) -> None:
    """One disk."""
    size = room.chances.choice((192, 256, 512))  # KiB
    with shared_memory.disk(room.folder / DISK, f"{size}k") as disk:
        ended = room.chances.choice((checkpoints, results))(room, disk)
    room.counts["full disks"] += 1
    room.check_files(ended, (DISK, "undisturbed"))
    room.check_shared_memory(ended)
