"""quartet soak: rounds are drawn by the seed alone, and what a program does wrong is noticed. A program that
misbehaves is a script around the true one, or none."""

import os
import subprocess
import unittest
from pathlib import Path

from fake_build import FakeBuild
from quartet_dev.commands.soak import KINDS, kind_of
from tree import QUARTET

PROGRAMS = Path(os.environ["QUARTET_PROGRAMS"])
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


class Soak(FakeBuild):
    def setUp(self):
        super().setUp()
        for name in NAMES:
            (self.folder / "bin" / name).symlink_to(PROGRAMS / name)

    def soak(self, *arguments):
        return subprocess.run([*QUARTET, "soak", "--build", self.folder, "--patience", PATIENCE, *arguments],
                              capture_output=True, text=True, check=False)

    def with_program(self, text, *arguments, names=NAMES):
        """With scripts in place of programs."""
        for name in names:
            (self.folder / "bin" / name).unlink()
            self.write(f"bin/{name}", text.format(true=PROGRAMS / name))
        return self.soak(*arguments)

    def assert_noticed(self, ended, words):
        self.assertEqual(ended.returncode, FAILED, ended)
        self.assertIn(words, ended.stdout)
        self.assertRegex(ended.stdout, r"again: quartet soak .* --only \w+ --round \d+")


class Programs(Soak):
    def test_some_rounds_find_nothing(self):
        for kind, done in (("signals", "1 SIG"), ("kills", "1 series"), ("disks", "1 full disks")):
            if kind == "disks" and os.geteuid() != 0:
                continue
            ended = self.soak("--round", "0", "--only", kind, "--minutes", "0.1", "--seed", "3")
            self.assertEqual(ended.returncode, VERIFIED, ended)
            self.assertIn("nothing failed", ended.stdout)
            self.assertIn(done, ended.stdout)


class Faults(Soak):
    def test_a_program_that_exits_with_1_on_a_signal(self):
        self.assert_noticed(self.with_program(EXITS_1_ON_A_SIGNAL, "--only", "signals", "--round", "0", "--seed", "2"),
                            "not 75")

    def test_a_program_that_leaves_a_file(self):
        self.assert_noticed(self.with_program(LEAVES_A_FILE, "--only", "signals", "--round", "0"),
                            "left left-by-it.tmp behind")

    def test_a_program_that_loses_its_checkpoints(self):
        self.assert_noticed(self.with_program(FORGETS, "--only", "kills", "--round", "0", names=["cg"]),
                            "has no checkpoint")

    def test_a_program_that_crashes(self):
        self.assert_noticed(self.with_program(CRASHES, "--only", "kills", "--round", "0"), "saved no checkpoint in time")


class Plan(unittest.TestCase):
    def test_each_cycle_has_all_kinds_in_their_shares(self):
        length = sum(share for share, _ in KINDS.values())
        for cycle in range(5):
            kinds = [kind_of(7, cycle * length + place, list(KINDS)) for place in range(length)]
            self.assertEqual({kind: kinds.count(kind) for kind in KINDS}, {kind: KINDS[kind][0] for kind in KINDS})
        self.assertEqual(kind_of(7, 12, ["kills"]), "kills")


if __name__ == "__main__":
    unittest.main()
