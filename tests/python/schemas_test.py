"""Tests of the JSON Schemas: good documents pass, and each rule can fail."""

import copy
import importlib.util
import json
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fake_results
import mutations
import schemas
from quartet import schema
from quartet.files import FileProblem, read_json

SUMMARY = {"ranks": 512, "mean": 1.1, "min": 1, "p25": 1, "p50": 1, "p75": 1.2, "p99": 1.4, "max": 1.5,
           "slowest": [{"rank": 7, "host": "node0", "seconds": 1.5}]}


def load_schema(name):
    file = schemas.RESULTS / "schema" / f"quartet-{name}.schema.json"
    return json.loads(file.read_text(encoding="utf-8"))


def good_document():
    name = fake_results.stream_name()
    parts = {"limit_components": [{"name": "local add", "seconds": 0.5, "hardware_seconds": 0.4,
                                   "all_ranks_seconds": 0.25, "ranks": 1},
                                  {"name": "pair link", "seconds": 0.25}],
             "limit_decided_by": "local add", "fraction_of_all_ranks": 0.4, "huge_pages": True}
    return fake_results.document(
        fake_results.case(name, 10000, **parts), fake_results.paper(name, 9000),
        fake_results.case("fft/native/host/shm/transposed/n:16777216/ranks:2/threads:1", 5, "GFLOP/s"),
        fake_results.case(fake_results.stream_name(size="4MiB"), 9000, verified=None, limit=...,
                     fraction_of_limit=..., error=..., tolerance=...),
        fake_results.error(fake_results.stream_name(transport="rma"), "no window"))


def row(document, **wanted):
    """The first row with these keys."""
    return next(row for row in document["benchmarks"]
                if all(row.get(key) == value for key, value in wanted.items()))


class Ours(unittest.TestCase):
    """The scripts' own reading of the schemas, beside the library's."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "a.json"

    def test_verdicts_are_those_of_the_library_but_for_whole_numbers(self):
        library = schemas.validator("results")
        chooser, counts = random.Random(3), [0, 0]
        for _ in range(300):
            way = chooser.choice((mutations.by_value, mutations.by_absence, mutations.by_name))
            self.file.write_bytes(way(mutations.sound(), chooser))
            try:
                document = read_json(self.file)
            except FileProblem:
                continue  # not JSON, or too deep for the library
            problem, theirs = schema.problem("results", document), library.is_valid(document)
            counts[theirs] += 1
            if "must be integer" not in problem:  # 2.0 is one to the library
                self.assertEqual(problem == "", theirs, problem)
        self.assertGreater(min(counts), 30, counts)

    @unittest.skipUnless(importlib.util.find_spec("fastjsonschema"), "no fastjsonschema here (scripts/setup.sh test)")
    def test_what_is_generated_is_of_the_schemas_that_are_here(self):
        from quartet_dev import schemas as generator
        for name, file in generator.sources().items():
            module = generator.COMPILED / f"{name}.py"
            version = re.search(r"fastjsonschema ([0-9.]+)", module.read_text())[1]
            if version != generator.VERSION:
                self.skipTest(f"fastjsonschema {generator.VERSION} is here, {version} made these")
            self.assertEqual(module.read_text(), generator.compiled(file), f"{name}: run quartet schemas")

    @unittest.skipUnless(importlib.util.find_spec("fastjsonschema"), "no fastjsonschema here (scripts/setup.sh test)")
    def test_a_keyword_that_is_not_known_is_no_silent_rule(self):
        from quartet_dev import schemas as generator
        self.file.write_text(json.dumps({"properties": {"a": {"format": "date", "minProperty": 1}}}))
        with self.assertRaisesRegex(ValueError, "minProperty"):
            generator.compiled(self.file)

    def test_a_problem_is_one_line_of_bounded_length(self):
        problem = schema.problem("results", {"context": {}, "benchmarks": [], "x" * 10**6: 1})
        self.assertLess(len(problem), 400)
        self.assertIn("context lacks date", schema.problem("results", {"context": {}, "benchmarks": []}))


class Results(unittest.TestCase):
    def test_good_document_passes(self):
        self.assertEqual(schemas.problems("results", good_document()), [])

    def test_keys_may_be_added(self):
        document = good_document()
        document["context"]["quartet"]["another"] = 1
        row(document, aggregate_name="median")["another"] = 1
        self.assertEqual(schemas.problems("results", document), [])

    def test_gpus_are_described(self):
        document = good_document()
        document["context"]["quartet"]["gpus"] = [fake_results.GPU]
        self.assertEqual(schemas.problems("results", document), [])

    def test_many_ranks_have_quantiles(self):
        document = good_document()
        median = row(document, aggregate_name="median")
        median.pop("rank_seconds")
        median["rank_seconds_summary"] = copy.deepcopy(SUMMARY)
        self.assertEqual(schemas.problems("results", document), [])
        median["rank_seconds"] = [1]
        self.assertNotEqual(schemas.problems("results", document), [], "both")
        for key in SUMMARY:
            median = row(document, aggregate_name="median")
            median.pop("rank_seconds", None)
            median["rank_seconds_summary"] = {other: SUMMARY[other] for other in SUMMARY if other != key}
            self.assertNotEqual(schemas.problems("results", document), [], key)

    def test_each_rule_can_fail(self):
        iteration = {"run_type": "iteration"}
        median = {"aggregate_name": "median"}
        failed = {"error_occurred": True}
        breaks = {
            "no date": (None, lambda d: d["context"].pop("date")),
            "no provenance": (None, lambda d: d["context"].pop("quartet")),
            "no commit": (None, lambda d: d["context"]["quartet"].pop("commit")),
            "no flags": (None, lambda d: d["context"]["quartet"]["build"].pop("flags")),
            "placement without its host": (
                None, lambda d: d["context"]["quartet"]["placement"][0].pop("host")),
            "warnings are texts": (None, lambda d: d["context"]["quartet"].update(warnings=[1])),
            "third member": (None, lambda d: d.update(other={})),
            "no such run type": (iteration, lambda r: r.update(run_type="both")),
            "no real_time": (iteration, lambda r: r.pop("real_time")),
            "no time": (iteration, lambda r: r.update(real_time=0)),
            "two iterations": (iteration, lambda r: r.update(iterations=2)),
            "no rate": (iteration, lambda r: r.pop("MiB/s")),
            "half a rate": (iteration, lambda r: r.pop("bytes_per_second")),
            "unknown unit of time": (iteration, lambda r: r.update(time_unit="min")),
            "factors out of order": (iteration, lambda r: r.update(
                name="stream/host/native/shm/ranks:2/threads:1")),
            "unknown aggregate": (median, lambda r: r.update(aggregate_name="p99")),
            "cv is a percentage": ({"aggregate_name": "cv"},
                                   lambda r: r.update(aggregate_unit="time")),
            "unknown phase": (median, lambda r: r["phases"].update(sleep=1)),
            "unknown role": (median, lambda r: r.update(phases_by_role={"queue": {"rank": 0, "seconds": 1, "phases": {}}})),
            "role without phases": (median, lambda r: r.update(phases_by_role={"worker": {"rank": 0, "seconds": 1}})),
            "not verified, not said": (median, lambda r: r.pop("verified")),
            "verified is no text": (median, lambda r: r.update(verified="yes")),
            "a negative share stolen": (median, lambda r: r.update(stolen_share=-0.1)),
            "huge pages in words": (median, lambda r: r.update(huge_pages="yes")),
            "a core without time": (median, lambda r: r.update(core_loop_seconds=0)),
            "no time of each rank": (median, lambda r: r.pop("rank_seconds")),
            "fraction of no limit": (median, lambda r: r.pop("limit")),
            "limit of no components": (median, lambda r: r.update(limit_components=[])),
            "limit's component without its time": (
                median, lambda r: r["limit_components"][0].pop("seconds")),
            "components of which none decided": (median, lambda r: r.pop("limit_decided_by")),
            "limit without its rate": (median, lambda r: r["limit"].pop("rate")),
            "error without tolerance": (median, lambda r: r.pop("tolerance")),
            "published without source": (median, lambda r: r.update(
                published={**fake_results.PUBLISHED, "source": ""})),
            "unknown bound": (median, lambda r: r.update(
                published={**fake_results.PUBLISHED, "bound": "near"})),
            "a GPU without its ranks": (None, lambda d: d["context"]["quartet"].update(
                gpus=[{key: value for key, value in fake_results.GPU.items() if key != "ranks"}])),
            "a GPU that is unnamed": (None, lambda d: d["context"]["quartet"].update(
                gpus=[{**fake_results.GPU, "name": ""}])),
            "a clock in words": (None, lambda d: d["context"]["quartet"].update(
                gpus=[{**fake_results.GPU, "after": {"clock_mhz": "fast"}}])),
            "failed without a message": (failed, lambda r: r.pop("error_message")),
            "failed in a time": (failed, lambda r: r.update(real_time=1)),
            "failed as an iteration": (failed, lambda r: r.update(run_type="iteration")),
            "failed under another's name": (failed, lambda r: r.update(name=fake_results.stream_name())),
        }
        for what, (wanted, change) in breaks.items():
            with self.subTest(what):
                document = copy.deepcopy(good_document())
                change(document if wanted is None else row(document, **wanted))
                self.assertNotEqual(schemas.problems("results", document), [])

    def test_as_a_program(self):
        program = Path(schemas.__file__)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.json"
            for text, code in (('{"context": 1}', 1), ('{"context": NaN}', 1)):
                file.write_text(text, encoding="utf-8")
                done = subprocess.run([sys.executable, program, file], capture_output=True,
                                      check=False)
                self.assertEqual(done.returncode, code)


class Published(unittest.TestCase):
    def test_every_file_passes(self):
        files = sorted((schemas.RESULTS / "published").glob("*.json"))
        self.assertNotEqual(files, [])
        for file in files:
            with self.subTest(file.name):
                document = schemas.read_strictly(file)
                self.assertEqual(schemas.problems("published", document), [])
                for number in document["numbers"]:
                    self.assertEqual(number["kernel"], file.stem)
                    self.assertEqual(number["match"]["kernel"], file.stem)
                    if number["unit"] != "speed-up":
                        self.assertIn("nodes", number["match"])
                for number in document.get("orientation", []):
                    self.assertEqual(number["kernel"], file.stem)
                    self.assertLess(number["value"], number.get("peak", float("inf")))

    def test_stream_has_the_papers_numbers(self):
        document = schemas.read_strictly(schemas.RESULTS / "published" / "stream.json")
        self.assertEqual(
            {(number["bound"], number["value"], number["machine"], number["memory"],
              number["protocol"]) for number in document["numbers"]},
            {("above", 6000, "Tegner", "host", "rdma"), ("about", 1300, "Tegner", "device", "rdma"),
             ("below", 2300, "Kebnekaise", "device", "rdma"),
             ("about", 318, "Tegner", "device", "mpi"),
             ("about", 480, "Kebnekaise", "device", "mpi")})

    def test_each_rule_can_fail(self):
        breaks = {
            "no source": lambda d: d.pop("source"),
            "no numbers": lambda d: d.update(numbers=[]),
            "misspelt key": lambda d: d["numbers"][0].update(caveats="x"),
            "no value": lambda d: d["numbers"][0].update(value=0),
            "unit as printed": lambda d: d["numbers"][0].update(unit="MB/s"),
            "unknown bound": lambda d: d["numbers"][0].update(bound="over"),
            "matches nothing": lambda d: d["numbers"][0].update(match={}),
            "unknown device": lambda d: d["numbers"][0]["match"].update(device="gpu"),
            "a neighbour without its source": lambda d: d["orientation"][0].pop("url"),
            "a neighbour's speed-up": lambda d: d["orientation"][0].update(unit="speed-up"),
        }
        for what, change in breaks.items():
            with self.subTest(what):
                document = schemas.read_strictly(schemas.RESULTS / "published" / "stream.json")
                change(document)
                self.assertNotEqual(schemas.problems("published", document), [])
