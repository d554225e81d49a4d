"""A job that fails, or is asked to stop, says so, ends soon, keeps what it has, and leaves nobody behind."""

import itertools
import json
import os
import re
import signal
import tempfile
import time
import unittest
from pathlib import Path

import schemas
from quartet_cli import (FAILED, KERNELS, LYING_LIBRARIES, MATMUL, STREAM, Job, Scratch, each, errors, main, medians,
                         run_lying)

SOON_SECONDS = 20
ENDLESS = 10000  # runs
STOPPED = "before its first run|are kept"
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1)

# Whoever started these tests may ignore what a terminal sends, and the jobs would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@unittest.skipUnless(LYING_LIBRARIES, "libraries that fail cannot come before a sanitizer")
class Failures(unittest.TestCase):
    """Of an MPI that fails in the third run."""

    def fail(self, where, what):
        outcome = run_lying("stream", 3, f"floats@32768:{where}:{what}:0", "--sizes 64KiB --pushes 3 --runs 6",
                            "--device host --threads 1 --limits off --transport mpi")
        self.assertLess(outcome.seconds, SOON_SECONDS)
        self.assertEqual(outcome.left, [])
        return outcome

    def test_a_rank_that_throws_ends_the_job_and_complete_runs_are_kept(self):
        outcome = self.fail("1:8", "throw")
        self.assertEqual(outcome.code, FAILED, outcome)
        self.assertIn("stream: rank 1: thrown in the middle of a run", outcome.stderr)
        self.assertIs(outcome.document["context"]["quartet"]["complete"], False)
        self.assertNotEqual(medians(outcome.document), [])

    def test_what_all_ranks_throw_is_said_in_words(self):
        for what, words in (("starve", "out of memory"), ("bar", "'/some/where' (Permission denied)")):
            outcome = self.fail("all:8", what)
            self.assertEqual(outcome.code, FAILED, outcome)
            self.assertIn(words, outcome.stderr)
            self.assertNotIn("std::", outcome.stderr)

    def test_a_rank_that_is_killed_ends_the_job(self):
        outcome = self.fail("1:8", "die")
        self.assertNotEqual(outcome.code, 0, outcome)
        self.assertIs(outcome.document["context"]["quartet"]["complete"], False)


def rows_so_far(results):
    try:
        return json.loads(results.read_text())["benchmarks"]
    except FileNotFoundError:
        return []


def takes(process, number):
    """Whether the process has a handler of the signal."""
    try:
        caught = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{process}/status").read_text())
    except OSError:
        return False
    return bool(caught and int(caught[1], 16) >> (number - 1) & 1)


class Signals(Scratch):
    """What asks a job to stop: complete runs are kept, the code is 75."""

    def job(self, kernel, *arguments):
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        results = folder / "results.json"
        return Job(kernel.name, folder, 2, kernel.small, "--transport mpi --limits off",
                   f"--json {results}", *arguments), results

    def test_complete_runs_are_kept(self):
        def stop(kernel_and_number):
            kernel, number = kernel_and_number
            job, results = self.job(kernel, f"--runs {ENDLESS}")
            self.assertTrue(job.wait_until(lambda: rows_so_far(results)), kernel.name)
            os.kill(job.ranks()[-1], number)
            code, stdout, stderr = job.end()
            self.assertEqual(code, 75, (kernel.name, number, stderr))
            self.assertEqual(stderr, f"{kernel.name}: stopped on request: complete runs are kept\n")
            self.assertIn("95% interval", stdout)
            document = schemas.read_strictly(results)
            context = document["context"]["quartet"]
            self.assertTrue(context["stopped"])
            self.assertTrue(context["complete"])
            runs = [row for row in document["benchmarks"] if row["run_type"] == "iteration"]
            self.assertTrue(0 < len(runs) < ENDLESS)
            self.assertEqual(errors(document), [])

        each(stop, zip(KERNELS, itertools.cycle(SIGNALS)))

    def test_a_case_without_a_run_says_so(self):
        # What uses files is measured one after the other.
        job, results = self.job(MATMUL, f"--runs {ENDLESS} --formulation native,dataflow",
                                f"--data {self.folder}/data --generate")
        self.assertTrue(job.wait_until(lambda: rows_so_far(results)))
        os.kill(job.ranks()[0], signal.SIGTERM)
        code, _, stderr = job.end()
        self.assertEqual(code, 75, stderr)
        [row] = errors(schemas.read_strictly(results))
        self.assertIn("/dataflow/", row["name"])
        self.assertEqual(row["error_message"], "stopped on request before its first run")

    def test_none_is_lost_while_the_ranks_are_being_started(self):
        """Sent to the launcher's script at many moments, beginning with its first."""
        def stop(turn):
            job, _ = self.job(STREAM, f"--runs {ENDLESS}")
            time.sleep(turn / 12)
            number = SIGNALS[turn % len(SIGNALS)]
            os.kill(job.process.pid, number)
            code, _, stderr = job.end()  # which fails where ranks go on
            # Before the shell can take it, it ends the shell; before the first run there is nothing to keep.
            self.assertIn(code, (75, 128 + number, -number), (turn, number, stderr))
            if code != -number:
                self.assertRegex(stderr, STOPPED if code == 75 else r"launch\.sh: the job ended early \(SIG")

        each(stop, range(8))

    def test_none_ends_a_rank_without_a_word(self):
        """Sent to the ranks at many moments, beginning with their first."""
        def stop(turn):
            kernel = KERNELS[turn % len(KERNELS)]
            job, results = self.job(kernel, f"--runs {ENDLESS}")
            self.assertTrue(job.wait_until(lambda: len(job.ranks()) == 2), kernel.name)

            def have_begun():
                """Their main functions; before these a process takes no signal, of which HUP comes last. Or even MPI."""
                return all(takes(rank, signal.SIGHUP) for rank in job.ranks()) or any(
                    results.parent.glob("vader_segment*"))

            self.assertTrue(not turn or job.wait_until(have_begun), kernel.name)
            time.sleep(max(0, turn - 2) / 3)
            number = SIGNALS[turn // 2 % len(SIGNALS)]
            for rank in job.ranks()[turn % 2:]:
                os.kill(rank, number)
            code, _, stderr = job.end()
            where = (turn, kernel.name, number, stderr)
            self.assertIn(code, (75,) if turn else (75, 128 + number), where)
            self.assertRegex(stderr, STOPPED if code == 75 else r"launch\.sh: the job ended early \(SIG", where)

        each(stop, range(8))


if __name__ == "__main__":
    main()
