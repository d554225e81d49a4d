"""matmul from files that keeps tiles of its result: signals, kills at random moments, other jobs, damage.

QUARTET_TILE_KILLS says how many kills (6); QUARTET_KILL_SEED, when (1)."""

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
from pathlib import Path

import concurrent_tests
from concurrent_tests import once
from background_job import Job
from quartet_cli import assert_refused, errors, medians, run, run_each

RANKS = 3
ALL = 15 * 15  # tiles
PRODUCT = "--size 900 --tile 60"
SMALL = "--device host --threads 1 --limits off"
NATIVE = "--transport mpi"
DATAFLOW = "--transport mpi --formulation dataflow --schedule dynamic"
TRIES = 5
KILLS = int(os.environ.get("QUARTET_TILE_KILLS", "6"))
PYTHON_WITH_NUMPY = os.environ.get("QUARTET_PYTHON_WITH_NUMPY", "")
COMPARE = """
import sys, numpy
def whole(folder, name):
    return numpy.block([[numpy.load(f"{folder}/{name}_{i}_{j}.npy") for j in range(15)] for i in range(15)])
a, b, c = (whole(sys.argv[1], name).astype("f8") for name in "ABC")
assert numpy.allclose(a @ b, c, rtol=1e-4), abs(a @ b - c).max()
"""


def listed(folder):
    """The tiles that are done, of all lists; each is whole, or this raises."""
    lists = [json.loads(file.read_text())["content"] for file in folder.glob("tiles-*.json")]
    return sorted(tile["number"] for found in lists for tile in found["done"])


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.glob("tile-*")}


@once
def generated():
    """A folder of A and B, gone when the tests are."""
    temporary = tempfile.TemporaryDirectory()
    made = run("matmul", 1, SMALL, PRODUCT, f"--data {temporary.name} --generate --runs 1 --warmup 0")
    assert made.code == 0, made
    return temporary


class KeptTiles(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.scratch = Path(temporary.name)
        self.folder = self.scratch / "kept"
        # Tiles of C are in the folder of the data.
        self.own_data = self.scratch / "data"
        self.own_data.mkdir()
        for file in Path(generated().name).iterdir():
            (self.own_data / file.name).symlink_to(file)

    def words(self, *arguments, folder=None):
        return (SMALL, PRODUCT, f"--data {self.own_data} --every 4",
                f"--checkpoint {folder or self.folder}", *arguments)

    def multiply(self, *arguments, ranks=RANKS, folder=None):
        return run("matmul", ranks, *self.words(*arguments, folder=folder))

    def assert_done(self, outcome):
        self.assertEqual(outcome.code, 0, outcome)
        [row] = medians(outcome.document)
        self.assertTrue(row["verified"])
        return row

    def assert_all_kept(self, way):
        """With the bits of a run that nothing has disturbed."""
        self.assertEqual(listed(self.folder), list(range(ALL)))
        whole = self.scratch / "whole"
        self.assert_done(self.multiply(way, folder=whole))
        self.assertEqual(contents(self.folder), contents(whole))

    def begin(self, way):
        restart = "--restart" if self.folder.is_dir() and listed(self.folder) else ""
        scratch = Path(tempfile.mkdtemp(dir=self.scratch))
        return Job("matmul", scratch, RANKS, *self.words(way, restart),
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
        row = self.assert_done(self.multiply(way, "--restart --keep"))
        self.assertEqual((row["tiles_taken_over"], row["segments"]), (kept, 2))
        self.assertIn(f"resumed with {kept} of {ALL} tiles taken over as it was begun", row["note"])
        self.assertIn("/every:4/", row["run_name"])
        self.assert_all_kept(way)
        if PYTHON_WITH_NUMPY:
            self.assert_done(self.multiply(way, "--restart --keep"))
            subprocess.run([PYTHON_WITH_NUMPY, "-c", COMPARE, self.own_data], check=True)

    def test_native_goes_on_with_the_same_bits(self):
        self.goes_on(NATIVE, signal.SIGTERM)

    def test_dataflow_goes_on_with_the_same_bits(self):
        self.goes_on(DATAFLOW, signal.SIGUSR1)


class Kills(KeptTiles):
    def killed_again_and_again(self, way):
        chances = random.Random(f"{way} {os.environ.get('QUARTET_KILL_SEED', '1')}")
        for _ in range(KILLS // 2):
            before = len(listed(self.folder))
            goal = before + chances.randint(1, 40)
            job, _ = self.begin(way)
            job.wait_until(lambda: len(listed(self.folder)) >= goal)
            time.sleep(chances.uniform(0, 0.03))
            seen = len(listed(self.folder))
            ranks = job.ranks()
            if ranks and chances.random() < 0.5:
                job.kill([chances.choice(ranks)])
            else:
                job.kill_all()
            job.end()
            self.assertGreaterEqual(len(listed(self.folder)), max(before, seen))
        self.assert_done(self.multiply(way, "--restart" if listed(self.folder) else ""))
        self.assert_all_kept(way)

    def test_native_is_resumed_with_the_same_bits(self):
        self.killed_again_and_again(NATIVE)

    def test_dataflow_is_resumed_with_the_same_bits(self):
        self.killed_again_and_again(DATAFLOW)


class Refusals(KeptTiles):
    def test_flags_that_contradict_each_other_are_refused(self):
        memory = ("matmul", 2, SMALL, "--size 96 --tile 32")
        jobs = [((*memory, f"--checkpoint {self.folder}"), ("--checkpoint", "--data")),
                ((*memory, "--restart"), ("--restart", "--checkpoint"))]
        jobs += [(("matmul", 2, *self.words(words)), reasons)
                 for words, reasons in (("--formulation library", ("--checkpoint", "library")),
                                        ("--formulation dataflow", ("--schedule dynamic",)),
                                        ("--transport mpi,shm", ("2 cases",)),
                                        ("--runs auto", ("--runs",)),
                                        ("--restart", ("has no checkpoint",)),
                                        ("--restart previous", ("previous",)))]
        for outcome, (_, reasons) in zip(run_each([job for job, _ in jobs]), jobs):
            assert_refused(self, outcome, 2, "matmul", *reasons)

    def test_another_job_and_damage_are_refused(self):
        self.assert_done(self.multiply(NATIVE))
        jobs = [(("matmul", ranks, *self.words(words, "--restart")), (reason,))
                for ranks, words, reason in ((2, NATIVE, "ranks 3, not 2"),
                                             (3, DATAFLOW, "--formulation native"),
                                             (3, f"{NATIVE} --every 9", "parts of"))]
        jobs.append((("matmul", 3, *self.words(NATIVE)), ("would be replaced",)))
        for job, reasons in jobs:
            assert_refused(self, run(*job), 2, "matmul", *reasons)
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
                assert_refused(self, self.multiply(NATIVE, "--restart", folder=copy), 2, "matmul", name,
                               "another folder")


if __name__ == "__main__":
    concurrent_tests.main()
