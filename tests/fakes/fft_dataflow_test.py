"""fft's data flow over the fake GPUs: tiles are transformed there and merged on the CPU or on a GPU,
with payloads in the host's memory or on GPUs."""

import tempfile
import unittest
from pathlib import Path

from gpu_node import gpu_node, moved, planned_memory
from quartet_cli import assert_refused, run
from verified import assert_verified

BAD_USAGE = 2
# Ranks, GPUs, sizes, and what the merger computes on: powers of two with groups of tiles, others with ragged blocks, and primes.
CASES = [(2, 1, "--size 4096 --tiles 64", "host"), (2, 1, "--size 4096 --tiles 64", "cuda"),
         (3, 2, "--size 5400 --tiles 12 --queue 2", "host"),
         (3, 2, "--size 5400 --tiles 12 --queue 2", "cuda"),
         (5, 4, "--size 1001 --tiles 77 --queue 1", "cuda")]
OUT, IN = "from GPUs to the host", "from the host to GPUs"
BETWEEN = "between GPUs of a node"


def on_gpus(ranks, *arguments):
    return run("fake_gpu_fft", ranks, "--device cuda --remeasure off --formulation dataflow --threads 1 --warmup 1",
               *arguments)


def whole_rows(rows):
    """Without those of the paper's clock."""
    return [row for row in rows if not row["run_name"].endswith("/paper")]


class StandInFftFlow(unittest.TestCase):
    def test_merges_on_the_cpu_and_on_a_gpu_over_every_transport(self):
        crosses = "copies between GPUs and CPUs"
        for ranks, gpus, case, reducer in CASES:
            with self.subTest(ranks=ranks, case=case, reducer=reducer), gpu_node(gpus) as node:
                outcome = on_gpus(ranks, case, f"--reducer-device {reducer} --runs 2 "
                                               "--transport staged,ipc")
                staged, ipc = whole_rows(assert_verified(self, outcome, 4))
                for row in (staged, ipc):
                    self.assertEqual(row["workers"], ranks - 1)
                    self.assertIn("on a GPU" if reducer == "cuda" else "of 1 thread", row["note"])
                self.assertIn(crosses, str(staged["limit"]))
                self.assertEqual(crosses in str(ipc["limit"]), reducer == "host")
                for gpu in node.counts():
                    self.assertEqual(gpu.allocated, 0)

    def test_tiles_cross_the_links_that_the_dry_run_says(self):
        case = "--size 4096 --tiles 64"
        for reducer, transport, kinds in (("host", "ipc", {OUT}), ("cuda", "ipc", {BETWEEN}),
                                          ("cuda", "staged", {OUT, IN})):
            with self.subTest(reducer=reducer, transport=transport), gpu_node(2):
                plan = on_gpus(2, case, f"--reducer-device {reducer} --transport {transport} "
                                        "--dry-run").stdout
                links = moved(plan)
                self.assertLessEqual(kinds, set(links))
                self.assertEqual({kind for kind in (OUT, IN, BETWEEN) if kind in links}, kinds)
                for kind in kinds:
                    self.assertEqual(links[kind][0], 16 * 4096)

    def test_takes_no_more_gpu_memory_than_planned(self):
        case = "--size 2^14 --tiles 64 --transport staged"
        for reducer in ("host", "cuda"):
            with self.subTest(reducer=reducer):
                with gpu_node(2):
                    largest, _ = planned_memory(on_gpus(
                        2, case, f"--reducer-device {reducer} --dry-run").stdout)
                with gpu_node(2) as node:
                    assert_verified(self, on_gpus(2, case, f"--reducer-device {reducer} --runs 1"),
                                    2)
                    merger, worker = node.counts()
                self.assertGreater(worker.kernels, merger.kernels if reducer == "host" else 0)
                for gpu in (merger, worker):
                    self.assertLess(gpu.most_allocated, largest + (64 << 10))

    def test_keeps_tiles_and_takes_them_over(self):
        case = "--size 4096 --tiles 16 --verify on --limits on"
        for reducer, transport in (("host", "staged"), ("host", "ipc"), ("cuda", "staged"), ("cuda", "ipc")):
            with self.subTest(reducer=reducer, transport=transport), gpu_node(2), \
                    tempfile.TemporaryDirectory() as folder:
                words = (f"{case} --reducer-device {reducer} --transport {transport} --data {folder}/data "
                         f"--generate --keep --checkpoint {folder}/kept --every 3")
                assert_verified(self, on_gpus(2, words), 2)
                result = Path(folder) / "data" / "result" / "X-0.npy"
                whole = result.read_bytes()
                row = assert_verified(self, on_gpus(2, words, "--restart"), 2)[0]
                self.assertEqual(row["tiles_taken_over"], 16)
                self.assertEqual(result.read_bytes(), whole)

    def test_a_merger_on_a_gpu_needs_one(self):
        outcome = run("fake_gpu_fft", 2, "--size 4096 --device host --formulation dataflow "
                      "--reducer-device cuda")
        assert_refused(self, outcome, BAD_USAGE, "fft", "--reducer-device cuda")


if __name__ == "__main__":
    unittest.main()
