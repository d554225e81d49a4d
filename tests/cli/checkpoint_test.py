"""cg's checkpoints: other rank counts, signals, damage, a full disk, and kills at random moments.

QUARTET_KILLS says how many kills (20); QUARTET_KILL_SEED, when (1)."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from quartet_cli import (LAUNCHER, PROGRAMS, alive_in_session, assert_refused, cases, errors,
                         medians, run, wait_for_the_last)

SMALL = "--device host --threads 1 --limits off --transport mpi"
SOLVE = "--problem random --size 120"
WAYS = [f"--storage {storage} --algorithm {algorithm}"
        for storage in ("full", "symmetric") for algorithm in ("classic", "single-reduction")]
KILLS = int(os.environ.get("QUARTET_KILLS", "20"))
PATIENCE = 60  # seconds for what takes a moment


def iterations_in(folder):
    """Of the checkpoints that are there, ascending."""
    found = [re.fullmatch(r"iteration-(\d+)", entry.name) for entry in folder.glob("iteration-*")]
    return sorted(int(match[1]) for match in found if match)


def contents(checkpoint):
    """The arrays of a checkpoint: what the iterations have made, bit by bit."""
    return {file.name: file.read_bytes() for file in checkpoint.glob("*.npy")}


class Checkpoints(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.scratch = Path(temporary.name)
        self.folder = self.scratch / "checkpoints"

    def cg(self, *arguments, ranks=2, folder=None):
        return run("cg", ranks, SMALL, SOLVE, f"--checkpoint {folder or self.folder}", *arguments)

    def assert_solved(self, outcome):
        self.assertEqual(outcome.code, 0, outcome)
        [row] = medians(outcome.document)
        self.assertTrue(row["verified"])
        return row


class RoundTrip(Checkpoints):
    def test_every_way_goes_on_with_the_same_bits(self):
        for way in WAYS:
            undisturbed = self.assert_solved(self.cg(way, "--iterations 30 --every 10"))
            wanted = contents(self.folder / "iteration-30")
            shutil.rmtree(self.folder)
            self.assert_solved(self.cg(way, "--iterations 20 --every 10"))
            row = self.assert_solved(self.cg(way, "--iterations 30 --every 10 --restart"))
            self.assertEqual(contents(self.folder / "iteration-30"), wanted)
            self.assertEqual(row["residual_history"], undisturbed["residual_history"])
            self.assertEqual((row["restarted_from"], row["segments"], row["checkpoints"]),
                             (20, 2, 1))
            self.assertIn("as it was begun", row["note"])
            shutil.rmtree(self.folder)

    def test_other_rank_counts_go_on_and_say_so(self):
        undisturbed = self.assert_solved(self.cg("--iterations 30 --every 10", ranks=3))
        shutil.rmtree(self.folder)
        self.assert_solved(self.cg("--iterations 10 --every 10", ranks=3))
        for ranks in (1, 2, 4):
            copy = self.scratch / f"copy-{ranks}"
            shutil.copytree(self.folder, copy)
            row = self.assert_solved(
                self.cg("--iterations 30 --every 10 --restart", ranks=ranks, folder=copy))
            self.assertIn(f"ranks {ranks} (was 3)", row["note"])
            for found, wanted in zip(row["residual_history"], undisturbed["residual_history"]):
                self.assertAlmostEqual(found, wanted, delta=1e-9)

    def test_the_time_is_that_of_all_segments_and_saving_is_a_phase_of_it(self):
        self.assert_solved(self.cg("--iterations 20 --every 5"))
        manifest = json.loads((self.folder / "iteration-20/manifest.json").read_text())
        spent = manifest["content"]["spent"]
        self.assertGreater(spent["phases"]["checkpoint"], 0)
        outcome = self.cg("--iterations 25 --every 5 --restart")
        row = self.assert_solved(outcome)
        [case] = cases(outcome.document).values()
        self.assertEqual(len(case["runs"]), 1)
        self.assertGreater(row["real_time"] / 1e3, spent["real_seconds"])
        self.assertGreater(row["phases"]["checkpoint"], spent["phases"]["checkpoint"])
        self.assertIn("/every:5/", row["run_name"])


class Refusals(Checkpoints):
    def test_flags_that_contradict_each_other_are_refused(self):
        for arguments, flag in (("--restart", "--restart"), ("--every 5", "--every")):
            assert_refused(self, run("cg", 2, SMALL, arguments), 2, "cg", flag, "--checkpoint")
        for arguments in ("--storage full,symmetric", "--algorithm classic,single-reduction",
                          "--transport mpi,shm"):
            assert_refused(self, self.cg(arguments), 2, "cg", "--checkpoint", "2 cases")
        assert_refused(self, self.cg("--runs auto"), 2, "cg", "--runs")
        assert_refused(self, self.cg("--restart never"), 2, "cg", "--restart", "never")

    def test_a_folder_without_what_is_asked_for_is_refused(self):
        assert_refused(self, self.cg("--restart"), 2, "cg", "has no checkpoint")
        self.assert_solved(self.cg("--iterations 5 --every 5"))
        assert_refused(self, self.cg("--restart previous"), 2, "cg", "has one checkpoint")
        assert_refused(self, self.cg("--iterations 5"), 2, "cg", "--restart", "replaced")
        file = self.scratch / "file"
        file.touch()
        assert_refused(self, self.cg(folder=file), 2, "cg", "not a folder")

    def test_another_problem_is_refused(self):
        self.assert_solved(self.cg("--iterations 10 --every 10"))
        for arguments, reason in (("--size 121", "--size"), ("--seed 2", "--seed"),
                                  ("--problem laplace", "--problem"),
                                  ("--algorithm single-reduction", "--algorithm"),
                                  ("--iterations 9", "--iterations")):
            assert_refused(self, self.cg("--restart", arguments), 2, "cg", reason)
        self.assert_solved(self.cg("--restart --iterations 10"))


class Damage(Checkpoints):
    def assert_named(self, *reasons):
        outcome = self.cg("--iterations 20 --every 10 --restart")
        self.assertEqual(outcome.code, 3, outcome)
        for reason in (*reasons, "--restart previous"):
            self.assertIn(reason, outcome.stderr)
        self.assertEqual(outcome.stdout, "")
        self.assertEqual(outcome.left, [])

    def test_what_is_altered_is_named_and_the_older_one_used_if_asked(self):
        self.assert_solved(self.cg("--iterations 20 --every 10"))
        newest = self.folder / "iteration-20"
        wanted = contents(newest)

        def changed(name, change):
            file = newest / name
            sound = file.read_bytes()
            file.write_bytes(change(sound))
            return lambda: file.write_bytes(sound)

        def flipped(data):
            return data[:-20] + bytes([data[-20] ^ 1]) + data[-19:]

        for name in ("state-0.npy", "state-1.npy", "history.npy"):
            for change in (flipped, lambda data: data[:-8], lambda data: b""):
                repair = changed(name, change)
                self.assert_named(name)
                repair()
        for change in (lambda text: text.replace(b'"done": 20', b'"done": 19'),
                       lambda text: text[:len(text) // 2], lambda text: b""):
            repair = changed("manifest.json", change)
            self.assert_named("manifest.json")
            repair()
        # As if names had reached the disk in part.
        for name in ("manifest.json", "state-1.npy"):
            (newest / name).rename(self.scratch / name)
            self.assert_named(name)
            if name == "manifest.json":
                (self.scratch / name).rename(newest / name)
        self.assert_solved(self.cg("--iterations 20 --every 10 --restart previous"))
        self.assertEqual(contents(newest), wanted)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "mounting is for root")
    def test_a_full_disk_fails_and_leaves_what_was_there(self):
        disk = self.scratch / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk],
                          stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("nothing can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        folder = disk / "checkpoints"
        self.assert_solved(self.cg("--iterations 10 --every 10", folder=folder))
        before = contents(folder / "iteration-10")
        free = shutil.disk_usage(disk).free
        (disk / "filler").write_bytes(bytes(max(0, free - 4096)))
        outcome = self.cg("--iterations 30 --every 10 --restart", folder=folder)
        self.assertEqual(outcome.code, 3, outcome)
        self.assertIn("No space left on device", outcome.stderr)
        self.assertIn("after iteration 20", outcome.stderr)
        self.assertEqual([entry.name for entry in folder.iterdir()], ["iteration-10"])
        self.assertEqual(contents(folder / "iteration-10"), before)
        (disk / "filler").unlink()
        self.assert_solved(self.cg("--iterations 30 --every 10 --restart", folder=folder))


class Job:
    """cg in the background, with whatever it leaves in a folder of its own."""

    def __init__(self, scratch, ranks, *arguments):
        environment = dict(os.environ, TMPDIR=str(scratch),
                           OMPI_MCA_btl_vader_backing_directory=str(scratch))
        self.process = subprocess.Popen(
            [LAUNCHER, str(ranks), PROGRAMS / "cg", *" ".join(arguments).split()],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment, start_new_session=True)

    def ranks(self):
        """The processes of the ranks, but not of the launcher."""
        def is_rank(process):
            try:
                return os.readlink(f"/proc/{process}/exe") == str((PROGRAMS / "cg").resolve())
            except OSError:
                return False
        return [process for process in alive_in_session(self.process.pid) if is_rank(process)]

    def wait_until(self, condition):
        """False where the job ended first."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.001)
        return condition()

    def kill(self, processes):
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def end(self):
        """The exit code and what was said, once nothing of it is left."""
        try:
            stdout, stderr = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            left = {process: Path(f"/proc/{process}/status").read_text().split("\n")[:3]
                    for process in alive_in_session(self.process.pid)}
            self.kill(alive_in_session(self.process.pid))
            raise AssertionError(f"did not end: {left}") from None
        assert wait_for_the_last(self.process.pid) == []
        return self.process.returncode, stdout, stderr


class Signals(Checkpoints):
    def stopped_by(self, send):
        job = Job(self.scratch, 2, SMALL, SOLVE, "--iterations 10000000 --every 10000000",
                  f"--checkpoint {self.folder}", f"--json {self.scratch}/stopped.json")
        # The signals are taken before the folder is filled, and the folder is there before that.
        self.assertTrue(job.wait_until(lambda: self.folder.is_dir() and len(job.ranks()) == 2))
        time.sleep(1)  # into the iterations
        send(job)
        code, stdout, stderr = job.end()
        self.assertEqual(code, 75, stderr)
        self.assertIn("--restart", stderr)
        [iteration] = iterations_in(self.folder)
        document = json.loads((self.scratch / "stopped.json").read_text())
        [row] = errors(document)
        self.assertIn(f"after iteration {iteration} of 10000000", row["error_message"])
        return iteration

    def test_a_stopped_run_goes_on_with_the_same_bits(self):
        def to_one_rank(number):
            return lambda job: os.kill(job.ranks()[-1], number)
        for send in (to_one_rank(signal.SIGUSR1), to_one_rank(signal.SIGTERM),
                     lambda job: os.kill(job.process.pid, signal.SIGUSR1)):  # the launcher passes it on
            iteration = self.stopped_by(send)
            size = iteration + 20
            self.assert_solved(self.cg(f"--iterations {size} --every {size} --restart"))
            undisturbed = self.scratch / "undisturbed"
            self.assert_solved(self.cg(f"--iterations {size} --every {size}", folder=undisturbed))
            self.assertEqual(contents(self.folder / f"iteration-{size}"),
                             contents(undisturbed / f"iteration-{size}"))
            for folder in (self.folder, undisturbed):
                shutil.rmtree(folder)
            (self.scratch / "stopped.json").unlink()


class Kills(Checkpoints):
    EVERY = 20
    RANKS = 3

    def launch(self, random_moment):
        """One job, killed at a random moment; False where it came to its end before."""
        before = iterations_in(self.folder)
        arguments = [SMALL, SOLVE, f"--iterations {self.iterations} --every {self.EVERY}",
                     f"--checkpoint {self.folder}"] + ["--restart"] * bool(before)
        job = Job(self.scratch / "mpi", self.RANKS, *arguments)
        latest = before[-1] if before else 0
        # Early, while it starts; or some checkpoints later, often while one is being written.
        if random_moment.random() < 0.2:
            time.sleep(random_moment.uniform(0, 0.6))
        else:
            goal = latest + self.EVERY * random_moment.randint(1, 4)
            job.wait_until(lambda: (iterations_in(self.folder) or [0])[-1] >= goal)
            time.sleep(random_moment.uniform(0, 0.03))
        seen = (iterations_in(self.folder) or [0])[-1]
        alive = alive_in_session(job.process.pid)
        ranks = job.ranks()
        # The whole node, or one rank, whose launcher then ends the others.
        job.kill([random_moment.choice(ranks)] if ranks and random_moment.random() < 0.5 else alive)
        code, _, stderr = job.end()
        if code == 0:
            return False
        self.assertNotIn(code, (1, 2, 3, 75), stderr)  # its own words for another ending
        after = iterations_in(self.folder)
        # All that was complete is there, and what was lost is less than one interval.
        self.assertGreaterEqual((after or [0])[-1], max(seen, latest))
        self.assertLessEqual(len(after), 3)  # the third is about to go
        if len(after) >= 2:
            self.assertEqual(after[-1] - after[-2], self.EVERY)
        return True

    def test_killed_at_random_moments_it_ends_with_the_same_bits(self):
        self.iterations = self.EVERY * (4 * KILLS + 10)
        (self.scratch / "mpi").mkdir()
        self.assert_solved(self.cg(f"--iterations {self.iterations} --every {self.iterations}",
                                   ranks=self.RANKS))
        wanted = contents(self.folder / f"iteration-{self.iterations}")
        shutil.rmtree(self.folder)
        random_moment = random.Random(int(os.environ.get("QUARTET_KILL_SEED", "1")))

        kills = sum(self.launch(random_moment) for _ in range(KILLS))

        restart = "--restart" if iterations_in(self.folder) else ""
        row = self.assert_solved(self.cg(
            f"--iterations {self.iterations} --every {self.EVERY} {restart}", ranks=self.RANKS))
        self.assertEqual(kills, KILLS)
        self.assertEqual(contents(self.folder / f"iteration-{self.iterations}"), wanted)
        self.assertEqual(row["verified"], True)
        print(f"{kills} kills, {row['segments']:.0f} segments that count, "
              f"restarted last from {row['restarted_from']:.0f} of {self.iterations}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
