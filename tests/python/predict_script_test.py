"""Tests of quartet predict: its tables and documents, what it takes from documents, and the paper's
numbers."""

import itertools
import json
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import fake_results
from in_process import run
from predicted_machine import MODELS, file
from quartet.commands import predict
from quartet.paths import SHIPPED
from quartet.predict.duration import PARTS
from quartet.sizes import GROWTH
from tree import ROOT


class Script(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.file = self.folder / "machine.json"
        self.write(file(0.1))

    def write(self, data):
        self.file.write_text(json.dumps(data), encoding="utf-8")

    def predict(self, *arguments, kernel="cg", sizes="4096", ranks="1:64"):
        code, output, errors = run(predict, self.file, kernel, "--sizes", sizes, "--ranks", ranks,
                                   *arguments)
        self.assertEqual(code, 0, errors)
        for line in output.splitlines():
            self.assertLessEqual(len(line), 80, line)
        return output, errors

    @mock.patch("quartet.predict.machine.SAMPLES", 20)
    def test_every_kernel_and_formulation_has_a_table_of_80_columns(self):
        for name, model in MODELS.items():
            for formulation in model.formulations:
                output, _ = self.predict("--formulation", formulation, kernel=name, ranks="1:16384")
                self.assertIn("predicted", output)
                self.assertIn("not measured", output)
                self.assertIn("invented", output)
            if name in GROWTH:
                self.predict("--weak", kernel=name, sizes="1048576", ranks="2:16384")

    def test_what_cannot_run_is_left_out_by_name(self):
        output, _ = self.predict("--formulation", "dataflow")
        self.assertIn("Left out: 1 rank (no worker would be left)", output)

    def test_json_has_the_numbers_of_the_table(self):
        target = self.folder / "out.json"
        self.predict("--json", target, "--arguments", "--iterations 10")
        data = json.loads(target.read_text())
        self.assertTrue(data["predicted"])
        points = data["curves"][0]["points"]
        self.assertEqual([point["ranks"] for point in points], [1, 2, 4, 8, 16, 32, 64])
        for point in points:
            self.assertAlmostEqual(sum(point[part] for part in PARTS), point["seconds"])
            self.assertAlmostEqual(point["rate"], 10 * 2 * 4096**2 / point["seconds"] / 1e9)
            self.assertTrue(point["low"] <= point["rate"] <= point["high"])

    def document(self, name, *rows, **quartet):
        document = fake_results.document(*rows)
        document["context"]["quartet"].update(quartet)
        path = self.folder / name
        path.write_text(json.dumps(document))
        return path

    def test_what_is_read_is_never_written_over(self):
        name = "cg/native/host/shm/laplace/full/classic/n:4096/iterations:50/ranks:2/threads:1"
        path = self.document("a.json", fake_results.case(name, 1.0, "GFLOP/s", phases={"compute": 1.0}))
        before = path.read_text()
        for target in (path, self.file):
            code, output, errors = run(predict, self.file, "cg", "--sizes", "4096", "--ranks", "4", "--from",
                                       self.folder, "--json", target)
            self.assertEqual((code, output), (2, ""))
            self.assertIn("is read from", errors)
        self.assertEqual(path.read_text(), before)

    def test_documents_show_rates_of_computing(self):
        names = {"cg": "cg/native/host/shm/laplace/full/classic/n:4096/iterations:50/ranks:2/threads:1",
                 "fft": "fft/native/host/shm/transposed/n:4096/tiles:64/ranks:2/threads:1",
                 "matmul": "matmul/native/host/shm/n:4096/tile:512/ranks:2/threads:1"}
        works = {"cg": 50 * (8 * 4096**2 + 88 * 4096), "fft": 5 * 4096 * 12, "matmul": 2 * 4096**3}
        rates = {"cg": "memory_bytes_per_second", "fft": "fft_flops_per_second",
                 "matmul": "sgemm_flops_per_second"}
        rows = [fake_results.case(text, 1.0, "GFLOP/s", workers=2, phases={"compute": works[name] / 6e6})
                for name, text in names.items()]
        path = self.document("a.json", *rows)
        self.write(file(**dict.fromkeys(rates.values())))  # which describes none of them
        for name, rate in rates.items():
            output, errors = self.predict("--from", path, kernel=name)
            self.assertRegex(" ".join(output.split()), rf"{rate}: 3e\+06, known to 3%: measured, 2 ranks of "
                             r"a node: a\.json")
            self.assertEqual(errors, f"quartet: {rate} was measured with 2 ranks on a node, the machine has 4: they "
                             "share its memory\n")  # nothing of the rates that are not used

    def test_documents_of_several_machines_are_refused(self):
        name = "cg/native/host/shm/laplace/full/classic/n:4096/iterations:50/ranks:2/threads:1"
        paths = [self.document(f"{kind}.json", fake_results.case(name, 1.0, "GFLOP/s", phases={"compute": 1.0}, **more),
                               device_description=f"{kind}; BLAS")
                 for kind, more in (("One", {}), ("Other", {}), ("Third", {"verified": False}))]
        words = [word for path in paths for word in ("--from", path)]
        code, output, errors = run(predict, self.file, "cg", "--sizes", "4096", "--ranks", "4", *words)
        self.assertEqual((code, output), (2, ""))
        self.assertIn("several machines (One, 4 CPUs; Other, 4 CPUs): name those of one", errors)
        self.predict(*words[2:])  # what shows nothing is of no matter

    def test_page_has_the_bands_that_shipped_results_predict(self):
        self.write(file(machine={"cores_per_node": 2}, node_latency_seconds=1e-6, overhead_seconds=4e-7,
                        node_bytes_per_second=6e9))
        page = (ROOT / "docs" / "prediction.md").read_text(encoding="utf-8")
        for kernel, formulation, size, more in (("matmul", "dataflow", "2048", "--tile 256"), ("fft", "dataflow", "2^22", ""),
                                                ("fft", "library", "2^22", ""), ("stream", "dataflow", "2,128", "")):
            output, _ = self.predict("--formulation", formulation, "--arguments", more, "--from",
                                     SHIPPED / "measured" / "intel-r-xeon-r-processor-2-cpus", kernel=kernel, sizes=size,
                                     ranks="2")
            low, high = (float(bound) for bound in re.search(r" ([\d.]+)-([\d.]+) +100%", output).groups())
            told = re.search(rf"\| `{kernel}` {formulation}.*\| ([\d.]+) to ([\d.]+) \|", page)
            for bound, here in zip(told.groups(), (low, high)):
                self.assertAlmostEqual(float(bound) / here, 1, delta=0.01, msg=told[0])

    def test_a_pair_of_nodes_shows_link_and_latency(self):
        latency, link = 2e-5, 1.5e9
        rows = []
        for size, pushes in (("4KiB", 1), ("64MiB", 10)):
            count = {"4KiB": 4096, "64MiB": 64 * 2**20}[size]
            name = f"stream/native/host/mpi/size:{size}/pushes:{pushes}/ranks:2/threads:1"
            seconds = 2 * latency + pushes * count / link
            rows.append([{**row, "real_time": seconds} for row in fake_results.case(name, 1000.0)])
        path = self.document("pair.json", *itertools.chain(*rows), nodes=2)
        output, _ = self.predict("--from", path)
        self.assertIn("latency_seconds: 2e-05, known to 30%: measured", output)
        self.assertIn("link_bytes_per_second: 1.5e+09, known to 5%: measured", output)

    def test_an_all_to_all_of_more_nodes_shows_what_is_left_of_their_links(self):
        # Two ranks a node: 12 of 16 parts leave it, in 0.9 of the described link's rate.
        link, points, share = 1e9, 2**20, 0.9
        leaving = 2 * 16 * points / 8 * 6 / 8
        name = f"fft/native/host/mpi/transposed/n:{points}/tiles:1024/ranks:8/threads:1"
        row = fake_results.case(name, 1.0, "GFLOP/s", limit_decided_by="memory copy", limit_components=[
            {"name": "memory copy", "seconds": 1.0}, {"name": "all-to-all", "seconds": leaving / (share * link)}])
        output, _ = self.predict("--from", self.document("four.json", row, nodes=4), kernel="fft",
                                 sizes="2^20", ranks="16")
        self.assertIn("bisection, to 4 nodes: 0.9, known to 5%: measured, an all-to-all of 4 nodes: four.json",
                      " ".join(output.split()))

    def test_without_a_short_run_no_latency_is_told(self):
        name = "stream/native/host/mpi/size:64MiB/pushes:10/ranks:2/threads:1"
        path = self.document("pair.json", fake_results.case(name, 1000.0), nodes=2)
        output, _ = self.predict("--from", path)
        self.assertIn("latency_seconds: 1e-06, known to 10%: invented", output)
        self.assertIn("measured, a pair of nodes: pair.json", " ".join(output.split()))

    def test_marked_and_wrong_rows_show_nothing(self):
        name = "cg/native/host/shm/laplace/full/classic/n:4096/iterations:50/ranks:2/threads:1"
        flags = [{"kind": "disturbed", "text": "others"}]
        for more in ({"verified": False}, {"distrusted": True, "flags": flags}):
            path = self.document("a.json", fake_results.case(name, 1.0, "GFLOP/s",
                                                             phases={"compute": 1.0}, **more))
            code, _, errors = run(predict, self.file, "cg", "--sizes", "4096", "--ranks", "4", "--from",
                                  path)
            self.assertEqual(code, 2)
            self.assertIn("no document shows a rate", errors)
