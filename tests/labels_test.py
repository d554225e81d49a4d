"""Tests that every test has one label that says what it needs: `make check` and CI select by it."""

import json
import os
import pathlib
import subprocess
import unittest

LABELS = {"unit", "mpi", "cli", "python", "lab", "gpu"}
LAUNCHERS = r"mpi(run|exec)|orterun|srun|python|sh$"


def entries_of_the_build():
    listing = subprocess.run(
        ["ctest", "--test-dir", os.environ["QUARTET_BUILD"], "-C", "Nightly", "--show-only=json-v1"],
        stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(listing.stdout)["tests"]


def labels_of(test):
    return next((set(entry["value"]) for entry in test["properties"] if entry["name"] == "LABELS"), set())


@unittest.skipUnless("QUARTET_BUILD" in os.environ, "ctest says which build")
class Labels(unittest.TestCase):
    def test_each_test_has_one(self):
        tests = entries_of_the_build()
        self.assertGreater(len(tests), 50)
        wrong = {test["name"]: labels_of(test) for test in tests if len(labels_of(test) & LABELS) != 1}
        self.assertEqual(wrong, {})

    def test_unit_tests_need_no_launcher(self):
        for test in entries_of_the_build():
            if "unit" not in labels_of(test):
                continue
            program = pathlib.Path(test.get("command", ["not built"])[0])
            self.assertNotRegex(program.name, LAUNCHERS, test)
