"""When something goes wrong while running, the job says so, ends soon, and leaves nobody behind."""

import os
import unittest
from pathlib import Path

import concurrent_tests
from quartet_cli import medians, run

FAILING_STREAM = Path(os.environ["QUARTET_FAILING_STREAM"])
SOON_SECONDS = 20


def run_failing(transport):
    return run(FAILING_STREAM, 3, "--sizes 64KiB --pushes 3 --runs 6 --limits off",
               f"--transport {transport}")


class Faults(unittest.TestCase):
    def test_a_rank_that_throws_ends_the_job(self):
        outcome = run_failing("throwing")
        self.assertEqual(outcome.code, 3, outcome)
        self.assertIn("stream: rank 1: thrown in the middle of a run", outcome.stderr)
        self.assert_ended(outcome)
        self.assert_incomplete(outcome.document)

    def test_what_all_ranks_throw_is_said_once_and_in_words(self):
        for transport, words in (("starving", "out of memory"),
                                 ("barred", "'/some/where' (Permission denied)")):
            outcome = run_failing(transport)
            self.assertEqual(outcome.code, 3, outcome)
            [line] = outcome.stderr.splitlines()
            self.assertIn("stream: rank 0: ", line)
            self.assertIn(words, line)
            self.assertNotIn("std::", line)
            self.assert_ended(outcome)

    def test_a_rank_that_is_killed_ends_the_job(self):
        outcome = run_failing("dying")
        self.assertNotEqual(outcome.code, 0, outcome)
        self.assert_ended(outcome)
        self.assert_incomplete(outcome.document)

    def test_what_was_measured_before_a_failure_is_kept(self):
        outcome = run_failing("mpi,throwing")
        self.assertEqual(outcome.code, 3, outcome)
        self.assert_ended(outcome)
        transports = {row["run_name"].split("/")[3] for row in medians(outcome.document)}
        self.assertIn("mpi", transports)
        self.assert_incomplete(outcome.document)

    def assert_incomplete(self, document):
        """The runs before the failure are kept, and said not to be all."""
        self.assertIs(document["context"]["quartet"]["complete"], False)

    def assert_ended(self, outcome):
        self.assertLess(outcome.seconds, SOON_SECONDS)
        self.assertEqual(outcome.left, [])


if __name__ == "__main__":
    concurrent_tests.main()
