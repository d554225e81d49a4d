"""Tests of the report's lines and rooflines: what is drawn beside our values. Needs matplotlib."""

import json

import pytest

pytest.importorskip("matplotlib")

from matplotlib.colors import to_hex

import fake_results
from quartet.report.charts import drawing
from report_charts_test import Charts, cg, scaling, style


class Figures(Charts):
    def test_ideal_is_of_the_same_formulation(self):
        self.put(scaling((4.5, 8.25, 15.0)), scaling((3.75, 7.0, 12.5), "dataflow"))
        ideals = {label: line.get_xydata().tolist()
                  for label, line in self.lines("figure-10-cg").items() if label.startswith("ideal")}
        self.assertEqual(ideals, {
            "ideal native, from 4.50 GFLOP/s on 1 worker": [[1, 4.5], [4, 18.0]],
            "ideal dataflow, from 3.75 GFLOP/s on 1 worker": [[1, 3.75], [4, 15.0]]})

    def test_two_points_are_a_table(self):
        self.put(cg(4.5, workers=1), cg(8.25, workers=2))
        section = next(item for item in self.content().sections if item.slug == "figure-10-cg")
        self.assertEqual(section.charts, [])
        self.assertIn("1.83x", [cell for row in section.tables[0].rows for cell in row])

    def test_axes_fit_our_values_and_published_ones_stand_at_the_edge(self):
        text = json.dumps(scaling((4.5, 8.25, 15.0)))
        rows = json.loads(text.replace("host/shm", "cuda/ipc").replace("n:4096", "n:16384"))
        self.put(rows, device="cuda", nodes=4)
        axes = self.drawn("figure-10-cg")
        self.assertLess(axes.get_ylim()[1], 50)  # of the 300 that are published
        at_the_edge = [line for line in axes.get_lines() if line.get_marker() == "^"]
        self.assertTrue(at_the_edge)
        for line in at_the_edge:
            self.assertEqual(line.get_ydata()[0], 1)  # in shares of the axes

    def test_distrusted_point_is_hollow_with_a_mark_and_its_cause_beside_it(self):
        flags = [{"kind": "disturbed", "text": "another process took 40% of the cores"}]
        self.put(*(fake_results.case(fake_results.stream_name(size=f"{size}MiB"), 1000 * size,
                                     distrusted=size == 4, flags=flags if size == 4 else ...)
                   for size in (2, 4, 8)))
        chart = self.charts("figure-07-stream")[0]
        self.assertEqual(chart.notes, ("? stream at 4: another process took 40% of the cores",))
        with style.applied():
            axes, = drawing.draw(chart).get_axes()
        hollow = [line.get_xdata()[0] for line in axes.get_lines()
                  if to_hex(line.get_markerfacecolor()) == style.PAPER and line.get_marker() == "o"]
        self.assertEqual(hollow, [4])
        self.assertIn("?", [text.get_text() for text in axes.texts])

    def test_a_push_is_shown_in_microseconds(self):
        self.put(*(fake_results.case(fake_results.stream_name(size=f"{size}MiB"), 1000, pushes=100.0)
                   for size in (2, 4)))
        rate, push = self.charts("figure-07-stream")
        self.assertEqual(push.y.label, "microseconds a push")
        self.assertEqual([point.y for point in push.series[0].points], [10000, 10000])  # of 1 s

    def test_each_precision_has_its_own_roof(self):
        def limit(name, seconds):
            return {"limit_decided_by": name, "limit_components": [
                {"name": name, "seconds": seconds}, {"name": "all-to-all", "seconds": 0.001}]}
        product = "matmul/native/host/shm/n:4096%s/tile:512/ranks:2/threads:1"
        both = limit("reading the matrix", 1.0)
        both["limit_components"].append({"name": "float64 arithmetic", "seconds": 0.1})
        self.put(cg(4.0, flops=4e9, bytes=16e9, **both),
                 *(fake_results.case(product % math, rate, "GFLOP/s", flops=60e9, bytes=1e9,
                                     **limit("SGEMM", 60 / roof))
                   for math, rate, roof in (("", 60.0, 80.0), ("/math:tf32", 300.0, 640.0))))
        chart, = self.charts("roofline")
        self.assertEqual((chart.memory, chart.roofs), (16, {"FP32": 80, "TF32": 640, "FP64": 40}))
        self.assertEqual(chart.title, "Memory limits cg, arithmetic limits matmul")
        self.assertEqual([(spot.group, spot.precision, spot.intensity, spot.rate) for spot in chart.spots],
                         [("matmul", "FP32", 60, 60), ("matmul", "TF32", 60, 300), ("cg", "FP64", 0.25, 4)])
        self.drawn("roofline")

    def test_all_ways_of_a_kernel_have_one_size_in_a_roofline(self):
        def case(formulation, size, rate):
            return fake_results.case(
                f"fft/{formulation}/cuda/staged/transposed/n:{2**size}/ranks:1/threads:1", rate, "GFLOP/s",
                flops=5.0 * size * 2**size, bytes=64.0 * 2**size,
                limit_decided_by="memory copy",
                limit_components=[{"name": "memory copy", "seconds": 1.0}, {"name": "float64 arithmetic", "seconds": 0.1}])
        self.put(case("native", 20, 4), case("library", 20, 5), case("native", 22, 2))
        chart, = self.charts("roofline")
        self.assertEqual([spot.rate for spot in chart.spots], [4, 5])
