"""Tests of scripts/quartet/compare/slow_ranks.py: who is named, and who is not."""

import sys
import unittest

import fake_results
from compare_case import SCRIPTS, CompareCase

sys.path.insert(0, str(SCRIPTS))
from quartet.compare import slow_ranks  # noqa: E402


class SlowNodes(CompareCase):
    def document(self, seconds, gpus=(), ranks_a_node=2):
        ranks = len(seconds)
        rows = fake_results.case(f"matmul/native/host/shm/n:64/tile:32/ranks:{ranks}/threads:1", 100,
                            "GFLOP/s", workers=ranks, rank_seconds=seconds)
        for row in rows:
            row["rank_seconds"] = seconds
        document = fake_results.document(rows)
        quartet = document["context"]["quartet"]
        quartet["placement"] = [{**fake_results.PLACE, "rank": rank, "cpus": str(rank),
                                 "host": f"node{rank // ranks_a_node}"} for rank in range(ranks)]
        quartet["gpus"] = list(gpus)
        return document

    def test_slow_node_is_named_once_with_its_gpus(self):
        gpus = [{"name": "K80", "uuid": "GPU-1", "ranks": [2, 3]},
                {"name": "K80", "uuid": "GPU-0", "ranks": [0, 1]}]
        found = slow_ranks.find(self.document([1, 1.01, 1.5, 1.52, 1, 1, 0.99, 1], gpus))
        self.assertEqual([slow.who for slow in found], ["node node1 (K80 GPU-1, 2 ranks)"])
        self.assertAlmostEqual(found[0].ratio, 1.51, places=2)

    def test_slow_rank_is_named_with_host_and_gpu(self):
        gpus = [{"name": "K80", "uuid": "GPU-1", "ranks": [3]}]
        found = slow_ranks.find(self.document([1, 1, 1, 1.4, 1, 1, 1, 1], gpus, 8))
        self.assertEqual([slow.who for slow in found], ["rank 3 on node0 (K80 GPU-1, cpus 3)"])

    def test_nobody_is_named_without_reason(self):
        for seconds in ([1, 2], [1, 1.05, 1, 1], [1, 1.3, 1.6, 1.9, 2.2], [1, 1, 1, 1]):
            self.assertEqual(slow_ranks.find(self.document(seconds)), [], seconds)

    def test_reducers_are_no_fellows_of_workers(self):
        document = self.document([9, 1, 1, 1, 1, 1])
        for row in document["benchmarks"]:
            row["workers"] = 5
        self.assertEqual(slow_ranks.find(document), [])

    def test_comparison_says_whose_side_is_slow(self):
        even, odd = self.document([1] * 8), self.document([1, 1, 1.5, 1.5, 1, 1, 1, 1])
        done = self.compare(self.side("a", even), self.side("b", odd))
        self.assertIn("slow in B: node node1", done.stdout)
        self.assertNotIn("slow in A", done.stdout)


if __name__ == "__main__":
    unittest.main()
