"""Tests of scripts/compare.py and of its statistics, on fake documents."""

import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import fake_results

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
from quartet import statistics as statistic  # noqa: E402
from quartet.compare import slow_ranks  # noqa: E402

PYTHON_WITH_SCIPY = os.environ.get("QUARTET_PYTHON_WITH_SCIPY")
GOOGLE_S = next((path for path in (Path("/usr/share/benchmark/compare.py"),
                                   Path("/usr/local/share/benchmark/compare.py"),
                                   Path("/usr/share/googlebenchmark/tools/compare.py"),
                                   Path("/usr/local/share/googlebenchmark/tools/compare.py"))
                 if path.exists()), None)
NAME = fake_results.stream_name()


def around(rate, runs=10, spread=0.01):
    """Rates that are a little apart, the same each time."""
    return [rate * (1 + spread * (2 * index / (runs - 1) - 1)) for index in range(runs)]


class Statistics(unittest.TestCase):
    def test_small_samples_are_tested_exactly(self):
        first, second = [1.0, 2.0, 4.0], [3.0, 5.0, 6.0, 7.0]
        orders = list(itertools.combinations(range(7), 3))  # places of the first sample
        wins = [sum(place - index for index, place in enumerate(order)) for order in orders]
        extreme = sum(each <= 1 for each in wins)  # first wins once, 4 over 3
        self.assertAlmostEqual(statistic.u_test(first, second), 2 * extreme / len(orders))

    def test_test_is_symmetric_and_equal_samples_do_not_differ(self):
        first, second = around(10, 12), around(10.05, 9)
        self.assertAlmostEqual(statistic.u_test(first, second), statistic.u_test(second, first))
        self.assertEqual(statistic.u_test(first, first), 1)
        self.assertEqual(statistic.u_test([1.0] * 9, [1.0] * 9), 1)

    def test_ratio_is_the_median_of_all_ratios(self):
        found = statistic.ratio([1.0, 2.0, 4.0, 8.0], [3.0, 6.0, 12.0, 24.0])
        self.assertEqual(found.value, 3)
        self.assertEqual(found.interval, (0.375, 24))  # of 4 and 4 only all or none

    def test_too_few_values_have_no_interval(self):
        self.assertIsNone(statistic.ratio([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).interval)
        self.assertIsNone(statistic.median_interval([1.0, 2.0, 3.0, 4.0, 5.0]))
        self.assertEqual(statistic.median_interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), (1, 6))
        self.assertEqual(statistic.median_interval(list(range(10))), (1, 8))

    def test_interval_covers_the_ratio_as_often_as_it_says(self):
        for runs in (6, 25):  # the exact and the approximate
            draw, held = random.Random(1), 0
            for _ in range(400):
                first, second = ([scale * draw.lognormvariate(0, 0.1) for _ in range(runs)]
                                 for scale in (1, 1.2))
                low, high = statistic.ratio(first, second).interval
                held += low <= 1.2 <= high
            self.assertGreaterEqual(held, 0.92 * 400)
            self.assertLess(held, 400)

    def test_interval_leaves_out_one_where_the_test_rejects(self):
        draw = random.Random(2)
        for _ in range(100):
            first = [draw.random() for _ in range(8)]
            second = [draw.random() + 0.3 for _ in range(9)]
            low, high = statistic.ratio(first, second).interval
            self.assertEqual(statistic.u_test(first, second) <= 0.05, not low <= 1 <= high)


class CompareCase(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def side(self, side, *documents):
        """A folder of documents."""
        (self.folder / side).mkdir(exist_ok=True)
        for number, document in enumerate(documents):
            text = document if isinstance(document, str) else json.dumps(document)
            (self.folder / side / f"{number}.json").write_text(text)
        return self.folder / side

    def compare(self, *arguments):
        return subprocess.run([sys.executable, SCRIPTS / "compare.py", *map(str, arguments)],
                              text=True, capture_output=True, check=False)

    def compared(self, first, second, *arguments):
        """The outcome for two cases' rows."""
        return self.compare(self.side("a", fake_results.document(first)),
                            self.side("b", fake_results.document(second)), *arguments)

    def verdict(self, first, second, *arguments):
        done = self.compared(fake_results.case(NAME, first), fake_results.case(NAME, second), *arguments)
        row = next(line for line in done.stdout.splitlines() if line.startswith("native"))
        return done.returncode, row.split()[10:]


class Verdicts(CompareCase):
    def test_row_has_medians_ratio_interval_and_p(self):
        done = self.compared(fake_results.case(NAME, around(1000)), fake_results.case(NAME, around(1200)))
        row = next(line for line in done.stdout.splitlines() if line.startswith("native"))
        self.assertEqual(row.split(), ["native", "shm", "2", "MiB", "2", "1000", "1200", "1.200",
                                       "1.192-1.208", "0.0002", "faster"])

    def test_faster_slower_same_and_unclear(self):
        for second, spread, code, verdict in ((1200, 0.01, 0, "faster"), (800, 0.01, 1, "slower"),
                                              (1010, 0.01, 0, "same"), (1100, 0.4, 0, "unclear")):
            done, found = self.verdict(around(1000, spread=spread), around(second, spread=spread))
            self.assertEqual((done, found[-1:]), (code, [verdict]), found)

    def test_threshold_decides_what_matters(self):
        pair = around(1000), around(930)
        self.assertEqual(self.verdict(*pair)[0], 1)
        self.assertEqual(self.verdict(*pair, "--threshold", "10%"), (0, ["same"]))
        for bad in ("-1", "100", "much"):
            self.assertEqual(self.verdict(around(1), around(1), "--threshold", "0")[0], 0)
            self.assertEqual(self.compare("a", "b", f"--threshold={bad}").returncode, 2)

    def test_few_runs_are_unclear_and_not_tested(self):
        for runs, code, words in (((3, 3), 0, ["unclear", "1"]), ((8, 9), 1, ["slower"]),
                                  ((9, 9), 1, ["0.0004", "slower"])):
            sides = [fake_results.case(NAME, around(rate, count))
                     for rate, count in zip((1000, 500), runs)]
            done = self.compared(*sides)
            row = next(line for line in done.stdout.splitlines() if line.startswith("native"))
            self.assertEqual((done.returncode, row.split()[8 if runs == (3, 3) else 9:]),
                             (code, words))
        self.assertIn("too few runs for an interval (3 and 3)", self.compared(
            *(fake_results.case(NAME, around(rate, 3)) for rate in (1000, 500))).stdout)

    def test_what_should_not_be_compared_is_not_and_why_is_said(self):
        good = fake_results.case(NAME, around(1000))
        cases = {
            "not verified in A": (fake_results.case(NAME, around(1000), verified=None), good),
            "flagged: 120% of its limit in B": (
                good, fake_results.case(NAME, around(1000), fraction_of_limit=1.2)),
            "failed in A: no window": (fake_results.error(NAME, "no window"), good),
            "only in A (nearest in B: ranks 4, not 2)": (
                good, fake_results.case(fake_results.stream_name(ranks=4), around(1000))),
            "only in A (nearest in B: device cuda, not host)": (
                good, fake_results.case(NAME.replace("host", "cuda"), around(1000))),
        }
        for why, sides in cases.items():
            with self.subTest(why):
                done = self.compared(*sides)
                self.assertIn(why, " ".join(done.stdout.split()))
                self.assertEqual(done.returncode, 2)
                self.assertIn("nothing could be compared", done.stderr)

    def test_what_was_right_and_is_not_closes_the_gate(self):
        good = fake_results.case(NAME, around(1000))
        for broken, why in ((fake_results.case(NAME, around(1000), verified=False), "wrong result in B"),
                            (fake_results.error(NAME, "no window"), "failed in B: no window")):
            done = self.compared(good, broken)
            self.assertEqual(done.returncode, 1)
            self.assertIn(why, done.stdout)

    def test_strict_fails_where_a_case_is_missing_or_unclear(self):
        other = fake_results.case(fake_results.stream_name(size="4MiB"), around(1000))
        good = fake_results.case(NAME, around(1000))
        self.assertEqual(self.compared(good + other, good).returncode, 0)
        self.assertEqual(self.compared(good + other, good, "--strict").returncode, 1)
        self.assertEqual(self.compared(good, good, "--strict").returncode, 0)


class Launches(CompareCase):
    def sides(self, first, second):
        return self.compare(*(self.side(name, *(fake_results.document(fake_results.case(NAME, around(rate)))
                                                for rate in rates))
                              for name, rates in (("a", first), ("b", second))))

    def test_spread_between_launches_is_shown_apart_from_that_within(self):
        text = self.sides([1000, 1100], [1000, 1000]).stdout
        row = text.splitlines()[[line.startswith("form") for line in text.splitlines()].index(
            True, text.splitlines().index("coefficient of variation of a launch's runs, and of the "
                                          "launches' medians, A | B")) + 2]
        within = f"{statistics.stdev(around(1000)) / 1000:.1%}"
        between = f"{statistics.stdev([1000, 1100]) / 1050:.1%}"
        self.assertEqual(row.split()[-6:], ["2", within, between, "2", within, "0.0%"])

    def test_overlapping_launches_make_no_difference(self):
        # All runs together differ: 30 around 1000 and 10 around 1100 from 10 around 1095.
        done = self.sides([1000, 1000, 1000, 1100], [1095])
        self.assertIn("the launches of A and B overlap", done.stdout)
        self.assertEqual(done.returncode, 0)
        self.assertIn("what differs from launch to launch is not seen", done.stdout)

    def test_four_launches_each_are_compared_as_such(self):
        done = self.sides([1000, 1010, 1020, 1030], [500, 510, 520, 530])
        self.assertEqual(done.returncode, 1)
        row = next(line for line in done.stdout.splitlines() if line.startswith("native"))
        self.assertEqual(row.split()[5:9], ["1015", "515", "0.507", "0.485-0.530"])
        self.assertIn("slower", done.stdout)
        self.assertNotIn("is not seen", done.stdout)


class SlowNodes(CompareCase):
    def document(self, seconds, gpus=(), ranks_a_node=2):
        ranks = len(seconds)
        rows = fake_results.case(f"matmul/native/host/shm/n:64/tile:32/ranks:{ranks}/threads:1", 100,
                            "GFLOP/s", workers=ranks, rank_seconds=seconds)
        for row in rows:
            row["rank_seconds"] = seconds
        document = fake_results.document(rows)
        quartet = document["context"]["quartet"]
        quartet["placement"] = [{"rank": rank, "host": f"node{rank // ranks_a_node}",
                                 "cpus": str(rank)} for rank in range(ranks)]
        quartet["gpus"] = list(gpus)
        return document

    def test_slow_node_is_named_once_with_its_gpus(self):
        gpus = [{"name": "K80", "uuid": "GPU-1", "ranks": [2, 3]},
                {"name": "K80", "uuid": "GPU-0", "ranks": [0, 1]}]
        found = slow_ranks.find(self.document([1, 1.01, 1.5, 1.52, 1, 1, 0.99, 1], gpus))
        self.assertEqual([slow.who for slow in found], ["node node1 (K80 GPU-1, 2 ranks)"])
        self.assertAlmostEqual(found[0].ratio, 1.51, places=2)

    def test_slow_rank_is_named_with_host_and_gpu(self):
        gpus = [{"name": "K80", "uuid": "GPU-1", "ranks": [3]}]
        found = slow_ranks.find(self.document([1, 1, 1, 1.4, 1, 1, 1, 1], gpus, 8))
        self.assertEqual([slow.who for slow in found], ["rank 3 on node0 (K80 GPU-1, cpus 3)"])

    def test_nobody_is_named_without_reason(self):
        for seconds in ([1, 2], [1, 1.05, 1, 1], [1, 1.3, 1.6, 1.9, 2.2], [1, 1, 1, 1]):
            self.assertEqual(slow_ranks.find(self.document(seconds)), [], seconds)

    def test_reducers_are_no_fellows_of_workers(self):
        document = self.document([9, 1, 1, 1, 1, 1])
        for row in document["benchmarks"]:
            row["workers"] = 5
        self.assertEqual(slow_ranks.find(document), [])

    def test_comparison_says_whose_side_is_slow(self):
        even, odd = self.document([1] * 8), self.document([1, 1, 1.5, 1.5, 1, 1, 1, 1])
        done = self.compare(self.side("a", even), self.side("b", odd))
        self.assertIn("slow in B: node node1", done.stdout)
        self.assertNotIn("slow in A", done.stdout)


class Published(CompareCase):
    def numbers(self, *numbers):
        folder = self.folder / "published"
        folder.mkdir(exist_ok=True)
        (folder / "stream.json").write_text(json.dumps({
            "schema_version": 1, "source": {"short": "Someone 2000"},
            "numbers": [{"kernel": "stream", "section": "I", "bound": "about", "unit": "MiB/s",
                         "conditions": "a machine", "match": {"device": "host"}, **number}
                        for number in numbers]}))
        return folder

    def against(self, rate, *numbers):
        done = self.compare(self.numbers(*numbers),
                            self.side("b", fake_results.document(fake_results.case(NAME, around(rate)))))
        return done.returncode, next(line.split() for line in done.stdout.splitlines()
                                     if line.startswith("native"))

    def test_bounds_allow_only_some_verdicts(self):
        for rate, bound, code, verdict in (
                (2000, "about", 0, "faster"), (500, "about", 1, "slower"),
                (1000, "about", 0, "same"), (2000, "above", 0, "unclear"),
                (500, "above", 1, "slower"), (2000, "below", 0, "faster"),
                (500, "below", 0, "unclear")):
            found, row = self.against(rate, {"value": 1000, "bound": bound})
            self.assertEqual((found, verdict in row), (code, True), (rate, bound, row))

    def test_number_with_most_equal_keys_is_taken(self):
        _, row = self.against(
            1000, {"value": 1}, {"value": 2, "match": {"device": "host", "transport": "shm"}},
            {"value": 3, "match": {"device": "host", "transport": "mpi"}},
            {"value": 4, "unit": "GFLOP/s", "match": {"device": "host", "transport": "shm"}})
        self.assertIn("~2", row)

    def test_papers_clock_is_compared_where_there_is_one(self):
        rows = fake_results.case(NAME, around(1000)) + fake_results.case(NAME + "/paper", around(2000))
        done = self.compare(self.numbers({"value": 1000}), self.side("b", fake_results.document(rows)))
        self.assertIn("2.000", done.stdout)
        self.assertIn("a machine (Someone 2000, section I).", done.stdout)

    def test_our_published_numbers_are_found_by_the_word(self):
        side = self.side("b", fake_results.document(fake_results.case(NAME, around(7000))))
        done = self.compare("published", side)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(">6000 a", done.stdout)

    def test_broken_numbers_are_refused(self):
        side = self.side("b", fake_results.document(fake_results.case(NAME, around(7000))))
        folder = self.numbers({"value": 1})
        (folder / "cg.json").write_text('{"numbers": []}')
        done = self.compare(folder, side)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cg.json: not a file of published numbers", done.stderr)


class References(CompareCase):
    def measured(self):
        for name in ("one", "other"):
            document = fake_results.document(fake_results.case(NAME, around(1000)))
            document["context"]["quartet"]["device_description"] = f"{name}; BLAS"
            self.side("measured", document).joinpath(name).mkdir()
            (self.folder / "measured" / "0.json").rename(
                self.folder / "measured" / name / "stream.json")
        return self.folder / "measured"

    def side_on(self, device):
        document = fake_results.document(fake_results.case(NAME, around(500)))
        document["context"]["quartet"]["device_description"] = f"{device}; another BLAS"
        return self.side("b", document)

    def test_reference_of_the_same_device_is_taken(self):
        done = self.compare("reference", self.side_on("other"), "--measured", self.measured())
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("A:  1 document, other, 4 CPUs on host", done.stdout)

    def test_device_without_a_reference_is_refused(self):
        done = self.compare("reference", self.side_on("third"), "--measured", self.measured())
        self.assertEqual(done.returncode, 2)
        self.assertIn("no reference for third, 4 CPUs", done.stderr)
        self.assertIn("one, 4 CPUs, other, 4 CPUs", done.stderr)


class Input(CompareCase):
    def test_what_cannot_be_read_is_named_and_the_rest_is_used(self):
        good = fake_results.document(fake_results.case(NAME, around(1000)))
        newer = fake_results.document()
        newer["context"]["quartet"]["schema_version"] = 2
        side = self.side("a", good, json.dumps(good)[:-9], {"foreign": 1}, newer)
        done = self.compare(side, side)
        self.assertEqual(done.returncode, 0)
        for number, reason in ((1, "not a whole JSON"), (2, "not a results"), (3, "newer scripts")):
            self.assertRegex(done.stderr, f"skipped {side}/{number}.json: .*{reason}")

    def test_empty_sets_are_refused(self):
        good = self.side("a", fake_results.document(fake_results.case(NAME, around(1000))))
        empty = self.side("b")
        for pair in ((good, empty), (empty, good), (good, self.folder / "none.json")):
            done = self.compare(*pair)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("no results in", done.stderr)

    def test_what_differs_between_the_sides_is_said(self):
        documents = [fake_results.document(fake_results.case(NAME, around(1000))) for _ in "ab"]
        documents[1]["context"]["quartet"]["commit"] = "9f8e7d6"
        done = self.compare(self.side("a", documents[0]), self.side("b", documents[1]))
        self.assertIn("differs: commit: 1a2b3c4 | 9f8e7d6", done.stdout)
        self.assertNotIn("differs: MPI", done.stdout)

    def test_fits_80_columns(self):
        long = fake_results.stream_name("dataflow", "staged", "128MiB", 12288)
        sides = [[fake_results.document(fake_results.case(long, around(rate)),
                                   fake_results.error(NAME, "a long reason " * 20))] * 2
                 for rate in (381469.5, 12345.6)]
        done = self.compare(*(self.side(name, *documents) for name, documents in zip("ab", sides)))
        self.assertIn("slower", done.stdout)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)


@unittest.skipUnless(GOOGLE_S, "compare.py is not installed (Debian: libbenchmark-tools)")
@unittest.skipUnless(PYTHON_WITH_SCIPY, "no Python with numpy and scipy")
class Agreement(CompareCase):
    def test_google_benchmarks_compare_says_the_same_of_the_same_files(self):
        draw = random.Random(3)
        for runs in ((9, 9), (10, 12)):
            sides = [fake_results.document(fake_results.case(NAME, [rate * draw.lognormvariate(0, 0.05)
                                                          for _ in range(count)]))
                     for rate, count in zip((1000, 1030), runs)]
            files = [self.side(name, side) / "0.json" for name, side in zip("ab", sides)]
            command = [PYTHON_WITH_SCIPY, GOOGLE_S, "--no-color", "benchmarks", *files]
            theirs = subprocess.run(command, text=True, capture_output=True, check=True).stdout
            words = {line.split()[0]: line.split()[1:] for line in theirs.splitlines()
                     if line.startswith(NAME)}
            ours = next(line.split() for line in self.compare(*files).stdout.splitlines()
                        if line.startswith("native"))
            self.assertEqual(ours[-2], words[f"{NAME}_pvalue"][0])
            change = 1 / (1 + float(words[f"{NAME}_median"][0]))  # of times to that of rates
            self.assertAlmostEqual(float(ours[6]) / float(ours[5]), change, delta=0.01)


if __name__ == "__main__":
    unittest.main()
