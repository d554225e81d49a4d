"""cg's data flow over the fake GPU: vectors and products there, queues and sums in the CPU's
memory."""

import tempfile
import unittest

from quartet_cli import run
from verified import assert_verified


def on_gpu(ranks, *arguments):
    return run("fake_gpu_cg", ranks, "--device cuda --remeasure off --formulation dataflow --problem random",
               "--iterations 40 --runs 1 --threads 1", *arguments)


class StandInCgFlow(unittest.TestCase):
    def test_solves_with_any_queue_and_fewer_rows_than_workers(self):
        for ranks, queue, size in ((2, 16, 131), (3, 1, 130), (4, 2, 2)):
            with self.subTest(ranks=ranks, queue=queue, size=size):
                outcome = on_gpu(ranks, f"--size {size} --queue {queue} --transport staged,ipc")
                staged, ipc = assert_verified(self, outcome, 2)
                self.assertIn("/cuda/staged/", staged["run_name"])
                self.assertIn("/cuda/ipc/", ipc["run_name"])
                self.assertEqual(staged["workers"], ranks - 1)
                self.assertEqual(staged["residual_history"], ipc["residual_history"])

    def test_goes_on_from_a_checkpoint_with_the_same_bits(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = f"--size 90 --transport staged --checkpoint {folder}/saved --every 15"
            [wanted] = assert_verified(self, on_gpu(3, saved), 1)
            [found] = assert_verified(self, on_gpu(3, saved, "--restart previous"), 1)
        self.assertEqual(found["restarted_from"], 15)
        self.assertEqual(found["residual_history"], wanted["residual_history"])


if __name__ == "__main__":
    unittest.main()
