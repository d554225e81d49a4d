"""Tests of quartet.results: which files are documents, and why the others are not."""

import json

import fake_results
from fake_build import Scratch
from quartet.results import rows_of, collect, load


class Documents(Scratch):
    def good(self):
        return fake_results.document(fake_results.case(fake_results.stream_name(), 10000),
                                fake_results.error(fake_results.stream_name(transport="rma"), "no window"))

    def write(self, name, document):
        return super().write(name, document if isinstance(document, str) else json.dumps(document))

    def changed(self, change):
        document = self.good()
        change(document)
        return document

    def test_what_is_no_document_is_refused_with_path_and_reason(self):
        bad = {
            "not a whole JSON document": json.dumps(self.good())[:-20],
            "no context and benchmarks": [],
            "no schema version of its own": self.changed(lambda d: d["context"].pop("quartet")),
            "schema version 3 .*use a newer quartet": self.changed(
                lambda d: d["context"]["quartet"].update(schema_version=3)),
            "benchmarks.0. lacks run_name": self.changed(lambda d: d["benchmarks"][0].pop("run_name")),
            "benchmarks.0. lacks MiB/s": self.changed(lambda d: d["benchmarks"][0].pop("MiB/s")),
            "benchmarks.*must be object": self.changed(lambda d: d["benchmarks"].append("row")),
            "benchmarks must be array": self.changed(lambda d: d.update(benchmarks={})),
        }
        for reason, document in bad.items():
            with self.subTest(reason):
                file = self.write("bad.json", document)
                with self.assertRaisesRegex(ValueError, f"{file}: .*{reason}"):
                    load(file)

    def test_good_document_is_read_as_written(self):
        self.assertEqual(load(self.write("good.json", self.good())), self.good())

    def test_marks_follow_the_flags(self):
        for kinds, distrusted, fraction, mark in (
                ((), False, 0.8, ""), ((), False, 1.2, "!"), (("disturbed",), True, 0.8, "?"),
                (("disturbed",), False, 0.8, ""), (("above_limit",), False, 1.2, "!"),
                (("above_limit", "unsteady"), True, 1.2, "?"), (("held_back",), False, 0.8, "")):
            rows = fake_results.case(fake_results.stream_name(), 10000, fraction_of_limit=fraction,
                                     flags=[{"kind": kind, "text": "why"} for kind in kinds],
                                     distrusted=distrusted)
            case, = rows_of(fake_results.document(rows))
            self.assertEqual(case.mark, mark, kinds)
            self.assertEqual(case.flags, dict.fromkeys(kinds, "why"))
            self.assertEqual(case.doubts, ["why"] * len({*kinds} - {"above_limit"}))

    def test_figures_that_are_no_numbers_are_refused_with_path_and_reason(self):
        for key, value, reason in (("real_time", 0, "real_time must be at least"),
                                   ("workers", "two", "workers must be integer .'two'"),
                                   ("limit", {"what": "add"}, "limit lacks seconds")):
            with self.subTest(key):
                document = self.good()
                next(row for row in document["benchmarks"] if row.get("aggregate_name") == "median")[key] = value
                with self.assertRaisesRegex(ValueError, f"bad.json: not as the schema .*{reason}"):
                    load(self.write("bad.json", document))

    def test_folders_are_searched_and_what_cannot_be_used_is_named(self):
        good = [self.write("a.json", self.good()), self.write("below/b.json", self.good())]
        bad = self.write("c.json", "{")
        self.write("notes.txt", "no JSON")
        missing = self.folder / "missing.json"
        found = collect([self.folder, missing])
        self.assertEqual(sorted(path for path, _ in found.documents), good)
        self.assertEqual(len(found.skipped), 2)
        self.assertIn(str(bad), found.skipped[0])
        self.assertIn(str(missing), found.skipped[1])
