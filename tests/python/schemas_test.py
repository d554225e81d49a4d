"""Tests of the JSON Schemas, and of our reading of them beside the library's."""

import copy
import random
import unittest

import fake_results
import mutations
import schemas
from fake_build import Scratch
from quartet import schema
from quartet.files import FileProblem, read_json
from tree import ROOT

NUMBER = {"type": "number"}
RULES = (True, False, NUMBER, {"type": ["integer", "null"]}, {"type": "boolean"}, {"enum": [1, "a", None]},
         {"const": True}, {"const": 0}, {"minimum": 1}, {"maximum": 1}, {"exclusiveMinimum": 1}, {"minLength": 2},
         {"maxLength": 1}, {"minItems": 2}, {"maxItems": 1}, {"pattern": "^a+$"}, {"required": ["a", "b"]},
         {"dependentRequired": {"a": ["b"]}}, {"propertyNames": {"maxLength": 1}}, {"properties": {"a": NUMBER}},
         {"additionalProperties": NUMBER}, {"properties": {"a": NUMBER}, "additionalProperties": False},
         {"items": NUMBER}, {"allOf": [{"minimum": 0}, {"maximum": 1}]}, {"anyOf": [NUMBER, {"minLength": 2}]},
         {"oneOf": [NUMBER, {"minimum": 1}, {"type": "string"}]}, {"not": NUMBER},
         {"if": NUMBER, "then": {"minimum": 1}, "else": {"type": "string"}}, {"if": NUMBER, "else": False},
         {"$defs": {"list": {"items": {"$ref": "#/$defs/list"}, "maxItems": 1}}, "$ref": "#/$defs/list"})
VALUES = (None, True, False, 0, 1, 2, 0.5, 1.5, -1, "", "a", "aa", "a\n", "b", [], [1], ["a"], [1, 2], [[1, 2]], {},
          {"a": 1}, {"a": "a"}, {"a": 1, "b": None}, {"b": 1}, {"long": 1})


def good_document():
    name = fake_results.stream_name()
    parts = {"limit_components": [{"name": "local add", "seconds": 0.5}, {"name": "pair link", "seconds": 0.25}],
             "limit_decided_by": "local add"}
    document = fake_results.document(
        fake_results.case(name, 10000, **parts), fake_results.paper(name, 9000),
        fake_results.case("fft/native/host/shm/transposed/n:16777216/ranks:2/threads:1", 5, "GFLOP/s"),
        fake_results.case(fake_results.stream_name(size="4MiB"), 9000, verified=None, limit=...,
                          fraction_of_limit=..., error=..., tolerance=..., rank_seconds=...),
        fake_results.error(fake_results.stream_name(transport="rma"), "no window"))
    document["context"]["quartet"]["gpus"] = [copy.deepcopy(fake_results.GPU)]
    return document


def row(document, **wanted):
    """The first row with these keys."""
    return next(row for row in document["benchmarks"] if all(row.get(key) == value for key, value in wanted.items()))


class Reading(Scratch):
    def test_each_keyword_means_what_it_means_to_the_library(self):
        self.assertEqual({key for rule in RULES if isinstance(rule, dict) for key in rule} | schema.ANNOTATIONS,
                         schema.KEYWORDS.keys() | schema.ANNOTATIONS)
        for rule in RULES:
            ours, theirs = schema.compiled(rule), schemas.Draft202012Validator(rule)
            for value in VALUES:
                if (rule, value) != ({"pattern": "^a+$"}, "a\n"):  # Python's `$` is before the last line's end, too
                    self.assertEqual(not ours(value), theirs.is_valid(value), f"{rule} {value!r}: {ours(value)}")

    def test_a_whole_number_is_written_as_one(self):
        self.assertIn("must be integer", str(schema.compiled({"type": "integer"})(2.0)))
        self.assertTrue(schema.compiled({"pattern": "^a+$"})("a\n"))

    def test_damaged_documents_are_refused_as_by_the_library(self):
        sound, chooser, counts = mutations.sound(), random.Random(3), [0, 0]
        library = schemas.validator("results")
        file = self.folder / "a.json"
        for _ in range(200):
            file.write_bytes(chooser.choice((mutations.by_value, mutations.by_absence, mutations.by_name))(
                sound, chooser))
            try:
                document = read_json(file)
            except FileProblem:
                continue  # not JSON, or too deep for the library
            problem, theirs = schema.problem("results", document), library.is_valid(document)
            counts[theirs] += 1
            self.assertEqual(problem == "", theirs, problem)
        self.assertGreater(min(counts), 20, counts)

    def test_a_keyword_that_is_not_known_is_no_silent_rule(self):
        with self.assertRaisesRegex(ValueError, "minProperties"):
            schema.compiled({"properties": {"a": {"minProperties": 1}}})

    def test_a_problem_is_a_short_line_with_its_place(self):
        self.assertLess(len(schema.problem("results", {"context": {}, "benchmarks": [], "x" * 10**6: 1})), 400)
        self.assertEqual(schema.problem("results", {"context": {}, "benchmarks": []}), "context lacks date")
        document = good_document()
        document["benchmarks"][0]["iterations"] = 2
        self.assertEqual(schema.problem("results", document), "benchmarks[0].iterations must be 1 (2)")

    def test_every_schema_of_ours_is_one_that_is_understood(self):
        for file in (ROOT / "scripts/python/quartet/schemas").glob("*.json"):
            schemas.Draft202012Validator.check_schema(read_json(file))
            self.assertTrue(schema.problem(file.name.partition(".")[0], []))


class Results(unittest.TestCase):
    def test_each_rule_can_fail(self):
        iteration = {"run_type": "iteration"}
        median = {"aggregate_name": "median"}
        failed = {"error_occurred": True}
        breaks = {
            "no date": (None, lambda d: d["context"].pop("date")),
            "no commit": (None, lambda d: d["context"]["quartet"].pop("commit")),
            "placement without its host": (None, lambda d: d["context"]["quartet"]["placement"][0].pop("host")),
            "warnings are texts": (None, lambda d: d["context"]["quartet"].update(warnings=[1])),
            "a GPU without its ranks": (None, lambda d: d["context"]["quartet"]["gpus"][0].pop("ranks")),
            "third member": (None, lambda d: d.update(other={})),
            "no such run type": (iteration, lambda r: r.update(run_type="both")),
            "no time": (iteration, lambda r: r.update(real_time=0)),
            "half a rate": (iteration, lambda r: r.pop("bytes_per_second")),
            "unknown unit of time": (iteration, lambda r: r.update(time_unit="min")),
            "factors out of order": (iteration, lambda r: r.update(name="stream/host/native/shm/ranks:2/threads:1")),
            "unknown aggregate": (median, lambda r: r.update(aggregate_name="p99")),
            "cv is a percentage": ({"aggregate_name": "cv"}, lambda r: r.update(aggregate_unit="time")),
            "unknown phase": (median, lambda r: r["phases"].update(sleep=1)),
            "not verified, not said": (median, lambda r: r.pop("verified")),
            "fraction of no limit": (median, lambda r: r.pop("limit")),
            "components of which none decided": (median, lambda r: r.pop("limit_decided_by")),
            "error without tolerance": (median, lambda r: r.pop("tolerance")),
            "published without source": (median, lambda r: r.update(published={**fake_results.PUBLISHED, "source": ""})),
            "failed without a message": (failed, lambda r: r.pop("error_message")),
            "failed in a time": (failed, lambda r: r.update(real_time=1)),
            "failed under another's name": (failed, lambda r: r.update(name=fake_results.stream_name())),
        }
        self.assertEqual(schemas.problems("results", good_document()), [])
        for what, (wanted, change) in breaks.items():
            with self.subTest(what):
                document = good_document()
                change(document if wanted is None else row(document, **wanted))
                self.assertNotEqual(schema.problem("results", document), "")


class Published(unittest.TestCase):
    def test_every_file_passes(self):
        files = sorted((schemas.RESULTS / "published").glob("*.json"))
        self.assertNotEqual(files, [])
        for file in files:
            with self.subTest(file.name):
                document = schemas.read_strictly(file)
                self.assertEqual(schemas.problems("published", document), [])
                for number in document["numbers"]:
                    self.assertEqual({number["kernel"], number["match"]["kernel"]}, {file.stem})
                    if number["unit"] != "speed-up":
                        self.assertIn("nodes", number["match"])
                for number in document.get("orientation", []):
                    self.assertEqual(number["kernel"], file.stem)
                    self.assertLess(number["value"], number.get("peak", float("inf")))

    def test_stream_has_the_papers_numbers(self):
        document = schemas.read_strictly(schemas.RESULTS / "published" / "stream.json")
        found = {tuple(map(number.get, ("bound", "value", "machine", "memory", "protocol"))) for number in document["numbers"]}
        self.assertEqual(found, {
            ("above", 6000, "Tegner", "host", "rdma"), ("about", 1300, "Tegner", "device", "rdma"),
            ("below", 2300, "Kebnekaise", "device", "rdma"), ("about", 318, "Tegner", "device", "mpi"),
            ("about", 480, "Kebnekaise", "device", "mpi")})

    def test_each_rule_can_fail(self):
        breaks = {
            "no source": lambda d: d.pop("source"),
            "misspelt key": lambda d: d["numbers"][0].update(caveats="x"),
            "no value": lambda d: d["numbers"][0].update(value=0),
            "unit as printed": lambda d: d["numbers"][0].update(unit="MB/s"),
            "matches nothing": lambda d: d["numbers"][0].update(match={}),
            "a neighbour's speed-up": lambda d: d["orientation"][0].update(unit="speed-up"),
        }
        for what, change in breaks.items():
            with self.subTest(what):
                document = schemas.read_strictly(schemas.RESULTS / "published" / "stream.json")
                change(document)
                self.assertNotEqual(schema.problem("published", document), "")
