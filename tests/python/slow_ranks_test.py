"""Tests of scripts/python/quartet/results/slow_ranks.py: who is named, and who is not."""


import fake_results
from compare_case import CompareCase
from quartet.results import slow_ranks


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

    def of_many(self, runs, ranks=512, ranks_a_node=128):
        """Quantiles and the slowest ranks of each run, as documents of many ranks have them."""
        document = self.document([1] * ranks, ranks_a_node=ranks_a_node)
        hosts = [place["host"] for place in document["context"]["quartet"]["placement"]]
        rows = [row for row in document["benchmarks"] if "rank_seconds" in row]
        for index, row in enumerate(rows):
            seconds = runs[index % len(runs)]
            order = sorted(range(ranks), key=lambda rank: (-seconds[rank], rank))
            at = [seconds[order[-max(1, ranks * share // 100)]] for share in (25, 50, 75, 99)]
            row.pop("rank_seconds")
            row["rank_seconds_summary"] = {
                "ranks": ranks, "mean": sum(seconds) / ranks, "min": min(seconds), "p25": at[0],
                "p50": at[1], "p75": at[2], "p99": at[3], "max": max(seconds),
                "slowest": [{"rank": rank, "host": hosts[rank], "seconds": seconds[rank]}
                            for rank in order[:16]]}
        return document

    @staticmethod
    def slowed(slow, ranks=512):
        return [1.5 if rank in slow else 1 + 0.001 * (rank % 5) for rank in range(ranks)]

    def test_slow_rank_among_many_is_named(self):
        found = slow_ranks.find(self.of_many([self.slowed({300})]))
        self.assertEqual([slow.who for slow in found], ["rank 300 on node2 (cpus 300)"])
        self.assertAlmostEqual(found[0].ratio, 1.5, places=2)

    def test_slow_node_among_many_ranks_is_named_once(self):
        found = slow_ranks.find(self.of_many([self.slowed(set(range(128, 256)))]))
        self.assertEqual([slow.who for slow in found], ["node node1 (16 of the slowest ranks)"])

    def test_slow_node_of_few_ranks_is_named(self):
        found = slow_ranks.find(self.of_many([self.slowed({6, 7})], ranks_a_node=2))
        self.assertEqual([slow.who for slow in found], ["node node3 (2 of the slowest ranks)"])

    def test_rank_that_is_slow_in_few_runs_is_not_named(self):
        even = self.slowed(())
        self.assertEqual(slow_ranks.find(self.of_many([even])), [])
        self.assertEqual(slow_ranks.find(self.of_many([self.slowed({300}), even, even])), [])

    def test_reducers_among_many_are_no_fellows(self):
        document = self.of_many([self.slowed({0})])
        for row in document["benchmarks"]:
            row["workers"] = 511
        self.assertEqual(slow_ranks.find(document), [])

    def test_comparison_says_whose_side_is_slow(self):
        even, odd = self.document([1] * 8), self.document([1, 1, 1.5, 1.5, 1, 1, 1, 1])
        done = self.compare(self.side("a", even), self.side("b", odd))
        self.assertIn("slow in B: node node1", done.stdout)
        self.assertNotIn("slow in A", done.stdout)
