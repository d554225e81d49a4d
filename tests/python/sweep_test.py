"""Tests of quartet sweep with a fake launcher and fake programs."""

import json
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from fake_build import FakeBuild
from in_process import quartet
from quartet.sweep import plan as sweep_plan
from tree import QUARTET, SCRIPTS

# Behaves as {folder}/behaviour.json says, by rank count: seconds, exit code, whether it writes.
PROGRAM = """#!{python} -S
import contextlib, json, os, signal, sys, time
sys.path.insert(0, {tests!r})
import fake_results
if "--version" in sys.argv:
    print(open({folder!r} + "/version").read().strip())
    sys.exit(0)
def value(flag):
    return sys.argv[sys.argv.index(flag) + 1]
ranks, behaviour = os.environ["RANKS"], json.load(open({folder!r} + "/behaviour.json"))
mine = {{**behaviour, **behaviour.get(ranks, {{}})}}
def finish(*_):
    raise InterruptedError
if "finishes" in mine:
    signal.signal(signal.SIGTERM, finish)
with open({folder!r} + "/calls", "a") as calls:
    print(ranks, *sys.argv[1:], file=calls)
with contextlib.suppress(InterruptedError):
    time.sleep(mine.get("seconds", 0))
if mine.get("writes", True):
    name = "matmul/%s/host/shm/n:%s/tile:256/ranks:%s/threads:%s" % (
        value("--formulation"), value("--size"), ranks, value("--threads"))
    is_disturbed = len(open({folder!r} + "/calls").readlines()) <= mine.get("disturbed", 0)
    flag = {{"kind": mine.get("kind", "disturbed"), "text": "others ran"}}
    doubt = {{"flags": [flag], "distrusted": True}} if is_disturbed else {{}}
    rows = fake_results.case(name, mine.get("rate", 100.0 * int(ranks)), "GFLOP/s", workers=int(ranks),
                        verified=mine.get("code", 0) != 1, **doubt)
    with open(value("--json") + ".tmp", "w") as file:
        json.dump(fake_results.document(rows), file)
    os.rename(value("--json") + ".tmp", value("--json"))
if "says" in mine:
    print(mine["says"], file=sys.stderr)
sys.exit(mine.get("code", 0))
"""


class SweepCase(FakeBuild):
    def setUp(self):
        super().setUp()
        self.results = self.folder / "sweep"
        self.write("launcher", '#!/bin/sh\nexport RANKS=$1\nshift\nexec "$@"\n')
        self.write("bin/matmul", PROGRAM.format(python=sys.executable, folder=str(self.folder),
                                                tests=str(Path(__file__).parent)))
        self.write("version", "quartet 1")
        self.behave()

    def behave(self, **behaviour):
        self.write("behaviour.json", json.dumps(behaviour))

    def spec(self, name="sweep.json", launches=2, **block):
        block = {"kernels": ["matmul"], "sizes": ["512"], "ranks": [1, 2, 4], **block}
        self.write(name, json.dumps({"name": "try", "launches": launches, "blocks": [block]}))
        return self.folder / name

    def command(self, *arguments, where="--folder"):
        return ["sweep", "--build", self.folder, "--launcher", self.folder / "launcher", where, self.results,
                *map(str, arguments)]

    def sweep(self, *arguments):
        return quartet(*self.command(*arguments))

    def begin(self, *arguments, under=()):
        """A sweep that goes on while the test does, of which one call at least has begun; run by the
        command `under` where there is one."""
        process = subprocess.Popen([*under, *QUARTET, *self.command(*arguments)], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.wait_for(lambda: len(self.calls()) > 0)
        return process

    def calls(self):
        return self.lines("calls")

    def names(self, pattern="*.json"):
        return sorted(path.name for path in self.results.glob(pattern))


class Running(SweepCase):
    def test_each_launch_is_a_job_and_leaves_a_document(self):
        done = self.sweep(self.spec())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.names(), [f"00{number}-matmul-native-auto-host-512-ranks{ranks}-launch{launch}.json"
            for number, ranks in enumerate((1, 2, 4)) for launch in (1, 2)])
        self.assertEqual(sorted(call.split()[0] for call in self.calls()), list("112244"))
        self.assertIn("--device host --formulation native --transport auto --size 512 --threads 1", self.calls()[0])
        self.assertIn("6 of 6: matmul native host auto 512 on", done.stderr)
        self.assertRegex(done.stderr, r"1 of 6: .* s, ok; about \d+ s left\n")

    def test_failures_are_recorded_and_the_rest_is_run(self):
        self.behave(**{"2": {"code": 3, "writes": False, "says": "matmul: no space: free some"}})
        done = self.sweep(self.spec(launches=1))
        self.assertEqual(done.returncode, 3)
        self.assertEqual(len(self.names()), 2)
        self.assertIn("median: of the launches' medians", done.stdout)
        self.assertIn("matmul: no space: free some (exit code 3)", " ".join(done.stdout.split()))
        again = self.sweep(self.spec(launches=1))
        self.assertEqual((again.returncode, len(self.calls())), (3, 3))  # not repeated
        self.behave()
        retried = self.sweep(self.spec(launches=1), "--retry-failed")
        self.assertEqual((retried.returncode, len(self.calls())), (0, 4), retried.stderr)
        self.assertEqual(len(self.names()), 3)

    def test_worst_exit_code_is_the_sweeps(self):
        for code, expected in ((1, 1), (2, 2), (77, 0), (137, 3)):
            self.results = self.folder / f"sweep{code}"
            self.behave(**{"2": {"code": code}})
            self.assertEqual(self.sweep(self.spec(launches=1)).returncode, expected)

    def test_a_sweep_without_a_result_has_no_empty_table(self):
        self.behave(code=3, writes=False)
        done = self.sweep(self.spec(launches=1))
        self.assertEqual(done.stdout.splitlines()[0].strip(), "nothing was measured")


class Interruption(SweepCase):
    def test_interrupted_sweep_goes_on_without_repeating(self):
        for number in (signal.SIGINT, signal.SIGHUP):
            with self.subTest(number):
                self.results = self.folder / number.name
                (self.folder / "calls").unlink(missing_ok=True)
                self.behave(**{"4": {"seconds": 60}})
                process = self.begin(self.spec())
                self.wait_for(lambda: any(call[0] == "4" for call in self.calls()))
                before = len(self.calls())
                process.send_signal(number)
                _, errors = process.communicate(timeout=20)
                self.assertEqual(process.returncode, 75, errors)
                self.assertIn(f"interrupted with {7 - before} launches to go: the same command continues", errors)
                self.assertEqual(len(self.names()), before - 1)
                self.behave()
                done = self.sweep(self.spec())
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(self.calls()), 6 + 1)  # only what was cut short came twice
                self.assertEqual(len(self.names()), 6)

    def test_a_launch_that_ends_when_it_is_asked_to_is_not_to_go(self):
        self.behave(**{"2": {"seconds": 60, "finishes": True}})
        process = self.begin(self.spec(launches=1))
        self.wait_for(lambda: any(call[0] == "2" for call in self.calls()))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        left = 3 - len(self.names())
        self.assertIn(f"interrupted with {left} launch", errors)
        self.assertIn(f"{3 - left} of 3 launches are done already", self.sweep(self.spec(launches=1)).stderr)

    def test_a_launch_that_kept_a_part_of_its_runs_comes_again(self):
        self.sweep(self.spec(launches=1))
        first = min(self.results.glob("*.json"))
        document = json.loads(first.read_text())
        document["context"]["quartet"]["stopped"] = True
        first.write_text(json.dumps(document))
        min(self.results.glob(f"{first.stem}*.outcome")).unlink()
        self.assertIn("2 of 3 launches are done already", self.sweep(self.spec(launches=1)).stderr)

    def test_killed_sweep_goes_on_when_its_job_has_ended(self):
        self.behave(seconds=4)  # which starting another sweep takes less than
        process = self.begin(self.spec(launches=1))
        process.kill()
        process.wait()
        refused = self.sweep(self.spec(launches=1))
        self.assertEqual(refused.returncode, 2)
        self.assertIn("is in use", refused.stderr)
        self.behave()
        self.wait_for(lambda: len(self.names()) == 1)
        self.wait_for(lambda: self.sweep(self.spec(launches=1)).returncode != 2)
        self.assertEqual(len(self.calls()), 3)  # the job that was left behind counts

    def test_budget_leaves_out_what_would_pass_it(self):
        self.behave(seconds=0.5)
        done = self.sweep(self.spec(launches=3), "--budget", 2)
        self.assertEqual(done.returncode, 75)
        self.assertRegex(done.stderr, r"the budget of 2 s is over with \d launches to go")
        self.assertRegex(done.stderr, r"about \d s of the budget left\n")
        self.assertIn("not complete yet", done.stdout)
        self.assertTrue(1 <= len(self.calls()) <= 4, self.calls())
        self.behave()
        self.assertEqual(self.sweep(self.spec(launches=3)).returncode, 0)
        self.assertEqual(len(self.calls()), 9)

    def test_without_a_folder_the_unfinished_one_is_found(self):
        def sweep(*arguments):
            return quartet(*self.command(self.spec(), *arguments, where="--results"))

        self.behave(seconds=0.5)
        self.assertEqual(sweep("--budget", "1").returncode, 75)
        self.behave()
        self.assertEqual(sweep().returncode, 0)
        self.assertEqual(len(self.calls()), 6)
        self.assertEqual(len(list(self.results.iterdir())), 1)


class Refusals(SweepCase):
    def test_changed_plan_is_refused_with_what_differs(self):
        self.assertEqual(self.sweep(self.spec()).returncode, 0)
        done = self.sweep(self.spec(ranks=[1, 2]))
        self.assertEqual(done.returncode, 2)
        self.assertIn("1 configuration only there, as matmul 512 on 4 x 1", done.stderr)
        self.assertIn("seed 1 there, 7 here", self.sweep(self.spec(), "--seed", 7).stderr)
        self.write("version", "quartet 2")
        for arguments in ([self.spec()], []):
            rebuilt = self.sweep(*arguments)
            self.assertEqual(rebuilt.returncode, 2)
            self.assertIn("matmul was quartet 1, is quartet 2", rebuilt.stderr)
        self.assertEqual(len(self.calls()), 6)

    def test_bad_sweeps_are_refused_with_the_reason(self):
        bad = {"unknown key 'size'": {"size": ["1"]}, "either ranks or workers": {"workers": [1]},
            "kernel 'lu'": {"kernels": ["lu"]}, "kernel '/bin/sh'": {"kernels": ["/bin/sh"]},
            "sizes must have a length of at least 1": {"sizes": []}, "nodes 'cores'": {"nodes": ["cores"]},
            "ranks 'many'": {"ranks": ["many"]}, "ranks '0'": {"ranks": [0]},
            "ranks[0] must be string or integer": {"ranks": [True]}, "ranks must be array": {"ranks": 2},
            "scaling must be none or strong or weak": {"scaling": "linear"},
            "threads[0] must be at least 1": {"threads": [0]}, "sizes[0] is not written": {"sizes": ["a\u0007"]},
            "arguments[0] is not written": {"arguments": ["a\0b"]},
            "title must be string or integer": {"title": {"a": 1}},
            "no ranks are left": {"formulations": ["dataflow"], "ranks": [1]},
            "no ranks are left (stream takes 2": {"kernels": ["stream"], "ranks": [1]},
            "launches must be at least 1": {"launches": 0},
            "more than 100000 launches": {"sizes": list(map(str, range(9000))), "launches": 10000},
            "no weak scaling of stream": {"kernels": ["stream"], "scaling": "weak"},
            "size '2:8'": {"sizes": ["2:8"], "scaling": "weak"}, "ranks '4:1'": {"ranks": ["4:1"]}}
        for reason, block in bad.items():
            with self.subTest(reason), self.assertRaises(sweep_plan.SpecError) as refused:
                sweep_plan.add_blocks(sweep_plan.Draft(4), sweep_plan.read_spec(self.spec(**block)), "test")
            self.assertIn(reason, str(refused.exception))
        done = self.sweep(self.spec(**block))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertFalse(self.results.exists())

    def test_unreadable_files_missing_programs_and_no_words_are_refused(self):
        self.write("cut.json", '{"blocks": [')
        self.write("deep.json", "[" * 10**5)
        for arguments, reason in (([self.folder / "cut.json"], "cannot be read"),
                                  ([self.folder / "deep.json"], "cannot be read"),
                                  ([self.spec("weak.json", scaling="weak", sizes=["9" * 400])], "must have a length"),
                                  ([self.folder / "none.json"], "cannot be read"), ([], "holds no sweep"),
                                  ([self.spec(kernels=["fft"])], "build it first")):
            done = self.sweep(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(reason, done.stderr)


class Planning(unittest.TestCase):
    def draft(self, cores=4, **block):
        draft = sweep_plan.Draft(cores)
        block = {"kernels": ["matmul"], "sizes": ["1024"], "ranks": [1, 2], **block}
        if "workers" in block:
            del block["ranks"]
        sweep_plan.add_blocks(draft, {"blocks": [block]}, "test")
        return draft

    def sizes(self, **block):
        return [(one.ranks, one.size) for one in self.draft(scaling="weak", **block).configurations]

    def test_factors_are_multiplied_out(self):
        draft = self.draft(kernels=["cg", "fft"], sizes=["8", "9"], transports=["mpi", "shm"],
                           formulations=["native", "library"], devices=["host", "cuda"], threads=[1, 2])
        self.assertEqual(len(draft.configurations), 2**7)

    def test_ranks_double_up_to_the_cores_of_the_machine(self):
        for cores, ranks, expected in ((6, "1:cores", [1, 2, 4, 6]), (8, "1:cores", [1, 2, 4, 8]),
                                       (1, "1:cores", [1]), (1, "2:cores", [2]),
                                       (5, "cores", [5]), (5, "1:2", [1, 2])):
            found = self.draft(cores, ranks=[ranks]).configurations
            self.assertEqual([one.ranks for one in found], expected)

    def test_weak_sizes_are_rounded_and_the_difference_is_noted(self):
        draft = self.draft(scaling="weak", arguments=["--tile", "64"])
        self.assertEqual([one.size for one in draft.configurations], ["1024", "1280"])
        self.assertEqual(draft.notes, ["matmul on 2 workers: n 1280 in place of 1290.2 (work per worker -2.3%)"])
        self.assertEqual(self.sizes(kernels=["cg"], ranks=[1, 3]), [(1, "1024"), (3, "1773")])
        self.assertEqual(self.sizes(kernels=["fft"], sizes=["2^10"], ranks=[3, 7])[1],
                         (7, str(7 * 343)))  # 1024 / 3 is not whole: 343 = 7^3 is near

    def test_weak_scaling_counts_workers_and_not_reducers(self):
        self.assertEqual(self.sizes(formulations=["dataflow"], workers=[1, 8], reducers=2,
                                    arguments=["--tile", "64"]), [(3, "1024"), (10, "2048")])
        flow = self.draft(formulations=["dataflow"], ranks=[1, 2, 9], scaling="weak", arguments=["--tile", "64"])
        self.assertEqual([(one.ranks, one.size) for one in flow.configurations], [(2, "1024"), (9, "2048")])
        self.assertIn("on fewer than 2 ranks is left out", flow.notes[0])
        self.assertEqual(flow.configurations[0].arguments[-2:], ("--reducers", "1"))

    def test_ranks_are_spread_over_nodes(self):
        def places(**block):
            draft = sweep_plan.Draft(8, 2, 4)
            sweep_plan.add_blocks(draft, {"blocks": [{"kernels": ["matmul"], "sizes": ["64"], **block}]}, "test")
            return [(one.ranks, one.nodes, one.threads) for one in draft.configurations], draft.notes
        self.assertEqual(places(nodes=["1:4"], ranks_per_node=[2])[0], [(2, 1, 1), (4, 2, 1), (8, 4, 1)])
        self.assertEqual(places(nodes=[3], ranks_per_node=["cores", "sockets", "gpus", "1:2"])[0],
                         [(24, 3, 1), (6, 3, 1), (12, 3, 1), (3, 3, 1)])
        self.assertEqual(places(nodes=[3], ranks_per_node=["cores"], threads=[4, 3])[0], [(6, 3, 4), (6, 3, 3)])
        self.assertEqual(places(nodes=[2], ranks_per_node=["gpus"], formulations=["dataflow"])[0], [(9, 2, 1)])
        self.assertEqual(places(nodes=[2], workers=[4], formulations=["dataflow"])[0], [(5, 2, 1)])
        found, notes = places(nodes=["1:4"], ranks=[2])
        self.assertEqual(found, [(2, 1, 1), (2, 2, 1)])
        self.assertEqual(notes, ["matmul native on fewer ranks than nodes is left out"])


class ReadyMade(unittest.TestCase):
    FOLDER = SCRIPTS / "sweeps"

    def plan(self, name, cores):
        draft = sweep_plan.Draft(cores)
        sweep_plan.add_blocks(draft, sweep_plan.read_spec(self.FOLDER / f"{name}.json"), name)
        return draft.configurations

    def test_published_sizes_are_the_papers(self):
        def run(kernel):
            return {(one.size, one.ranks) for one in self.plan(f"paper-{kernel}", 1) if one.formulation == "native"}

        sizes = ("2^14", "2^15", "2^16")
        self.assertEqual(run("stream"), {("2:128", 2)})
        self.assertEqual({one.nodes for one in self.plan("paper-stream", 1)}, {2})
        for kernel in ("matmul", "cg"):
            self.assertEqual(run(kernel), {(size, workers) for size in sizes for workers in (2, 4, 8, 16)})
        self.assertEqual(run("fft"), {(size, workers) for size in ("2^29", "2^31") for workers in (2, 4, 8)})


class Table(SweepCase):
    def rows(self, launches=1, **block):
        """The words of each row of a sweep's table."""
        self.done = self.sweep(self.spec(launches=launches, **block))
        return [line.split() for line in self.done.stdout.splitlines() if line.strip().startswith("512")]

    def test_a_launch_on_other_nodes_than_were_asked_for_is_said_and_marked(self):
        rows, done = self.rows(ranks=[2], nodes=[1, 2]), self.done  # both ran on one
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"on 2 ranks of 2 nodes, launch 1: .* ok, but it ran on 1 node \(2 were asked for\)")
        lines = done.stdout.splitlines()
        self.assertIn("nodes", lines[0])
        self.assertEqual([row[:5] for row in rows], [["512", "1", "2", "2", "200"], ["512", "2", "2", "2", "200?"]])
        self.assertIn("1 launch of matmul native host auto 512 on 2 ranks of 2 nodes: it ran on", done.stdout)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertNotIn("speed-up against", done.stdout)

    def test_speed_ups_state_their_base_and_count_workers(self):
        rows = self.rows(scaling="strong", title="Strong")
        self.assertIn("Strong\nmatmul GFLOP/s, native, shm, host, tile:256, threads:1\n"
                      "  speed-up against 100 GFLOP/s on 1 worker at 512\n", self.done.stdout)
        self.assertEqual(rows[0], ["512", "1", "1", "100", "99.0-102", "1", "base", "80%", "ok"])
        self.assertEqual(rows[2], ["512", "4", "4", "400", "396-408", "1", "4.00x", "100%", "80%", "ok"])

    def test_a_row_whose_launches_were_mostly_disturbed_is_in_doubt(self):
        self.behave(disturbed=3)
        self.assertEqual(self.rows(ranks=[2], launches=4), [["512", "2", "2", "200?", "198-204", "1", "of", "4", "ok"]])
        self.assertIn("matmul native shm 512: 3 of 4 launches in doubt (the first of them: others ran)", " ".join(self.done.stdout.split()))
        self.assertIn("?  in doubt", self.done.stdout)
        self.results = self.folder / "other"
        self.behave(disturbed=5)
        self.assertEqual(self.rows(ranks=[2], launches=2),
                         [["512", "2", "2", "200", "198-204", "1", "of", "2", "80%", "ok"]])
        self.assertNotIn("in doubt", self.done.stdout, "as the row counts, and has no mark")

    def test_a_speed_up_is_in_doubt_with_its_rate_or_its_base(self):
        self.behave(**{"2": {"disturbed": 99}})
        self.assertEqual([row[-4:-1] for row in self.rows(scaling="strong")],
                         [["1", "base", "80%"], ["1", "2.00x?", "100%?"], ["4.00x", "100%", "80%"]])
        self.results = self.folder / "other"
        self.behave(**{"1": {"disturbed": 99}})
        self.assertEqual([row[-3:-1] for row in self.rows(scaling="strong")][1:], 2 * [["100%?", "80%"]])
        self.assertIn("speed-up against 100? GFLOP/s on 1 worker", self.done.stdout)

    def test_what_is_in_doubt_is_named_with_the_factors_that_differ(self):
        self.behave(disturbed=99)
        self.rows(ranks=[1, 2], threads=[1, 2])
        for factors in ("ranks:1, threads:1", "ranks:1, threads:2", "ranks:2, threads:1", "ranks:2, threads:2"):
            self.assertIn(f"matmul native shm 512, {factors}: 1 of 1", " ".join(self.done.stdout.split()))
        self.results = self.folder / "weak"
        self.behave(disturbed=99, kind="slow_library")
        self.rows(ranks=[1, 2], scaling="weak")
        self.assertRegex(self.done.stdout, r"(?s) in place of .* \?  in doubt.* quoted\n    matmul native shm 512: others ran\n")

    def test_a_transport_and_auto_that_took_it_are_launches_of_one_row(self):
        self.assertEqual([row[5] for row in self.rows(ranks=[2], transports=["auto", "shm"])], ["2"])

    def test_wrong_results_are_seen_and_scale_nothing(self):
        self.behave(**{"1": {"code": 1}})
        done = self.sweep(self.spec(scaling="strong"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG", done.stdout)
        self.assertIn("speed-up against 200 GFLOP/s on 2 workers", done.stdout)
