"""Tests of quartet limits with a fake launcher and fake programs."""

import json
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

import fake_results
from fake_build import FakeBuild
from in_process import quartet
from quartet.launch import Outcome
from quartet.results import cases
from quartet_dev.limits import comparisons as limits_comparisons
from quartet_dev.limits import folder as limits_folder
from quartet_dev.limits import goals as limits_goals
from quartet_dev.limits import loop as limits_loop
from quartet_dev.limits import plan as limits_plan
from quartet_dev.limits import table as limits_table
from quartet_dev.limits.comparisons import OfLimit, OverPeer, Result, Row
from quartet_dev.limits.goals import Bound, Goal, Noise, Verdict
from quartet_dev.limits.match import LimitsFiles
from tree import SCRIPTS

# cg at the rates of {folder}/behaviour.json: by side, a list of the rounds', or how it fails.
PROGRAM = """#!{python} -S
import json, sys, time
sys.path.insert(0, {tests!r})
import fake_results
file = sys.argv[sys.argv.index("--json") + 1]
side, number = file.split("/cg-8192-")[1][:-len(".json")].rsplit("-", 1)
with open({folder!r} + "/calls", "a") as calls:
    print(number, side, *sys.argv[1:], file=calls)
behaviour = json.load(open({folder!r} + "/behaviour.json"))
mine = behaviour.get(side, [10.0])
time.sleep(behaviour.get("seconds", 0))
if isinstance(mine, str):
    print("cg: " + mine, file=sys.stderr)
    sys.exit(77 if "not available" in mine else 3)
rate = mine[(int(number) - 1) % len(mine)]
formulation = "library" if "library" in sys.argv else "native"
row = fake_results.case("cg/%s/host/shm/%s/ranks:2/threads:1" % (formulation, side), rate, "GFLOP/s", 3, note="of " + side,
                   verified=rate > 0.5, rank_seconds=[1.0, 0.5], stolen_share=0.12,
                   phases=dict(compute=0.6, reduce=0.1, wait=0.2),
                   flags=[dict(kind="disturbed", text="the hypervisor withheld 12% of a core's time")],
                   limit=dict(what="reading", seconds=1.0, rate=rate / 0.8, probes=[0.8, 1.2]),
                   limit_components=[dict(name="reading the matrix", seconds=1.0)],
                   limit_decided_by="reading the matrix")
warning = "? cg/native: the hypervisor withheld 12% of a core's time"
document = fake_results.document(row, warnings=[warning])
document["context"]["quartet"].update(device_description="an invented processor", isa=sys.argv[sys.argv.index("--isa") + 1]
                                      if "--isa" in sys.argv else "avx512")
json.dump(document, open(file, "w"))
sys.exit(0 if rate > 0.5 else 1)
"""


# Leaves what makes 12.5 GFLOP/s of cg.
LOOPS = """#!{python} -S
import sys
import os
calls = {folder!r} + "/loops"
if sys.argv[1] != "messages":
    open(calls, "a").write(" ".join(sys.argv[1:-1]) + "\\n")
far = sys.argv[1] == "messages" and os.path.exists({folder!r} + "/far")
open(sys.argv[-1], "w").write('{{"per_second": %g}}' % (5e9 if far else 5e10))
"""


def results(rate, error="", isa=None, **median):
    """A round's result with one row."""
    rows = fake_results.error("cg/library", error) if error else \
        fake_results.case("cg/native/host/shm/n:8", rate, "GFLOP/s", 3, **median)
    document = fake_results.document(rows)
    if isa:
        document["context"]["quartet"]["isa"] = isa
    return Result(Outcome(77 if error else 0, 1.0), cases(document))


def every_match(data="data"):
    return limits_plan.matches(LimitsFiles(Path("programs"), Path(data), Path("my plans")), full=True)


def over_peer(**bound):
    return Goal("full", OverPeer(Row("ours"), (Row("theirs"),), "peer"), Bound(**bound))


def rounds(ours, theirs):
    return [{"ours": results(our), "theirs": results(their)} for our, their in zip(ours, theirs)]


class Verdicts(unittest.TestCase):
    def test_ratio_is_the_median_of_the_rounds_ratios(self):
        # The second round had a machine of half the speed: 2, 1.5 and 1.2 times the peer.
        found = limits_goals.judge(over_peer(least=1.5), rounds([20, 7.5, 12], [10, 5, 10]))
        self.assertAlmostEqual(found.ratio, 1.5)
        self.assertEqual((found.measured, found.against), (12, 10))
        self.assertEqual([round(value, 6) for value in found.spread], [1.2, 2.0])
        self.assertEqual((found.verdict, found.rounds, found.unit), (Verdict.MET, 3, "GFLOP/s"))

    def test_goal_is_missed_by_any_margin(self):
        self.assertIs(limits_goals.judge(over_peer(least=1.2), rounds([11.99], [10])).verdict,
                      Verdict.MISSED)
        self.assertIs(limits_goals.judge(over_peer(most=1.1), rounds([11.01], [10])).verdict,
                      Verdict.MISSED)
        self.assertIs(limits_goals.judge(over_peer(most=1.1), rounds([10.99], [10])).verdict,
                      Verdict.MET)

    def test_noise_is_forgiven_if_the_interval_reaches_the_goal(self):
        goal = over_peer(least=1, noise=Noise.FORGIVEN)
        theirs = [10, 10.2, 9.9, 10.1, 9.8]
        noisy, slower = [9.9, 10.1, 9.7, 10.15, 9.9], [9.0, 9.1, 9.2, 9.05, 8.9]
        self.assertIs(limits_goals.judge(goal, rounds(noisy, theirs)).verdict, Verdict.MET)
        self.assertIs(limits_goals.judge(over_peer(least=1), rounds(noisy, theirs)).verdict,
                      Verdict.MISSED)
        self.assertIs(limits_goals.judge(goal, rounds(slower, theirs)).verdict, Verdict.MISSED)
        self.assertIs(limits_goals.judge(goal, rounds(noisy[:1], theirs)).verdict, Verdict.MISSED)
        uneven = [10, 12, 8, 11, 9]
        always_slower = [0.98 * rate for rate in uneven]
        self.assertIs(limits_goals.judge(goal, rounds(always_slower, uneven)).verdict, Verdict.MISSED)

    def test_of_several_peers_the_fastest_counts(self):
        goal = Goal("", OverPeer(Row("ours"), (Row("slow"), Row("fast")), "best"), Bound(2))
        found = limits_goals.judge(
            goal, [{"ours": results(30), "slow": results(10), "fast": results(20)}])
        self.assertEqual((found.ratio, found.verdict), (1.5, Verdict.MISSED))

    def test_goal_is_that_of_the_instruction_set_that_the_rows_documents_name(self):
        goals = (Goal("", OfLimit(Row("ours")), Bound(0.8, with_avx512=0.95)),
                 over_peer(least=0.8, with_avx512=0.95))

        def found(goal, *isas):
            return limits_goals.judge(goal, [{"ours": results(9, fraction_of_limit=0.9, isa=isa),
                                              "theirs": results(10, isa="avx512")} for isa in isas])

        for goal in goals:
            for isas in (("avx2",), ("baseline",), ("neon",), (None,), ("avx2", "avx512")):
                other = found(goal, *isas)
                self.assertEqual((other.bound, other.verdict), (Bound(0.8), Verdict.MET), isas)
            wide = found(goal, "avx512", "avx512")
            self.assertEqual((wide.bound, wide.verdict), (Bound(0.95), Verdict.MISSED))
            self.assertEqual(str(found(goal).bound), ">=0.8|0.95")  # nothing was measured

    def test_noise_is_forgiven_whatever_the_instruction_set(self):
        bound = Bound(1, with_avx512=1.2, noise=Noise.FORGIVEN).for_isas({"avx512"})
        self.assertEqual(bound, Bound(1.2, noise=Noise.FORGIVEN))

    def test_ratio_above_the_limit_does_not_meet_the_goal(self):
        goal = Goal("", OfLimit(Row("ours")), Bound(0.8))
        for fraction, verdict in ((1.04, Verdict.MET), (1.06, Verdict.ABOVE)):
            flags = [{"kind": "above_limit", "text": "above its limit"}] if verdict is Verdict.ABOVE else []
            found = limits_goals.judge(goal, [{"ours": results(8, fraction_of_limit=fraction, flags=flags)}])
            self.assertIs(found.verdict, verdict)

    def test_round_without_a_peer_is_left_out_and_said(self):
        some = rounds([20, 20], [10, 10]) + [{"ours": results(20), "theirs": results(0, "no BLAS")}]
        found = limits_goals.judge(over_peer(least=2), some)
        self.assertEqual((found.rounds, found.verdict, found.troubles),
                         (2, Verdict.MET, ("no BLAS",)))
        found = limits_goals.judge(over_peer(least=2), some[2:])
        self.assertEqual((found.rounds, found.verdict), (0, Verdict.UNKNOWN))
        self.assertEqual(limits_goals.judge(over_peer(least=2), []).troubles, ("not measured",))

    def test_wrong_result_is_no_figure(self):
        found = limits_goals.judge(
            over_peer(least=1), [{"ours": results(99, verified=False), "theirs": results(1)}])
        self.assertEqual((found.verdict, found.troubles), (Verdict.UNKNOWN, ("a wrong result",)))

    def test_two_sided_bound_is_missed_on_either_side(self):
        equal = over_peer(least=0.95, most=1.05)
        self.assertEqual(str(equal.bound), "+-5%")
        for ours, verdict in (([9, 11, 10], Verdict.MET), ([9, 9.2, 10], Verdict.MISSED),
                              ([11, 10, 10.6], Verdict.MISSED)):
            self.assertIs(limits_goals.judge(equal, rounds(ours, [10, 10, 10])).verdict, verdict)

    def test_bytes_read_leave_out_what_is_written(self):
        read = results(1, bytes_read=12 * 2**20, bytes_written=5 * 2**20,
                       bytes_best_whole_tiles=15 * 2**20)
        found = limits_goals.judge(Goal("", limits_comparisons.BytesRead(Row("files")), Bound(most=1.1)),
                                   [{"files": read}])
        self.assertEqual((found.measured, found.against, found.verdict), (12, 10, Verdict.MISSED))

    def test_time_of_a_point(self):
        def transform(points, milliseconds):
            rows = fake_results.case(f"fft/native/host/shm/n:{points}", 1.0, "GFLOP/s", 3,
                                real_time=milliseconds, time_unit="ms")
            return Result(Outcome(0, 1.0), cases(fake_results.document(rows)))
        comparison = OverPeer(Row("odd"), (Row("power"),), "2^22", limits_comparisons.nanoseconds_per_point)
        found = limits_goals.judge(Goal("", comparison, Bound(most=1.5)),
                                   [{"odd": transform(1000, 3), "power": transform(2000, 4)}])
        self.assertAlmostEqual(found.measured, 3000)
        self.assertAlmostEqual(found.ratio, 1.5)


class Table(unittest.TestCase):
    def test_every_goal_is_of_sides_that_are_launched(self):
        for match in every_match():
            names = {side.name for side in match.sides}
            self.assertEqual(len(names), len(match.sides))
            for goal in (goal for section in match.sections for goal in section.goals):
                rows = [getattr(goal.comparison, "row", None), getattr(goal.comparison, "loop", None),
                        *getattr(goal.comparison, "peers", ())]
                sides = {row.side for row in rows if row} or {goal.comparison.side}
                self.assertLessEqual(sides, names, goal)

    def test_all_of_it_fits_the_width(self):
        everything = every_match()
        goals = [goal for match in everything for section in match.sections
                 for goal in section.goals]
        results_of_goals = [limits_goals.GoalResult(goal, Bound(1.25), Verdict.MISSED, 5, 12345.0, 12345.0,
                                         12.25, (11.25, 12.25), "GFLOP/s") for goal in goals]
        rows = [limits_table.HEADINGS,
                *(limits_table._cells(each, limits_table.Footnotes("12")) for each in results_of_goals)]
        width = sum(max(len(row[column]) for row in rows) for column in range(len(rows[0])))
        self.assertLessEqual(width + len(rows[0]) - 1, 80)
        for match in everything:
            for section in match.sections:
                self.assertLessEqual(len(f"{section.title}, ns/point, not measured"), 80)

    def test_folder_of_the_data_may_have_spaces(self):
        arguments = [side.arguments for match in every_match("my data")
                     for side in match.sides if "--data" in side.arguments]
        self.assertTrue(arguments)
        for words in arguments:
            self.assertRegex(words[words.index("--data") + 1], "^my data/[0-9]+-[0-9]+$")

    def test_goals_of_fft_rise_with_the_instruction_set(self):
        goals = {(match.name, goal.comparison.label): str(goal.bound) for match in every_match()
                 for goal in reversed(match.sections[0].goals) if match.kernel == "fft"}
        for power, expected in ((20, ">=2.5|3.5"), (22, ">=3.5|4.5"), (24, ">=4|4.5")):
            for order in ("transposed", "natural"):
                self.assertEqual(goals[f"fft-{power}-{order}", "FFTW measured"], expected)
            self.assertEqual(goals[f"fft-{power}-natural", "FFTW threads"], ">=1.5|1.8")
        (caches,) = (match for match in every_match() if match.name == "fft-caches")
        self.assertEqual([(goal.what, str(goal.bound)) for goal in caches.sections[0].goals],
                         [(f"native, 2^{power}", ">=1|1.2") for power in (10, 12, 14, 16)])
        self.assertEqual({str(side.setup) for side in caches.sides}, {"1 rank x 1 thread"})

    def test_all_of_our_programs_get_the_instruction_set(self):
        files = LimitsFiles(Path("programs"), Path("data"), Path("plans"), ("--isa", "avx2"))
        for match in limits_plan.matches(files, full=True):
            for side in match.sides:
                given = getattr(side.peer, "arguments", None) if side.peer else side.arguments
                if given is not None:  # MKL under our programs, too
                    self.assertEqual(given[-2:], ("--isa", "avx2"), side)
        for match in every_match():
            self.assertFalse([side for side in match.sides if "--isa" in side.arguments])

    def test_names_of_files_do_not_meet(self):
        names = [f"{match.name}-{side.name}" for match in every_match()
                 for side in match.sides]
        self.assertEqual(len(set(names)), len(names))


class Measuring(FakeBuild):
    def setUp(self):
        super().setUp()
        self.write("bin/cg", PROGRAM.format(python=sys.executable, folder=str(self.folder),
                                            tests=str(Path(__file__).parent)))
        self.write("bin/limit_loops", LOOPS.format(python=sys.executable, folder=str(self.folder)))

    def limits(self, *arguments, **behaviour):
        sides = {key.replace("_", "-"): value for key, value in behaviour.items()}
        self.write("behaviour.json", json.dumps(
            {**{f"{setup}-{side}": rate for setup in ("2x1", "1x2") for side, rate in sides.items()},
             "seconds": sides.get("seconds", 0)}))
        return quartet("limits", "--only", "cg", "--build", self.folder, "--results", self.folder / "results",
                       "--launcher", self.folder / "launcher", *map(str, arguments))

    def calls(self):
        return [line.split() for line in (self.folder / "calls").read_text().splitlines()]

    def line(self, text, *words):
        found = [line.split() for line in text.splitlines()
                 if all(word in line for word in words)]
        self.assertTrue(found, text)
        return found[0]

    def test_every_second_round_runs_backwards(self):
        done = self.limits("--rounds", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        order = [(call[0], call[1]) for call in self.calls()]
        sides = ("full", "library", "symmetric", "full-single", "symmetric-single")
        self.assertEqual(order, [(number, f"{setup}-{side}") for number, turn in (("1", 1), ("2", -1))
                                 for setup in ("2x1", "1x2") for side in sides[::turn]])
        self.assertIn("--storage symmetric --algorithm single-reduction --device host --threads 2",
                      " ".join(self.calls()[len(order) // 2 - 1]))

    def test_table_has_the_ratio_of_each_goal_and_its_spread(self):
        done = self.limits("--rounds", 3, full=[10, 10, 10], full_single=[9, 9, 9],
                           library=[8, 10, 9], symmetric=[18, 20, 22])
        self.assertIn("cg, N = 8192, 2 ranks x 1 thread, GFLOP/s, 3 rounds", done.stdout)
        self.assertEqual(self.line(done.stdout, "full ", "dgemv"),
                         ["full", "10.0", "dgemv", "9.00", "1.11", "1.00..1.25", ">=1.05", "met"])
        self.assertEqual(self.line(done.stdout, "symmetric ", "best full"),
                         ["symmetric", "20.0", "best", "full", "10.0", "2.00", "1.80..2.20",
                          ">=1.9", "met"])
        self.assertEqual(self.line(done.stdout, "full ", "limit")[-4:],
                         ["0.80", "0.80..0.80", ">=0.97", "missed"])
        self.assertEqual(self.line(done.stdout, "full, 1 sum", "classic")[-1], "missed")
        self.assertIn("dgemv: of 2x1-library", done.stdout)
        self.assertNotIn("of 2x1-full", done.stdout)  # no library
        self.assertEqual(self.line(done.stdout, "limit of full"),
                         ["limit", "of", "full", "12.5", "loop", "12.5", "1.00", "1.00..1.00", "+-5%", "met"])
        self.assertEqual((self.folder / "loops").read_text().split("\n")[0], f"read {4 * 8192**2} 2")
        self.assertRegex(done.stdout, r"14 goals: \d+ met, \d+ missed\n")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_limit_that_the_loop_does_not_find_is_missed(self):
        done = self.limits("--rounds", 1, full=[10.6], full_single=[10])
        self.assertEqual(self.line(done.stdout, "limit of full")[-1], "missed")

    def test_launches_between_which_the_host_moved_the_cores_are_not_compared(self):
        launcher = self.folder / "launcher"  # moves them when the library is launched
        launcher.write_text(launcher.read_text().replace("shift", f"""shift
case "$*" in *library*) touch {self.folder}/far;; *) rm -f {self.folder}/far;; esac"""))
        done = self.limits("--rounds", 1)
        self.assertEqual(self.line(done.stdout, "full ", "dgemv")[-2], "?")
        self.assertEqual(self.line(done.stdout, "limit of full")[-1], "met")
        self.assertIn("The host moved the cores: a word took 0 to 0 ns", done.stdout)
        self.assertIn("the host moved the cores between or during the launches", " ".join(done.stdout.split()))

    def test_loop_that_was_not_built_is_said(self):
        (self.folder / "bin" / "limit_loops").unlink()
        done = self.limits("--rounds", 1)
        self.assertEqual(self.line(done.stdout, "limit of full")[-2], "?")
        self.assertIn("quartet limits builds it", done.stdout)

    def test_noise_that_is_forgiven_is_marked(self):
        done = self.limits("--rounds", 5, full=[10, 10.2, 9.9, 10.1, 9.8],
                           full_single=[9.9, 10.1, 9.7, 10.15, 9.9])
        self.assertEqual(self.line(done.stdout, "full, 1 sum", "classic")[-1], "met~")
        self.assertIn(" ~  the median is below the goal", done.stdout)
        self.assertNotIn(" ~  ", self.limits("--rounds", 1, full=[10], full_single=[10]).stdout)

    def test_programs_warn_in_the_words_that_are_counted(self):
        (file,) = (SCRIPTS.parent / "common").rglob("disturbance.cpp")
        source = file.read_text(encoding="utf-8")
        for begin in limits_table.DISTURBANCES:
            self.assertIn(f'"{begin}', source)

    def test_disturbed_launches_are_counted_and_not_listed(self):
        done = self.limits("--rounds", 1)
        self.assertIn("    The hypervisor withheld a core's time (\"steal\") in 10 of 10 launches\n", done.stdout)
        self.assertNotIn("warning: ? cg", done.stdout)

    def test_peer_that_is_not_there_is_said_in_its_lines_and_asked_once(self):
        done = self.limits("--rounds", 2, library="not available in this build")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.line(done.stdout, "full ", "dgemv"),
                         ["full", "dgemv", ">=1.05", "?", "1"])
        self.assertIn(" 1  cg: not available in this build", done.stdout)
        self.assertIn("2 not measured", done.stdout)
        self.assertEqual(sum("library" in call[1] for call in self.calls()), 2)

    def test_failed_launch_fails_and_the_rest_is_measured(self):
        done = self.limits("--rounds", 1, symmetric="rank 1 is gone")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("cg: rank 1 is gone", done.stdout)
        self.assertEqual(self.line(done.stdout, "full ", "dgemv")[-3:],
                         ["1.00..1.00", ">=1.05", "missed"])

    def test_wrong_result_sets_the_exit_code_and_a_missed_goal_does_not(self):
        self.assertEqual(self.limits("--rounds", 1, full=[1.0]).returncode, 0)
        self.assertEqual(self.limits("--rounds", 1, full=[0.25]).returncode, 1)

    def test_reuse_shows_the_same_and_measures_nothing(self):
        done = self.limits("--rounds", 2, full=[10, 12])
        calls = len(self.calls())
        again = self.limits("--reuse", full="gone")
        self.assertEqual(again.stdout, done.stdout)
        self.assertEqual(len(self.calls()), calls)

    def test_instruction_sets_are_given_to_programs_and_kept_apart(self):
        own = self.limits("--rounds", 1)
        self.assertNotIn("--isa", (self.folder / "calls").read_text())
        self.assertIn("    an invented processor, 4 CPUs, avx512, host\n", own.stdout)
        (self.folder / "calls").unlink()
        self.assertEqual(self.limits("--isa", "avx2", "--reuse").returncode, 2)  # there are none of it
        narrow = self.limits("--isa", "avx2", "--rounds", 2, full=[5])
        self.assertTrue(all("--isa avx2" in " ".join(call) for call in self.calls()))
        self.assertIn("    an invented processor, 4 CPUs, avx2, host\n", narrow.stdout)
        self.assertEqual(self.limits("--reuse").stdout, own.stdout)
        self.assertEqual(self.limits("--isa", "avx2", "--reuse").stdout, narrow.stdout)
        self.assertTrue((self.folder / "results" / "avx2" / "cg-8192-2x1-full-1.json").exists())
        self.assertEqual(self.limits("--isa", "avx3").returncode, 2)

    def test_reuse_leaves_out_what_is_damaged_and_says_so(self):
        self.limits("--rounds", 2)
        results = self.folder / "results"
        whole = (results / "cg-8192-2x1-full-1.json").read_text()
        null = json.loads(whole)
        for row in null["benchmarks"]:
            row.update(rank_seconds=None, phases=None, limit={"what": "reading", "probes": 3})
        for text in ("", "[]", "{}", whole[:len(whole) // 2], json.dumps(null)):
            (results / "cg-8192-2x1-full-1.json").write_text(text)
            done = self.limits("--reuse")
            self.assertEqual(done.stderr, "")
            self.assertEqual(done.returncode, 0)
            self.assertIn("symmetric, 1 sum", done.stdout)
        for text in ("", "null", "[]", '{"exit_code": 0}', "{"):
            (results / "cg-8192-2x1-full-2.outcome").write_text(text)
            done = self.limits("--reuse")
            self.assertEqual((done.returncode, done.stderr), (3, ""), text)

    def test_reuse_makes_nothing(self):
        done = self.limits("--reuse")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertFalse((self.folder / "results").exists())

    def test_reuse_of_what_is_no_folder_ends(self):
        (self.folder / "results").write_text("")
        done = self.limits("--reuse")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)

    def test_new_measurement_forgets_the_old_one(self):
        self.limits("--rounds", 3)
        self.assertIn(", 1 round", self.limits("--rounds", 1).stdout)

    def test_budget_leaves_out_whole_rounds(self):
        done = self.limits("--rounds", 5, "--budget", 0.001)
        numbers = [call[0] for call in self.calls()]
        self.assertLess(len(numbers), 50)
        self.assertEqual(len(numbers) % 5, 0)
        self.assertRegex(done.stderr, r"\d+ rounds were left out by the budget of 0.001 s")

    def test_refuses_what_it_does_not_know(self):
        self.assertEqual(self.limits("--reuse").returncode, 2)
        self.assertIn("no stream in", self.limits("--only", "stream").stderr)
        self.assertIn("'dgemm' is none of", self.limits("--only", "dgemm").stderr)
        self.assertEqual(self.limits("--rounds", 0).returncode, 2)


class Clock:
    """A launcher that lets a clock of its own run on: 165 s in a launch beforehand, else 1 s."""

    def __init__(self, code=0):
        self.now, self.jobs, self.code = 0.0, [], code

    def complete(self, job, files, _timeout):
        number = int(files.document.stem.rsplit("-", 1)[1])
        self.jobs.append((files.document.stem.rsplit("-", 1)[0], number, " ".join(job.arguments)))
        seconds = 1.0 if number else 165.0
        self.now += seconds
        return Outcome(self.code if "library" in job.arguments else 0, seconds, "no FFTW")

    def of(self, number):
        return [name for name, its_number, _ in self.jobs if its_number == number]


class Beforehand(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = limits_folder.LimitsFolder(Path(temporary.name))
        self.matches = [replace(match, sides=tuple(side for side in match.sides if not side.peer))
                        for match in every_match() if match.kernel == "fft"]

    def left_out(self, launcher, rounds, budget):
        subject = limits_loop.Rounds(self.folder, launcher, Path("bin"), 900)
        with mock.patch("quartet_dev.limits.loop.time.monotonic", lambda: launcher.now), \
                mock.patch("quartet_dev.limits.loop.say"):
            subject.prepare(self.matches)
            return subject.run(self.matches, rounds, budget)

    def test_fftw_measures_each_plan_once_and_keeps_all_in_one_file(self):
        clock = Clock()
        self.left_out(clock, 2, None)
        self.assertEqual(clock.of(0), [f"fft-caches-library-{power}" for power in (10, 12, 14, 16)]
                         + [name for power in (20, 22, 24) for name in (f"fft-{power}-transposed-library",
                                                        f"fft-{power}-natural-library",
                                                        f"fft-{power}-natural-threaded")])
        measured = [arguments for name, _, arguments in clock.jobs
                    if ("library" in name or "threaded" in name) and "26" not in name]
        self.assertEqual(len(measured), 39)
        for arguments in measured:
            self.assertIn("--plan measure --wisdom my plans ", arguments)
        self.assertEqual([len(self.folder.rounds(match)) for match in self.matches],
                         [2] * len(self.matches))

    def test_planning_takes_no_round_from_the_budget(self):
        sides = sum(len(match.sides) for match in self.matches)
        self.assertEqual(self.left_out(Clock(), 5, 5 * sides), 0)
        self.assertEqual(self.left_out(Clock(), 5, 5 * sides - 1), 1)

    def test_library_that_is_not_there_is_asked_once(self):
        clock = Clock(code=77)
        self.left_out(clock, 2, None)
        library = [name for name, _, _ in clock.jobs if "library" in name]
        self.assertEqual(len(library), len(set(library)))
        match = next(match for match in self.matches if match.name == "fft-22-natural")
        found = limits_goals.judge(match.sections[0].goals[1], self.folder.rounds(match))
        self.assertEqual(found.troubles[-1], "no FFTW")

