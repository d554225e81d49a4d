"""matmul and fft from files that keep tiles: signals, kills at random moments, other jobs, damage.

QUARTET_TILE_KILLS says how many kills (6); QUARTET_KILL_SEED, when (1)."""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from quartet_cli import once
from quartet_cli import Job, assert_refused, errors, main, medians, run, run_each

RANKS = 3
SMALL = "--device host --threads 1 --limits off"
TRIES = 20
KILLS = int(os.environ.get("QUARTET_TILE_KILLS", "6"))
PYTHON_WITH_NUMPY = os.environ.get("QUARTET_PYTHON_WITH_NUMPY", "")
ALL = 15 * 15  # tiles


@dataclass(frozen=True)
class Work:
    """What tiles are kept of."""
    program: str
    size: str
    results: str  # files in the folder of the data
    check: str  # what NumPy says of these


@dataclass(frozen=True)
class Way:
    work: Work
    words: str


PRODUCT = Work("matmul", "--size 900 --tile 60", "C_*.npy", """
import sys, numpy
def whole(folder, name):
    return numpy.block([[numpy.load(f"{folder}/{name}_{i}_{j}.npy") for j in range(15)] for i in range(15)])
a, b, c = (whole(sys.argv[1], name).astype("f8") for name in "ABC")
assert numpy.allclose(a @ b, c, rtol=1e-4), abs(a @ b - c).max()
""")
TRANSFORM = Work("fft", "--size 115200 --tiles 225", "result/X-0.npy", """
import sys, numpy
x = numpy.stack([numpy.load(f"{sys.argv[1]}/x-{tile}.npy") for tile in range(225)], axis=1).ravel()
bins = numpy.load(f"{sys.argv[1]}/result/X-0.npy")
assert numpy.allclose(numpy.fft.fft(x), bins, rtol=0, atol=1e-9), abs(numpy.fft.fft(x) - bins).max()
""")
NATIVE = Way(PRODUCT, "--transport mpi")
DATAFLOW = Way(PRODUCT, "--transport mpi --formulation dataflow --schedule dynamic")
MERGED = Way(TRANSFORM, "--transport mpi --formulation dataflow")


def listed(folder):
    """The tiles that are done, of all lists; each is whole, or this raises."""
    lists = [json.loads(file.read_text())["content"] for file in folder.glob("tiles-*.json")]
    return sorted(tile["number"] for found in lists for tile in found["done"])


def is_begun(folder):
    return any(folder.glob("tiles-*.json"))


def contents(folder, files="tile-*"):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.glob(files)}


@once
def generated(work):
    """A folder of data, gone when the tests are."""
    temporary = tempfile.TemporaryDirectory()
    made = run(work.program, 1, SMALL, work.size, f"--data {temporary.name} --generate --runs 1 --warmup 0")
    assert made.code == 0, made
    return temporary


class KeptTiles(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.scratch = Path(temporary.name)
        self.folder = self.scratch / "kept"

    def data(self, work):
        """Results go to the folder of the data: one of the test's own."""
        folder = self.scratch / work.program
        if not folder.is_dir():
            folder.mkdir()
            for file in Path(generated(work).name).glob("*.*"):
                (folder / file.name).symlink_to(file)
        return folder

    def words(self, way, *arguments, folder=None):
        return (SMALL, way.work.size, f"--data {self.data(way.work)} --every 4",
                f"--checkpoint {folder or self.folder}", way.words, *arguments)

    def run_once(self, way, *arguments, ranks=RANKS, folder=None):
        return run(way.work.program, ranks, *self.words(way, *arguments, folder=folder))

    def assert_done(self, outcome):
        self.assertEqual(outcome.code, 0, outcome)
        row = medians(outcome.document)[0]
        self.assertTrue(row["verified"])
        return row

    def finish(self, way, ranks=RANKS):
        """With the bits of a run that nothing has disturbed. Its row."""
        restart = "--restart" if is_begun(self.folder) else ""
        row = self.assert_done(self.run_once(way, restart, "--keep", ranks=ranks))
        self.assertEqual(listed(self.folder), list(range(ALL)))
        found = contents(self.data(way.work), way.work.results)
        whole = self.scratch / "whole"
        self.assert_done(self.run_once(way, "--keep", folder=whole))
        self.assertEqual(contents(self.folder), contents(whole))
        self.assertTrue(found)
        self.assertEqual(found, contents(self.data(way.work), way.work.results))
        if PYTHON_WITH_NUMPY:
            subprocess.run([PYTHON_WITH_NUMPY, "-c", way.work.check, self.data(way.work)], check=True)
        return row

    def begin(self, way):
        restart = "--restart" if is_begun(self.folder) else ""
        scratch = Path(tempfile.mkdtemp(dir=self.scratch))
        return Job(way.work.program, scratch, RANKS, *self.words(way, restart),
                   f"--json {scratch}/results.json"), scratch / "results.json"


class Stops(KeptTiles):
    def stopped(self, way, number):
        """A signal to one rank: how many tiles there are then. A busy machine may bring it too late."""
        for _ in range(TRIES):
            shutil.rmtree(self.folder, ignore_errors=True)
            job, results = self.begin(way)
            if job.wait_until(lambda: listed(self.folder)):
                with suppress(ProcessLookupError, IndexError):
                    os.kill(job.ranks()[-1], number)
            code, _, stderr = job.end()
            if code != 0:
                break
        self.assertEqual(code, 75, stderr)
        self.assertIn("--restart", stderr)
        kept = listed(self.folder)
        [row] = errors(json.loads(results.read_text()))
        self.assertIn(f"after {len(kept)} of {ALL} tiles", row["error_message"])
        return len(kept)

    def goes_on(self, way, number):
        kept = self.stopped(way, number)
        self.assertLess(kept, ALL)
        row = self.finish(way)
        self.assertEqual((row["tiles_taken_over"], row["segments"]), (kept, 2))
        self.assertIn(f"resumed with {kept} of {ALL} tiles taken over as it was begun", row["note"])
        self.assertIn("/every:4/", row["run_name"])

    def test_native_goes_on_with_the_same_bits(self):
        self.goes_on(NATIVE, signal.SIGTERM)

    def test_dataflow_goes_on_with_the_same_bits(self):
        self.goes_on(DATAFLOW, signal.SIGUSR1)

    def test_a_transform_goes_on_with_the_same_bits(self):
        self.goes_on(MERGED, signal.SIGTERM)


class Kills(KeptTiles):
    def killed_again_and_again(self, way, ranks=RANKS):
        chances = random.Random(f"{way} {os.environ.get('QUARTET_KILL_SEED', '1')}")
        for _ in range(KILLS // 2):
            before = len(listed(self.folder))
            goal = before + chances.randint(1, 40)
            job, _ = self.begin(way)
            job.wait_until(lambda: len(listed(self.folder)) >= goal)
            time.sleep(chances.uniform(0, 0.03))
            seen = len(listed(self.folder))
            running = job.ranks()
            if running and chances.random() < 0.5:
                job.kill([chances.choice(running)])
            else:
                job.kill_all()
            job.end()
            self.assertGreaterEqual(len(listed(self.folder)), max(before, seen))
        self.finish(way, ranks)

    def test_native_is_resumed_with_the_same_bits(self):
        self.killed_again_and_again(NATIVE)

    def test_dataflow_is_resumed_on_more_ranks_with_the_same_bits(self):
        self.killed_again_and_again(DATAFLOW, RANKS + 1)

    def test_a_transform_is_resumed_on_fewer_ranks_with_the_same_bits(self):
        self.killed_again_and_again(MERGED, RANKS - 1)


class Refusals(KeptTiles):
    def test_flags_that_contradict_each_other_are_refused(self):
        memory = ("matmul", 2, SMALL, "--size 96 --tile 32")
        jobs = [((*memory, f"--checkpoint {self.folder}"), ("--checkpoint", "--data")),
                ((*memory, "--restart"), ("--restart", "--checkpoint"))]
        jobs += [((work.program, 2, *self.words(Way(work, words))), reasons)
                 for work, words, reasons in (
                     (PRODUCT, "--formulation library", ("--checkpoint", "library", "native or dataflow")),
                     (PRODUCT, "--formulation dataflow", ("--schedule dynamic",)),
                     (PRODUCT, "--transport mpi,shm", ("2 cases",)),
                     (PRODUCT, "--runs auto", ("--runs",)),
                     (PRODUCT, "--restart", ("has no checkpoint",)),
                     (PRODUCT, "--restart previous", ("previous",)),
                     (TRANSFORM, "", ("--checkpoint", "native", "all tiles at once", "--formulation dataflow")),
                     (TRANSFORM, "--formulation dataflow,library", ("library", "--formulation dataflow")),
                     (TRANSFORM, "--formulation dataflow --transport mpi,shm", ("2 cases",)))]
        for outcome, (job, reasons) in zip(run_each([job for job, _ in jobs]), jobs):
            assert_refused(self, outcome, 2, job[0], *reasons)

    def test_a_users_own_file_is_not_replaced(self):
        self.folder.mkdir()
        own = self.folder / "tile-5"
        own.write_text("mine")
        for way in (NATIVE, MERGED):
            assert_refused(self, self.run_once(way), 2, way.work.program, "tile-5", "name another folder")
        self.assertEqual(own.read_text(), "mine")
        own = own.rename(self.folder / "tile-x")
        self.assert_done(self.run_once(NATIVE))
        self.assertEqual(own.read_text(), "mine")

    def test_another_job_is_refused(self):
        self.assert_done(self.run_once(NATIVE))
        for work, ranks, words, reason in ((PRODUCT, 2, NATIVE.words, "ranks 3, not 2"),
                                           (PRODUCT, 3, DATAFLOW.words, "--formulation native"),
                                           (PRODUCT, 3, f"{NATIVE.words} --every 9", "parts of"),
                                           (TRANSFORM, 3, MERGED.words, "of another job")):
            job = (work.program, ranks, *self.words(Way(work, words), "--restart"))
            assert_refused(self, run(*job), 2, work.program, reason)
        assert_refused(self, self.run_once(NATIVE), 2, "matmul", "would be replaced")

    def damage_is_refused(self, way):
        self.assert_done(self.run_once(way))
        for name, change in (("tile-7", lambda data: data[:-4]), ("tile-7", lambda _: b""),
                             ("tile-7", lambda data: data[:99] + bytes([data[99] ^ 1]) + data[100:]),
                             ("tile-7", lambda data: data + b"x"), ("tile-7", None),
                             ("tiles-1.json", lambda text: text[:len(text) // 2]),
                             ("tiles-1.json", lambda text: text.replace(b'"tiles": 225', b'"tiles": 226'))):
            copy = Path(tempfile.mkdtemp(dir=self.scratch)) / "copy"
            shutil.copytree(self.folder, copy)
            if change:
                (copy / name).write_bytes(change((copy / name).read_bytes()))
            else:
                (copy / name).unlink()
            with self.subTest(name):
                assert_refused(self, self.run_once(way, "--restart", folder=copy), 2, way.work.program, name,
                               "another folder")

    def test_damaged_tiles_of_a_product_are_refused(self):
        self.damage_is_refused(NATIVE)

    def test_damaged_tiles_of_a_transform_are_refused(self):
        self.damage_is_refused(MERGED)


if __name__ == "__main__":
    main()
