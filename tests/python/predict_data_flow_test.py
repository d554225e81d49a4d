"""Tests of how data flows are predicted: what their reducers wait for, by closed forms of small machines."""

import unittest

from predicted_machine import FREE, machine, work
from quartet.predict import fft
from quartet.predict.cluster import Cluster
from quartet.predict.data_flow import BATCH, DataFlow
from quartet.predict.duration import Duration

LINK, MEMORY = 1e9, 1e10
NO_TIME = {"latency_seconds": 1e-15, "node_latency_seconds": 1e-15, "overhead_seconds": 1e-15}


def seconds(kernel, ranks, size, transport="mpi", per_node=1, rates=None, formulation="dataflow", **options):
    """On a machine without latencies and overheads."""
    described = machine(per_node=per_node, **{**NO_TIME, **(rates or {})})
    return described.predict(work(kernel, ranks, size, formulation, transport, **options)).duration.total


def flow(workers, reducers=1, queue=16, per_node=1, transport="mpi", **rates):
    cluster = Cluster(machine(**rates).rates.values(), workers + reducers, per_node, False, transport)
    return DataFlow(cluster, reducers, queue)


class Streams(unittest.TestCase):
    size, pushes = 10**6, 10
    added, crossed = 3 * size / MEMORY, size / LINK

    def test_vectors_of_one_sender_travel_while_nothing_is_added(self):
        self.assertAlmostEqual(seconds("stream", 2, self.size, pushes=self.pushes),
                               self.pushes * (self.added + self.crossed))

    def test_of_a_large_one_all_chunks_but_the_first_ones_travel_while_others_are_added(self):
        chunks = 8
        size, at_once = chunks * 2 * 2**20, 2 / chunks
        added, crossed = 3 * size / MEMORY, size / LINK
        self.assertAlmostEqual(seconds("stream", 2, size, pushes=self.pushes),
                               self.pushes * (crossed + at_once * added))

    def test_those_of_several_travel_meanwhile_but_for_the_first_ones(self):
        senders, under_way = 3, 6
        bytes_all = senders * self.pushes
        self.assertAlmostEqual(seconds("stream", 1 + senders, self.size, pushes=self.pushes),
                               bytes_all * self.crossed + self.added)
        slow = {"memory_bytes_per_second": MEMORY / 10}
        self.assertAlmostEqual(seconds("stream", 1 + senders, self.size, rates=slow, pushes=self.pushes),
                               under_way * self.crossed + bytes_all * 10 * self.added)

    def test_chunks_of_native_ones_come_together_at_first_and_are_added_after_all_at_last(self):
        senders, both = 3, 2 * self.pushes  # of two chunks, which are under way at once
        size = 2 * 2**20
        added, crossed = (senders * seconds for seconds in (3 * size / MEMORY, size / LINK))
        for pushes, total in ((1, crossed + added), (both, both * crossed + 2 * added)):
            self.assertAlmostEqual(seconds("stream", 1 + senders, size, formulation="native", pushes=pushes), total)

    def test_shared_memory_is_read_in_place(self):
        self.assertAlmostEqual(seconds("stream", 2, self.size, "shm", per_node=2, pushes=self.pushes),
                               self.pushes * self.added)


class Tiles(unittest.TestCase):
    arrives, work = Duration(bandwidth=1.0), Duration(compute=2.0)

    def test_a_batch_of_all_that_is_under_way_is_worked_on_while_nothing_comes(self):
        none = {"latency_seconds": 1e-15}
        for queue, total in ((BATCH, 3.0), (2 * BATCH, 2.0)):
            taken = flow(4, queue=queue, **none).taken(64, self.arrives, self.work, outgoing=8)
            self.assertAlmostEqual(taken.total, total)

    def test_each_batch_waits_for_three_messages(self):
        taken = flow(4, latency_seconds=1e-6).taken(64, self.arrives, self.work, outgoing=1)
        self.assertAlmostEqual(taken.latency, 64 / 4 * 3e-6)

    def test_reducers_on_nodes_of_their_own_have_links_of_their_own(self):
        one, two = flow(7, 1), flow(7, 2)
        self.assertAlmostEqual(one.crossing(1e9), 1.0)
        self.assertAlmostEqual(two.crossing(1e9), 0.5)
        self.assertAlmostEqual(flow(6, 2, per_node=2).crossing(1e9), 1.0)

    def test_payloads_in_shared_memory_do_not_travel(self):
        self.assertEqual(flow(3, per_node=4, transport="shm").payloads(1e9), 0.0)
        self.assertAlmostEqual(flow(3, per_node=4).payloads(1e9), 1e9 / 5e9)

    def test_copies_that_are_published_travel_while_others_are_sent(self):
        for overhead, total in ((1e-15, 2.0), (1.0, 2 * 2 * 1.0 + 2 * 1.0)):
            published = flow(2, overhead_seconds=overhead, latency_seconds=1e-15,
                             memory_bytes_per_second=FREE).published(1e9)
            self.assertAlmostEqual(published.total, total, places=5)

    def test_each_reducer_of_matmul_brings_and_adds_its_own_tiles_and_they_share_a_nodes_link(self):
        tile, products = 4 * 512**2, 8
        crossed, added = products * tile / LINK, (3 * products - 4) * tile / MEMORY / 2
        free = {"sgemm_flops_per_second": FREE}
        apart = seconds("matmul", 9, 1024, rates=free, tile=512, reducers=2)
        self.assertAlmostEqual(apart, crossed / 2 + added, places=6)
        # Both on a node that holds no worker.
        together = seconds("matmul", 4, 1024, per_node=2, rates=free, tile=512, reducers=2)
        self.assertAlmostEqual(together, max(crossed, crossed / 2 + added), delta=crossed / products + 1e-6)

    def test_matmul_adds_all_but_the_first_tiles_of_c(self):
        products, tile = 8, 4 * 512**2
        described = seconds("matmul", 2, 1024, rates={"sgemm_flops_per_second": FREE}, tile=512, reducers=1)
        self.assertAlmostEqual(described, products * tile / LINK + (3 * products - 4) * tile / MEMORY, places=6)


class Transforms(unittest.TestCase):
    def test_groups_are_those_of_the_program(self):
        for tiles, length, groups in ((128, 8192, 4), (1024, 8192, 32), (2, 8192, 1), (22, 8192, 1),
                                      (128, 8188, 1), (6000, 4096, 200)):
            self.assertEqual(fft.row_groups(tiles, length), groups)

    def test_those_over_the_groups_come_after_the_last_tile(self):
        points, tiles, groups, rate = 2**20, 128, 4, 1e10
        link_bound = seconds("fft", 9, points, rates={"memory_bytes_per_second": FREE})
        over = fft.operations(points, groups)
        within = fft.operations(points, tiles // groups)
        first = fft.operations(points, points / tiles) / tiles
        self.assertAlmostEqual(link_bound, 16 * points / LINK + (over + within + first) / rate)
