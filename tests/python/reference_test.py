"""Tests of quartet reference, and of the references that are in the tree."""

import json
import tempfile
import unittest
from pathlib import Path

import fake_results
import schemas
from in_process import quartet
from quartet.results import cases, collect, device, load
from quartet_dev.commands.reference import MEASURED

NAME = fake_results.stream_name()


class Choosing(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "sweep").mkdir()

    def launch(self, number, *rows, device_description="A CPU; BLAS"):
        document = fake_results.document(*rows)
        document["context"]["quartet"]["device_description"] = device_description
        file = self.folder / "sweep" / f"000-stream-launch{number}.json"
        file.write_text(json.dumps(document))
        return file

    def reference(self):
        return quartet("reference", self.folder / "sweep", "--measured", self.folder / "measured")

    def test_middle_launch_is_taken_as_it_is_and_replaces_what_was_there(self):
        for rates in ((900, 1000, 990), (300, 100, 200)):
            files = [self.launch(number, fake_results.case(NAME, rate))
                     for number, rate in enumerate(rates, 1)]
            self.assertEqual(self.reference().returncode, 0)
            there = list((self.folder / "measured" / "a-cpu-4-cpus").iterdir())
            self.assertEqual([file.name for file in there], ["000-stream.json"])
            self.assertEqual(there[0].read_bytes(), files[2].read_bytes())

    def test_what_is_no_reference_is_refused(self):
        good = fake_results.case(NAME, 1000)
        bad = {"failed": fake_results.error(NAME, "no window"),
               "is not verified": fake_results.case(NAME, 1000, verified=None)}
        for reason, rows in bad.items():
            for number in (1, 2, 3):
                self.launch(number, rows if number == 2 else good)
            self.assert_refused(reason)
        self.launch(2, good, device_description="another")
        self.assert_refused("several devices")
        self.launch(2, good).unlink()
        self.assert_refused("fewer than 3 launches")
        self.launch(2, good).write_text("{")
        self.assert_refused("not a whole JSON document")

    def assert_refused(self, reason):
        done = self.reference()
        self.assertEqual(done.returncode, 2)
        self.assertIn(reason, done.stderr)
        self.assertFalse((self.folder / "measured").exists())


class InTheTree(unittest.TestCase):
    def test_each_folder_is_of_one_device(self):
        folders = [path for path in MEASURED.iterdir() if path.is_dir()]
        for folder in folders:
            found = collect([folder])
            self.assertEqual(found.skipped, [])
            self.assertEqual(len({device(document) for _, document in found.documents}), 1)

    def test_every_document_obeys_the_schema_and_was_verified(self):
        for file in MEASURED.rglob("*.json"):
            with self.subTest(file.name):
                self.assertEqual(schemas.problems("results", schemas.read_strictly(file)), [])
                document = load(file)
                self.assertTrue(all(case.verified for case in cases(document)))
                self.assertNotIn("dirty", document["context"]["quartet"]["commit"])

    def test_a_case_has_one_reference(self):
        for folder in (path for path in MEASURED.iterdir() if path.is_dir()):
            names = [case.text for _, document in collect([folder]).documents
                     for case in cases(document)]
            self.assertEqual(len(names), len(set(names)))
