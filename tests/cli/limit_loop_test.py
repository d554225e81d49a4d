"""Tests of the program limit_loops, which `quartet limits` checks limits by."""

import os
import tempfile
import unittest
from pathlib import Path

from quartet.launch import Files, LocalLauncher
from quartet.paths import LAUNCHER
from quartet_dev.peers.limit_loop import LimitLoop

PROGRAMS = Path(os.environ["QUARTET_PROGRAMS"])


class Loops(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.files = Files(Path(temporary.name) / "1.out", Path(temporary.name) / "1.log")

    def outcome(self, loop, size, threads=1):
        peer = LimitLoop(PROGRAMS, loop, size, threads, "GB/s", 1e-9)
        return peer, peer.complete(LocalLauncher(LAUNCHER), 1, self.files, 60)

    def rate(self, loop, size, threads=1):
        peer, outcome = self.outcome(loop, size, threads)
        self.assertEqual(outcome.exit_code, 0, outcome)
        (row,) = peer.read(self.files.document)
        self.assertEqual(row.unit, "GB/s")
        return row.rate

    def test_each_has_a_rate_on_one_thread_and_on_more(self):
        for loop in ("add", "read", "copy", "multiply_add"):
            for threads in (1, 3):
                with self.subTest(loop, threads=threads):
                    self.assertGreater(self.rate(loop, 2**20, threads), 0.01)

    def test_caches_are_faster_than_memory(self):
        self.assertGreater(self.rate("read", 2**14), self.rate("read", 2**29))

    def test_other_arguments_are_refused(self):
        for loop, size, threads in (("walk", 1024, 1), ("add", 0, 1), ("add", 1024, 0)):
            self.assertEqual(self.outcome(loop, size, threads)[1].exit_code, 2)


if __name__ == "__main__":
    unittest.main()
