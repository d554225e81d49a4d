"""Kills of cg while it saves checkpoints: of one rank, all ranks, MPI's launcher or the script, at random
moments. Started again, it ends with the bits of an undisturbed run."""

import re
import signal
import time
from pathlib import Path
from typing import Any

from quartet.exit_codes import BAD_USAGE, FAILED, STOPPED, VERIFIED, WRONG_RESULT
from quartet_dev.soak.job import Ended, Fault, Job
from quartet_dev.soak.room import Room, is_verified, rows

ENDLESS = 1000000  # iterations
LAST_RANK, ALL_RANKS, LAUNCHER, SCRIPT, EVERYTHING = "rank", "ranks", "mpirun", "launch.sh", "everything"
TARGETS = (LAST_RANK, ALL_RANKS, LAUNCHER, SCRIPT, EVERYTHING)
WAYS = [f"--transport {transport} --storage {storage} --algorithm {algorithm}"
        for transport in ("mpi", "shm") for storage in ("full", "symmetric")
        for algorithm in ("classic", "single-reduction")]
WAYS.append("--transport mpi --formulation dataflow")
OWN_WORDS = (VERIFIED, WRONG_RESULT, BAD_USAGE, FAILED, STOPPED)  # codes for another ending
CHECKPOINTS = "checkpoints"


def saved_iterations(folder: Path) -> list[int]:
    """The saved iterations of the checkpoints that are there, ascending; those that are being written are left out."""
    found = [re.fullmatch(r"iteration-(\d+)", entry.name) for entry in folder.glob("iteration-*")]
    return sorted(int(match[1]) for match in found if match)


def bits(checkpoint: Path) -> dict[str, bytes]:
    """Reads the bits that the iterations have made."""
    return {file.name: file.read_bytes() for file in checkpoint.glob("*.npy")}


def killed(room: Room, job: Job, target: str, moment: float) -> Ended:
    """Kills the job and returns how it ends; `moment`, from 0 to 1, chooses among its ranks."""
    ranks = job.ranks()
    chosen = {LAST_RANK: [ranks[int(moment * len(ranks))]] if ranks else [], ALL_RANKS: ranks,
              LAUNCHER: job.launchers(), SCRIPT: [job.process.pid]}.get(target, [])
    if not chosen or not job.send(chosen, signal.SIGKILL):
        job.kill_all()
    ended = job.end()
    room.counts["kills"] += 1
    room.counts["launchers that stayed"] += ended.launcher_stayed
    return ended


def verified_row(room: Room, results: Path, ended: Ended) -> dict[str, Any]:
    """The median of the one whole run of the job that ends a series."""
    try:
        document = room.document(results, ended)
        row, *_ = [row for row in rows(document, "aggregate") if row["aggregate_name"] == "median"]
    except ValueError as error:
        raise Fault(f"the document of a finished series: {error}") from None
    if not is_verified(document):
        raise ended.fault("the end of a series is not verified")
    return row


class Series:
    """Jobs that solve one system in one way, one after another."""

    def __init__(self, room: Room):
        chances = room.chances
        self.room = room
        self.ranks = chances.choice((2, 3))
        self.every = chances.choice((10, 20, 50))
        self.system = f"--problem random --size {chances.randint(40, 300)} {chances.choice(WAYS)}"
        self.folder = room.folder / CHECKPOINTS

    def latest(self) -> int:
        return (saved_iterations(self.folder) or [0])[-1]

    def words(self, iterations: int, folder: Path) -> str:
        restart = "--restart" if folder == self.folder and self.latest() else ""
        return f"{self.system} --iterations {iterations} --every {self.every} --checkpoint {folder} {restart}"

    def launch(self) -> None:
        """One job, killed at a random moment."""
        chances, before = self.room.chances, self.latest()
        target, early = chances.choice(TARGETS), chances.random() < 0.2
        checkpoints, moment = chances.randint(1, 4), chances.random()
        job = self.room.start("cg", self.ranks, self.words(ENDLESS, self.folder))
        if early:  # while it starts
            time.sleep(moment)
        else:  # some checkpoints later, often while one is being written
            if not job.wait_until(lambda: self.latest() >= before + self.every * checkpoints):
                raise job.end().fault("saved no checkpoint in time")
            time.sleep(moment * 0.03)
        seen = self.latest()
        self._check(killed(self.room, job, target, moment), max(before, seen))

    def _check(self, ended: Ended, least: int) -> None:
        saved = saved_iterations(self.folder)
        if ended.code in OWN_WORDS:
            raise ended.fault("a killed job ended with a code of its own")
        if self.latest() < least:
            raise ended.fault(f"iteration {least} was saved, and {self.latest()} is left")
        if len(saved) > 3:  # the third is about to go
            raise ended.fault(f"{len(saved)} checkpoints are left")
        # Where the script is killed, its job is asked to stop, and saves where it is.
        if len(saved) > 1 and saved[-1] - saved[-2] > self.every:
            raise ended.fault(f"checkpoints {saved}, not every {self.every} iterations")
        self._check_lost(ended)

    def _check_lost(self, ended: Ended) -> None:
        """Checks that no more than one interval is lost: what was being saved is the next checkpoint."""
        for entry in self.folder.glob("iteration-*.unfinished"):
            ahead = int(re.sub(r"\D", "", entry.name)) - self.latest()
            if ahead > self.every:
                raise ended.fault(f"{ahead} iterations are lost, more than {self.every}")

    def finish(self) -> None:
        """To the end, and once more without a disturbance."""
        room, latest = self.room, self.latest()
        end = (latest // self.every + 2) * self.every
        results, undisturbed = room.folder / "results.json", room.folder / "undisturbed"
        ended = room.run_verified("cg", self.ranks, self.words(end, self.folder), f"--json {results}")
        row = verified_row(room, results, ended)
        if row.get("restarted_from", 0) != latest:
            raise ended.fault(f"went on from {row.get('restarted_from', 0)}, not from {latest}")
        room.run_verified("cg", self.ranks, self.words(end, undisturbed))
        room.counts["series"] += 1
        if bits(self.folder / f"iteration-{end}") != bits(undisturbed / f"iteration-{end}"):
            raise ended.fault("the bits are not those of an undisturbed run")
        left = sorted(entry.name for entry in self.folder.iterdir())
        if left != sorted(f"iteration-{number}" for number in (end - self.every, end)):
            raise ended.fault(f"left {', '.join(left)} in the folder of checkpoints")
        room.check_files(ended, (CHECKPOINTS, "results.json", "undisturbed"))
        room.check_shared_memory(ended)


def disturb(room: Room) -> None:
    """One series."""
    series = Series(room)
    for _ in range(room.chances.randint(4, 12)):
        series.launch()
        if room.late:
            break
    series.finish()
