"""Tests of quartet peers without TensorFlow: a fake Python in its place, fake programs in ours'."""

import contextlib
import json
import re
import sys
import tempfile
import unittest
from fnmatch import fnmatch
from pathlib import Path

import fake_results
from fake_build import FakeBuild
from in_process import quartet
from quartet.files import read_json
from quartet.paths import SHIPPED
from quartet.report.charts import style
from quartet.results import FORMULATIONS, cases
from quartet.results import document as documents
from quartet_dev.limits.folder import LimitsFolder
from quartet_dev.peers.tensorflow import environment, launch
from quartet_dev.peers.tensorflow import matches as peers_plan
from quartet_dev.peers.tensorflow import table as peers_table
from quartet_dev.peers.tensorflow.document import document, run_name
from quartet_dev.peers.tensorflow.plan import Check, Plan, Record

NAME = "cg/dataflow/host/shm/random/full/classic/n:64/iterations:5/queue:8/ranks:3/threads:1"
FACTORS = {"kernel": "cg", "formulation": "dataflow", "device": "host", "transport": "shm", "size": 64,
           "ranks": 3, "nodes": 1, "threads": 1, "iterations": 5, "queue": 8}
OPTIONS = {"runs": "2", "warmup": "1"}

# A document of one row, whose rate depends on the formulation.
PROGRAM = """#!{python} -S
import json, os, sys
sys.path.insert(0, {tests!r})
import fake_results
def flag(name):
    return sys.argv[sys.argv.index(name) + 1]
formulation, transport = flag("--formulation"), flag("--transport")
name = "cg/%s/host/%s/n:%s/queue:16/ranks:2/threads:1" % (formulation, transport, flag("--size"))
row = fake_results.case(name, {{"native": 100.0}}.get(formulation, 40.0), "GFLOP/s", 3, factors=dict(
    kernel="cg", formulation=formulation, device="host", transport=transport, size=64, ranks=2, nodes=1,
    threads=1, queue=16), limit=..., fraction_of_limit=...)
made = fake_results.document(row)
quartet = made["context"]["quartet"]
quartet.update(program="cg", device_description="A CPU; BLAS", options=dict(runs="3", warmup="1"),
               mpi_settings=dict(btl=os.environ.get("OMPI_MCA_btl", "")))
json.dump(made, open(flag("--json"), "w"))
"""

# TensorFlow's processes: a run takes 100 s, so that 1000 of work make a rate of 10.
TENSORFLOW = """#!{python} -S
import json, sys
if sys.argv[1] == "-c":
    sys.exit(0)
plan, job, index, record = sys.argv[3:]
behaviour = json.load(open({folder!r} + "/behaviour.json"))
if behaviour.get("fails") == job:
    print("no route", file=sys.stderr)
    sys.exit(1)
runs = json.load(open(plan))["runs"]
error = float(behaviour.get("error", 0.0))
json.dump(dict(version="2.21.0", setup=1.0, seconds=[100.0] * runs, cpu=[50.0] * runs, paper=[],
               check=[dict(error=error, tolerance=0.5)] if job == "worker" else []), open(record, "w"))
"""


def companion(**more):
    """A document of our data flow."""
    row = fake_results.case(NAME, 10.0, "GFLOP/s", 2, factors=FACTORS, **more)
    made = fake_results.document(row)
    made["context"]["quartet"].update(program="cg", options=OPTIONS, device_description="A CPU; BLAS")
    return made


def records(error=0.25, paper=()):
    """Of a reducer and two workers, two runs each."""
    return [Record("2.21.0", 1.0, [3.0, 2.0], [1.0, 1.0], list(paper), []),
            Record("2.21.0", 2.0, [4.0, 1.0], [2.0, 1.5], [], [Check(0.0, 0.5)]),
            Record("2.21.0", 1.5, [2.0, 5.0], [1.0, 3.0], [], [Check(error, 0.5)])]


def made(error=0.25, paper=()):
    ours = companion()
    plan = launch.plan_beside(ours, "cg", Path("data"))
    return document(ours, plan, records(error, paper), Path("python"))


class Formulations(unittest.TestCase):
    def test_schema_and_charts_have_those_of_the_list(self):
        schema = read_json(SHIPPED / "schema" / "quartet-results.schema.json")
        pattern = schema["$defs"]["run_name"]["pattern"]
        self.assertEqual(tuple(re.search(r"/\(([^)]*)\)", pattern)[1].split("|")), FORMULATIONS)
        self.assertEqual(tuple(style.FORMULATIONS), FORMULATIONS)


class Plans(unittest.TestCase):
    def test_tensorflow_is_told_to_do_what_our_data_flow_did(self):
        plan = launch.plan_beside(companion(), "cg", Path("data"))
        self.assertEqual((len(plan.reducers), len(plan.workers), plan.threads), (1, 2, 1))
        self.assertEqual((plan.warmup, plan.runs, plan.queue), (1, 2, 8))
        self.assertEqual((plan.options["size"], plan.options["iterations"]), (64, 5))
        self.assertEqual(plan.cpus, (0, 1))
        self.assertEqual(plan.tasks, [("reducer", 0), ("worker", 0), ("worker", 1)])

    def test_plan_survives_its_file(self):
        plan = launch.plan_beside(companion(), "cg", Path("data"))
        with contextlib.ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            plan.write(folder / "plan")
            self.assertEqual(Plan.read(folder / "plan"), plan)
            for record in records():
                record.write(folder / "record")
                self.assertEqual(Record.read(folder / "record"), record)

    def test_document_without_a_result_is_refused(self):
        failed = fake_results.document(fake_results.error(NAME, "no window"))
        self.assertIn("no result", launch.plan_beside(failed, "cg", Path("data")))
        self.assertIn("not fft", launch.plan_beside(companion(), "fft", Path("data")))

    def test_cpus_are_those_of_all_ranks(self):
        places = [{"cpus": text} for text in ("0-2,8", "3", "8", "")]
        self.assertEqual(launch.cpus_of(places), (0, 1, 2, 3, 8))

    def test_addresses_differ_and_are_free(self):
        found = launch.addresses(20)
        self.assertEqual(len(set(found)), 20)

    def test_every_match_runs_ours_before_tensorflow_and_one_side_over_tcp(self):
        for match in peers_plan.matches(LimitsFolder(Path("results")), Path("data"), Path("python"), 3):
            flow, _, tcp, _, peer = match.sides
            self.assertTrue(fnmatch(f"{match.name}-{flow.name}-1.json", peer.peer.companions.name))
            self.assertEqual(dict(tcp.environment)["OMPI_MCA_btl"], "self,tcp")
            self.assertEqual(flow.environment, ())
            self.assertEqual({side.setup for side in match.sides}, {flow.setup})


class Tables(unittest.TestCase):
    def test_headings_fit_a_line(self):
        for match in peers_plan.matches(LimitsFolder(Path("results")), Path("data"), Path("python"), 3):
            for lines in (peers_table.heading(match), peers_table.heading(match, peers_table.PAPER_CLOCK)):
                self.assertLessEqual(max(map(len, lines)), 80)

    def test_paper_clock_has_the_launches_that_count(self):
        lines = [peers_table.Line("a", [1.0, 2.0], [3.0, 4.0], 1, "one failed"), peers_table.Line("b", [5.0])]
        self.assertEqual(peers_table.paper_lines(lines), [peers_table.Line("a", [3.0, 4.0], [3.0, 4.0], 1)])
        document = made(paper=[1.0, 0.5])
        self.assertEqual([round(rate, 6) for rate in peers_table._paper_rates(document, "GFLOP/s")],
                         [round(1000 / 0.75, 6)])
        self.assertEqual(peers_table._paper_rates(made(), "GFLOP/s"), [])


class Documents(unittest.TestCase):
    def test_document_is_one_of_the_suites(self):
        found = made(paper=[1.0, 0.5])
        self.assertEqual(documents._problem(json.loads(json.dumps(found))), "")
        case, = cases(found)
        self.assertEqual((case.name.formulation, case.name.transport, case.text),
                         ("tensorflow", "grpc", run_name(NAME)))
        self.assertEqual(found["context"]["quartet"]["device_description"], "A CPU; TensorFlow 2.21.0")
        self.assertNotIn("mpi_settings", found["context"]["quartet"])

    def test_slowest_process_counts_and_work_is_ours(self):
        case, = cases(made())
        self.assertEqual(case.rates, (1000 / 4, 1000 / 5))
        self.assertAlmostEqual(case.rate, 1000 / 4.5)
        self.assertEqual(case.total_seconds, 2 + 4.5)
        self.assertTrue(case.verified)

    def test_paper_clock_has_rows_of_its_own(self):
        rows = {row["name"]: row for row in made(paper=[1.0, 0.5])["benchmarks"]}
        self.assertAlmostEqual(rows[run_name(NAME) + "/paper_median"]["GFLOP/s"], 1000 / 0.75)
        self.assertNotIn("verified", rows[run_name(NAME) + "/paper_median"])

    def test_difference_from_numpy_is_a_wrong_result(self):
        for error in (0.6, float("nan"), float("inf")):
            found = made(error)
            self.assertIs(cases(found)[0].verified, False)
            self.assertEqual(documents._problem(found), "")
            json.dumps(found, allow_nan=False)


class Script(FakeBuild):
    def setUp(self):
        super().setUp()
        words = {"python": sys.executable, "folder": str(self.folder),
                 "tests": str(Path(__file__).parent)}
        self.write("bin/cg", PROGRAM.format(**words))
        self.write("python", TENSORFLOW.format(**words))
        self.behave()

    def behave(self, **behaviour):
        (self.folder / "behaviour.json").write_text(json.dumps(behaviour))

    def peers(self, *arguments, python="python"):
        return quartet("peers", "--only", "cg", "--build", self.folder, "--launcher", self.folder / "launcher",
                       "--results", self.folder / "results", "--python", self.folder / python, *arguments)

    def test_table_has_medians_intervals_and_ratios(self):
        done = self.peers("--rounds", "6")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        block = [" ".join(line.split()) for line in lines[1:7]]
        self.assertRegex(block[0], "^cg GFLOP/s, size 1024, problem random, iterations [0-9]+, 2 ranks")
        self.assertEqual(block[1:], ["TensorFlow, gRPC 10.0 10.0-10.0 1x 6",
                                     "our data flow, gRPC 40.0 40.0-40.0 4.0x 4.0x-4.0x 6",
                                     "our data flow, TCP 40.0 40.0-40.0 4.0x 4.0x-4.0x 6",
                                     "our data flow, shared memory 40.0 40.0-40.0 4.0x 4.0x-4.0x 6",
                                     "native, shared memory 100 100-100 10x 10x-10x 6"])
        self.assertIn("In TensorFlow's favour", done.stdout)
        self.assertEqual(self.peers("--reuse").stdout, done.stdout)

    def test_tables_and_comparisons_read_its_documents(self):
        self.peers("--rounds", "1")
        table = quartet("table", self.folder / "results")
        self.assertEqual(table.returncode, 0, table.stderr)
        self.assertRegex(table.stdout, r"tensorflow +grpc +1024 +10\.0")
        self.assertNotIn("left out", table.stderr)
        document = self.folder / "results" / "cg-1024-tensorflow-1.json"
        compared = quartet("compare", document, document)
        self.assertIn("tensorflow", compared.stdout, compared.stderr)

    def test_wrong_result_is_said_and_has_no_rate(self):
        self.behave(error=0.75)
        done = self.peers("--rounds", "1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"TensorFlow, gRPC \[1\] +- ")
        self.assertIn("a wrong result", done.stdout)

    def test_process_that_fails_ends_the_others_and_is_quoted(self):
        self.behave(fails="worker")
        done = self.peers("--rounds", "1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no route", done.stdout)

    def test_messages_that_do_not_take_tcp_are_no_figure(self):
        program = (self.folder / "bin" / "cg").read_text()
        self.write("bin/cg", program.replace('os.environ.get("OMPI_MCA_btl", "")', '"vader"'))
        done = self.peers("--rounds", "1")
        self.assertRegex(done.stdout, r"our data flow, TCP \[1\] +- ")

    def test_transport_that_is_unavailable_is_named_and_no_failure(self):
        program = (self.folder / "bin" / "cg").read_text()
        self.write("bin/cg", program.replace("name = ", "transport == 'grpc' and sys.exit(77)\nname = ", 1))
        done = self.peers("--rounds", "1")
        self.assertRegex(done.stdout, r"our data flow, gRPC \[1\] +- ")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_without_tensorflow_nothing_is_launched(self):
        done = self.peers(python="none")
        self.assertEqual((done.returncode, done.stdout), (77, ""))
        self.assertIn("scripts/setup.sh tensorflow", done.stderr)
        self.write("empty", "#!/bin/sh\nexit 1\n")
        self.assertIn("no module tensorflow", environment.why_not(self.folder / "empty"))

    def test_round_without_our_data_flow_is_no_loss_of_the_others(self):
        self.peers("--rounds", "2")
        results = self.folder / "results"
        (results / "cg-1024-dataflow-shm-1.json").write_text("{}")
        peer = peers_plan.matches(LimitsFolder(results), Path("data"), self.folder / "python", 3)
        match = next(match for match in peer if match.name == "cg-1024")
        files = LimitsFolder(results).files(match, match.sides[-1], 9)
        self.assertEqual(match.sides[-1].peer.complete(None, 2, files, 60).exit_code, 0)
        (results / "cg-1024-dataflow-shm-2.json").unlink()
        self.assertIn("no document", match.sides[-1].peer.complete(None, 2, files, 60).message)

    def test_budget_leaves_rounds_out(self):
        done = self.peers("--rounds", "9", "--budget", "0.001")
        self.assertIn("rounds were left out by the budget", done.stderr)
