"""What one slow minute does to a document, and that comparison, report and verdict all say so."""

import copy
import json
import re
import statistics

import fake_results
from compare_case import CompareCase, around
from quartet.commands import report
from quartet.report.data import gather

CAUSE = "other processes took 45% of the cores in 6 of 10 runs"
STREAM = fake_results.stream_name()
OTHERS = ("matmul/native/host/shm/n:64/tile:32/ranks:2/threads:1",
          "cg/native/host/shm/laplace/full/classic/n:64/iterations:5/ranks:2/threads:1")
LAUNCHES = (0.99, 1.0, 1.005, 1.01)


def launch(factor=1.0):
    """A document of three programs' cases, whose runs were interleaved."""
    rows = fake_results.case(STREAM, around(8123 * factor), limit={"what": "adding", "seconds": 1, "rate": 9000})
    for name, rate in zip(OTHERS, (234.5, 6.78)):
        rows += fake_results.case(name, around(rate * factor), "GFLOP/s")
    for row in rows:
        if row["run_type"] == "iteration":
            row["round"] = row["repetition_index"]
    return fake_results.document(rows)


def with_slow_minute(document, rounds, names):
    """A copy in which these cases took twice as long in these rounds, as a program flags them."""
    document = copy.deepcopy(document)
    for name in names:
        unit = next(key for key in ("MiB/s", "GFLOP/s") for row in document["benchmarks"]
                    if row["run_name"] == name and key in row)
        runs = [row for row in document["benchmarks"]
                if row["run_name"] == name and row["run_type"] == "iteration"]
        for row in runs:
            if row["round"] in rounds:
                row.update({unit: row[unit] / 2, "real_time": row["real_time"] * 2, "others_share": 0.45})
        median = next(row for row in document["benchmarks"] if row["name"] == name + "_median")
        middle = statistics.median(row[unit] for row in runs)
        median.update({"fraction_of_limit": 0.8 * middle / median[unit], unit: middle,
                       "real_time": statistics.median(row["real_time"] for row in runs),
                       "flags": [{"kind": "disturbed", "text": CAUSE}], "distrusted": True})
    return document


def section_of(content, slug):
    """A section of a report."""
    return next(section for section in content.sections if section.slug == slug)


def quoted(text, value):
    """The marks behind a rate, everywhere it stands."""
    return {found[1] for found in re.finditer(rf"(?<![\d.]){re.escape(value)}([?!]?)(?![\d.])", text)}


class SlowMinute(CompareCase):
    def setUp(self):
        super().setUp()
        self.slow = with_slow_minute(launch(), range(2, 8), [STREAM])

    def test_report_names_it_first_and_never_quotes_it_bare(self):
        self.side("runs", self.slow)
        content = report.compose(gather([self.folder / "runs"]))
        self.assertTrue(any("stream native shm" in about and CAUSE in about
                            for doubt in content.doubts for about in doubt.about))
        slow = f"{statistics.median(row['MiB/s'] for row in self.runs()):.0f}"
        tables = [table for section in content.sections for table in section.tables]
        cells = " ".join(cell for table in tables for row in table.rows for cell in row)
        self.assertEqual(quoted(cells, slow), {"?"})
        charts = section_of(content, "kernels").charts
        self.assertEqual([bar.mark for chart in charts for bar in chart.bars], ["?", "", ""])
        self.assertEqual(charts[0].notes, (f"? native shm: {CAUSE}",))

    def runs(self):
        return [row for row in self.slow["benchmarks"]
                if row["run_name"] == STREAM and row["run_type"] == "iteration"]

    def test_a_minute_that_hits_every_row_leaves_nothing_to_quote(self):
        everywhere = with_slow_minute(launch(), range(2, 8), [STREAM, *OTHERS])
        self.side("runs", json.loads(json.dumps(everywhere)))
        content = report.compose(gather([self.folder / "runs"]))
        self.assertEqual({bar.mark for bar in section_of(content, "kernels").charts[0].bars}, {"?"})
        done = self.compared([launch()] * 4, [everywhere] * 4)
        self.assertEqual(done.returncode, 4)
        self.assertIn("3 unclear", done.stdout)
