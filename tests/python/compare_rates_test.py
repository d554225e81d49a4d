"""How often quartet compare errs, by seeded simulation of launches that differ by more than their
runs tell: false alarms between equal programs, and differences of 10% that it sees."""

import random
import statistics
import unittest

from compare_case import NAME
from quartet.commands import compare as command
from quartet.compare.pairs import Sample, ResultSet, Verdict, compare
from quartet.results import Row, Name
from quartet.results.statistics import ERROR

WITHIN = 0.01  # spread of a launch's runs
CALLED_DIFFERENT = (Verdict.FASTER, Verdict.SLOWER)


def side(draw, launches, between, rate=1000.0):
    rows = []
    for _ in range(launches):
        level = rate * draw.lognormvariate(0, between)
        runs = tuple(level * draw.lognormvariate(0, WITHIN) for _ in range(10))
        rows.append(Row(Name.parse(NAME), unit="MiB/s", rate=statistics.median(runs), rates=runs,
                          median={"verified": True}))
    return ResultSet("", samples={NAME: Sample(tuple(rows))})


def first_launches(whole, count):
    return ResultSet("", samples={NAME: Sample(whole.samples[NAME].rows[:count])})


def share(verdicts, wanted=CALLED_DIFFERENT):
    return sum(verdict in wanted for verdict in verdicts) / len(verdicts)


class Rates(unittest.TestCase):
    def verdicts(self, launches, between, gain=1.0, threshold=0.0, count=400):
        draw = random.Random(1)
        return [compare(side(draw, launches, between), side(draw, launches, between, 1000 * gain),
                        threshold)[0].verdict for _ in range(count)]

    def test_equal_programs_differ_in_no_more_than_one_of_twenty_comparisons(self):
        for launches in (4, 6):
            self.assertLessEqual(share(self.verdicts(launches, 0.05, count=1500)), 0.055, launches)

    def test_a_threshold_beyond_the_noise_leaves_no_false_alarm(self):
        self.assertEqual(share(self.verdicts(4, 0.01, threshold=0.05)), 0)

    def test_ten_per_cent_are_seen_where_launches_differ_by_two(self):
        self.assertGreaterEqual(share(self.verdicts(4, 0.02, 1.1, 0.05), (Verdict.FASTER,)), 0.95)
        self.assertGreaterEqual(share(self.verdicts(4, 0.02, 1 / 1.1, 0.05), (Verdict.SLOWER,)), 0.95)

    def test_looking_three_times_errs_no_more_often_than_once(self):
        draw, alarms, count = random.Random(2), 0, 400
        for _ in range(count):
            whole = [side(draw, max(command.STAGES), 0.05) for _ in "ab"]
            alarms += any(compare(*(first_launches(each, look) for each in whole), 0.0,
                                  command.STAGE_ERROR)[0].verdict in CALLED_DIFFERENT
                          for look in command.STAGES)
        self.assertLessEqual(alarms / count, ERROR + 0.02)
