"""Files: none is written over another, none that is damaged is used, and two jobs share none."""

import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from quartet.processes import kill_session
from quartet_cli import KERNELS, LAUNCHER, PROGRAMS, assert_refused, each, main, run, run_each

BAD_USAGE = 2
QUICK_SECONDS = 20


class Outputs(unittest.TestCase):
    """Nothing is written over what a run needs, nor over what another job writes."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "link").symlink_to(".")

    def refused(self, program, arguments, *reasons):
        given = arguments.format(d=self.folder)
        assert_refused(self, run(program, 2, given), BAD_USAGE, program, *reasons)

    def test_two_outputs_are_not_one_file_under_two_names(self):
        for first, second in (("a", "a"), ("a", "./a"), ("a", "link/a"), ("link/../{0}/a", "a")):
            first, second = (str(self.folder / name.format(self.folder.name))
                             for name in (first, second))
            self.refused("stream", f"--sizes 64KiB --force --json {first} --trace {second}",
                         "--json and --trace name the same file")
        self.assertFalse((self.folder / "a").exists())

    def test_outputs_are_not_written_over_inputs(self):
        config = self.folder / "config"
        config.write_text("runs = 1\n")
        small = "--size 96 --tile 32"
        data = f"{small} --data {{d}}/tiles"
        self.assertEqual(run("matmul", 2, (data + " --generate --runs 1").format(d=self.folder)).code,
                         0)
        before = {file.name: file.read_bytes() for file in (self.folder / "tiles").iterdir()}
        for name in ("manifest.json", "A_0_0.npy", "new"):
            self.refused("matmul", data + f" --force --json {{d}}/link/tiles/{name}",
                         "lies among the files of --data")
        self.refused("matmul", f"{small} --config {config} --force --json {{d}}/link/config",
                     "--json and --config name the same file")
        self.refused("cg", "--size 50 --checkpoint {d}/ck --json {d}/ck/iteration-5/manifest.json",
                     "lies among the files of --checkpoint")
        matrix = self.folder / "tiles" / "A_0_0.npy"
        self.refused("cg", f"--problem {matrix} --force --json {{d}}/link/tiles/A_0_0.npy", "")
        self.assertEqual(before, {file.name: file.read_bytes()
                                  for file in (self.folder / "tiles").iterdir()})
        self.assertEqual(config.read_text(), "runs = 1\n")

    def test_what_cannot_be_written_is_said_before_measuring(self):
        names = (f"{self.folder}/{'n' * 250}", "/proc/x.json", "/sys/x.json",
                 f"{self.folder}/{'d/' * 2000}x")
        jobs = [(kernel.name, 2, kernel.small, flag, name)
                for kernel in KERNELS for flag in ("--json", "--trace") for name in names]
        outcomes = each(lambda job: run(*job), jobs)  # few: mpiexec may warn of its own races
        for (program, *_), outcome in zip(jobs, outcomes):
            assert_refused(self, outcome, BAD_USAGE, program, "cannot be written")

    def first_job(self, program, arguments, lock):
        """A job that has taken its lock, and ends with the test."""
        job = subprocess.Popen([LAUNCHER, "2", PROGRAMS / program, *arguments.split()],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(self.end, job)
        limit = time.monotonic() + QUICK_SECONDS
        while not lock.exists() and time.monotonic() < limit:
            self.assertIsNone(job.poll())
            time.sleep(0.02)
        self.assertTrue(lock.exists())
        return job

    def end(self, job):
        kill_session(job.pid)
        job.wait()

    def test_a_second_job_is_told_who_has_its_files(self):
        long = "--runs 100000 --warmup 0 --limits off --remeasure off --device host --threads 1"
        small = f"--sizes 64KiB --pushes 3 {long}"
        files = f"--size 512 --tile 256 --data {self.folder}/tiles --generate {long}"
        saved = f"--size 500 --iterations 16777216 --every 16777216 --checkpoint {self.folder}/ck"
        results = f"--force --json {self.folder}/r.json"
        for program, arguments, lock, what in (
                ("stream", f"{small} {results}", ".r.json.lock", "--json: "),
                ("matmul", files, "tiles/.quartet.lock", "--data: "),
                ("cg", saved, "ck/.quartet.lock", "--checkpoint: ")):
            with self.subTest(program):
                first = self.first_job(program, arguments, self.folder / lock)
                self.refused(program, arguments, what, " is in use by process ", " on ")
                self.end(first)
                short = arguments.replace("100000", "1").replace("--iterations 16777216",
                                                                 "--iterations 5")
                self.assertEqual(run(program, 2, short).code, 0)
                self.assertFalse((self.folder / lock).exists())


def deep(_):
    return b"[" * 300000 + b"]" * 300000


def without_checksums(text):
    manifest = json.loads(text)
    manifest["checksums"] = {}
    return json.dumps(manifest).encode()


def of_many_blocks(text):
    manifest = json.loads(text)
    manifest["tile"] = 2000000000
    return json.dumps(manifest).encode()


class Inputs(unittest.TestCase):
    """Damaged files are named in one line by one rank, with code 2, whatever reads them."""

    RANKS = 4
    TERABYTE = 2**40  # sparse: it takes no space
    DATA = {"matmul": ("--size 96 --tile 32 --reducers 1", "A_0_1.npy"),
            "cg": ("--size 100 --iterations 5", "A-1.npy"),
            "fft": ("--size 4096 --tiles 64", "x-5.npy")}

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def copies(self, folder, name, changes):
        """Copies of a folder in which one file is another, each with a word for it."""
        for word, change in changes.items():
            copy = self.folder / f"{name.replace('/', '-')}-{word}"
            shutil.copytree(folder, copy)
            file = copy / name
            if change == "loop":
                file.unlink()
                file.symlink_to(file.name)
            elif change == "sparse":
                os.truncate(file, self.TERABYTE)
            elif change == "pipe":
                file.unlink()
                os.mkfifo(file)
            else:
                file.write_bytes(change(file.read_bytes()))
            yield copy

    def test_damaged_data(self):
        for kernel, (small, tile) in self.DATA.items():
            folder = self.folder / kernel
            common = f"{small} --runs 1 --limits off --device host --threads 1"
            made = run(kernel, 2, common, f"--data {folder} --generate")
            self.assertEqual(made.code, 0, made)
            any_way = {"loop": "loop", "sparse": "sparse", "pipe": "pipe", "empty": lambda _: b""}
            changes = {"manifest.json": {**any_way, "deep": deep, "sums": without_checksums},
                       tile: any_way}
            if kernel == "cg":
                changes["manifest.json"]["blocks"] = of_many_blocks
            copies = [(name, copy) for name in changes
                      for copy in self.copies(folder, name, changes[name])]
            outcomes = run_each([(kernel, self.RANKS, common, f"--data {copy}")
                                 for _, copy in copies])
            for (name, copy), outcome in zip(copies, outcomes):
                with self.subTest(kernel, copy=copy.name):
                    assert_refused(self, outcome, BAD_USAGE, kernel, str(copy))
                    self.assertIsNone(outcome.document)
            for copy in copies:
                shutil.rmtree(copy[1])

    def test_damaged_checkpoints(self):
        folder = self.folder / "ck"
        small = "--size 100 --iterations 10 --every 5 --device host --threads 1"
        made = run("cg", 2, small, f"--checkpoint {folder}")
        self.assertEqual(made.code, 0, made)

        def deep_content(_):
            return b'{"content":' + deep(b"") + b',"checksum":"0"}'

        any_way = {"loop": "loop", "sparse": "sparse", "pipe": "pipe"}
        changes = {"iteration-10/manifest.json": {**any_way, "deep": deep_content, "array": deep},
                   "iteration-10/state-0.npy": any_way, "iteration-10/history.npy": any_way}
        copies = [(name, copy) for name in changes
                  for copy in self.copies(folder, name, changes[name])]
        outcomes = run_each([("cg", self.RANKS, small, f"--checkpoint {copy} --restart")
                             for _, copy in copies])
        for (name, copy), outcome in zip(copies, outcomes):
            with self.subTest(copy.name):
                assert_refused(self, outcome, BAD_USAGE, "cg", str(copy / name),
                               "--restart previous")


if __name__ == "__main__":
    main()
