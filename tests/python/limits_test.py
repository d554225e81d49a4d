"""Tests of quartet limits with a fake launcher and fake programs."""

import json
import sys
import unittest
from pathlib import Path

import fake_results
from fake_build import FakeBuild
from in_process import quartet
from quartet.launch import Outcome
from quartet.results import rows_of
from quartet_dev.commands.limits import KERNELS
from quartet_dev.goals import Goal, Result, Selector, Verdict, judge

# cg at the rates of behaviour.json: by variant, a list of the rounds', or how it fails.
PROGRAM = """#!{python} -S
import json, sys, time
sys.path.insert(0, {tests!r})
import fake_results
file = sys.argv[sys.argv.index("--json") + 1]
variant, number = file.split("/cg-")[1][:-len(".json")].rsplit("-", 1)
with open({folder!r} + "/calls", "a") as calls:
    print(number, variant, *sys.argv[1:], file=calls)
behaviour = json.load(open({folder!r} + "/behaviour.json"))
mine = behaviour.get(variant, [10.0])
time.sleep(behaviour.get("seconds", 0))
if isinstance(mine, str):
    print("cg: " + mine, file=sys.stderr)
    sys.exit(77 if "not available" in mine else 3)
rate = mine[(int(number) - 1) % len(mine)]
formulation = "library" if "library" in sys.argv else "native"
row = fake_results.case("cg/%s/host/shm/%s/ranks:2/threads:1" % (formulation, variant), rate, "GFLOP/s", 3, note="of " + variant,
                   verified=rate > 0.5, limit=dict(what="reading", seconds=1.0, rate=rate / 0.8),
                   limit_components=[dict(name="reading the matrix", seconds=1.0)],
                   limit_decided_by="reading the matrix")
document = fake_results.document(row)
document["context"]["quartet"].update(device_description="an invented processor", isa="avx2")
json.dump(document, open(file, "w"))
sys.exit(0 if rate > 0.5 else 1)
"""


def results(rate, error="", **median):
    """A round's result with one row."""
    rows = fake_results.error("cg/library", error) if error else \
        fake_results.case("cg/native/host/shm/n:8", rate, "GFLOP/s", 3, **median)
    return Result(Outcome(77 if error else 0, 1.0), rows_of(fake_results.document(rows)))


def over_peer(least=0):
    return Goal("full", Selector("ours"), least, Selector("theirs"), "peer")


def rounds(ours, theirs):
    return [{"ours": results(our), "theirs": results(their)} for our, their in zip(ours, theirs)]


class Goals(unittest.TestCase):
    def test_ratio_is_the_median_of_the_rounds_ratios(self):
        # The second round had a machine of half the speed: 2, 1.5 and 1.2 times the peer.
        found = judge(over_peer(least=1.5), rounds([20, 7.5, 12], [10, 5, 10]))
        self.assertEqual(found.cells(), ("12.0", "peer", "10.0", "1.50", "1.20..2.00", ">=1.5", "met"))

    def test_ratio_above_the_limit_does_not_meet_the_goal(self):
        for fraction, verdict in ((1.04, Verdict.MET), (1.06, Verdict.ABOVE)):
            flags = [{"kind": "above_limit", "text": "above its limit"}] if verdict is Verdict.ABOVE else []
            found = judge(Goal("", Selector("ours"), 0.8), [{"ours": results(8, fraction_of_limit=fraction, flags=flags)}])
            self.assertIs(found.verdict, verdict)

    def test_round_without_a_figure_is_left_out_and_said(self):
        some = rounds([20, 20], [10, 10]) + [{"ours": results(20), "theirs": results(0, "no BLAS")}]
        found = judge(over_peer(least=2), some)
        self.assertEqual((len(found.found), found.verdict, found.troubles), (2, Verdict.MET, ("no BLAS",)))
        wrong = [{"ours": results(99, verified=False), "theirs": results(1)}]
        for rows, trouble in ((some[2:], "no BLAS"), ([], "not run"), (wrong, "a wrong result")):
            found = judge(over_peer(least=2), rows)
            self.assertEqual((found.verdict, found.troubles), (Verdict.UNKNOWN, (trouble,)))

    def test_every_goal_is_of_sides_that_are_launched_and_fits_the_width(self):
        for group in (each for make in KERNELS.values() for each in make(Path("my data"))):
            names = {variant.name for variant in group.variants}
            self.assertEqual(len(names), len(group.variants))
            for goal in group.goals:
                self.assertLessEqual({row.variant for row in (goal.row, goal.over) if isinstance(row, Selector)}, names, goal)
                self.assertLessEqual(len(goal.what) + len(goal.label), 32)
            for words in (variant.arguments for variant in group.variants if "--data" in variant.arguments):
                self.assertRegex(words[words.index("--data") + 1], "^my data/")


class Fakes(FakeBuild):
    def setUp(self):
        super().setUp()
        places = {"python": sys.executable, "folder": str(self.folder), "tests": str(Path(__file__).parent)}
        self.write("bin/cg", PROGRAM.format(**places))

    def limits(self, *arguments, **behaviour):
        variants = {key.replace("_", "-"): value for key, value in behaviour.items()}
        self.write("behaviour.json", json.dumps(
            {**{f"{setup}-{variant}": rate for setup in ("2x1", "1x2") for variant, rate in variants.items()},
             "seconds": variants.get("seconds", 0)}))
        return quartet("limits", "--only", "cg", "--build", self.folder, "--results", self.folder / "results",
                       "--launcher", self.folder / "launcher", *map(str, arguments))

    def calls(self):
        return [line.split() for line in self.lines("calls")]

    def line(self, text, *words):
        found = [line.split() for line in text.splitlines() if all(word in line for word in words)]
        self.assertTrue(found, text)
        return found[0]


class Command(Fakes):
    def test_every_second_round_runs_backwards(self):
        done = self.limits("--rounds", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(call[0], call[1]) for call in self.calls()], [
            (number, f"{setup}-{variant}") for number, turn in (("1", 1), ("2", -1)) for setup in ("2x1", "1x2")
            for variant in ("full", "library", "symmetric")[::turn]])
        self.assertIn("--storage symmetric --device host --threads 2", " ".join(self.calls()[5]))

    def test_table_has_the_ratio_of_each_goal_and_its_spread(self):
        done = self.limits("--rounds", 3, full=[10, 10, 10], library=[8, 10, 9], symmetric=[18, 20, 22])
        self.assertIn("cg, N = 8192, 2 ranks x 1 thread, GFLOP/s, 3 rounds", done.stdout)
        for words, cells in ((("full ", "dgemv"), "full 10.0 dgemv 9.00 1.11 1.00..1.25 >=1.05 met"),
                             (("symmetric ", "full"), "symmetric 20.0 full 10.0 2.00 1.80..2.20 >=1.9 met"),
                             (("full ", "limit"), "full 10.0 limit 12.5 0.80 0.80..0.80 >=0.97 missed")):
            self.assertEqual(self.line(done.stdout, *words), cells.split())
        self.assertIn("an invented processor, 4 CPUs, avx2", done.stdout)
        self.assertRegex(done.stdout, r"8 goals: \d+ met, \d+ missed, 0 above")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_peer_that_is_not_there_is_said_in_its_lines_and_fails_nothing(self):
        done = self.limits("--rounds", 2, library="not available in this build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.line(done.stdout, "full ", "dgemv"), ["full", "dgemv", ">=1.05", "?", "1"])
        self.assertIn(" 1  cg: not available in this build", done.stdout)

    def test_failed_launch_fails_and_the_rest_is_measured(self):
        done = self.limits("--rounds", 1, symmetric="rank 1 is gone")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("cg: rank 1 is gone", done.stdout)
        self.assertEqual(self.line(done.stdout, "full ", "dgemv")[-1], "missed")

    def test_wrong_result_sets_the_exit_code_and_a_missed_goal_does_not(self):
        self.assertEqual(self.limits("--rounds", 1, full=[1.0]).returncode, 0)
        self.assertEqual(self.limits("--rounds", 1, full=[0.25]).returncode, 1)

    def test_refuses_what_it_does_not_know(self):
        for words, text in ((("--only", "stream"), "no stream in"), (("--only", "dgemm"), "'dgemm' is none of"),
                            (("--rounds", 0), "--rounds"),
                            (("--before", "nowhere"), "no programs in nowhere/bin")):
            done = self.limits(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)


class Before(Fakes):
    """The fake build stands for both; what differs is the name of the variant."""

    def compared(self, after, before, number=4):
        return self.limits("--before", self.folder, "--rounds", number, full=after, before_full=before)

    def test_our_rows_alone_run_in_turn_without_limits(self):
        done = self.compared([10], [10])
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual([call[1] for call in self.calls()][:4],
                         ["2x1-full", "2x1-before-full", "2x1-symmetric", "2x1-before-symmetric"])
        self.assertTrue(all("--limits off" in " ".join(call) for call in self.calls()))
        self.assertEqual(self.line(done.stdout, "full "), "full 10.0 10.0 1.000 1.000..1.000 >=0.97 as fast".split())
        self.assertIn("4 rows: 0 slower, 0 unclear, 4 as fast", done.stdout)

    def test_what_is_lost_decides_the_exit_code(self):
        for after, before, number, code, verdict in (([9.6], [10], 4, 1, "slower"), ([9.8], [10], 4, 0, "as fast"),
                                                     ([9.6], [10], 3, 4, "unclear"),  # no interval
                                                     ([9.6, 11, 9, 9.6], [10], 4, 4, "unclear"),
                                                     ("rank 1 is gone", [10], 4, 3, "?")):
            done = self.compared(after, before, number)
            self.assertEqual(done.returncode, code, done.stdout)
            self.assertTrue(self.line(done.stdout, "full ")[-1] in verdict, done.stdout)
