"""Other work on the machine while a program measures: rows say so, and nothing disturbed is quoted."""

import os
import subprocess
import sys
import unittest

from quartet_cli import medians, run

SPIN = "import time\nend = time.monotonic() + 120\nwhile time.monotonic() < end: pass"
STREAM = "--sizes 4,8 --pushes 60 --runs 8 --threads 1 --transport mpi,shm --formulation native,library"


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "ranks that share a core disturb each other")
class Disturbed(unittest.TestCase):
    def test_work_beside_all_runs_is_flagged_and_marked(self):
        others = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in os.sched_getaffinity(0)]
        try:
            outcome = run("stream", 2, STREAM)
        finally:
            for other in others:
                other.kill()
                other.wait()
        self.assertEqual(outcome.code, 0, outcome)
        for row in medians(outcome.document):
            self.assertTrue(row["distrusted"], row["name"])
            self.assertIn("disturbed", [flag["kind"] for flag in row["flags"]])
        self.assertRegex(outcome.stdout, r"\d\? ")


if __name__ == "__main__":
    unittest.main()
