"""Tests of what a model leaves unexplained: invented sweeps, whose truth is known."""

import itertools
import random
import unittest
from dataclasses import replace
from functools import cache

import fake_results
from predicted_machine import machine, work
from quartet.predict.residue import unexplained
from quartet.results import Launches, cases

RANKS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
MACHINE = machine(uncertainty=0.05)


@cache
def model(ranks, size=4096):
    return MACHINE.predict(work("cg", ranks, size, transport="mpi"))


def launches(ranks, rates, size=4096):
    """A point as a sweep measures it, a launch for each rate."""
    name = f"cg/native/host/mpi/laplace/full/classic/n:{size}/iterations:500/ranks:{ranks}/threads:1"
    return Launches(tuple(cases(fake_results.document(fake_results.case(name, rate, "GFLOP/s", workers=ranks)))[0]
                          for rate in rates))


def sweep(first=0, noise=0.0, seed=1, ranks=RANKS, sizes=(4096,), **longer):
    """Points of which parts of the time are so many times as long as in the model, from `first` ranks on."""
    source = random.Random(seed)
    series = []
    for size, count in itertools.product(sizes, ranks):
        expected = model(count, size)
        extra = sum((times - 1) * getattr(expected.duration, part) for part, times in longer.items() if count >= first)
        rate = expected.rate * expected.duration.total / (expected.duration.total + extra)
        series.append((launches(count, [rate * (1 + source.gauss(0, noise)) for _ in range(4)], size), expected))
    return series


class Residue(unittest.TestCase):
    def test_nothing_is_said_of_what_the_model_explains(self):
        self.assertEqual(unexplained(sweep()), "")
        self.assertEqual(unexplained(sweep(noise=0.01)), "")
        self.assertEqual(unexplained([]), "")

    def test_faster_than_expected_leaves_nothing(self):
        self.assertEqual(unexplained(sweep(compute=0.5, bandwidth=0.5)), "")

    def test_latency_that_is_added_from_64_ranks_on(self):
        self.assertRegex(unexplained(sweep(first=64, latency=10)),
                         r"^model \d+% \(\d+-\d+%\), \d+% unexplained at 4096 on 64 ranks, "
                         r"first at 64 ranks, in latency$")

    def test_bandwidth_that_is_halved(self):
        self.assertRegex(unexplained(sweep(bandwidth=2)), "on 1024 ranks, first at (32|64) ranks, in bandwidth$")

    def test_memory_that_is_slower(self):
        self.assertRegex(unexplained(sweep(compute=1.7)), "on 4 ranks, first at 4 ranks, in computing$")

    def test_sums_of_ranks_that_take_longer(self):
        self.assertRegex(unexplained(sweep(overhead=100)), "on 1024 ranks, first at .* ranks, in overhead$")

    def test_several_sizes_tell_together(self):
        self.assertRegex(unexplained(sweep(first=64, sizes=(4096, 8192), latency=10)), "first at 64 ranks, in latency$")

    def test_share_and_band_are_of_the_worst_point(self):
        half = [(launches(count, [model(count).rate / 2]), model(count)) for count in RANKS]
        self.assertRegex(unexplained(half), r"^model 50% \(4\d-5\d%\), 50% unexplained")

    def test_a_single_point_tells_no_parts_apart(self):
        self.assertRegex(unexplained(sweep(ranks=(256,), latency=20)),
                         "first at 256 ranks, in computing or latency or bandwidth or overhead: not told apart$")

    def test_what_only_one_part_can_take_is_in_that(self):
        self.assertRegex(unexplained(sweep(ranks=(1,), compute=1.7)), "on 1 rank, first at 1 rank, in computing$")

    def test_what_grows_as_no_part_is_said_to(self):
        odd = [(launches(count, [model(count).rate / (3 if count in (16, 256) else 1.2)]), model(count))
               for count in RANKS]
        self.assertIn("in no part of the model alone", unexplained(odd))

    def test_noise_names_no_wrong_part(self):
        named = 0
        for seed in range(60):
            text = unexplained(sweep(first=64, noise=0.03, seed=seed, latency=10))
            self.assertNotRegex(text, r"in (computing|bandwidth|overhead)$")
            named += text.endswith("in latency")
        self.assertGreater(named, 50)

    def test_two_causes_are_not_called_one(self):
        self.assertRegex(unexplained(sweep(compute=1.6, latency=30)), "in no part of the model alone$")

    def test_disturbed_launches_do_not_count(self):
        series = sweep()
        bad = launches(64, [0.001]).case.with_row(distrusted=True,
                                                         flags=[{"kind": "disturbed", "text": "others"}])
        series = [(replace(point, cases=(*point.cases, replace(bad, rate=0.001))), expected)
                  for point, expected in series]
        self.assertEqual(unexplained(series), "")
