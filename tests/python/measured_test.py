"""Tests of the results that are in the tree: results/measured."""

import unittest

import schemas
from quartet.results import rows_of, collect, device, load
from tree import ROOT

MEASURED = ROOT / "results" / "measured"


class InTheTree(unittest.TestCase):
    def test_each_folder_is_of_one_device_and_has_a_case_once(self):
        folders = [path for path in MEASURED.iterdir() if path.is_dir()]
        for folder in folders:
            found = collect([folder])
            self.assertEqual(found.skipped, [])
            self.assertEqual(len({device(document) for _, document in found.documents}), 1)
            names = [row.text for _, document in found.documents for row in rows_of(document)]
            self.assertEqual(len(names), len(set(names)))

    def test_every_document_obeys_the_schema_and_was_verified(self):
        for file in MEASURED.rglob("*.json"):
            with self.subTest(file.name):
                self.assertEqual(schemas.problems("results", schemas.read_strictly(file)), [])
                document = load(file)
                self.assertTrue(all(row.verified for row in rows_of(document)))
                self.assertNotIn("dirty", document["context"]["quartet"]["commit"])
