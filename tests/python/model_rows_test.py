"""Tests that rows of a machine that is only described are taken for measurements nowhere."""

import json

import fake_results
import schemas
from compare_case import CompareCase
from in_process import quartet
from predicted_machine import file
from quartet.results import cases, judged_cases
from quartet.tables import table

NAME = "cg/native/{}/mpi/laplace/full/classic/n:4096/iterations:50{}/ranks:4/threads:1"
MEASURED = NAME.format("host", "")
SIMULATED = NAME.format("model", "/machine:invented")
TEXT = "simulated: no measurement"


def simulated(rate=1e6, name=SIMULATED, kind="simulated"):
    rows = fake_results.case(name, rate, unit="GFLOP/s", verified=None, distrusted=True,
                             flags=[{"kind": kind, "text": TEXT}], phases={"compute": 1e-6})
    return [{key: value for key, value in row.items() if "limit" not in key} for row in rows]


class Rows(CompareCase):
    def quartet(self, *arguments):
        return quartet(*map(str, arguments), cwd=self.folder)

    def test_documents_have_them_by_the_schema(self):
        document = fake_results.document(simulated())
        document["context"]["quartet"]["device"] = "model"
        self.assertEqual(schemas.problems("results", document), [])
        document["benchmarks"][0]["run_name"] = SIMULATED.replace("model", "modle")
        self.assertNotEqual(schemas.problems("results", document), [])

    def test_they_are_known_by_their_flags_and_marked(self):
        for kind in ("simulated", "emulated"):
            case = cases(fake_results.document(simulated(kind=kind)))[0]
            self.assertTrue(case.is_of_model and case.is_distrusted)
            self.assertEqual(case.mark, "?")
            self.assertEqual(case.name.device, "model")
        self.assertFalse(cases(fake_results.document(fake_results.case(MEASURED, 5)))[0].is_of_model)

    def test_the_table_marks_them_and_says_why(self):
        text = table.render(judged_cases([fake_results.document(simulated(123.0))]))
        self.assertIn(" 123? ", text)
        self.assertIn(f"?  {TEXT}", text)
        self.assertNotIn("disturbed", text)

    def test_the_report_leaves_them_out(self):
        runs = self.side("runs", fake_results.document(fake_results.case(MEASURED, 5, unit="GFLOP/s")),
                         fake_results.document(simulated(123456)))
        done = self.quartet("report", runs, "--output", "out/index.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.folder / "out" / "index.html").read_text(encoding="utf-8")
        self.assertFalse("123456" in page)
        self.assertTrue("simulated or emulated, not measured" in page)

    def test_they_are_compared_with_nothing(self):
        sides = [self.side(name, *[fake_results.document(simulated(rate))] * 6)
                 for name, rate in (("a", 100), ("b", 200))]
        done = self.quartet("compare", *sides)
        self.assertIn("not verified", done.stdout, done.stderr)
        self.assertNotIn("faster", done.stdout)

    def test_they_are_no_reference(self):
        for number in (1, 2, 3):
            self.side("sweep")
            (self.folder / "sweep" / f"000-cg-launch{number}.json").write_text(
                json.dumps(fake_results.document(simulated())))
        done = self.quartet("reference", self.folder / "sweep", "--measured", self.folder / "measured")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("is not verified", done.stderr)
        self.assertFalse((self.folder / "measured").exists())

    def test_predictions_take_no_rate_from_them(self):
        machine = self.folder / "machine.json"
        machine.write_text(json.dumps(file(memory_bytes_per_second=None)))
        for name, code in ((SIMULATED, 2), (MEASURED.replace("host", "model"), 2)):
            runs = self.side("runs", fake_results.document(simulated(name=name)))
            done = self.quartet("predict", machine, "cg", "--sizes", 4096, "--ranks", 4, "--from", runs)
            self.assertEqual(done.returncode, code, done)
