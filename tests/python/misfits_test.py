"""Tests of scripts/python/quartet/misfits.py: which rows do not fit the others."""

import unittest

import fake_results
from quartet.misfits import judged
from quartet.results import cases


def judge(*rows):
    """The judged cases of documents of one row each, as different programs leave them."""
    return judged([case for row in rows for case in cases(fake_results.document(row))])


def stream(fraction, formulation="native", transport="mpi", size="2MiB", **more):
    return fake_results.case(fake_results.stream_name(formulation, transport, size), 10000,
                             fraction_of_limit=fraction, **more)


class BelowTheLibrary(unittest.TestCase):
    def test_a_row_below_half_of_it_is_flagged(self):
        for fraction, mark in ((0.39, "?"), (0.41, "")):
            native, library = judge(stream(fraction), stream(0.8, "library"))
            self.assertEqual((native.mark, library.mark), (mark, ""))
        self.assertEqual(judge(stream(0.05), stream(0.8, "library"))[0].flags["below_library"],
                         "5% of its limit, the library formulation 80%")

    def test_only_what_did_the_same_work_is_compared(self):
        def name(formulation, storage, own):
            return f"cg/{formulation}/host/mpi/laplace/{storage}/n:64{own}/ranks:2/threads:1"

        def marks(*names):
            return [case.mark for case in judge(*(
                fake_results.case(text, 10, "GFLOP/s", fraction_of_limit=fraction)
                for text, fraction in zip(names, (0.1, 0.8))))]

        self.assertEqual(marks(name("native", "symmetric", ""), name("library", "full", "")),
                         ["", ""])
        self.assertEqual(marks(name("native", "full", "/queue:16"),
                               name("library", "full", "/plan:estimate")), ["?", ""])

    def test_a_library_row_that_is_distrusted_judges_nothing(self):
        self.assertEqual([case.mark for case in judge(
            stream(0.1), stream(0.8, "library", distrusted=True))], ["", "?"])


class BelowTheNeighbours(unittest.TestCase):
    def marks(self, *fractions):
        rows = (stream(fraction, size=f"{2**power}MiB")
                for power, fraction in enumerate(fractions, 1))
        return "".join(case.mark or "." for case in judge(*rows))

    def test_rows_far_below_the_next_size_are_flagged(self):
        self.assertEqual(self.marks(0.8, 0.8, 0.3, 0.8), "..?.")
        self.assertEqual(self.marks(0.3, 0.8, 0.8), "...")
        self.assertEqual(self.marks(0.9, 0.9, 0.18, 0.16), "..??")

    def test_a_steady_trend_is_none(self):
        self.assertEqual(self.marks(0.2, 0.35, 0.6, 0.9), "....")

    def test_rows_above_their_limit_are_no_measure(self):
        self.assertEqual(self.marks(0.5, 1.4, 0.5), ".!.")


class TwoSpeeds(unittest.TestCase):
    def marks(self, runs):
        return judge(fake_results.case(fake_results.stream_name(), runs))[0].mark

    def test_runs_in_two_groups_are_flagged(self):
        self.assertEqual(self.marks([2300.0] * 6 + [11700.0] * 4), "?")
        self.assertEqual(self.marks([2300.0] * 2 + [11700.0] * 8), "?")

    def test_one_outlier_and_a_wide_spread_are_not(self):
        self.assertEqual(self.marks([2300.0] + [11700.0] * 9), "")
        self.assertEqual(self.marks([5000.0 * 1.3**power for power in range(10)]), "")

    def test_one_slow_minute_is_seen_in_every_row_that_it_hit(self):
        runs = [10000.0] * 6 + [4000.0] * 3 + [10000.0]
        found = judge(*(fake_results.case(fake_results.stream_name(size=size), runs)
                        for size in ("2MiB", "4MiB")))
        self.assertEqual([case.mark for case in found], ["?", "?"])
        self.assertEqual(found[0].flags["two_speeds"],
                         "two speeds: 3 of 10 runs at 4000 to 4000, the others at 10000 to 10000")
