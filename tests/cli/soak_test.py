"""quartet soak: rounds are drawn by the seed alone, and what a program does wrong is noticed. A program that
misbehaves is a script around the true one, or none."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ["QUARTET_PROGRAMS"])
from tree import QUARTET

NAMES = ("stream", "matmul", "cg", "fft")
PATIENCE = os.environ.get("QUARTET_SOAK_PATIENCE", "60")
VERIFIED, FAILED = 0, 3
EXITS_1_ON_A_SIGNAL = """#!/bin/sh
trap 'kill -9 $job; exit 1' TERM INT HUP USR1
{true} "$@" & job=$!
wait $job
"""
LEAVES_A_FILE = """#!/bin/sh
touch left-by-it.tmp
exec {true} "$@"
"""
CRASHES = """#!/bin/sh
kill -SEGV $$
"""
FORGETS = """#!/bin/sh
case "$*" in
*--restart*) rm -rf checkpoints ;;
esac
exec {true} "$@"
"""


class Soak(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.build = Path(temporary.name)
        (self.build / "bin").mkdir()
        for name in NAMES:
            (self.build / "bin" / name).symlink_to(PROGRAMS / name)

    def soak(self, *arguments):
        file = self.build / "soak.json"
        ended = subprocess.run(
            [*QUARTET, "soak", "--build", self.build, "--patience", PATIENCE, "--json", file,
             *arguments], capture_output=True, text=True, check=False)
        record = json.loads(file.read_text()) if file.exists() else None
        return ended, record

    def with_program(self, text, *arguments, names=NAMES):
        """With scripts in place of programs."""
        for name in names:
            file = self.build / "bin" / name
            file.unlink()
            file.write_text(text.format(true=PROGRAMS / name, build=self.build))
            file.chmod(0o755)
        return self.soak(*arguments)

    def assert_noticed(self, found, words):
        ended, record = found
        self.assertEqual(ended.returncode, FAILED, ended)
        self.assertIn(words, record["failures"][0]["what"])
        self.assertIn(record["failures"][0]["repeat"], ended.stdout)
        self.assertLessEqual(len(ended.stdout.splitlines()), 20)


class Programs(Soak):
    def test_some_rounds_find_nothing(self):
        ended, record = self.soak("--rounds", "3", "--only", "signals,pauses,pairs", "--seed", "3")
        self.assertEqual(ended.returncode, VERIFIED, ended)
        self.assertEqual(sum(record["rounds"].values()), 3)
        self.assertEqual(record["failures"], [])
        self.assertIn("nothing failed", ended.stdout)

    def test_a_series_of_kills_finds_nothing(self):
        for kind in ("kills",):
            ended, record = self.soak("--round", "0", "--only", kind, "--minutes", "0.1")
            self.assertEqual(ended.returncode, VERIFIED, ended)
            self.assertGreater(record["counts"][kind]["kills"], 0)
            self.assertEqual(record["counts"][kind]["series"], 1)


class Faults(Soak):
    def test_a_program_that_exits_with_1_on_a_signal(self):
        self.assert_noticed(self.with_program(EXITS_1_ON_A_SIGNAL, "--only", "signals", "--rounds", "1",
                                              "--seed", "2"), "not 75")

    def test_a_program_that_leaves_a_file(self):
        self.assert_noticed(self.with_program(LEAVES_A_FILE, "--only", "pauses", "--rounds", "1"),
                            "left left-by-it.tmp behind")

    def test_each_failure_says_how_to_repeat_its_round_alone(self):
        ended, record = self.with_program(LEAVES_A_FILE, "--only", "pauses", "--rounds", "3", "--seed", "5")
        self.assertEqual(ended.returncode, FAILED, ended)
        for number, failure in enumerate(record["failures"]):
            self.assertIn(f"--seed 5 --only pauses --round {number}", failure["repeat"])
            self.assertIn(failure["repeat"], ended.stdout)

    def test_a_program_that_loses_its_checkpoints(self):
        self.assert_noticed(self.with_program(FORGETS, "--only", "kills", "--round", "0", names=["cg"]),
                            "has no checkpoint")

    def test_a_program_that_crashes(self):
        self.assert_noticed(self.with_program(CRASHES, "--only", "pauses", "--round", "0"),
                            "not right and verified")


if __name__ == "__main__":
    unittest.main()
