"""Tests quartet build over a CMake that only prints what a build prints, and that CMake leaves our Makefile alone."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from in_process import quartet
from quartet_dev.commands import build
from tree import ROOT

FAKE_CMAKE = """#!/bin/sh
echo "[0/2] Re-checking globbed directories..."
for step in $(seq 20); do echo "[$step/20] Building $step.o"; done
%s
"""


class Build(unittest.TestCase):
    def run_over(self, ending):
        with tempfile.TemporaryDirectory() as folder:
            cmake = Path(folder) / "cmake"
            cmake.write_text(FAKE_CMAKE % ending)
            cmake.chmod(0o755)
            return quartet("build", folder, "cg", env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})

    def test_says_how_long_and_how_far(self):
        done = self.run_over("exit 0")
        self.assertEqual(done.returncode, 0, done)
        lines = done.stderr.splitlines()
        self.assertRegex(lines[0], r"^quartet: 20 steps, about .* on \d+ processors$")
        self.assertEqual(len(lines), 11, "one line for each tenth")
        self.assertRegex(lines[1], r"^build: 2 of 20 steps, 10%, about .* left$")
        self.assertEqual(lines[-1], "build: 20 of 20 steps, 100%")

    def test_shows_what_the_compiler_says_and_fails(self):
        done = self.run_over("echo a.cpp:1: error: no; exit 1")
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("a.cpp:1: error: no", done.stdout)

    def test_time_left_goes_from_expectation_to_pace(self):
        self.assertEqual(build.time_left(0, 10, 0, 100), 100)
        self.assertAlmostEqual(build.time_left(5, 10, 100, 100), 75)
        self.assertEqual(build.time_left(10, 10, 400, 100), 0)

    def test_durations_are_in_words(self):
        self.assertEqual(build.duration(1), "10 s")
        self.assertEqual(build.duration(132), "2 min 10 s")


class Sources(unittest.TestCase):
    def test_cmake_in_their_folder_leaves_the_makefile(self):
        with tempfile.TemporaryDirectory() as folder:
            for file in ("CMakeLists.txt", "Makefile"):
                shutil.copy(ROOT / file, folder)
            done = subprocess.run(["cmake", "."], cwd=folder, text=True, capture_output=True,
                                  check=False)
            self.assertNotEqual(done.returncode, 0, done)
            self.assertIn("would overwrite the Makefile", done.stderr)
            self.assertEqual((Path(folder) / "Makefile").read_bytes(),
                             (ROOT / "Makefile").read_bytes())
