"""fft's data flow over the fake GPUs: tiles are transformed there and merged on the CPU."""

import unittest

from gpu_node import gpu_node, moved, planned_memory
from quartet_cli import run
from verified import assert_verified

# Ranks, GPUs and sizes: powers of two with groups of tiles, others with ragged blocks, and primes.
CASES = [(2, 1, "--size 4096 --tiles 64"), (3, 2, "--size 5400 --tiles 12 --queue 2"),
         (5, 4, "--size 1001 --tiles 77 --queue 1")]
OUT = "from GPUs to the host"


def on_gpus(ranks, *arguments):
    return run("fake_gpu_fft", ranks, "--device cuda --remeasure off --formulation dataflow --threads 1 --warmup 1",
               *arguments)


def whole_rows(rows):
    """Without those of the paper's clock."""
    return [row for row in rows if not row["run_name"].endswith("/paper")]


class StandInFftFlow(unittest.TestCase):
    def test_merges_on_the_cpu_over_every_transport(self):
        for ranks, gpus, case in CASES:
            with self.subTest(ranks=ranks, case=case), gpu_node(gpus) as node:
                outcome = on_gpus(ranks, case, "--runs 2 --transport staged,ipc")
                for row in whole_rows(assert_verified(self, outcome, 4)):
                    self.assertEqual(row["workers"], ranks - 1)
                    self.assertIn("of 1 thread", row["note"])
                    self.assertIn("copies between GPUs and CPUs", str(row["limit"]))
                for gpu in node.counts():
                    self.assertEqual(gpu.allocated, 0)

    def test_tiles_leave_the_gpus_as_the_dry_run_says(self):
        with gpu_node(2):
            links = moved(on_gpus(2, "--size 4096 --tiles 64 --transport ipc --dry-run").stdout)
            self.assertEqual(links[OUT][0], 16 * 4096)

    def test_takes_no_more_gpu_memory_than_planned(self):
        case = "--size 2^14 --tiles 64 --transport staged"
        with gpu_node(2):
            largest, _ = planned_memory(on_gpus(2, case, "--dry-run").stdout)
        with gpu_node(2) as node:
            assert_verified(self, on_gpus(2, case, "--runs 1"), 2)
            merger, worker = node.counts()
        self.assertGreater(worker.kernels, merger.kernels)
        for gpu in (merger, worker):
            self.assertLess(gpu.most_allocated, largest + (64 << 10))


if __name__ == "__main__":
    unittest.main()
