"""Tests of quartet.tables.export and of the example in the documentation that reads it."""

import csv
import importlib.util
import io
import json
import re
import subprocess
import sys
import unittest

import fake_results
from fake_build import Scratch
from in_process import quartet
from quartet.results import Name, judged_rows
from quartet.tables import export
from tree import ROOT

CG = "cg/native/host/shm/laplace/full/classic/n:8192/iterations:500/ranks:4/threads:1"
FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1")


def documents():
    return [fake_results.document(
                fake_results.case(fake_results.stream_name(), 10000,
                                  limit_decided_by="copy", limit_components=[{"name": "copy", "seconds": 1}]),
                fake_results.paper(fake_results.stream_name(), 9000),
                fake_results.error(fake_results.stream_name(transport="rma"), "no window | \n none")),
            fake_results.document(fake_results.case(CG, 8, "GFLOP/s", spread=0.2))]


class Factors(unittest.TestCase):
    def test_of_a_name_are_typed_and_named(self):
        self.assertEqual(export.factors(Name.parse(CG)), {
            "kernel": "cg", "formulation": "native", "device": "host", "transport": "shm",
            "problem": "laplace", "storage": "full", "algorithm": "classic", "size": 8192,
            "iterations": 500, "ranks": 4, "threads": 1})
        name = Name.parse(fake_results.stream_name() + "/pair:1-0")
        self.assertEqual(export.factors(name)["size"], 2 * 2**20)
        self.assertEqual(export.factors(name)["pair"], "1-0")

    def test_a_documents_own_factors_win(self):
        document = fake_results.document(fake_results.case(
            fake_results.stream_name(), 1, factors={"kernel": "stream", "size": 7, "tile": 3}))
        row = export.flat_rows(judged_rows([document]))[0]
        self.assertEqual((row["size"], row["tile"], row["ranks"]), (7, 3, 2))


class Rows(unittest.TestCase):
    def test_hold_every_figure(self):
        row = next(row for row in export.flat_rows(judged_rows(documents()))
                   if row["kernel"] == "stream" and not row["error"])
        expected = {"rate": 10000, "unit": "MiB/s", "runs": 10, "limit_rate": 12500,
                    "fraction_of_limit": 0.8, "limit_decided_by": "copy", "flags": "", "distrusted": False, "verified": True,
                    "host": "host", "commit": "1a2b3c4", "nodes": 1, "error": "", "storage": None,
                    "date": "2026-01-02T03:04:05+00:00", "name": fake_results.stream_name()}
        self.assertEqual({key: row[key] for key in expected}, expected)
        self.assertLess(row["rate_low"], row["rate_high"])
        for bound in ("low", "high"):
            self.assertAlmostEqual(row[f"fraction_{bound}"], row[f"rate_{bound}"] / 12500)

    def test_say_what_is_distrusted_and_what_failed(self):
        rows = export.flat_rows(judged_rows(documents()))
        self.assertEqual([(row["flags"], row["distrusted"]) for row in rows
                          if row["kernel"] == "cg"], [("unsteady", True)])
        failed = next(row for row in rows if row["error"])
        self.assertEqual((failed["transport"], failed["rate"], failed["distrusted"]), ("rma", None, False))


class Formats(unittest.TestCase):
    def test_no_cell_of_csv_is_a_formula(self):
        for formula in FORMULAS:
            document = fake_results.document(fake_results.case(fake_results.stream_name(), 1))
            document["context"]["host_name"] = formula
            read = next(csv.DictReader(io.StringIO(export.as_csv(export.flat_rows(judged_rows([document]))))))
            self.assertEqual(read["host"], "'" + formula)

    def test_text_is_no_markup_in_markdown(self):
        for text, shown in (("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
                            ("[a](javascript:alert(1))", r"\[a\](javascript:alert(1))"),
                            ("![x](http://e/x)", r"!\[x\](http://e/x)"), ("a`b`|c\\", r"a\`b\`\|c\\"),
                            ("&lt; _a_ *b* ~c~", r"&amp;lt; \_a\_ \*b\* \~c\~"), ("node_1", "node_1")):
            document = fake_results.document(fake_results.case(
                fake_results.stream_name(), 1, factors={"kernel": "stream", text: 1}))
            document["context"]["host_name"] = text
            heading, _, row = export.as_markdown(export.flat_rows(judged_rows([document]))).splitlines()
            self.assertIn(f" | {shown} | ", heading)
            self.assertIn(f" | {shown} | ", row)


class Documentation(Scratch):
    TEXT = (ROOT / "docs/reading-the-numbers.md").read_text(encoding="utf-8")

    def test_names_every_column(self):
        for column in (*export.FACTORS, *export.RESULTS):
            self.assertIn(f"`{column if 'published' not in column else 'published_value'}`", self.TEXT)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_example_runs_as_it_is_written(self):
        example = re.search(r"```python\n(import pandas\n.*?)```", self.TEXT, re.DOTALL)[1]
        self.assertLessEqual(len(example.splitlines()), 4)
        for index, document in enumerate(documents()):
            (self.folder / f"{index}.json").write_text(json.dumps(document))
        done = quartet("table", "--csv", self.folder)
        (self.folder / "rows.csv").write_text(done.stdout)
        shown = subprocess.run([sys.executable, "-c", example], text=True, cwd=self.folder, capture_output=True,
                               check=False)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertRegex(shown.stdout, r"stream +native +0\.8")
        self.assertNotIn("cg", shown.stdout)
