"""Kills of matmul while it keeps tiles of its result: as of cg. Started again, it ends with the bits of an
undisturbed run."""

import json
import time
from pathlib import Path

from quartet.soak.kills import CHECKPOINTS, OWN_WORDS, TARGETS, killed, verified_row
from quartet.soak.room import Room

DATA, RESULTS, UNDISTURBED = "data", "results.json", "undisturbed"
WAYS = ("--transport mpi", "--transport mpi --formulation dataflow --schedule dynamic",
        "--transport shm --formulation dataflow --schedule dynamic")


def listed(folder: Path) -> set[int]:
    """The tiles that are done, of all lists."""
    lists = [json.loads(file.read_text())["content"] for file in folder.glob("tiles-*.json")]
    return {tile["number"] for found in lists for tile in found["done"]}


def bits(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.glob("tile-*")}


class Series:
    """Jobs that multiply the same matrices in one way, one after another."""

    def __init__(self, room: Room):
        chances = room.chances
        self.room = room
        self.ranks = chances.choice((2, 3))
        self.edge = chances.randint(8, 16)  # tiles
        self.folder = room.folder / CHECKPOINTS
        tile = chances.randint(30, 60)
        self.product = f"--size {self.edge * tile - chances.randint(0, 9)} --tile {tile} --data {room.folder / DATA}"
        self.way = f"{chances.choice(WAYS)} --every {chances.randint(1, 20)}"
        room.run_verified("matmul", 1, self.product, "--generate --runs 1 --warmup 0")

    def words(self, folder: Path) -> str:
        restart = "--restart" if listed(folder) else ""
        return f"{self.product} {self.way} --checkpoint {folder} {restart}"

    def launch(self) -> None:
        """One job, killed at a random moment."""
        room, before = self.room, listed(self.folder)
        target, tiles, moment = (room.chances.choice(TARGETS), room.chances.randint(1, self.edge**2 // 3),
                                 room.chances.random())
        job = room.start("matmul", self.ranks, self.words(self.folder))
        if not job.wait_until(lambda: len(listed(self.folder)) >= len(before) + tiles):
            ended = job.end()
            if ended.code:
                raise ended.fault("kept no tiles in time")
            return  # it has done them all
        time.sleep(moment * 0.03)
        seen = listed(self.folder)
        ended = killed(room, job, target, moment)
        if ended.code in OWN_WORDS and len(listed(self.folder)) < self.edge**2:
            raise ended.fault("a killed job ended with a code of its own")
        if not before | seen <= listed(self.folder):
            raise ended.fault("tiles that were listed are gone")

    def finish(self) -> None:
        """To the end, and once more without a disturbance."""
        room, results, undisturbed = self.room, self.room.folder / RESULTS, self.room.folder / UNDISTURBED
        taken_over = len(listed(self.folder))
        ended = room.run_verified("matmul", self.ranks, self.words(self.folder), f"--json {results}")
        row = verified_row(room, results, ended)
        if row["tiles_taken_over"] != taken_over:
            raise ended.fault(f"took over {row['tiles_taken_over']} tiles, not {taken_over}")
        room.run_verified("matmul", self.ranks, self.words(undisturbed))
        room.counts["series"] += 1
        if bits(self.folder) != bits(undisturbed):
            raise ended.fault("the bits are not those of an undisturbed run")
        room.check_files(ended, (CHECKPOINTS, DATA, RESULTS, UNDISTURBED))
        room.check_shared_memory(ended)


def disturb(room: Room) -> None:
    """One series."""
    series = Series(room)
    for _ in range(room.chances.randint(2, 6)):
        series.launch()
        if room.late:
            break
    series.finish()
