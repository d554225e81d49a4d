"""Other work on the machine while a program measures: rows say so, and nothing disturbed is quoted."""

import os
import re
import subprocess
import sys
import time
import unittest
from contextlib import contextmanager

from quartet_cli import cases, medians, run

SPIN = "import sys, time\nend = time.monotonic() + float(sys.argv[1])\nwhile time.monotonic() < end: pass"
STREAM = "--sizes 4,8 --pushes 60 --runs 8 --threads 1 --transport mpi,shm --formulation native,library"


@contextmanager
def other_work(seconds):
    """Keeps every processor busy, for so long at most."""
    others = [subprocess.Popen([sys.executable, "-c", SPIN, str(seconds)])
              for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "ranks that share a core disturb each other")
class Disturbed(unittest.TestCase):
    def test_work_beside_all_runs_is_flagged_and_marked(self):
        with other_work(120):
            outcome = run("stream", 2, STREAM)
        self.assertEqual(outcome.code, 0, outcome)
        for row in medians(outcome.document):
            self.assertTrue(row["distrusted"], row["name"])
            self.assertIn("disturbed", [flag["kind"] for flag in row["flags"]])
        self.assertRegex(outcome.stdout, r"\d\? ")

    def test_runs_that_were_disturbed_are_measured_again(self):
        with other_work(2):
            begin = time.monotonic()
            outcome = run("stream", 2, STREAM.replace("--runs 8", "--runs 30"))
        self.assertEqual(outcome.code, 0, outcome)
        self.assertGreater(time.monotonic() - begin, 2, "the other work ended before the job did")
        found = [row for row in medians(outcome.document) if "replaced_runs" in row]
        self.assertTrue(found, "no run was replaced")
        for row in found:
            self.assertTrue(any("disturbed_by" in each for each in row["replaced_runs"]) or
                            "measured_again" in row, row["name"])

    def test_no_row_is_trusted_of_which_more_than_a_quarter_was_disturbed(self):
        with other_work(1):
            outcome = run("stream", 2, STREAM, "--remeasure off")
        for name, case in cases(outcome.document).items():
            disturbed = sum("disturbed_by" in row for row in case["runs"])
            if 4 * disturbed > len(case["runs"]) + 3:
                self.assertTrue(case["median"]["distrusted"], name)
            self.assertNotIn("replaced_runs", case["median"])
        self.assertFalse(re.search(r"measured_again", str(outcome.document)))


if __name__ == "__main__":
    unittest.main()
