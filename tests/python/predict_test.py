"""Tests of scripts/python/quartet/predict/: formulas against closed forms and counted messages, bands, marks.
The script itself is tested in predict_script_test.py."""

import itertools
import json
import math
import tempfile
import unittest
from pathlib import Path

from predicted_machine import FREE, KERNELS, MODELS, file, machine, work
from quartet.predict import collectives, matmul
from quartet.predict.cluster import Cluster
from quartet.predict.curve import FASTEST, LATENT, OVERTAKEN, Wanted, curve
from quartet.predict.data_flow import DataFlow
from quartet.predict.duration import PARTS
from quartet.predict.machine import Machine

PLACES = [(ranks, per_node) for ranks in (1, 2, 3, 4, 5, 7, 8, 12, 16, 32) for per_node in (1, 2, 3, 4)]


def cluster(ranks, per_node=4, has_gpus=False, transport="mpi", **rates):
    free = {name: FREE for name in ("link_bytes_per_second", "node_bytes_per_second")}
    none = {name: 1e-15 for name in ("latency_seconds", "node_latency_seconds", "overhead_seconds",
                                     "addition_seconds")}
    values = machine(**{**free, **none, **rates}).rates.values()
    return Cluster(values, ranks, per_node, has_gpus, transport)


class OneRank(unittest.TestCase):
    def test_it_communicates_with_nobody(self):
        for name, model in MODELS.items():
            for formulation in model.formulations:
                one = work(name, 1, formulation=formulation)
                if not one.why_not:
                    spent = machine().predict(one).duration
                    self.assertEqual(spent.communication, 0, (name, formulation))
                    self.assertGreater(spent.compute, 0)

    def test_times_are_those_of_the_formulas(self):
        size, iterations = 4096, 10
        for name, options, seconds in (
                ("cg", {"iterations": iterations}, iterations * (8 * size**2 + 88 * size) / 1e10),
                ("cg", {"iterations": iterations, "storage": "symmetric"},
                 iterations * (4 * size**2 + 88 * size) / 1e10),
                ("matmul", {"tile": 512}, 2 * size**3 / 1e11), ("fft", {}, 5 * size * 12 / 1e10)):
            spent = machine().predict(work(name, 1, size, **options)).duration
            self.assertAlmostEqual(spent.total / seconds, 1, msg=name)


class Scaling(unittest.TestCase):
    FREE_NETWORK = {"link_bytes_per_second": FREE, "node_bytes_per_second": FREE,
                    "latency_seconds": 1e-15, "node_latency_seconds": 1e-15, "overhead_seconds": 1e-15,
                    "addition_seconds": 1e-15}

    def test_without_a_network_it_is_ideal(self):
        free = machine(**self.FREE_NETWORK)
        for name in ("cg", "fft", "matmul"):
            one = free.predict(work(name, 1)).rate
            for ranks in (2, 4, 8, 16):
                options = {"tile": 256} if name == "matmul" else {}
                many = free.predict(work(name, ranks, **options)).rate
                self.assertAlmostEqual(many / one / ranks, 1, places=4, msg=(name, ranks))

    def test_ranks_that_differ_wait_for_the_slowest(self):
        some = machine(**self.FREE_NETWORK, compute_variation=0.01).predict(work("cg", 64)).rate
        none = machine(**self.FREE_NETWORK).predict(work("cg", 64)).rate
        self.assertAlmostEqual(none / some, 1 + 0.01 * math.sqrt(2 * math.log(64)), places=4)

    def test_weak_scaling_keeps_the_work_of_a_worker(self):
        kernel = KERNELS["fft"]
        wanted = Wanted(kernel, "native", 2**20, (1, 2, 4, 8), MODELS[kernel.name].chosen({}), True)
        points = curve(machine(), wanted).points
        self.assertEqual([point.work.size for point in points], [2**20, 2**21, 2**22, 2**23])

    def test_largest_block_is_that_of_the_program(self):
        # As matmul/problem/partition.cpp tries all numbers of columns.
        for tiles, ranks in itertools.product((1, 3, 8, 16), range(1, 40)):
            blocks = [max(matmul._block(tiles, ranks, columns, column)[0]
                          * matmul._block(tiles, ranks, columns, column)[1]
                          for column in range(columns)) for columns in range(1, ranks + 1)]
            rows, wide = matmul.largest_block(tiles, ranks)
            self.assertEqual(rows * wide, min(blocks), (tiles, ranks))
        self.assertEqual(matmul.largest_block(8, 7)[0] * matmul.largest_block(8, 7)[1], 10)


class Counted(unittest.TestCase):
    """Messages made one by one, and what they are predicted to take."""

    def busiest(self, messages, per_node):
        """Bytes that leave the node that sends most to other nodes."""
        sent = {}
        for source, target, size in messages:
            if source // per_node != target // per_node:
                sent[source // per_node] = sent.get(source // per_node, 0) + size
        return max(sent.values(), default=0)

    def doubling_steps(self, ranks, per_node, part):
        """Recursive doubling by pairs of powers of two, else Bruck's; checks that all have all."""
        have = [{rank} for rank in range(ranks)]
        in_pairs = all(count & (count - 1) == 0 for count in (ranks, min(ranks, per_node)))
        distance = 1
        while distance < ranks:
            count, steps, new = min(distance, ranks - distance), [], [set(own) for own in have]
            for rank in range(ranks):
                target = rank ^ distance if in_pairs else (rank - distance) % ranks
                held = sorted(have[rank], key=lambda other, rank=rank: (other - rank) % ranks)
                new[target] |= set(held if in_pairs else held[:count])
                steps.append((rank, target, count * part))
            have, distance = new, 2 * distance
            yield steps
        self.assertTrue(all(len(own) == ranks for own in have), (ranks, per_node))

    def test_doubling_moves_what_its_messages_move(self):
        for ranks, per_node in PLACES:
            whole = 8.0 * ranks * 100
            counted = sum(self.busiest(step, per_node)
                          for step in self.doubling_steps(ranks, per_node, 800.0))
            spent = collectives.doubling(cluster(ranks, per_node, link_bytes_per_second=1.0), whole)
            if ranks % min(ranks, per_node) == 0:
                self.assertAlmostEqual(spent.bandwidth, counted, places=6, msg=(ranks, per_node))
            else:  # it is as if the last node were full
                self.assertLessEqual(counted, spent.bandwidth, (ranks, per_node))

    def test_doubling_has_a_latency_for_each_step(self):
        for ranks, per_node in PLACES:
            steps = list(self.doubling_steps(ranks, per_node, 1.0))
            across = sum(self.busiest(step, per_node) > 0 for step in steps)
            spent = collectives.doubling(cluster(ranks, per_node, latency_seconds=1.0), 8.0 * ranks)
            self.assertAlmostEqual(spent.latency, across, places=6, msg=(ranks, per_node))

    def test_ring_moves_each_part_over_each_link_once(self):
        for ranks, per_node in PLACES:
            spent = collectives.ring(cluster(ranks, per_node, link_bytes_per_second=1.0), 8.0 * ranks)
            nodes = -(-ranks // per_node)
            self.assertAlmostEqual(spent.bandwidth, 8.0 * (ranks - 1) * (nodes > 1), places=6)

    def test_all_to_all_moves_what_its_messages_move(self):
        for ranks, per_node in PLACES:
            messages = [(source, target, 8.0) for source in range(ranks) for target in range(ranks)
                        if source != target]
            spent = cluster(ranks, per_node, link_bytes_per_second=1.0).to_all(8.0 * ranks)
            self.assertAlmostEqual(spent.bandwidth, self.busiest(messages, min(ranks, per_node)),
                                   places=6, msg=(ranks, per_node))
            spent = cluster(ranks, per_node, overhead_seconds=1.0).to_all(8.0 * ranks)
            self.assertAlmostEqual(spent.overhead, ranks - 1, places=6)

    def test_pairs_move_what_their_messages_move_one_step_after_the_other(self):
        for ranks, per_node in ((4, 2), (8, 2), (16, 4), (64, 1), (64, 4)):
            steps = [[(rank, rank ^ other, 8.0) for rank in range(ranks)] for other in range(1, ranks)]
            leaving = [self.busiest(step, per_node) for step in steps]
            one = cluster(ranks, per_node, link_bytes_per_second=1.0, latency_seconds=1.0)
            spent = collectives.pairwise(one, 8.0)
            self.assertAlmostEqual(spent.bandwidth, sum(leaving), places=6, msg=(ranks, per_node))
            self.assertAlmostEqual(spent.latency, sum(map(bool, leaving)), places=6)

    def test_pairs_exchange_on_the_numbers_of_ranks_for_which_open_mpi_takes_them(self):
        for ranks, steps in ((3, 2), (4, 1), (63, 1), (64, 63), (127, 126), (128, 1), (255, 1), (256, 255),
                             (1023, 1022), (1024, 1)):
            for transport, expected in (("", steps), ("mpi", steps), ("rma", 1)):
                one = cluster(ranks, 1, transport=transport, latency_seconds=1.0)
                spent = collectives.all_to_all(one, 8.0 * ranks, 8.0)
                self.assertAlmostEqual(spent.latency, expected, places=6, msg=(ranks, transport))

    def test_a_jobs_environment_tells_open_mpi_which_all_to_all_to_take(self):
        rules, algorithm = (f"OMPI_MCA_coll_tuned_{name}" for name in ("use_dynamic_rules", "alltoallv_algorithm"))
        for environment, ranks, steps in (({rules: "1", algorithm: "2"}, 8, 7), ({rules: "true", algorithm: "1"}, 64, 1),
                                          ({algorithm: "2"}, 8, 1), ({rules: "1"}, 64, 63), ({rules: "1", algorithm: "7"}, 8, 1)):
            asked = Machine.load(self.described(environment), per_node=1)
            spent = asked.predict(work("fft", ranks, 2**20, transport="mpi")).duration
            self.assertAlmostEqual(spent.latency / 1e-6, steps, places=6, msg=environment)

    def described(self, environment):
        """A machine file."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "machine.json"
        path.write_text(json.dumps(file(machine={"environment": environment})), encoding="utf-8")
        return path

    def test_rates_within_a_node_need_not_be_known_where_nodes_have_one_rank(self):
        one = machine(per_node=1, node_bytes_per_second=None, node_latency_seconds=None)
        for name, model in MODELS.items():
            for formulation, ranks in itertools.product(model.formulations, (2, 4, 64)):
                wanted = work(name, ranks, formulation=formulation, **({"tile": 256} if name == "matmul" else {}))
                if not wanted.why_not:
                    self.assertGreater(one.predict(wanted).duration.total, 0, (name, formulation, ranks))

    def test_staged_parts_cross_the_hosts_link(self):
        staged = {"staged_through_host": True, "host_link_bytes_per_second": 1.0}
        spent = collectives.all_gather(cluster(8, 2, has_gpus=True, **staged), 800.0)
        self.assertAlmostEqual(spent.bandwidth, 700.0, places=6)
        direct = cluster(8, 2, has_gpus=True, host_link_bytes_per_second=1.0)
        self.assertLess(collectives.all_gather(direct, 800.0).bandwidth, 1.0)

    def test_sums_add_every_ranks_numbers(self):
        spent = collectives.ordered_sums(cluster(16, addition_seconds=1.0), 2)
        self.assertAlmostEqual(spent.overhead, 32, places=6)

    def test_sums_in_memory_that_ranks_share_take_no_steps(self):
        for ranks, transport, steps in ((4, "shm", 1), (4, "ipc", 1), (4, "mpi", 2), (4, "rma", 2), (8, "auto", 3)):
            one = cluster(ranks, transport=transport, node_latency_seconds=1.0, latency_seconds=1.0)
            self.assertAlmostEqual(collectives.ordered_sums(one, 2).latency, steps, places=6, msg=(ranks, transport))

    def test_memory_that_ranks_share_takes_two_barriers(self):
        spent = collectives.all_to_all(cluster(4, transport="shm", node_latency_seconds=1.0), 1e6, 1e6 / 4)
        self.assertAlmostEqual(spent.total, 4, places=6)

    def test_queues_have_the_messages_of_their_protocol(self):
        # An item, its payload, the word that it was taken; asking and being told where places are few.
        for workers, queue, inline, size in ((4, 16, 2, 24.0), (20, 16, 4, 24.0), (4, 16, 3, 1e6),
                                             (20, 16, 5, 1e6)):
            flow = DataFlow(cluster(workers + 1, 1, overhead_seconds=1.0), 1, queue)
            self.assertAlmostEqual(flow.collected(size).overhead, workers * inline, places=6)

    def test_reducers_link_carries_what_workers_on_other_nodes_push(self):
        flow = DataFlow(cluster(9, 3, link_bytes_per_second=1.0), 1, 16)
        self.assertEqual((flow.workers, flow.near), (8, 2))
        self.assertAlmostEqual(flow.crossing(800.0), 600.0, places=6)

    def test_bisection_narrows_the_link(self):
        shares = [{"nodes": nodes, "value": value, "uncertainty": 0.0, "source": "a"}
                  for nodes, value in ((4, 1.0), (16, 0.5))]
        one = cluster(64, 1, link_bytes_per_second=8.0, bisection=shares)
        self.assertEqual([one.link(nodes) for nodes in (2, 4, 5, 16, 64)], [8, 8, 4, 4, 4])
        self.assertEqual([one.link_into(nodes) for nodes in (1, 32, 64)], [8, 8, 4])


class Bands(unittest.TestCase):
    def prediction(self, uncertainty, **rates):
        return machine(uncertainty=uncertainty, **rates).predict(work("cg", 64, 16384))

    def test_they_hold_the_prediction_and_widen_with_the_uncertainty(self):
        widths = []
        for uncertainty in (0.0, 0.05, 0.2, 1.0):
            one = self.prediction(uncertainty)
            self.assertLessEqual(one.low, one.rate)
            self.assertGreaterEqual(one.high, one.rate)
            widths.append(one.high / one.low)
        self.assertAlmostEqual(widths[0], 1)
        self.assertEqual(widths, sorted(set(widths)))

    def test_a_single_rates_band_is_its_uncertainty(self):
        one = machine(uncertainty=0.5).predict(work("fft", 1))
        self.assertAlmostEqual(one.high / one.rate, 1.5, delta=0.15)
        self.assertAlmostEqual(one.rate / one.low, 1.5, delta=0.15)

    def test_they_are_the_same_each_time_and_with_another_rate(self):
        first = self.prediction(0.3)
        self.assertEqual(first, self.prediction(0.3))
        again = self.prediction(0.3, host_memory_bytes_per_second=1e9)
        self.assertEqual((first.low, first.high), (again.low, again.high))

    def test_parts_sum_up_to_the_whole(self):
        spent = self.prediction(0.0).duration
        self.assertAlmostEqual(sum(getattr(spent, part) for part in PARTS), spent.total)


class Marks(unittest.TestCase):
    def marks(self, **rates):
        kernel = KERNELS["cg"]
        ranks = tuple(2**power for power in range(12))
        return curve(machine(**rates), Wanted(kernel, "native", 4096, ranks, MODELS[kernel.name].chosen({}))
                     ).marks

    def test_latency_is_all_in_the_end_where_nothing_else_costs(self):
        marks = self.marks(latency_seconds=1e-4, link_bytes_per_second=FREE)
        texts = [text for texts in marks.values() for text in texts]
        self.assertTrue(any(OVERTAKEN in text for text in texts), marks)
        self.assertTrue(any(LATENT in text for text in texts), marks)
        fastest = next(ranks for ranks, texts in marks.items() if FASTEST in texts)
        self.assertLess(fastest, 2048)

    def test_where_nothing_is_in_the_way_the_last_is_fastest(self):
        self.assertEqual(self.marks(**Scaling.FREE_NETWORK), {2048: ["fastest of these"]})
