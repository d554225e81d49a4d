"""Tests that no document, however damaged, makes a script fail in another way than it should: by a line
and an exit code of the contract. Everything runs in this process, hundreds of times."""

import csv
import io
import json
import os
import random
import re

import mutations
from hostile_paths_test import SoundDocument
from in_process import FAULT, run
from quartet.commands import compare, history, report, table
from quartet.results import load

CODES = {0, 1, 2, 3, 4, 77}
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]")  # by a terminal
SEED, COUNT = 1, int(os.environ.get("QUARTET_MUTATIONS", "40"))

csv.field_size_limit(2**24)


class HostileCase(SoundDocument):
    def setUp(self):
        super().setUp()
        self.bad = self.folder / "bad.json"

    def runs(self):
        """Every way in which the document is read, with the output's kind."""
        page = self.folder / "report" / "index.html"
        yield "table", run(table, self.bad)
        yield "table", run(table, "--all", self.bad, self.good)
        for kind in ("csv", "markdown"):
            yield kind, run(table, f"--{kind}", self.bad, self.good)
        yield "compare", run(compare, self.good, self.bad)
        yield "compare", run(compare, self.bad, self.good)
        yield "report", run(report, self.bad, self.good, "--output", page)

    def assert_sound(self, kind, result):
        code, output, errors = result
        self.assertIn(code, CODES, errors)
        self.assertNotIn(FAULT, errors)
        self.assertNotIn("Traceback", errors)
        for text in (output, errors):
            found = OBEYED.search(text)
            self.assertIsNone(found, f"{kind}: {found}: {text[:500]!r}")
        if kind == "csv":
            for row in csv.reader(io.StringIO(output)):
                self.assertFalse([cell for cell in row if cell.lstrip().startswith(("=", "@"))])


class Documents(HostileCase):
    def test_the_sound_one_is_read_whole(self):
        self.bad.write_text(json.dumps(mutations.sound()))
        load(self.bad)
        for kind, result in self.runs():
            self.assertIn(result[0], (0, 4), f"{kind}: {result[2]}")
            self.assertNotIn("left out", result[2])

    def test_mutations_are_used_or_left_out_with_the_reason(self):
        refused = 0
        for number, data in enumerate(mutations.mutations(random.Random(SEED), COUNT)):
            self.bad.write_bytes(data)
            with self.subTest(number):
                for kind, result in self.runs():
                    self.assert_sound(kind, result)
                code, _, errors = run(table, self.bad)
                refused += code == 2
                if code == 2:  # one line, with the file and why
                    self.assertRegex(errors, r"^quartet: left out \S+bad\.json: .+\n$")
        # Else the mutations would try nothing, or everything would be refused for one reason.
        self.assertTrue(COUNT / 4 < refused < COUNT, refused)


class Facts(HostileCase):
    def test_facts_that_are_none_or_too_many_are_left_out_with_the_reason(self):
        for system, why in (({"memory_bytes": "many"}, "memory_bytes must be integer"), ({"memory_bytes": [1]}, "memory_bytes"),
                            ({"memory_bytes": None}, "memory_bytes"), ({"memory_bytes": 2**64}, "memory_bytes must be at most"),
                            ({f"fact {number}": "x" * 1000 for number in range(1000)}, "characters of facts")):
            document = mutations.sound()
            document["context"]["quartet"]["system"] = system
            self.bad.write_text(json.dumps(document))
            for kind, result in (*self.runs(), ("history", run(history, self.folder))):
                self.assert_sound(kind, result)
                self.assertIn("bad.json: ", result[2], kind)
                self.assertIn(why, result[2], kind)


class Cells(HostileCase):
    def test_text_moves_no_cursor_and_is_no_formula(self):
        document = mutations.sound()
        document["context"]["host_name"] = "=1+1\x1b[2J"
        document["context"]["quartet"]["warnings"] = [mutations.ESCAPE]
        document["benchmarks"][-1]["error_message"] = "\t=1+1" + mutations.ESCAPE
        self.bad.write_text(json.dumps(document))
        for kind, result in self.runs():
            self.assert_sound(kind, result)
        _, output, _ = run(table, "--all", self.bad)
        self.assertIn("\\x1b]0;owned", output)
