"""Tests of the report's history: curves of folders that span several days, with the changes of quartet history."""

import json
import shlex
from pathlib import Path
from unittest import mock

import fake_results
import report_test
from history_test import launch
from quartet.commands import report
from quartet.report import history, sorting, zooming
from quartet.report.charts.model import Timeline
from quartet.results import published
from report_test import Reported, Visible

STREAM = fake_results.stream_name()
CHANGES = [{"begin": 1736132400.0, "end": 1736391600.0, "is_drift": False, "is_slower": True, "what": "since then: slower",
            "why": ["changed then: kernel: <b>6.1</b> -> 6.2"],
            "rows": [{"name": STREAM, "unit": "MiB/s", "nodes": ["n2"], "before": 5000.0, "after": 4000.0, "ratio": 0.8,
                      "interval": [0.79, 0.81]}]}]


def command(folder, output, errors="", code=1):
    """A quartet that prints this, and notes what it was given."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "quartet").write_text(f"#!/bin/sh\necho \"$@\" > {shlex.quote(str(folder / 'given'))}\n"
                                    f"echo {shlex.quote(errors)} >&2\necho {shlex.quote(output)}\nexit {code}\n")
    (folder / "quartet").chmod(0o755)
    return mock.patch.object(history, "SCRIPTS", folder)


class History(Reported):
    def put_days(self, days, nodes=("n1", "n2")):
        for number, node in enumerate(nodes):
            for day in days:
                self.put_text(f"{number}-{day}.json", json.dumps(launch(node, day, {STREAM: 5000 - 10 * day})))

    def charts(self):
        content = report.compose(report.gather([self.folder / "runs"]), published.read())
        return [chart for section in content.sections for chart in section.charts if isinstance(chart, Timeline)]

    def test_nodes_are_curves_and_changes_are_marked_with_their_cause(self):
        self.put_days(range(8))
        with command(self.folder / "fake", json.dumps(CHANGES)):
            chart, = self.charts()
            page = self.page()
        self.assertEqual((self.folder / "fake" / "given").read_text(), f"history --json -- {self.folder}/runs\n")
        self.assertEqual([(curve.label, curve.points[0][1], len(curve.points)) for curve in chart.curves],
                         [("n1", 5000, 8), ("n2", 5000, 8)])
        self.assertEqual(chart.marks, ((CHANGES[0]["end"],) * 2,))
        self.assertIn(": 1 change", chart.title)
        self.assertIn("1: since then: slower; here 0.800 times as fast (0.790 to 0.810); changed then: kernel: "
                      "<b>6.1</b> -> 6.2", page.text)
        self.assertNotIn("b", {tag for tag, _ in page.elements})

    def test_nodes_with_changes_are_drawn_first_where_there_are_many(self):
        self.put_days(range(8), [f"n{number}" for number in (*range(10, 17), 2)])
        with command(self.folder / "fake", json.dumps(CHANGES)):
            chart, = self.charts()
        self.assertEqual([curve.label for curve in chart.curves], ["n2", "n10", "n11", "n12", "n13", "n14"])
        self.assertIn("6 of 8 nodes", chart.about)

    def test_without_otava_it_says_so_and_a_day_is_no_history(self):
        self.put_days(range(8))
        with command(self.folder / "fake", "", "quartet: this Python has no Apache Otava (to get it: ...)", 77):
            page = self.page()
        self.assertIn("Changes are not marked: this Python has no Apache Otava (to get it: ...).", page.text)
        self.put_days(range(7, 8))
        for day in range(7):
            (self.folder / "runs" / f"0-{day}.json").unlink()
            (self.folder / "runs" / f"1-{day}.json").unlink()
        with command(self.folder / "other", "[]"):
            self.assertEqual(self.charts(), [])
        self.assertFalse((self.folder / "other" / "given").exists())

    def test_a_hostile_node_stays_text_where_curves_can_be_zoomed(self):
        attack = report_test.HostileDocuments.ATTACK
        self.put_days(range(8), [attack])
        for name in zooming.LIBRARY:
            (self.folder / "share" / name).parent.mkdir(parents=True)
            (self.folder / "share" / name).write_text("/* library */")
        target = self.folder / "out" / "index.html"
        with command(self.folder / "fake", "[]"), mock.patch.object(sorting, "FOLDERS", (self.folder / "share",)):
            content = report.compose(report.gather([self.folder / "runs"]), published.read())
            report.write(content, target, with_charts=False, scripts=zooming.scripts())
        page = Visible(Path(target).read_text(encoding="utf-8"))
        self.assertEqual([tag for tag, _ in page.elements if tag in ("script", "img")], ["script"] * 2)
        box, = (attributes for _, attributes in page.elements if attributes.get("class") == "zoom")
        self.assertIn("<script>alert(1)</script>'\"><img", json.loads(box["data-about"])["labels"][1])
        self.assertEqual(len(box["data-rows"].splitlines()), 8)
        self.assertRegex(box["data-rows"], r"^2025/01/01 \d\d:00:00,5000\n")
