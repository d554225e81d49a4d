"""Tests of scripts/python/quartet_dev/peers/hpcc_fft.py with a fake hpcc."""

import math
import os
import sys
import unittest
from unittest import mock

from fake_build import FakeBuild
from fake_hpcc import HEADER, section
from quartet.launch import Files, LocalLauncher
from quartet_dev.peers import hpcc_fft
from quartet_dev.peers.hpcc_fft import MpiFft

# Transforms as many points as HPCC would for the input's matrix, after tests that want memory and
# before one that never ends. {folder}/calls has a line for each start and for each end from outside.
PROGRAM = """#!{python} -S
import resource, signal, sys, time
limit = resource.getrlimit(resource.RLIMIT_DATA)[0] // 2**20
def say(*words):
    with open({folder!r} + "/calls", "a") as calls:
        print(*words, file=calls)
def end(*_):
    say("ended")
    sys.exit(1)
signal.signal(signal.SIGTERM, end)
lines = open("hpccinf.txt").read().splitlines()
order, p, q, threshold = (lines[at].split()[0] for at in (5, 10, 11, 12))
say("started", p, q, threshold, limit)
points = 4 ** (int(q) - 1) * 2 ** ((int(order) ** 2 // (8 * int(q) ** 2)).bit_length() - 1)
output = open("hpccoutf.txt", "wb", buffering=0)
output.write({header!r}.encode() + b"Failed to allocate \\xff\\x00 doubles\\n")
if {starved} and limit > 0:
    sys.exit(1)
output.write({section!r}.replace("POINTS", str({points} or points).rjust(20)).encode())
time.sleep({seconds})
"""


class Reading(unittest.TestCase):
    def test_figures_are_those_of_its_section(self):
        found = hpcc_fft.figures(HEADER + "Gflop/s: 99\n" + section(points=2**24) + "Gflop/s: 98\n")
        self.assertEqual((found.ranks, found.points, found.forward, found.error, found.version),
                         (2, 2**24, 3.271, 1.96e-15, "1.5.0"))
        self.assertAlmostEqual(found.inverse, 5 * 2**24 * 24 / 0.604 * 1e-9)

    def test_section_that_is_not_whole_has_none(self):
        whole = section(points=2**24)
        for text in ("", HEADER, whole[:-10], whole[30:], whole.replace("Gflop/s", "Flop/s"),
                     whole.replace("1.960e-15", "nan"), whole.replace("3.271", "-1.000"),
                     whole.replace("16777216", "many"), whole.replace("16777216", "0")):
            self.assertIsNone(hpcc_fft.figures(text), text)

    def test_check_is_its_own(self):
        # Its bound: the error over ln N and half of the machine's epsilon is below 16.
        bound = 16 * math.log(2**24) * 2.0**-53
        for error, verified in ((0.99 * bound, True), (1.01 * bound, False)):
            found = hpcc_fft.figures(section(points=2**24, error=f"{error:.6e}"))
            self.assertIs(found.verified, verified)

    def test_faster_of_both_directions_is_the_row(self):
        for inverse, rate in (("0.900", 3.271), ("0.300", 5 * 2**24 * 24 / 0.3 * 1e-9)):
            (row,) = MpiFft(2**24).cases(HEADER + section(points=2**24, inverse=inverse))
            self.assertAlmostEqual(row.rate, rate)
        self.assertEqual((row.unit, row.verified, row.name.formulation, row.name.size),
                         ("GFLOP/s", True, "library", str(2**24)))
        self.assertIn("HPCC 1.5.0", row.note)

    def test_time_of_few_digits_is_none(self):
        (row,) = MpiFft(2**16).cases(section(points=2**16, inverse="0.001", rate="4.000"))
        self.assertEqual(row.rate, 4.0)

    def test_another_size_is_no_row(self):
        self.assertEqual(MpiFft(2**22).cases(section(points=2**24)), [])


class Running(FakeBuild):
    def setUp(self):
        super().setUp()
        path = mock.patch.dict(os.environ, {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"})
        path.start()
        self.addCleanup(path.stop)
        self.files = Files(self.folder / "1.out", self.folder / "1.log")

    def hpcc(self, text="", starved=False, points=0, seconds=60):
        self.write("bin/hpcc", PROGRAM.format(
            python=sys.executable, folder=str(self.folder), starved=starved, header=HEADER,
            section=text or section(), points=points, seconds=seconds))

    def complete(self, points=2**24, ranks=2, timeout=30):
        launcher = LocalLauncher(self.folder / "launcher")
        return MpiFft(points).complete(launcher, ranks, self.files, timeout)

    def calls(self):
        return [line.split() for line in (self.folder / "calls").read_text().splitlines()]

    def test_each_size_is_what_was_asked_for(self):
        self.hpcc()
        for power in (16, 20, 21, 22, 24, 26, 28):
            outcome = self.complete(2**power)
            self.assertEqual((outcome.exit_code, outcome.message), (0, ""), power)
        for call in self.calls():
            if call[0] == "started":
                self.assertEqual(call[1:4], ["1", "2", "16.0"])

    def test_what_comes_after_is_not_waited_for(self):
        self.hpcc()
        outcome = self.complete()
        self.assertEqual(outcome.exit_code, 0)
        self.assertLess(outcome.seconds, 10)
        self.assertEqual(self.calls()[-1], ["ended"])
        (row,) = MpiFft(2**24).cases(self.files.document.read_text(encoding="utf-8"))
        self.assertEqual(row.verified, True)

    def test_memory_is_limited_between_its_own_and_what_others_want(self):
        self.hpcc()
        self.complete(2**24)
        limit = int(self.calls()[0][4])  # MiB
        self.assertGreater(limit, 448 + 20)
        self.assertLess(limit, 512)

    def test_small_size_has_no_limit(self):
        self.hpcc()
        self.complete(2**20)
        self.assertLessEqual(int(self.calls()[0][4]), 0)

    def test_one_that_starves_is_asked_again_without_a_limit(self):
        self.hpcc(starved=True)
        self.assertEqual(self.complete().exit_code, 0)
        limits = [int(call[4]) for call in self.calls() if call[0] == "started"]
        self.assertEqual(len(limits), 2)
        self.assertGreater(limits[0], 0)
        self.assertLessEqual(limits[1], 0)

    def test_failures_are_told_apart(self):
        for code, words, fake_results in (
                (1, "own check failed", {"text": section(error="1.0e-10")}),
                (3, "1024 points on 2", {"points": 1024}),
                (3, "on 4 ranks", {"text": section(ranks=4)}),
                (3, "without figures", {"text": "nothing", "seconds": 0})):
            self.hpcc(**fake_results)
            outcome = self.complete()
            self.assertEqual(outcome.exit_code, code, outcome)
            self.assertIn(words, outcome.message)

    def test_one_that_hangs_is_ended(self):
        self.hpcc(text="nothing")
        outcome = self.complete(timeout=1)
        self.assertEqual(outcome.exit_code, 3)
        self.assertLess(outcome.seconds, 10)
        self.assertEqual(self.calls()[-1], ["ended"])

    def test_is_unavailable_where_it_is_not_installed(self):
        with mock.patch("quartet_dev.peers.hpcc_fft.shutil.which", return_value=None):
            outcome = self.complete()
        self.assertEqual((outcome.exit_code, outcome.seconds), (77, 0.0))
        self.assertIn("hpcc is not installed", outcome.message)
