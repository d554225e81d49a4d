"""cg's checkpoints: other rank counts, signals, damage, a full disk, and kills at random moments.

QUARTET_KILLS says how many kills (20); QUARTET_KILL_SEED, when (1). What only waits for launchers
goes side by side."""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checkpoints import saved_iterations  # in a folder that quartet_cli adds
from quartet_cli import Job, assert_refused, cases, errors, main, medians, run, run_each

SMALL = "--device host --threads 1 --limits off"
SOLVE = "--problem random --size 120"
OVER_MPI = "--transport mpi"
WAYS = [*(f"{OVER_MPI} --storage {storage} --algorithm {algorithm}"
          for storage in ("full", "symmetric") for algorithm in ("classic", "single-reduction")),
        f"{OVER_MPI} --formulation dataflow"]
KILLS = int(os.environ.get("QUARTET_KILLS", "20"))
ENDLESS = 1000000  # iterations


def contents(checkpoint):
    """The arrays of a checkpoint: what the iterations have made, bit by bit."""
    return {file.name: file.read_bytes() for file in checkpoint.glob("*.npy")}


class Checkpoints(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.scratch = Path(temporary.name)
        self.folder = self.scratch / "checkpoints"

    def job(self, *arguments, ranks=2, folder=None):
        """Over MPI, unless arguments have another transport."""
        transport = "" if any("--transport" in words for words in arguments) else OVER_MPI
        return ("cg", ranks, SMALL, transport, SOLVE, f"--checkpoint {folder or self.folder}",
                *arguments)

    def cg(self, *arguments, **how):
        return run(*self.job(*arguments, **how))

    def assert_each_refused(self, jobs):
        """Each with the reasons that are to be named."""
        for outcome, reasons in zip(run_each([job for job, _ in jobs]),
                                    [reasons for _, reasons in jobs]):
            assert_refused(self, outcome, 2, "cg", *reasons)

    def assert_solved(self, outcome):
        self.assertEqual(outcome.code, 0, outcome)
        [row] = medians(outcome.document)
        self.assertTrue(row["verified"])
        return row


class RoundTrip(Checkpoints):
    def goes_on(self, way):
        """Parts of a whole run have its bits."""
        whole, parts = (Path(tempfile.mkdtemp(dir=self.scratch)) for _ in range(2))
        undisturbed = self.assert_solved(self.cg(way, "--iterations 30 --every 10", folder=whole))
        self.assert_solved(self.cg(way, "--iterations 20 --every 10", folder=parts))
        row = self.assert_solved(self.cg(way, "--iterations 30 --every 10 --restart",
                                         folder=parts))
        self.assertEqual(contents(parts / "iteration-30"), contents(whole / "iteration-30"))
        self.assertEqual(row["residual_history"], undisturbed["residual_history"])
        self.assertEqual((row["restarted_from"], row["segments"], row["checkpoints"]), (20, 2, 1))
        self.assertIn("as it was begun", row["note"])

    def test_every_way_goes_on_with_the_same_bits(self):
        with ThreadPoolExecutor(len(WAYS)) as pool:
            list(pool.map(self.goes_on, WAYS))

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
        jobs = [(("cg", 2, SMALL, OVER_MPI, arguments), (flag, "--checkpoint"))
                for arguments, flag in (("--restart", "--restart"), ("--every 5", "--every"))]
        jobs += [(self.job(arguments), ("--checkpoint", "2 cases"))
                 for arguments in ("--storage full,symmetric",
                                   "--algorithm classic,single-reduction",
                                   "--transport mpi,shm", "--formulation native,dataflow")]
        self.assert_each_refused(jobs + [(self.job("--runs auto"), ("--runs",)),
                                         (self.job("--restart never"), ("--restart", "never"))])

    def test_a_folder_without_what_is_asked_for_is_refused(self):
        self.assert_solved(self.cg("--iterations 5 --every 5"))
        file = self.scratch / "file"
        file.touch()
        nothing = self.scratch / "nothing"
        self.assert_each_refused([
            (self.job("--restart", folder=nothing), ("has no checkpoint",)),
            (self.job("--restart previous"), ("has one checkpoint",)),
            (self.job("--iterations 5"), ("--restart", "replaced")),
            (self.job(folder=file), ("not a folder",))])

    def test_another_problem_is_refused(self):
        self.assert_solved(self.cg("--iterations 10 --every 10"))
        jobs = []
        for arguments, reason in (("--size 121", "--size"), ("--seed 2", "--seed"),
                                  ("--problem laplace", "--problem"),
                                  ("--algorithm single-reduction", "--algorithm"),
                                  ("--iterations 9", "--iterations")):
            copy = self.scratch / f"copy-{len(jobs)}"  # two jobs at a time have no folder together
            shutil.copytree(self.folder, copy)
            jobs.append((self.job("--restart", arguments, folder=copy), (reason,)))
        self.assert_each_refused(jobs)
        self.assert_solved(self.cg("--restart --iterations 10"))


class Damage(Checkpoints):
    def altered_copies(self):
        """Copies of the checkpoints in which one file of the newest is altered, and its name."""
        def flipped(data):
            return data[:-20] + bytes([data[-20] ^ 1]) + data[-19:]

        def shorter(data):
            return data[:-8]

        def nothing(_):
            return b""

        def edited(text):
            return text.replace(b'"done": 20', b'"done": 19')

        def half(text):
            return text[:len(text) // 2]

        damages = [(name, change) for name in ("state-0.npy", "state-1.npy", "history.npy")
                   for change in (flipped, shorter, nothing)]
        damages += [("manifest.json", change) for change in (edited, half, nothing)]
        damages += [(name, None) for name in ("manifest.json", "state-1.npy")]  # is missing
        for number, (name, change) in enumerate(damages):
            copy = self.scratch / f"copy-{number}"
            shutil.copytree(self.folder, copy)
            file = copy / "iteration-20" / name
            sound = file.read_bytes()
            if change is None:
                file.unlink()
            else:
                self.assertNotEqual(change(sound), sound)
                file.write_bytes(change(sound))
            yield copy, name

    def test_damaged_checkpoint_is_named_and_the_older_one_can_be_used(self):
        more = "--iterations 20 --every 10"
        self.assert_solved(self.cg(more))
        wanted = contents(self.folder / "iteration-20")
        copies = list(self.altered_copies())
        outcomes = run_each([self.job(more, "--restart", folder=copy) for copy, _ in copies])
        for outcome, (copy, name) in zip(outcomes, copies):
            assert_refused(self, outcome, 2, "cg", name, "--restart previous")
            self.assertEqual(outcome.stdout, "")
            self.assertEqual(outcome.left, [])
        outcomes = run_each([self.job(more, "--restart previous", folder=copy)
                             for copy, _ in copies[::5]])
        for outcome, (copy, _) in zip(outcomes, copies[::5]):
            self.assert_solved(outcome)
            self.assertEqual(contents(copy / "iteration-20"), wanted)

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


class Signals(Checkpoints):
    def stopped_by(self, send, folder):
        """The iteration after which a run has stopped."""
        folder.mkdir()
        results = folder / "stopped.json"
        job = Job("cg", folder, 2, SMALL, OVER_MPI, SOLVE,
                  f"--iterations {ENDLESS} --every {ENDLESS}",
                  f"--checkpoint {folder}/checkpoints", f"--json {results}")
        # The signals are taken before the folder is made.
        self.assertTrue(job.wait_until(
            lambda: (folder / "checkpoints").is_dir() and len(job.ranks()) == 2))
        time.sleep(1)  # into the iterations
        send(job)
        code, _, stderr = job.end()
        self.assertEqual(code, 75, stderr)
        self.assertIn("--restart", stderr)
        [iteration] = saved_iterations(folder / "checkpoints")
        [row] = errors(json.loads(results.read_text()))
        self.assertIn(f"after iteration {iteration} of {ENDLESS}", row["error_message"])
        return iteration

    def goes_on_after(self, send, folder):
        size = self.stopped_by(send, folder) + 20
        self.assert_solved(self.cg(f"--iterations {size} --every {size} --restart",
                                   folder=folder / "checkpoints"))
        self.assert_solved(self.cg(f"--iterations {size} --every {size}",
                                   folder=folder / "undisturbed"))
        self.assertEqual(contents(folder / "checkpoints" / f"iteration-{size}"),
                         contents(folder / "undisturbed" / f"iteration-{size}"))

    def test_stopped_run_resumes_with_the_same_bits(self):
        def to_one_rank(number):
            return lambda job: os.kill(job.ranks()[-1], number)
        sends = (to_one_rank(signal.SIGUSR1), to_one_rank(signal.SIGTERM),
                 lambda job: os.kill(job.process.pid, signal.SIGUSR1))  # the launcher passes it on
        folders = [self.scratch / str(number) for number in range(len(sends))]
        with ThreadPoolExecutor(len(sends)) as pool:
            list(pool.map(self.goes_on_after, sends, folders))


class Series:
    """Jobs that solve one system in one way, one after another, each killed at a random moment."""

    EVERY = 20
    RANKS = 3

    def __init__(self, test, way, kills):
        self.test = test
        self.way = way
        self.kills = kills
        self.stuck = 0
        self.scratch = Path(tempfile.mkdtemp(dir=test.scratch))
        self.folder = self.scratch / "checkpoints"
        self.random = random.Random(f"{way} {os.environ.get('QUARTET_KILL_SEED', '1')}")

    def latest(self):
        return (saved_iterations(self.folder) or [0])[-1]

    def solve(self, iterations, restart, folder):
        """To the end, undisturbed."""
        row = self.test.assert_solved(self.test.cg(
            self.way, f"--iterations {iterations} --every {self.EVERY} {restart}",
            ranks=self.RANKS, folder=folder))
        return row, contents(folder / f"iteration-{iterations}")

    def run(self):
        """What came of it, in a line."""
        for _ in range(self.kills):
            self.launch()
        end = self.latest() + 2 * self.EVERY
        row, found = self.solve(end, "--restart" if self.latest() else "", self.folder)
        self.test.assertEqual(found, self.solve(end, "", self.scratch / "undisturbed")[1])
        return (f"{self.kills} kills, {row['segments']:.0f} segments that count, {end} iterations, "
                f"{self.stuck} launchers that stayed: {self.way}")

    def launch(self):
        """One job, killed at a random moment."""
        test = self.test
        latest = self.latest()
        (self.scratch / "mpi").mkdir(exist_ok=True)
        job = Job("cg", self.scratch / "mpi", self.RANKS, SMALL, SOLVE, self.way,
                  f"--iterations {ENDLESS} --every {self.EVERY}",
                  f"--checkpoint {self.folder}", "--restart" if latest else "")
        # Early, while it starts; or some checkpoints later, often while one is being written.
        if self.random.random() < 0.2:
            time.sleep(self.random.uniform(0, 0.6))
        else:
            goal = latest + self.EVERY * self.random.randint(1, 4)
            job.wait_until(lambda: self.latest() >= goal)
            time.sleep(self.random.uniform(0, 0.03))
        seen = self.latest()
        ranks = job.ranks()
        # One rank, whose launcher then ends the others, or the whole node.
        if ranks and self.random.random() < 0.5:
            job.kill([self.random.choice(ranks)])
        else:
            job.kill_all()
        code, _, stderr = job.end()
        self.stuck += job.launcher_stayed
        test.assertNotIn(code, (0, 1, 2, 3, 75), stderr)  # its own words for another ending
        # All that was complete is there, and what was lost is less than one interval.
        after = saved_iterations(self.folder)
        test.assertGreaterEqual(self.latest(), max(seen, latest))
        test.assertLessEqual(len(after), 3)  # the third is about to go
        if len(after) >= 2:
            test.assertEqual(after[-1] - after[-2], self.EVERY)


class Kills(Checkpoints):
    WAYS = (OVER_MPI, "--transport shm", f"{OVER_MPI} --formulation dataflow",
            f"{OVER_MPI} --storage symmetric --algorithm single-reduction")

    def test_killed_runs_resume_with_the_same_bits(self):
        shares = [(KILLS + number) // len(self.WAYS) for number in range(len(self.WAYS))]
        self.assertEqual(sum(shares), KILLS)
        with ThreadPoolExecutor(len(self.WAYS)) as pool:
            series = [Series(self, way, share) for way, share in zip(self.WAYS, shares)]
            for line in pool.map(Series.run, series):
                print(line)


if __name__ == "__main__":
    main()
