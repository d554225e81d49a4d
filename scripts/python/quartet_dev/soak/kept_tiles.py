"""Kills of matmul and fft while they keep tiles: as of cg. Started again, they end with the bits of an
undisturbed run."""

import json
import time
from pathlib import Path
from random import Random

from quartet_dev.soak.kills import CHECKPOINTS, OWN_WORDS, TARGETS, killed, verified_row
from quartet_dev.soak.room import Room

DATA, RESULTS, UNDISTURBED = "data", "results.json", "undisturbed"
WAYS = (("matmul", "--transport mpi"), ("matmul", "--transport mpi --formulation dataflow --schedule dynamic"),
        ("matmul", "--transport shm --formulation dataflow --schedule dynamic"),
        ("fft", "--transport mpi --formulation dataflow"), ("fft", "--transport shm --formulation dataflow"))


def _product(chances: Random) -> tuple[str, int]:
    """Returns a product's words, and how many tiles it has."""
    edge, tile = chances.randint(8, 16), chances.randint(30, 60)
    return f"--size {edge * tile - chances.randint(0, 9)} --tile {tile}", edge**2


def _transform(chances: Random) -> tuple[str, int]:
    """The same. Its tiles are whole SIMD blocks: what would fill the last one is not defined."""
    tiles, length = chances.randint(60, 250), 8 * chances.randint(8, 100)
    return f"--size {tiles * length} --tiles {tiles}", tiles


WORK = {"matmul": _product, "fft": _transform}


def listed(folder: Path) -> set[int]:
    """The tiles that are done, of all lists."""
    lists = [json.loads(file.read_text())["content"] for file in folder.glob("tiles-*.json")]
    return {tile["number"] for found in lists for tile in found["done"]}


def bits(kept: Path, data: Path) -> dict[str, bytes]:
    """The bits of the tiles, and of the result."""
    return {file.name: file.read_bytes() for file in (*kept.glob("tile-*"), *data.rglob("[CX]*.npy"))}


class Series:
    """Jobs that do the same work in one way, one after another."""

    def __init__(self, room: Room):
        chances = room.chances
        self.room = room
        self.ranks = chances.choice((2, 3))
        self.folder, self.data = room.folder / CHECKPOINTS, room.folder / DATA
        self.program, way = chances.choice(WAYS)
        size, self.tiles = WORK[self.program](chances)
        self.work = f"{size} --data {self.data}"
        self.way = f"{way} --every {chances.randint(1, 20)}"
        room.run_verified(self.program, 1, self.work, "--generate --runs 1 --warmup 0")

    def words(self, folder: Path) -> str:
        restart = "--restart" if any(folder.glob("tiles-*.json")) else ""
        return f"{self.work} {self.way} --keep --checkpoint {folder} {restart}"

    def launch(self) -> None:
        """One job, killed at a random moment."""
        room, before = self.room, listed(self.folder)
        target, tiles, moment = (room.chances.choice(TARGETS), room.chances.randint(1, self.tiles // 3),
                                 room.chances.random())
        job = room.start(self.program, self.ranks, self.words(self.folder))
        if not job.wait_until(lambda: len(listed(self.folder)) >= len(before) + tiles):
            ended = job.end()
            if ended.code:
                raise ended.fault("kept no tiles in time")
            return  # it has done them all
        time.sleep(moment * 0.03)
        seen = listed(self.folder)
        ended = killed(room, job, target, moment)
        if ended.code in OWN_WORDS and len(listed(self.folder)) < self.tiles:
            raise ended.fault("a killed job ended with a code of its own")
        if not before | seen <= listed(self.folder):
            raise ended.fault("tiles that were listed are gone")

    def finish(self) -> None:
        """To the end, and once more without a disturbance."""
        room, results, undisturbed = self.room, self.room.folder / RESULTS, self.room.folder / UNDISTURBED
        taken_over = len(listed(self.folder))
        ended = room.run_verified(self.program, self.ranks, self.words(self.folder), f"--json {results}")
        row = verified_row(room, results, ended)
        if row["tiles_taken_over"] != taken_over:
            raise ended.fault(f"took over {row['tiles_taken_over']} tiles, not {taken_over}")
        found = bits(self.folder, self.data)
        room.run_verified(self.program, self.ranks, self.words(undisturbed))
        room.counts["series"] += 1
        if found != bits(undisturbed, self.data):
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
