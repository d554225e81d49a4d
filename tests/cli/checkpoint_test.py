"""cg's checkpoints: the same bits after going on, signals, damage, a full disk. With --kills: kills at random moments;
QUARTET_KILLS says how many (20), QUARTET_KILL_SEED when (1)."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

from quartet_cli import (BAD_USAGE, FAILED, PROGRAMS, Job, Scratch, assert_refused, each, errors, main, medians, run,
                         run_each)
from checkpoints import saved_iterations  # in a folder that quartet_cli adds

KILLS = int(os.environ.get("QUARTET_KILLS", "20")) if "--kills" in sys.argv else 0
SMALL = "--device host --threads 1 --limits off --problem random --size 120"
OVER_MPI = "--transport mpi"
WAYS = (OVER_MPI, f"{OVER_MPI} --storage symmetric", f"{OVER_MPI} --formulation dataflow")
ENDLESS = 1000000  # iterations


def contents(checkpoint):
    """The arrays of a checkpoint: what the iterations have made, bit by bit."""
    return {file.name: file.read_bytes() for file in checkpoint.glob("*.npy")}


def is_latest(folder):
    return (saved_iterations(folder) or [0])[-1]


class Checkpoints(Scratch):
    def job(self, *arguments, way=OVER_MPI, ranks=2, folder=None):
        return ("cg", ranks, SMALL, way, f"--checkpoint {folder or self.folder / 'saved'}", *arguments)

    def solve(self, *arguments, **how):
        outcome = run(*self.job(*arguments, **how))
        self.assertEqual(outcome.code, 0, outcome)
        [row] = medians(outcome.document)
        self.assertTrue(row["verified"])
        return row

    def test_every_way_goes_on_with_the_same_bits_and_the_time_of_both_parts(self):
        def goes_on(number):
            whole, parts = (self.folder / f"{number}-{name}" for name in ("whole", "parts"))
            undisturbed = self.solve("--iterations 30 --every 10", way=WAYS[number], folder=whole)
            self.solve("--iterations 20 --every 10", way=WAYS[number], folder=parts)
            spent = json.loads((parts / "iteration-20/manifest.json").read_text())["content"]["spent"]
            row = self.solve("--iterations 30 --every 10 --restart", way=WAYS[number], folder=parts)
            self.assertEqual(contents(parts / "iteration-30"), contents(whole / "iteration-30"))
            self.assertEqual(row["residual_history"], undisturbed["residual_history"])
            self.assertEqual(row["restarted_from"], 20)
            self.assertGreater(row["real_time"] / 1e3, spent[0])
            self.assertGreater(row["phases"]["checkpoint"], spent[-1])
            self.assertIn("/every:10/", row["run_name"])

        each(goes_on, range(len(WAYS)))

    def test_what_does_not_fit_is_refused(self):
        self.solve("--iterations 10 --every 10")
        saved, nothing = self.folder / "saved", self.folder / "nothing"
        copies = [shutil.copytree(saved, self.folder / f"copy-{number}") for number in range(4)]
        jobs = [(self.job("--restart", arguments, folder=copy), reason) for copy, (arguments, reason) in zip(
                    copies, (("--size 121", "--size"), ("--seed 2", "--seed"), ("--problem laplace", "--problem"),
                             ("--iterations 9", "--iterations")))]
        jobs += [(self.job("--restart", folder=nothing), "has no checkpoint"),
                 (self.job("--storage full,symmetric", folder=nothing), "2 cases"),
                 (self.job("--iterations 10 --restart", ranks=3), "ranks 2, not 3"),
                 (("cg", 2, SMALL, "--restart"), "--checkpoint"),
                 (self.job("--iterations 5"), "--restart")]  # would be replaced
        for outcome, (_, reason) in zip(run_each([job for job, _ in jobs]), jobs):
            assert_refused(self, outcome, BAD_USAGE, "cg", reason)

    def test_damage_is_named(self):
        more = "--iterations 20 --every 10"
        self.solve(more)
        saved = self.folder / "saved"
        damages = [("state-1.npy", lambda data: data[:-20] + bytes([data[-20] ^ 1]) + data[-19:]),
                   ("state-0.npy", lambda data: data[:-8]), ("state-1.npy", None),
                   ("manifest.json", lambda text: text.replace(b'"--size":"120"', b'"--size":"121"')),
                   ("manifest.json", lambda text: text[:len(text) // 2]),
                   ("manifest.json", lambda _: b'{"content":' + b"[" * 300000)]
        copies = []
        for number, (name, change) in enumerate(damages):
            copies.append(shutil.copytree(saved, self.folder / f"copy-{number}"))
            file = copies[-1] / "iteration-20" / name
            sound = file.read_bytes()
            file.unlink()
            if change:
                self.assertNotEqual(change(sound), sound)
                file.write_bytes(change(sound))
        outcomes = run_each([self.job(more, "--restart", folder=copy) for copy in copies])
        for outcome, (name, _) in zip(outcomes, damages):
            assert_refused(self, outcome, BAD_USAGE, "cg", name, "begin anew")
            self.assertEqual(outcome.stdout, "")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("mount"), "mounting is for root")
    def test_a_full_disk_fails_and_leaves_what_was_there(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk],
                          stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("nothing can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        saved = disk / "saved"
        self.solve("--iterations 10 --every 10", folder=saved)
        before = contents(saved / "iteration-10")
        (disk / "filler").write_bytes(bytes(max(0, shutil.disk_usage(disk).free - 4096)))
        outcome = run(*self.job("--iterations 30 --every 10 --restart", folder=saved))
        self.assertEqual(outcome.code, FAILED, outcome)
        self.assertIn("No space left on device", outcome.stderr)
        self.assertIn("after iteration 20", outcome.stderr)
        self.assertEqual([entry.name for entry in saved.iterdir()], ["iteration-10"])
        self.assertEqual(contents(saved / "iteration-10"), before)
        done = subprocess.run([PROGRAMS / "cg", "--size", "64", "--runs", "1", "--device", "host", "--json", disk / "a.json"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, FAILED, done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.assertNotIn("a.json", done.stdout, "it names no document that it could not write")
        (disk / "filler").unlink()
        self.solve("--iterations 30 --every 10 --restart", folder=saved)

    def test_a_stopped_run_goes_on_with_the_same_bits(self):
        for number, of_one_rank in ((signal.SIGTERM, True), (signal.SIGUSR1, False)):
            folder = self.folder / str(number)
            folder.mkdir()
            results = folder / "stopped.json"
            job = Job("cg", folder, 2, SMALL, OVER_MPI, f"--iterations {ENDLESS} --every {ENDLESS}",
                      f"--checkpoint {folder}/saved --json {results}")
            # The signals are taken before the folder is made.
            self.assertTrue(job.wait_until(lambda: (folder / "saved").is_dir() and len(job.ranks()) == 2))
            time.sleep(0.5)  # into the iterations
            os.kill(job.ranks()[-1] if of_one_rank else job.process.pid, number)  # the launcher passes it on
            code, _, stderr = job.end()
            self.assertEqual(code, 75, stderr)
            self.assertIn("--restart", stderr)
            [iteration] = saved_iterations(folder / "saved")
            [row] = errors(json.loads(results.read_text()))
            self.assertIn(f"after iteration {iteration} of {ENDLESS}", row["error_message"])
            end = iteration + 20
            for name, more in (("saved", "--restart"), ("undisturbed", "")):
                self.solve(f"--iterations {end} --every {end}", more, folder=folder / name)
            self.assertEqual(contents(folder / f"saved/iteration-{end}"),
                             contents(folder / f"undisturbed/iteration-{end}"))

    @unittest.skipUnless(KILLS, "for --kills")
    def test_killed_runs_resume_with_the_same_bits(self):
        each(self.series, [(way, (KILLS + number) // len(WAYS)) for number, way in enumerate(WAYS)])

    def series(self, way_and_kills):
        """Jobs that solve one system in one way, one after another, each killed at a random moment."""
        way, kills = way_and_kills
        every, ranks = 20, 3
        scratch = self.folder / way.split()[-1]
        saved, choose = scratch / "saved", random.Random(f"{way} {os.environ.get('QUARTET_KILL_SEED', '1')}")
        (scratch / "mpi").mkdir(parents=True)
        for _ in range(kills):
            latest = is_latest(saved)
            job = Job("cg", scratch / "mpi", ranks, SMALL, way, f"--iterations {ENDLESS} --every {every}",
                      f"--checkpoint {saved}", "--restart" if latest else "")
            # Early, while it starts; or some checkpoints later, often while one is being written.
            if choose.random() < 0.2:
                time.sleep(choose.uniform(0, 0.6))
            else:
                goal = latest + every * choose.randint(1, 4)
                job.wait_until(lambda: is_latest(saved) >= goal)
                time.sleep(choose.uniform(0, 0.03))
            seen, there = is_latest(saved), job.ranks()
            # One rank, whose launcher then ends the others, or the whole node.
            if there and choose.random() < 0.5:
                job.kill([choose.choice(there)])
            else:
                job.kill_all()
            code, _, stderr = job.end()
            self.assertNotEqual(code, 0, stderr)
            self.assertGreaterEqual(is_latest(saved), seen)
        end = is_latest(saved) + 2 * every
        for folder, more in ((saved, "--restart" if is_latest(saved) else ""), (scratch / "undisturbed", "")):
            self.solve(f"--iterations {end} --every {every}", more, way=way, ranks=ranks, folder=folder)
        self.assertEqual(contents(saved / f"iteration-{end}"), contents(scratch / f"undisturbed/iteration-{end}"))


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word != "--kills"]
    main()
