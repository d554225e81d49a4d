"""Tests of quartet predict: formulas against closed forms and counted messages, bands, what is taken from
documents; and that nothing makes it fail in another way than by a line and an exit code of the contract."""

import json
import random
import re
import unittest
from unittest import mock

import fake_results
import mutations
from fake_build import Scratch
from in_process import FAULT, run
from quartet.commands import predict as command
from quartet.kernels import KERNELS
from quartet.paths import SHIPPED
from quartet.predict.curve import MODELS, Work, curve, predict
from quartet.predict.fft import operations
from quartet.predict.machine import Machine
from quartet.predict.network import Cluster, DataFlow
from quartet.sizes import GROWTH
from tree import ROOT

RATES = {"memory_bytes_per_second": 1e10, "sgemm_flops_per_second": 1e11, "fft_flops_per_second": 1e10,
         "link_bytes_per_second": 1e9, "latency_seconds": 1e-6, "overhead_seconds": 1e-7,
         "node_bytes_per_second": 5e9, "node_latency_seconds": 5e-7}
FREE = 1e15  # a rate that takes no time
NO_TIME = {"latency_seconds": 1e-15, "node_latency_seconds": 1e-15, "overhead_seconds": 1e-15}
NO_NETWORK = {"link_bytes_per_second": FREE, "node_bytes_per_second": FREE, **NO_TIME}
LINK, MEMORY = RATES["link_bytes_per_second"], RATES["memory_bytes_per_second"]
DIGITS = "9" * 400


def rate(value, uncertainty=0.0):
    return {"value": value, "uncertainty": uncertainty, "source": "invented"}


def described(uncertainty=0.0, **rates):
    """The object `rates` of a machine file; None leaves a rate out."""
    return {name: rate(value, uncertainty) if isinstance(value, float) else value
            for name, value in {**RATES, **rates}.items() if value is not None}


def machine(per_node=4, has_gpus=False, uncertainty=0.0, **rates):
    return Machine.described("invented", per_node, has_gpus, described(uncertainty, **rates))


def work(kernel, ranks, size=4096, formulation="native", **options):
    chosen = MODELS[kernel].chosen({name: str(value) for name, value in options.items()})
    return Work(KERNELS[kernel], formulation, size, ranks, chosen)


def seconds(kernel, ranks, size, per_node=1, rates=None, formulation="dataflow", **options):
    """On a machine without latencies and overheads."""
    one = machine(per_node=per_node, **{**NO_TIME, **(rates or {})})
    return predict(one, work(kernel, ranks, size, formulation, **options)).duration.total


def cluster(ranks, per_node=4, has_gpus=False, **rates):
    return Cluster(machine(has_gpus=has_gpus, **{**NO_NETWORK, **rates}).values, ranks, per_node, has_gpus)


class Formulas(unittest.TestCase):
    def test_one_rank_takes_the_time_of_its_formula_and_communicates_with_nobody(self):
        size, iterations = 4096, 10
        for name, options, expected in (
                ("cg", {"iterations": iterations}, iterations * (8 * size**2 + 88 * size) / 1e10),
                ("cg", {"iterations": iterations, "storage": "symmetric"},
                 iterations * (4 * size**2 + 88 * size) / 1e10),
                ("matmul", {"tile": 512}, 2 * size**3 / 1e11), ("fft", {}, 5 * size * 12 / 1e10)):
            spent = predict(machine(), work(name, 1, size, **options)).duration
            self.assertAlmostEqual(spent.total / expected, 1, msg=name)
            self.assertEqual(spent.total - spent.compute, 0, name)

    def test_without_a_network_scaling_is_ideal(self):
        free = machine(**NO_NETWORK)
        for name in ("cg", "fft", "matmul"):
            options = {"tile": 256} if name == "matmul" else {}
            one = predict(free, work(name, 1, **options)).rate
            for ranks in (2, 4, 8, 16):
                many = predict(free, work(name, ranks, **options)).rate
                self.assertAlmostEqual(many / one / ranks, 1, places=3, msg=(name, ranks))

    def test_weak_scaling_keeps_the_work_of_a_worker(self):
        points = curve(machine(), work("fft", 1, 2**20), [1, 2, 4, 8], is_weak=True).points
        self.assertEqual([point.work.size for point in points], [2**20, 2**21, 2**22, 2**23])

    def test_gpus_of_a_node_read_one_another_over_their_link(self):
        one = machine(per_node=4, has_gpus=True, memory_bytes_per_second=3e12, node_bytes_per_second=2e11, **NO_TIME)
        self.assertAlmostEqual(predict(one, work("stream", 2, 2**26)).rate * 2**20 / 2e11, 1, places=3)
        linked = predict(one, work("fft", 2, 2**20)).duration
        self.assertAlmostEqual(linked.bandwidth, 16 * 2**20 / 2 / 2 / 2e11)

    def test_sizes_are_read_as_programs_read_them(self):
        for text, size in (("64k", 65536), ("2^13", 8192), ("1e4", 10000), ("1.5M", 3 * 2**19), ("8192", 8192)):
            self.assertEqual(MODELS["cg"].size_of(text), size)
        for text in ("0", "1.0001", "64q", "2^64", "1e99", "k", "-1", "8kB"):
            self.assertRaises(ValueError, MODELS["cg"].size_of, text)

    def test_vectors_of_one_sender_travel_while_nothing_is_added(self):
        size, pushes = 10**6, 10
        added, crossed = 3 * size / MEMORY, size / LINK
        self.assertAlmostEqual(seconds("stream", 2, size, pushes=pushes), pushes * (added + crossed))
        self.assertAlmostEqual(seconds("stream", 4, size, pushes=pushes), 3 * pushes * crossed + added)  # of several
        self.assertAlmostEqual(seconds("stream", 2, size, per_node=2, pushes=pushes), pushes * added)  # read in place

    def test_reducers_of_matmul_bring_and_add_their_own_tiles(self):
        tile, products = 4 * 512**2, 8
        crossed, added = products * tile / LINK, (3 * products - 4) * tile / MEMORY
        free = {"sgemm_flops_per_second": FREE}
        self.assertAlmostEqual(seconds("matmul", 2, 1024, rates=free, tile=512, reducers=1), crossed + added, places=6)
        self.assertAlmostEqual(seconds("matmul", 9, 1024, rates=free, tile=512, reducers=2), crossed / 2 + added / 2,
                               places=6)
        self.assertEqual([work("matmul", ranks, formulation="dataflow").reducers for ranks in (2, 3, 4, 9)], [1, 1, 2, 2])

    def test_the_merger_of_fft_transforms_over_groups_after_the_last_tile(self):
        points, tiles = 2**20, 128
        spent = seconds("fft", 8, points, rates={"memory_bytes_per_second": FREE})
        all_tiles = 16 * points / LINK + operations(points, 32) * 3 / 4 / 1e10
        after = operations(points, 32) / 4 + operations(points, 4) + operations(points, points / tiles) / tiles
        self.assertAlmostEqual(spent, all_tiles + after / 1e10, places=6)


class Messages(unittest.TestCase):
    """Messages made one by one, and what they are predicted to take."""

    PLACES = [(ranks, per_node) for ranks in (1, 2, 3, 4, 5, 7, 8, 12, 16) for per_node in (1, 2, 3, 4)]

    def busiest(self, messages, per_node):
        """Bytes that leave the node that sends most to other nodes."""
        sent = {}
        for source, target, size in messages:
            if source // per_node != target // per_node:
                sent[source // per_node] = sent.get(source // per_node, 0) + size
        return max(sent.values(), default=0)

    def doubling(self, ranks, per_node, part):
        """Recursive doubling by pairs of powers of two, else Bruck's."""
        in_pairs = all(count & (count - 1) == 0 for count in (ranks, min(ranks, per_node)))
        distance = 1
        while distance < ranks:
            size = part * min(distance, ranks - distance)
            yield [(rank, rank ^ distance if in_pairs else (rank - distance) % ranks, size) for rank in range(ranks)]
            distance *= 2

    def test_doubling_moves_what_its_messages_move_in_a_latency_for_each_step(self):
        for ranks, per_node in self.PLACES:
            steps = [self.busiest(step, per_node) for step in self.doubling(ranks, per_node, 800.0)]
            one = cluster(ranks, per_node, link_bytes_per_second=1.0)
            spent = one._doubling(800.0 * ranks)
            if ranks % min(ranks, per_node) == 0:
                self.assertAlmostEqual(spent.bandwidth, sum(steps), places=6, msg=(ranks, per_node))
            else:  # it is as if the last node were full
                self.assertLessEqual(sum(steps), spent.bandwidth, (ranks, per_node))
            spent = cluster(ranks, per_node, latency_seconds=1.0)._doubling(8.0 * ranks)
            self.assertAlmostEqual(spent.latency, sum(map(bool, steps)), places=6, msg=(ranks, per_node))

    def test_all_to_all_moves_what_its_messages_move(self):
        for ranks, per_node in self.PLACES:
            messages = [(source, target, 8.0) for source in range(ranks) for target in range(ranks) if source != target]
            spent = cluster(ranks, per_node, link_bytes_per_second=1.0).to_all(8.0 * ranks)
            self.assertAlmostEqual(spent.bandwidth, self.busiest(messages, min(ranks, per_node)),
                                   places=6, msg=(ranks, per_node))
            spent = cluster(ranks, per_node, overhead_seconds=1.0).to_all(8.0 * ranks)
            self.assertAlmostEqual(spent.overhead, ranks - 1, places=6)

    def test_queues_have_the_messages_of_their_protocol(self):
        # An item, its payload, the word that it was taken; asking and being told where places are few.
        for workers, count, size in ((4, 2, 24.0), (20, 4, 24.0), (4, 3, 1e6), (20, 5, 1e6)):
            flow = DataFlow(cluster(workers + 1, 1, overhead_seconds=1.0))
            self.assertAlmostEqual(flow.collected(size).overhead, workers * count, places=6)

    def test_reducers_links_carry_what_workers_on_other_nodes_push(self):
        self.assertAlmostEqual(DataFlow(cluster(9, 3, link_bytes_per_second=1.0)).crossing(800.0), 600.0, places=6)
        self.assertAlmostEqual(DataFlow(cluster(9, 1, link_bytes_per_second=1.0), 2).crossing(800.0), 400.0)

    def test_bisection_narrows_the_link(self):
        shares = [{"nodes": nodes, "value": value, "uncertainty": 0.0, "source": "a"}
                  for nodes, value in ((4, 1.0), (16, 0.5))]
        values = cluster(64, 1, link_bytes_per_second=8.0, bisection=shares).values
        self.assertEqual([values.link(nodes) for nodes in (2, 4, 5, 16, 64)], [8, 8, 4, 4, 4])


class Curves(unittest.TestCase):
    def point(self, uncertainty, **rates):
        return predict(machine(uncertainty=uncertainty, **rates), work("cg", 64, 16384))

    def test_bands_hold_the_prediction_and_widen_with_the_uncertainty(self):
        widths = []
        for uncertainty in (0.0, 0.05, 0.2, 1.0):
            one = self.point(uncertainty)
            self.assertTrue(one.low <= one.rate <= one.high)
            widths.append(one.high / one.low)
        self.assertAlmostEqual(widths[0], 1)
        self.assertEqual(widths, sorted(set(widths)))
        one = predict(machine(uncertainty=0.5), work("fft", 1))  # of a single rate: its uncertainty
        self.assertAlmostEqual(one.high / one.rate, 1.5, delta=0.15)

    def test_they_are_the_same_each_time_and_with_another_rate(self):
        first, again = self.point(0.3), self.point(0.3, host_link_bytes_per_second=1e9)
        self.assertEqual((first, first.low, first.high), (self.point(0.3), again.low, again.high))


class Command(Scratch):
    CG = "cg/native/host/shm/laplace/full/n:4096/iterations:50/ranks:2/threads:1"

    def setUp(self):
        super().setUp()
        self.file = self.folder / "machine.json"
        self.write({"rates": described(0.1)})

    def write(self, data):
        data = data if isinstance(data, str) else json.dumps({"name": "invented", "cores_per_node": 4, **data})
        self.file.write_text(data, encoding="utf-8")

    def called(self, *arguments, kernel="cg", sizes="4096", ranks="1,4"):
        return run(command, self.file, kernel, "--sizes", sizes, "--ranks", ranks, *arguments)

    def predict(self, *arguments, **flags):
        code, output, errors = self.called(*arguments, **flags)
        self.assertEqual(code, 0, errors)
        for line in output.splitlines():
            self.assertLessEqual(len(line), 80, line)
        return output, errors

    def refused(self, *arguments, word="", **flags):
        code, output, errors = self.called(*arguments, **flags)
        self.assertEqual((code, output, errors.count("\n")), (2, "", 1), (arguments, flags, errors[:300]))
        self.assertNotIn(FAULT, errors)
        self.assertIn(word, errors)

    def document(self, name, *rows, **quartet):
        document = fake_results.document(*rows)
        document["context"]["quartet"].update(quartet)
        (self.folder / name).write_text(json.dumps(document))
        return self.folder / name

    @mock.patch("quartet.predict.machine.SAMPLES", 20)
    def test_every_kernel_and_formulation_has_a_table_of_80_columns(self):
        for name, model in MODELS.items():
            for formulation in model.formulations:
                output, _ = self.predict("--formulation", formulation, kernel=name, ranks="1:16384")
                for word in ("predicted", "not measured", "invented"):
                    self.assertIn(word, output)
            if name in GROWTH:
                self.predict("--weak", kernel=name, sizes="1048576", ranks="2:16384")
        self.assertIn("Left out: 1 rank (no worker would be left)", self.predict("--formulation", "dataflow")[0])
        output, _ = self.predict("--formulation", "dataflow", kernel="fft")
        self.assertNotIn("order", output.partition("ranks")[0])  # a data flow has no choice

    def test_documents_show_rates_of_computing(self):
        names = {"cg": self.CG, "fft": "fft/native/host/shm/transposed/n:4096/tiles:64/ranks:2/threads:1",
                 "matmul": "matmul/native/host/shm/n:4096/tile:512/ranks:2/threads:1"}
        works = {"cg": 50 * (8 * 4096**2 + 88 * 4096), "fft": 5 * 4096 * 12, "matmul": 2 * 4096**3}
        path = self.document("a.json", *(fake_results.case(text, 1.0, "GFLOP/s", workers=2,
                                                           phases={"compute": works[name] / 6e6})
                                         for name, text in names.items()))
        self.write({"rates": described(**{MODELS[name].rate: None for name in names})})  # which describes none of them
        for name in names:
            shown = MODELS[name].rate
            output, errors = self.predict("--from", path, kernel=name)
            self.assertRegex(" ".join(output.split()), rf"{shown}: 3e\+06 \+-3%: measured, 2 ranks of a node, "
                                                       r"1 thread each: a\.json")
            self.assertIn("; 4 ranks may each be slower, as they share its memory, or faster by more threads: measure them",
                          " ".join(output.split()))
            self.assertEqual(errors, "")
        few = [row for row in fake_results.case(names["cg"], 1.0, "GFLOP/s", workers=2, phases={"compute": works["cg"] / 6e6})
               if "ci95" not in row["name"]]
        output, _ = self.predict("--from", self.document("few.json", *few))
        self.assertIn(f"{MODELS['cg'].rate}: 3e+06 +-30%: measured", " ".join(output.split()))

    def test_a_pair_of_nodes_shows_link_and_latency(self):
        latency, link, rows = 2e-5, 1.5e9, []
        for size, count, pushes in (("4KiB", 4096, 1), ("64MiB", 64 * 2**20, 10)):
            name = f"stream/native/host/mpi/size:{size}/pushes:{pushes}/ranks:2/threads:1"
            rows += [{**row, "real_time": 2 * latency + pushes * count / link}
                     for row in fake_results.case(name, 1000.0)]
        output, _ = self.predict("--from", self.document("pair.json", *rows, nodes=2), ranks="1:64")
        self.assertIn("latency_seconds: 2e-05 +-30%: measured", output)
        self.assertIn("link_bytes_per_second: 1.5e+09 +-5%: measured", output)

    def test_documents_of_several_machines_or_of_marked_and_wrong_rows_are_refused(self):
        paths = [self.document(f"{kind}.json", fake_results.case(self.CG, 1.0, "GFLOP/s", phases={"compute": 1.0}, **more),
                               device_description=f"{kind}; BLAS")
                 for kind, more in (("One", {}), ("Other", {}), ("Third", {"verified": False}))]
        words = [word for path in paths for word in ("--from", path)]
        self.refused(*words, word="several machines (One, 4 CPUs; Other, 4 CPUs): name those of one")
        self.predict(*words[2:])  # what shows nothing is of no matter
        flags = [{"kind": "disturbed", "text": "others"}]
        for more in ({"verified": False}, {"distrusted": True, "flags": flags}):
            path = self.document("a.json", fake_results.case(self.CG, 1.0, "GFLOP/s", phases={"compute": 1.0}, **more))
            self.refused("--from", path, word="no document shows a rate")

    def test_page_has_the_bands_that_shipped_results_predict(self):
        self.write({"cores_per_node": 2, "rates": described(0.1, node_latency_seconds=1e-6, overhead_seconds=4e-7,
                                                            node_bytes_per_second=6e9)})
        page = (ROOT / "docs" / "prediction.md").read_text(encoding="utf-8")
        for kernel, size, more in (("matmul", "2048", "--tile 256"), ("fft", "2^22", ""), ("stream", "2,128", "")):
            output, _ = self.predict("--formulation", "dataflow", "--arguments", more, "--from",
                                     SHIPPED / "measured" / "intel-r-xeon-r-processor-2-cpus", kernel=kernel, sizes=size,
                                     ranks="2")
            low, high = (float(bound) for bound in re.search(r" ([\d.]+)-([\d.]+) +100%", output).groups())
            told = re.search(rf"\| `{kernel}` dataflow.*\| ([\d.]+) to ([\d.]+) \|", page)
            for bound, here in zip(told.groups(), (low, high)):
                self.assertAlmostEqual(float(bound) / here, 1, delta=0.01, msg=(told[0], low, high))

    def test_damaged_machine_files_are_refused(self):
        for key, value in (("latency_seconds", 1), ("latency_seconds", {**rate(1), "value": True}),
                           ("latency_seconds", rate(0)), ("latency_seconds", rate(1, 10)),
                           ("latency_seconds", {**rate(1), "source": ""}), ("colour", rate(1)), ("ranks_per_node", 1.5),
                           ("staged_through_host", "yes"), ("bisection", [{**rate(1.5), "nodes": 2}])):
            self.write({"rates": {**described(), key: value}})
            self.refused()
        text = json.dumps({"name": "a", "cores_per_node": 4, "rates": described()})
        for number in ("NaN", "1e999", DIGITS, "[" * 10**5):
            self.write(text.replace("1e-06", number, 1))
            self.refused(word="machine.json")
        self.write({"rates": described(link_bytes_per_second=None)})
        self.refused(ranks="64", word="rates are missing (link_bytes_per_second): add them")
        self.write({"rates": {}})
        self.refused(ranks="1:8", word="rates are missing (memory_bytes_per_second, node_latency_seconds, "
                     "node_bytes_per_second, latency_seconds, link_bytes_per_second): add them to `rates` of the machine file")
        self.refused(ranks="1:8", word="machines/h100-example.json has them, or measure memory_bytes_per_second, "
                     "latency_seconds, link_bytes_per_second (--from)")

    def test_wrong_flags_are_refused(self):
        for kernel in MODELS:
            for sizes in ("", "0", "x", DIGITS, "2^x", "4096,"):
                self.refused(kernel=kernel, sizes=sizes)
        for ranks in ("", "0", "x", "1:x", "99999999", "1:2:3", "cores"):
            self.refused(ranks=ranks, word="ranks")
        for words in ("--x 1", "x", "--iterations", "'", "--iterations 0", "--iterations " + DIGITS, "--storage x"):
            self.refused("--arguments", words, word="--")
        for arguments in (("--formulation", "library"), ("--from", self.folder / "no")):
            code, output, errors = self.called(*arguments)
            self.assertEqual((code, output), (2, ""), (arguments, errors))
        self.refused(kernel="x", word="kernel 'x'")
        self.refused("--weak", kernel="stream", ranks="2,4", word="--weak")
        self.refused(sizes=",".join(map(str, range(1, 400))), word="500")

    @mock.patch("quartet.predict.machine.SAMPLES", 3)
    def test_damaged_documents_are_used_or_left_out(self):
        path = self.folder / "bad.json"
        for number, data in enumerate(mutations.mutations(random.Random(1), 40)):
            path.write_bytes(data)
            with self.subTest(number):
                code, _, errors = self.called("--from", path, ranks="4")
                self.assertIn(code, (0, 2), errors)
                self.assertNotIn(FAULT, errors)


if __name__ == "__main__":
    unittest.main()
