"""Tests of scripts/python/quartet/results/statistics.py, exact and by seeded simulation."""

import itertools
import random
import unittest

from quartet.results import statistics as statistic


def drawn(draw, count, spread, rate=1.0):
    return [rate * draw.lognormvariate(0, spread) for _ in range(count)]


class Ratios(unittest.TestCase):
    def test_ratio_is_the_median_of_all_ratios(self):
        found = statistic.ratio([1.0, 2.0, 4.0, 8.0], [3.0, 6.0, 12.0, 24.0])
        self.assertEqual(found.value, 3)
        self.assertEqual(found.interval, (0.375, 24))  # of 4 and 4 only all or none

    def test_too_few_values_have_no_interval(self):
        self.assertIsNone(statistic.ratio([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).interval)
        self.assertIsNone(statistic.ratio([1.0] * 4, [1.0] * 4, 0.022).interval)
        self.assertIsNone(statistic.median_interval([1.0, 2.0, 3.0, 4.0, 5.0]))
        self.assertEqual(statistic.median_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), (1, 6))
        self.assertEqual(statistic.median_interval(list(range(10))), (1, 8))

    def test_interval_leaves_out_one_where_the_exact_test_rejects(self):
        orders = list(itertools.combinations(range(10), 5))  # places of the first sample
        sums = sorted(map(sum, orders))
        for error in (0.05, 0.022):
            for order in orders[::7]:
                tail = min(sum(each <= sum(order) for each in sums), sum(each >= sum(order) for each in sums))
                first = [2.0 ** place for place in order]
                second = [2.0 ** place for place in range(10) if place not in order]
                low, high = statistic.ratio(first, second, error).interval
                self.assertEqual(2 * tail / len(sums) <= error, not low <= 1 <= high, order)

    def test_interval_of_many_values_covers_the_ratio_as_often_as_it_says(self):
        draw, held = random.Random(1), 0
        for _ in range(200):
            low, high = statistic.ratio(drawn(draw, 25, 0.1), drawn(draw, 25, 0.1, 1.2)).interval
            held += low <= 1.2 <= high
        self.assertTrue(0.91 * 200 <= held < 200, held)


class Planning(unittest.TestCase):
    def test_that_many_values_settle_the_difference_in_four_of_five_comparisons(self):
        count = statistic.values_for(0.05, 0.03)
        draw, settled = random.Random(3), 0
        for _ in range(200):
            low, high = statistic.ratio(drawn(draw, count, 0.03), drawn(draw, count, 0.03)).interval
            settled += low >= 1 / 1.05 and high <= 1.05
        self.assertGreater(settled / 200, 0.7)
        self.assertLess(settled / 200, 0.95)  # fewer would do
