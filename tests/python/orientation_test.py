"""Tests of quartet.tables.orientation: numbers of other work, never in a ratio with ours."""

import json
import tempfile
import unittest
from pathlib import Path

import fake_results
from in_process import quartet
from quartet.results import judged_cases
from quartet.tables import orientation

KERNELS = ("stream", "matmul", "cg", "fft")  # the paper's


def neighbour(**more):
    return {"kernel": "stream", "memory": "host", "device": "2 x A CPU", "devices": 2, "nodes": 1,
            "benchmark": "osu_bw", "printed": "16 GB/s", "value": 16, "unit": "GB/s", "peak": 32,
            "source": "They 2020", "url": "https://example.org/16", "conditions": "a pair",
            "caveat": "a copy", **more}


class Orientation(unittest.TestCase):
    def render(self, *rows, items=()):
        document = fake_results.document(*rows)
        with tempfile.TemporaryDirectory() as folder:
            for name in KERNELS:
                (Path(folder) / f"{name}.json").write_text(json.dumps(
                    fake_results.published([fake_results.number()], orientation=list(items))))
            return orientation.render(judged_cases([document]), Path(folder))

    def test_a_number_stands_per_device_and_by_its_peak(self):
        text = self.render(fake_results.case(fake_results.stream_name(), 10000, bytes=5 * 10**8),
                           items=[neighbour()])
        lines = [line.split() for line in text.splitlines()]
        self.assertIn(["2", "x", "A", "CPU", "osu_bw", "16.0", "GB/s", "8.00", "50%"], lines)
        self.assertIn(["ours", "native", "on", "1", "worker", "5.00", "GB/s", "5.00"], lines)
        self.assertIn("2 x A CPU: a pair. Note: a copy", text)
        self.assertEqual(text.count("They 2020: https://example.org/16"), 1)

    def test_the_other_kind_of_device_is_left_out(self):
        self.assertEqual(self.render(fake_results.case(fake_results.stream_name(), 10000),
                                     items=[neighbour(memory="device")]), "")

    def test_distrusted_rows_and_errors_are_not_ours(self):
        self.assertEqual(self.render(
            fake_results.case(fake_results.stream_name(), 10000, distrusted=True),
            fake_results.error(fake_results.stream_name(transport="rma"), "none"),
            items=[neighbour()]), "")

    def test_each_kernel_of_the_paper_and_kind_of_device_has_neighbours(self):
        for kernel in KERNELS:
            for on_gpu in (False, True):
                self.assertGreaterEqual(len(orientation.neighbours(kernel, on_gpu)), 1,
                                        (kernel, on_gpu))

    def test_the_table_shows_them_when_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.json"
            file.write_text(json.dumps(fake_results.document(
                fake_results.case(fake_results.stream_name(), 10000))))
            for flags, shown in (((), False), (("--published",), True)):
                done = quartet("table", *flags, file)
                self.assertEqual("for orientation" in done.stdout, shown)
