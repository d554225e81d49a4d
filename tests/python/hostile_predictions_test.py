"""Tests that no machine file, flag or document makes quartet predict fail in another way than by a
line and an exit code of the contract."""

import json
import random
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import mutations
from in_process import FAULT, run
from predicted_machine import MODELS, RATES, file, rate
from quartet.commands import predict

DIGITS = "9" * 400
SEED, COUNT = 1, 60


class HostileCase(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.file = self.folder / "machine.json"
        self.write(file(0.1))
        few = mock.patch("quartet.predict.machine.SAMPLES", 20)  # more take longer and fail no other way
        few.start()
        self.addCleanup(few.stop)

    def write(self, data):
        self.file.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")

    def predict(self, *arguments, kernel="cg", sizes="4096", ranks="1,4"):
        return run(predict, self.file, kernel, "--sizes", sizes, "--ranks", ranks, *arguments)

    def refused(self, *arguments, word="", **flags):
        code, output, errors = self.predict(*arguments, **flags)
        self.assertEqual((code, output, len(errors.splitlines())), (2, "", 1),
                         (arguments, flags, errors[:300]))
        self.assertNotIn(FAULT, errors)
        self.assertIn(word, errors)


class Files(HostileCase):
    def test_rates_that_are_none_are_refused(self):
        for change in ({"latency_seconds": value} for value in (
                1, None, "1", [], {}, {"value": 1}, {**rate(1), "value": "1"}, {**rate(1), "value": True},
                rate(0), rate(-1), rate(1e30), rate(1e-30), rate(1, -0.1), rate(1, 10), rate(1, "x"),
                {**rate(1), "source": ""}, {**rate(1), "source": 3}, {**rate(1), "more": 1},
                {**rate(1), "source": "a\x1b[2J"}, {**rate(1), "source": "x" * 400})):
            data = file()
            data["rates"].update(change)
            self.write(data)
            self.refused()
        for key, value in (("colour", rate(1)), ("ranks_per_node", 0), ("ranks_per_node", 1.5),
                           ("staged_through_host", "yes"), ("bisection", {}), ("bisection", [rate(1)]),
                           ("bisection", [{**rate(1.5), "nodes": 2}]),
                           ("bisection", [{**rate(0.5), "nodes": 0}])):
            data = file()
            data["rates"][key] = value
            self.write(data)
            self.refused()

    def test_numbers_that_no_document_has_are_refused(self):
        text = json.dumps(file())
        for number in ("NaN", "Infinity", "1e999", DIGITS, "-" + DIGITS, "[" * 10**5):
            self.write(text.replace("1e-06", number, 1))
            self.refused(word="machine.json")

    def test_what_is_missing_is_named(self):
        for name in RATES:
            self.write(file(**{name: None}))
            for kernel in MODELS:
                for ranks in ("2", "64"):
                    code, _, errors = self.predict(kernel=kernel, ranks=ranks)
                    self.assertIn(code, (0, 2))
                    self.assertNotIn(FAULT, errors)
                    if code == 2:
                        self.assertRegex(errors, rf"^quartet: no {name} \(.*--from\)\n$")

    def test_extremes_are_no_faults(self):
        for value in (1e-15, 1e18):
            self.write(file(9.0, **dict.fromkeys(RATES, value)))
            for name, model in MODELS.items():
                for formulation in model.formulations:
                    for sizes in ("1", "2^40"):
                        code, _, errors = self.predict("--formulation", formulation, kernel=name,
                                                       sizes=sizes, ranks="3,1000000")
                        self.assertEqual(code, 0, (name, formulation, sizes, errors))


class Flags(HostileCase):
    def test_values_that_are_none_are_refused(self):
        for sizes in ("", "0", "x", "-1", DIGITS, "2^", "2^x", "4096,", "\u00b2"):
            for kernel in MODELS:
                self.refused(kernel=kernel, sizes=sizes)
        for ranks in ("", "0", "x", "1:x", "1:" + DIGITS, "99999999", "-1", "\u00b2", "1:2:3", "cores"):
            self.refused(ranks=ranks, word="ranks")
        for arguments in (("--formulation", "x"), ("--ranks-per-node", "0"), ("--arguments", "--x 1"),
                          ("--arguments", "x"), ("--arguments", "--iterations"), ("--arguments", "'"),
                          ("--arguments", "--iterations 0"), ("--arguments", "--iterations " + DIGITS),
                          ("--arguments", "--storage x"), ("--seed", "1"),
                          ("--json", self.file), ("--json", self.folder), ("--from", self.folder / "no"),
                          ("--from", self.file)):
            code, output, errors = self.predict(*arguments)
            self.assertEqual((code, output), (2, ""), (arguments, errors))
            self.assertNotIn(FAULT, errors)
        self.refused(kernel="x", word="kernel 'x'")
        self.refused("--weak", kernel="stream", word="--weak")
        self.refused(sizes=",".join(map(str, range(1, 400))), word="500")

    def test_nothing_given_is_refused(self):
        for arguments in ((), (self.file,), (self.file, "cg"), (self.file, "cg", "--sizes", "1")):
            code, output, errors = run(predict, *arguments)
            self.assertEqual((code, output, len(errors.splitlines())), (2, "", 1))


class Documents(HostileCase):
    def test_mutations_are_used_or_left_out(self):
        path = self.folder / "bad.json"
        for number, data in enumerate(mutations.mutations(random.Random(SEED), COUNT)):
            path.write_bytes(data)
            with self.subTest(number):
                code, _, errors = self.predict("--from", path, ranks="4")
                self.assertIn(code, (0, 2), errors)
                self.assertNotIn(FAULT, errors)
                self.assertNotIn("Traceback", errors)
