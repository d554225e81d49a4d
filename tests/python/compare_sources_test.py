"""Tests of what quartet compare compares with: a baseline folder, and builds that are launched in turn."""

import shutil
import sys
from pathlib import Path

from compare_case import CompareCase, documents, flat, row_of

# Writes a document with the rate that stands in the file "rate" beside it, a little off each time.
PROGRAM = """#!{python}
import json, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import fake_results
here = Path(__file__).parent
calls = here / "calls"
count = len(calls.read_text().split()) if calls.exists() else 0
calls.write_text("x " * (count + 1))
with open({log!r}, "a") as log:
    print(here.parent.name, file=log)
rate = float((here / "rate").read_text()) * (1 + 0.002 * (count % 5))
document = fake_results.document(fake_results.case(
    fake_results.stream_name(), rate, distrusted=rate < 500, limit={{"what": "adding", "seconds": 1, "rate": 2000}}))
Path(sys.argv[sys.argv.index("--json") + 1]).write_text(json.dumps(document))
"""


class Baselines(CompareCase):
    def against(self, *rates, update=False, distrusted=False, **quartet):
        launches = documents(*rates, distrusted=distrusted)
        for document in launches:
            document["context"]["quartet"].update(quartet)
        shutil.rmtree(self.folder / "new", ignore_errors=True)
        return self.compare("--baseline", self.folder / "kept", self.side("new", *launches), *["--update"] * update)

    def kept(self):
        return sorted(path.name for path in (self.folder / "kept").rglob("*.json"))

    def test_first_results_are_kept_where_it_is_asked_for(self):
        done = self.against(990, 1000, 1005, 1010)
        self.assertEqual(done.returncode, 4)
        self.assertIn("--update keeps these", done.stderr)
        self.assertEqual(self.against(990, 1000, 1005, 1010, update=True).returncode, 0)
        self.assertEqual(len(self.kept()), 4)

    def test_results_that_are_all_in_doubt_are_not_kept(self):
        done = self.against(990, 1000, 1005, 1010, update=True, distrusted=True)
        self.assertEqual((done.returncode, self.kept()), (4, []))
        self.assertIn("are not kept, as each launch is in doubt", done.stderr)

    def test_slower_results_close_the_gate_and_change_nothing(self):
        self.against(990, 1000, 1005, 1010, update=True)
        before = [path.read_bytes() for path in sorted((self.folder / "kept").rglob("*.json"))]
        done = self.against(790, 800, 805, 810, update=True)
        self.assertEqual((done.returncode, row_of(done)[-1]), (1, "slower"))
        self.assertIn("is left as it was", done.stderr)
        self.assertEqual(before, [path.read_bytes() for path in sorted((self.folder / "kept").rglob("*.json"))])

    def test_each_kind_of_machine_has_its_own(self):
        self.against(990, 1000, 1005, 1010, update=True)
        other = {"system": {"processor": {"family": "25", "model": "17", "stepping": "1"}}}
        self.assertEqual(self.against(500, 501, 502, 503, **other).returncode, 4)
        self.assertEqual(self.against(500, 501, 502, 503, update=True, **other).returncode, 0)
        self.assertEqual(len({path.parent for path in (self.folder / "kept").rglob("*.json")}), 2)


class InTurn(CompareCase):
    def run_both(self, first, second, *arguments, command=("stream", "--sizes", "2")):
        log = self.folder / "log"
        for name, rate in (("before", first), ("after", second)):
            self.write(f"{name}/bin/rate", str(rate))
            self.write(f"{name}/bin/stream", PROGRAM.format(
                python=sys.executable, tests=str(Path(__file__).parent), log=str(log)))
        launcher = self.write("launcher", '#!/bin/sh\nshift\nexec "$@"\n')
        done = self.compare("--run", self.folder / "before", self.folder / "after", "--launcher",
                            launcher, "--folder", self.folder / "documents", *arguments, "--", *command)
        return done, log.read_text().split() if log.exists() else []

    def test_launches_alternate_until_it_is_decided(self):
        done, order = self.run_both(1000, 700)
        self.assertEqual((done.returncode, row_of(done)[-1]), (1, "slower"), done.stderr)
        self.assertEqual(order, ["before", "after", "after", "before"] * 2 + ["before", "after"])
        self.assertIn("interval: its 98% confidence", flat(done.stdout))

    def test_budget_ends_it(self):
        done, order = self.run_both(1000, 1000, "--budget", "1e-6")
        self.assertEqual((done.returncode, order), (4, []))
        self.assertIn("no time was left to measure a case", done.stderr)

    def test_more_launches_are_no_remedy_where_all_were_disturbed(self):
        done, _ = self.run_both(100, 100, "--budget", "0.7")
        self.assertIn("every launch is in doubt: quiet the machine", " ".join(done.stdout.split()))
        self.assertIn("the budget of 0.7 s is over\n", done.stderr)

    def test_what_cannot_be_launched_is_refused(self):
        done, order = self.run_both(1000, 1000, command=("cg",))
        self.assertEqual((done.returncode, order), (2, []))
        self.assertIn("no program cg in", done.stderr)
