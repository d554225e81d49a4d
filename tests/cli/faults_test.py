"""When something goes wrong while running, the job says so, ends soon, and leaves nobody behind."""

import os
import re
import unittest
from pathlib import Path

import concurrent_tests
from quartet_cli import errors, medians, run

FAULTY_STREAM = Path(os.environ["QUARTET_FAULTY_STREAM"])
SOON_SECONDS = 20


def run_faulty(transport):
    return run(FAULTY_STREAM, 3, "--sizes 64KiB --pushes 3 --runs 6 --limits off",
               f"--transport {transport}")


class Faults(unittest.TestCase):
    def test_one_wrong_element_in_one_run_is_a_wrong_result(self):
        outcome = run_faulty("mpi,corrupting")
        self.assert_wrong(outcome)
        self.assertEqual(
            {(row["run_name"].split("/")[3], row["verified"], row["error"])
             for row in medians(outcome.document)},
            {("mpi", True, 0), ("corrupting", False, 1)})

    def test_a_wrong_result_outweighs_an_unavailable_transport(self):
        self.assertEqual(run_faulty("absent").code, 77)
        outcome = run_faulty("absent,corrupting")
        self.assertEqual([row["error_message"] for row in errors(outcome.document)],
                         ["never there"])
        self.assert_wrong(outcome, "stream: never there")

    def assert_wrong(self, outcome, *other_lines):
        """Wrong in the whole run's row and in the paper's, and said of both."""
        self.assertEqual(outcome.code, 1, outcome)
        lines = outcome.stderr.splitlines()
        wrong = [line for line in lines if re.match(
            r"stream: stream/native/host/corrupting/.*: wrong result", line)]
        self.assertEqual(len(wrong), 2, lines)
        self.assertEqual([line for line in lines if line not in wrong], list(other_lines))

    def test_a_rank_that_throws_ends_the_job(self):
        outcome = run_faulty("throwing")
        self.assertEqual(outcome.code, 3, outcome)
        self.assertIn("stream: rank 1: thrown in the middle of a run", outcome.stderr)
        self.assert_ended(outcome)
        self.assert_incomplete(outcome.document)

    def test_what_all_ranks_throw_is_said_once_and_in_words(self):
        for transport, words in (("starving", "out of memory"),
                                 ("barred", "'/some/where' (Permission denied)")):
            outcome = run_faulty(transport)
            self.assertEqual(outcome.code, 3, outcome)
            [line] = outcome.stderr.splitlines()
            self.assertIn("stream: rank 0: ", line)
            self.assertIn(words, line)
            self.assertNotIn("std::", line)
            self.assert_ended(outcome)

    def test_a_rank_that_is_killed_ends_the_job(self):
        outcome = run_faulty("dying")
        self.assertNotEqual(outcome.code, 0, outcome)
        self.assert_ended(outcome)
        self.assert_incomplete(outcome.document)

    def test_what_was_measured_before_a_failure_is_kept(self):
        outcome = run_faulty("mpi,throwing")
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
