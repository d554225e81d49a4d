"""quartet soak: rounds are drawn by the seed alone, and what a program does wrong is noticed. A program that
misbehaves is a script around the true one, or none."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAMS = Path(os.environ["QUARTET_PROGRAMS"])
from quartet_dev.soak.countdown import Countdown
from quartet_dev.soak.kinds import KINDS
from quartet_dev.soak.plan import chances_of, kind_of
from tree import QUARTET

NAMES = ("stream", "matmul", "cg", "fft")
PATIENCE = os.environ.get("QUARTET_SOAK_PATIENCE", "60")
VERIFIED, BAD_USAGE, FAILED, STOPPED = 0, 2, 3, 75
EXITS_1_ON_A_SIGNAL = """#!/bin/sh
trap 'kill -9 $job; exit 1' TERM INT HUP USR1
{true} "$@" & job=$!
wait $job
"""
LEAVES_A_FILE = """#!/bin/sh
touch left-by-it.tmp
exec {true} "$@"
"""
LEAVES_SHARED_MEMORY = """#!/bin/sh
touch /dev/shm/left-by-$$
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
        for kind in ("kills", "tiles"):
            ended, record = self.soak("--round", "0", "--only", kind, "--minutes", "0.1")
            self.assertEqual(ended.returncode, VERIFIED, ended)
            self.assertGreater(record["counts"][kind]["kills"], 0)
            self.assertEqual(record["counts"][kind]["series"], 1)


class Interrupts(Soak):
    def test_it_ends_its_jobs_and_leaves_nothing(self):
        scratch = self.build / "scratch"
        scratch.mkdir()
        soak = subprocess.Popen(
            [*QUARTET, "soak", "--build", self.build, "--only", "kills"],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(scratch)})
        limit = time.monotonic() + float(PATIENCE)
        while not list(scratch.glob("*/round-0/checkpoints")) and time.monotonic() < limit:
            time.sleep(0.02)
        soak.send_signal(signal.SIGTERM)
        output, _ = soak.communicate()
        self.assertEqual(soak.returncode, STOPPED, output)
        self.assertIn("interrupted", output)
        self.assertEqual(list(scratch.iterdir()), [])
        for command in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                self.assertNotIn(os.fsencode(scratch), command.read_bytes())


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

    def test_a_program_that_leaves_shared_memory(self):
        if os.geteuid() != 0:
            self.skipTest("in a /dev/shm of its own, which is for root")
        self.assert_noticed(self.with_program(LEAVES_SHARED_MEMORY, "--only", "pauses", "--rounds", "1"),
                            "in /dev/shm behind")

    def test_a_program_that_loses_its_checkpoints(self):
        self.assert_noticed(self.with_program(FORGETS, "--only", "kills", "--round", "0", names=["cg"]),
                            "has no checkpoint")

    def test_a_program_that_crashes(self):
        self.assert_noticed(self.with_program(CRASHES, "--only", "pauses", "--round", "0"),
                            "not right and verified")


class Plan(unittest.TestCase):
    def test_each_cycle_has_all_kinds_in_their_shares(self):
        length = sum(kind.share for kind in KINDS)
        for cycle in range(5):
            names = [kind_of(7, cycle * length + place, KINDS).name for place in range(length)]
            self.assertEqual(sorted(names), sorted(kind.name for kind in KINDS for _ in range(kind.share)))

    def test_a_round_is_the_same_again_whatever_else_is_tried(self):
        [kills] = [kind for kind in KINDS if kind.name == "kills"]
        self.assertIs(kind_of(7, 12, [kills]), kills)
        self.assertEqual(chances_of(7, 12, kills).random(), chances_of(7, 12, kills).random())
        self.assertNotEqual(chances_of(7, 12, kills).random(), chances_of(7, 13, kills).random())
        self.assertNotEqual(chances_of(7, 12, kills).random(), chances_of(8, 12, kills).random())


class Countdowns(unittest.TestCase):
    def over_after(self, seconds, looks):
        """How many looks, at these times, a countdown takes to be over."""
        times = iter([0.0, *looks])
        countdown = Countdown(seconds, lambda: next(times))
        return next((number for number in range(1, len(looks) + 1) if countdown.is_over()), None)

    def test_seconds_pass(self):
        self.assertEqual(self.over_after(1, [0.25, 0.5, 0.75, 1.0, 1.25]), 4)
        self.assertEqual(self.over_after(0, [0.1]), 1)

    def test_standing_still_is_not_waited_for(self):
        self.assertIsNone(self.over_after(1, [100.0]))
        self.assertEqual(self.over_after(1, [100.0, 100.25, 200.0]), 3)


class Refusals(Soak):
    def test_without_programs(self):
        (self.build / "bin" / "fft").unlink()
        ended, _ = self.soak("--rounds", "1")
        self.assertEqual(ended.returncode, BAD_USAGE, ended)
        self.assertIn("has no fft", ended.stderr)
        self.assertEqual(len(ended.stderr.splitlines()), 1)

    def test_unknown_kinds(self):
        ended, _ = self.soak("--only", "earthquakes")
        self.assertEqual(ended.returncode, BAD_USAGE, ended)
        self.assertIn("earthquakes", ended.stderr)


if __name__ == "__main__":
    unittest.main()
