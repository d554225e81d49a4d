"""Tests of what the report and a sweep's table say of predictions: curves beside the measured points,
warnings of what is outside, and never a word of a measurement."""

import json

import pytest

pytest.importorskip("matplotlib")

from matplotlib.collections import PolyCollection

import fake_results
from in_process import run
from predicted_machine import file
from quartet.commands import report, sweep
from quartet.predict.expectation import Expectations
from quartet.report import cautions
from quartet.report.cases import joined
from quartet.report.charts import drawing, style
from quartet.results import published
from report_charts_test import Charts, scaling
from sweep_test import SweepCase


class Reports(Charts):
    def setUp(self):
        super().setUp()
        self.machine = self.folder / "machine.json"
        self.machine.write_text(json.dumps(file(0.1, memory_bytes_per_second=2e10)))
        # The machine should give 4.99 on one rank and 9.97 on two.
        self.put(scaling((4.9, 5.0, 40.0)))

    def content(self):
        self.expected = Expectations.load(self.machine)
        material = report.gather([self.folder / "runs"])
        return report.compose(material, published.read(), expected=self.expected)

    def chart(self):
        return next(section for section in self.content().sections
                    if section.slug == "figure-10-cg").charts[0]

    def test_curve_has_a_band_and_is_called_predicted(self):
        predicted, = [series for series in self.chart().series if series.role == "predicted"]
        self.assertIn("predicted, not measured", predicted.label)
        self.assertEqual([point.x for point in predicted.points], [1, 2, 4])
        for point in predicted.points:
            self.assertLess(point.interval[0], point.y)
            self.assertGreater(point.interval[1], point.y)
        self.assertAlmostEqual(predicted.points[0].y, 2e10 / 4 / 1e9, delta=0.05)
        roles = {row[1] for row in self.chart().rows() if "predicted" in row[0]}
        self.assertEqual(roles, {"predicted"})

    def test_points_outside_the_band_are_warned_of_with_where_to_look(self):
        content = self.content()
        warning, = [item for item in content.warnings if item.text.startswith("Outside of what invented")]
        slow, fast = warning.about
        self.assertRegex(slow, r"ranks:2/.*: expected 9\.\d+ to 1\d\.\d, measured 5\.00: look at the row's "
                               "fraction")
        self.assertRegex(fast, r"ranks:4/.*measured 40\.0: look at the machine file")
        self.assertNotIn("ranks:1/", slow + fast)

    def test_where_to_look_depends_on_the_phases(self):
        for computing, word in ((150.0, "what else the cores"), (0.1, "the links between ranks")):
            self.put(scaling((4.9, 5.0, 9.0), phases={"compute": computing}))
            warning, = [item for item in self.content().warnings if item.text.startswith("Outside of")]
            self.assertIn(word, warning.about[0])

    def test_without_a_machine_there_is_none(self):
        content = report.compose(report.gather([self.folder / "runs"]), published.read())
        text = str(content)
        self.assertNotIn("predicted", text)

    def test_what_is_not_described_is_said_once(self):
        self.machine.write_text(json.dumps(file(0.1, node_latency_seconds=None)))
        content = self.content()
        warning, = [item for item in content.warnings if "Not everything" in item.text]
        self.assertEqual(len(warning.about), 1)
        self.assertIn("node_latency_seconds", warning.about[0])

    def test_another_device_is_not_predicted(self):
        self.machine.write_text(json.dumps(file(0.1, machine={"gpus_per_node": 4})))
        results = joined(report.gather([self.folder / "runs"]).measured)
        self.assertEqual(cautions.surprises(results, Expectations.load(self.machine)), [])

    def test_machine_without_rates_is_refused(self):
        self.machine.write_text(json.dumps({"name": "a", "cores_per_node": 1}))
        code, _, errors = run(report, self.folder / "runs", "--rates", self.machine, "--output",
                              self.folder / "report" / "index.html")
        self.assertEqual((code, len(errors.splitlines())), (2, 1))
        self.assertIn("describes no rates", errors)

    def test_it_is_drawn_dashed_with_its_band(self):
        with style.applied():
            axes, = drawing.draw(self.chart()).get_axes()
        line, = [line for line in axes.get_lines() if line.get_label().startswith("predicted")]
        self.assertTrue(line.is_dashed())
        self.assertEqual(line.get_marker(), "None")
        self.assertEqual(sum(isinstance(item, PolyCollection) for item in axes.collections), 1)


class Sweeps(SweepCase):
    def test_table_has_bands_and_what_is_outside(self):
        machine = self.folder / "machine.json"
        # The programs say 100 GFLOP/s a rank.
        machine.write_text(json.dumps(file(0.05, sgemm_flops_per_second=2e11)))
        spec = self.spec(launches=1, ranks=[1, 2])
        code, output, errors = run(sweep, "--build", self.folder, "--launcher", self.folder / "launcher",
                                   "--folder", self.results, spec, "--rates", machine)
        self.assertEqual(code, 0, errors)
        text = " ".join(output.split())
        self.assertRegex(text, r"predicted \(90%\), not measured: 1\d\d-2\d\d at 512 on 1 worker, 3\d\d-4\d\d "
                               "at 512 on 2 workers")
        self.assertRegex(text, r"~ matmul native shm 512, 2 workers: expected 3\d\d to 4\d\d, measured 200: "
                               "look at")
        self.assertRegex(text, r"~ matmul native shm: model 50% \(4\d-5\d%\), 50% unexplained at 512 on [12] ranks?, "
                               r"first at 1 rank, in computing")
        for line in output.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_measured_rates_take_the_place_of_described_ones(self):
        machine, shown = self.folder / "machine.json", self.folder / "shown.json"
        machine.write_text(json.dumps(file(0.05, sgemm_flops_per_second=2e11)))
        name = "matmul/native/host/shm/n:512/tile:256/ranks:4/threads:1"
        seconds = 2 * 512**3 / 4 / 1e11
        shown.write_text(json.dumps(fake_results.document(fake_results.case(
            name, 400.0, "GFLOP/s", workers=4, phases={"compute": seconds}))))
        words = ("--build", self.folder, "--launcher", self.folder / "launcher", "--folder", self.results,
                 self.spec(launches=1, ranks=[1, 2]), "--from", shown)
        code, output, errors = run(sweep, *words, "--rates", machine)
        self.assertEqual(code, 0, errors)
        self.assertIn("predicted (90%)", output)
        self.assertNotIn("unexplained", output)
        self.assertNotIn("expected", output)
        code, _, errors = run(sweep, *words)
        self.assertEqual((code, len(errors.splitlines())), (2, 1))
        self.assertIn("name one with --rates", errors)
