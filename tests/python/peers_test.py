"""Tests of quartet peers without TensorFlow: a fake Python in its place, fake programs in ours'."""

import argparse
import json
import sys
import tempfile
import unittest
from fnmatch import fnmatch
from pathlib import Path

import fake_results
from fake_build import FakeBuild
from in_process import quartet
from quartet.launch import LaunchError
from quartet.results import rows_of
from quartet.results import document as documents
from quartet_dev.commands import peers
from quartet_dev.tensorflow.document import Plan, Record, document, run_name

NAME = "cg/dataflow/host/shm/random/full/classic/n:64/iterations:5/queue:8/ranks:3/threads:1"
FACTORS = {"kernel": "cg", "formulation": "dataflow", "device": "host", "transport": "shm", "size": 64,
           "ranks": 3, "nodes": 1, "threads": 1, "iterations": 5, "queue": 8}
METHOD = {"groups": 1, "rounds": 2, "stopped": False, "order": "in turn", "warmup_discarded": 1, "barrier": "MPI",
          "timer": "its own", "central_value": "median"}

# A document of one row, whose rate depends on the formulation.
PROGRAM = """#!{python} -S
import json, sys
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
quartet.update(program="cg", device_description="A CPU; BLAS", options=dict(runs="3", warmup="1"), method={method!r})
json.dump(made, open(flag("--json"), "w"))
"""

# All of TensorFlow's processes: a run takes 100 s, so that 1000 of work make a rate of 10.
TENSORFLOW = """#!{python} -S
import json, sys
if sys.argv[1] == "-c":
    sys.exit(0)
from quartet_dev.tensorflow.document import Plan, Record, document
behaviour = json.load(open({folder!r} + "/behaviour.json"))
if behaviour.get("fails"):
    print("no route", file=sys.stderr)
    sys.exit(3)
plan = Plan(**json.load(open(sys.argv[3])))
record = Record("2.21.0", 1.0, [100.0] * plan.runs, [50.0] * plan.runs, [], (behaviour.get("error", 0.0), 0.5))
json.dump(document(json.load(open(plan.companion)), plan, [record]), open(plan.document, "w"))
sys.exit(0 if record.passed else 1)
"""


def companion():
    """A document of our data flow."""
    made = fake_results.document(fake_results.case(NAME, 10.0, "GFLOP/s", 2, factors=FACTORS))
    made["context"]["quartet"].update(program="cg", options={"runs": "2", "warmup": "1"}, method=METHOD,
                                      device_description="A CPU; BLAS")
    return made


def plan_beside(content):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ours.json"
        file.write_text(json.dumps(content))
        return peers.plan_beside(file, "cg", Path("data"), Path("theirs.json"))


def made(error=0.25, paper=()):
    """Of a reducer and two workers, two runs each."""
    records = [Record("2.21.0", 1.0, [3.0, 2.0], [1.0, 1.0], list(paper), None),
               Record("2.21.0", 2.0, [4.0, 1.0], [2.0, 1.5], [], (0.0, 0.5)),
               Record("2.21.0", 1.5, [2.0, 5.0], [1.0, 3.0], [], (error, 0.5))]
    return document(companion(), plan_beside(companion()), records)


class Plans(unittest.TestCase):
    def test_tensorflow_is_told_to_do_what_our_data_flow_did(self):
        plan = plan_beside(companion())
        self.assertIsInstance(plan, Plan)
        self.assertEqual((len(plan.reducers), len(set(plan.workers)), plan.threads), (1, 2, 1))
        self.assertEqual((plan.warmup, plan.runs, plan.queue, plan.cpus), (1, 2, 8, [0, 1]))
        self.assertEqual((plan.options["size"], plan.options["iterations"]), (64, 5))
        self.assertEqual(plan.tasks, [("reducer", 0), ("worker", 0), ("worker", 1)])
        self.assertEqual(peers.cpus_of([{"cpus": text} for text in ("0-2,8", "3", "8", "")]), [0, 1, 2, 3, 8])

    def test_document_without_a_result_is_refused(self):
        for content in (fake_results.document(fake_results.error(NAME, "no window")), {}):
            self.assertRaises(LaunchError, plan_beside, content)

    def test_every_group_runs_our_data_flow_before_tensorflow(self):
        options = argparse.Namespace(runs=3, python=Path("python"))
        for kernel, beside in peers.PEER_RUNS.items():
            group = peers.group_of(kernel, beside.sizes[0], "name", Path("data"), options)
            flow, *_, theirs = group.variants
            self.assertTrue(fnmatch(f"name-{flow.name}-1.json", theirs.companions))


class Documents(unittest.TestCase):
    def test_document_is_one_of_the_suites(self):
        found = made(paper=[1.0, 0.5])
        self.assertEqual(documents._problem(json.loads(json.dumps(found))), "")
        case, = rows_of(found)
        self.assertEqual((case.name.formulation, case.name.transport, case.text), ("tensorflow", "grpc", run_name(NAME)))
        self.assertEqual(found["context"]["quartet"]["device_description"], "A CPU; TensorFlow 2.21.0")
        self.assertAlmostEqual(case.paper_rate, 1000 / 0.75)

    def test_slowest_process_counts_and_work_is_ours(self):
        case, = rows_of(made())
        self.assertEqual(case.rates, (1000 / 4, 1000 / 5))
        self.assertAlmostEqual(case.rate, 1000 / 4.5)
        self.assertEqual(case.median["total_seconds"], 2 + 4.5)
        self.assertTrue(case.verified)

    def test_difference_from_numpy_is_a_wrong_result(self):
        for error in (0.6, float("nan"), float("inf")):
            found = made(error)
            self.assertIs(rows_of(found)[0].verified, False)
            json.dumps(found, allow_nan=False)


class Script(FakeBuild):
    def setUp(self):
        super().setUp()
        words = {"python": sys.executable, "folder": str(self.folder), "tests": str(Path(__file__).parent),
                 "method": METHOD}
        self.write("bin/cg", PROGRAM.format(**words))
        self.write("python", TENSORFLOW.format(**words))

    def peers(self, *arguments, python="python", **behaviour):
        (self.folder / "behaviour.json").write_text(json.dumps(behaviour))
        return quartet("peers", "--only", "cg", "--build", self.folder, "--launcher", self.folder / "launcher",
                       "--results", self.folder / "results", "--python", self.folder / python, *arguments)

    def test_table_has_medians_intervals_and_ratios_and_others_read_its_documents(self):
        done = self.peers("--rounds", "6")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        block = [" ".join(line.split()) for line in lines[1:6]]
        self.assertRegex(block[0], "^cg GFLOP/s, size 1024, problem random iterations [0-9]+, 2 ranks")
        self.assertEqual(block[1:], ["TensorFlow, gRPC 10.0 10.0-10.0 1x 6",
                                     "our data flow, gRPC 40.0 40.0-40.0 4.0x 4.0x-4.0x 6",
                                     "our data flow, shared memory 40.0 40.0-40.0 4.0x 4.0x-4.0x 6",
                                     "native, shared memory 100 100-100 10x 10x-10x 6"])
        self.assertIn("Native is ahead of TensorFlow in 2 of 2 cases", done.stdout)
        table = quartet("table", self.folder / "results")
        self.assertRegex(table.stdout, r"tensorflow +grpc +1024 +10\.0", table.stderr)

    def test_wrong_result_is_said_and_has_no_rate(self):
        done = self.peers("--rounds", "1", error=0.75)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"TensorFlow, gRPC \[1\] +- ")
        self.assertIn("a wrong result", done.stdout)

    def test_process_that_fails_is_quoted(self):
        done = self.peers("--rounds", "1", fails=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("no route", done.stdout)

    def test_transport_that_is_unavailable_is_named_and_no_failure(self):
        program = (self.folder / "bin" / "cg").read_text()
        self.write("bin/cg", program.replace("name = ", "transport == 'grpc' and sys.exit(77)\nname = ", 1))
        done = self.peers("--rounds", "1")
        self.assertRegex(done.stdout, r"our data flow, gRPC \[1\] +- ")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_without_tensorflow_nothing_is_launched(self):
        self.write("empty", "#!/bin/sh\nexit 1\n")
        for python in ("none", "empty"):
            done = self.peers(python=python)
            self.assertEqual((done.returncode, done.stdout), (77, ""))
            self.assertIn("scripts/setup.sh tensorflow", done.stderr)
