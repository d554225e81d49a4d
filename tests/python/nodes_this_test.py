"""Tests of quartet nodes --this with fake programs; tests/lab/ has a Slurm that drains nodes by it."""

import itertools
import json
import os
import re
import subprocess
import time
from pathlib import Path
from unittest import mock

import fake_results
from fake_build import FakeBuild
from in_process import quartet
from quartet.__main__ import parser_of
from quartet.commands.nodes import stamp_of
from quartet.launch import options_of
from quartet.nodes import plan as nodes_plan
from quartet.nodes import this
from quartet.results import rows_of
from tree import SCRIPTS

# Does what is in the file of its name and look: "cg.1", else "cg".
PROGRAM = """#!/bin/sh
here={folder} name=$(basename "$0") device=$2
[ "$device" = host ] || name=$name-$device
echo "$name $*" >>$here/calls
look=$(grep -c "^$name " $here/calls)
while [ "$1" != --json ]; do shift; done
[ -e "$here/$name.$look" ] || look=
. "$here/$name${{look:+.$look}}"
"""
HANG = "trap '' TERM\nsleep 60 &\nwhile :; do sleep 1; done\n"
DISTURBED = [{"kind": "disturbed", "text": "other processes took time worth 48% of the job's cores in 4 of 6 runs"}]
SOUND, CANNOT_TELL, SICK = 0, 4, 5


class FakeNode(FakeBuild):
    busy = 10**6  # processors that others use until it may be they that slow a program down

    def setUp(self):
        super().setUp()
        self.reference = self.folder / "sound"
        self.reference.mkdir()
        for number, rate in enumerate((100, 102, 98, 101, 99, 100)):
            self.document("cg", rate, self.reference / f"{number}.json")
        self.program("cg", 100)

    def document(self, kernel, rate, file, device="host", **more):
        name = f"{kernel}/native/{device}/shm/n:512/ranks:2/threads:1"
        description = more.pop("description", "A CPU; BLAS")
        document = fake_results.document(fake_results.case(name, rate, "GFLOP/s", **more))
        document["context"]["quartet"]["device_description"] = description
        file.write_text(json.dumps(document))

    def program(self, name, *looks):
        """What it does in its looks, the last one's again and again: a rate (with keys of the row), or words of the shell."""
        kernel, _, device = name.partition("-")
        self.write(f"bin/{kernel}", PROGRAM.format(folder=self.folder))
        for number, what in enumerate(looks, 1):
            name_of_look = name if number == len(looks) else f"{name}.{number}"
            if not isinstance(what, str):
                rate, more = what if isinstance(what, tuple) else (what, {})
                made = self.folder / f"{name_of_look}.json"
                self.document(kernel, rate, made, device or "host", **more)
                what = f'cp {made} "$2"\n'
            (self.folder / name_of_look).write_text(what)

    def check(self, *arguments, **environment):
        """Programs that hang are killed after 1.4 s."""
        with mock.patch.multiple(this, SECONDS_TO_START=0.2, PATIENCE=0.2, MOST_GIVEN=1, BUSY=self.busy):
            return quartet("nodes", "--this", "--build", self.folder, "--launcher", self.folder / "launcher", "--kernels", "cg",
                           "--device", "host", "--reference", self.reference, *arguments,
                           env={**os.environ, **environment})

    def verdict(self, *looks, more=()):
        """The exit code and the line, after so many looks of cg."""
        (self.folder / "calls").unlink(missing_ok=True)
        for file in self.folder.glob("cg*"):
            file.unlink()
        self.program("cg", *looks)
        done = self.check(*more)
        self.assertEqual(len(done.stdout.splitlines()), 1, done)
        return done.returncode, done.stdout.strip()

    def looks(self):
        return len(self.lines("calls"))


class Verdicts(FakeNode):
    def test_a_sound_node_is_looked_at_once(self):
        code, line = self.verdict(97)
        self.assertEqual(code, SOUND, line)
        self.assertRegex(line, r"^\S+: sound: every rate is 97% of the reference or more \(lowest: cg\); next: quartet run$")
        self.assertEqual(self.looks(), 1)
        call = (self.folder / "calls").read_text()
        self.assertIn("--device host --size 8192 --iterations 20 --threads 1 --runs 5", call)

    def test_a_slow_node_is_sick_by_two_looks(self):
        code, line = self.verdict(40)
        self.assertEqual((code, self.looks()), (SICK, 2), line)
        self.assertRegex(line, r": sick: cg reaches 40\.0 GFLOP/s, 40% of the reference \(median of 6 launches 100; below 90\.0 is slow\), "
                               r"in both launches; next: quartet check-machine$")

    def test_it_does_not_flap(self):
        self.assertEqual(self.verdict(40, 99)[0], SOUND)
        self.assertEqual(self.verdict((40, {"flags": DISTURBED}), 99)[0], SOUND)
        # Within the spread of the reference, or less than --least below it.
        self.assertEqual(self.verdict(91)[0], SOUND)
        for share in ("0.2", "20%"):
            self.assertEqual(self.verdict(85, more=("--least", share))[0], SOUND)

    def test_slow_but_disturbed_cannot_be_told_and_a_rate_that_suffices_can(self):
        code, line = self.verdict((40, {"flags": DISTURBED}))
        self.assertEqual(code, CANNOT_TELL, line)
        self.assertIn("but it was disturbed: other processes took time worth 48%", line)
        self.assertIn("next: quartet check-machine --quick", line)
        self.assertEqual(self.verdict(40, (40, {"flags": DISTURBED}))[0], CANNOT_TELL)
        code, line = self.verdict((40, {"flags": DISTURBED}), more=("--fail-closed",))
        self.assertEqual((code, ": cannot tell: cg reaches 40.0" in line), (SICK, True), line)
        self.assertEqual(self.verdict((99, {"flags": DISTURBED}))[0], SOUND)

    def test_without_a_reference_of_such_nodes_it_cannot_tell(self):
        for rate, more, reason in ((40, {"description": "Another CPU; BLAS"}, "of other kinds of nodes only"),
                                   (40, {}, "every row failed, is wrong or in doubt"),
                                   (40, {"flags": DISTURBED}, "every row failed, is wrong or in doubt")):
            for file in self.reference.iterdir():
                file.unlink()
            self.document("cg", 100, self.reference / "one.json", **more or {"verified": None})
            code, line = self.verdict(rate)
            self.assertEqual(code, CANNOT_TELL, line)
            self.assertIn(reason, line)
        self.document("stream", 100, self.reference / "one.json")
        self.assertIn("the reference has no usable cg", self.verdict(40)[1])
        self.document("cg", 100, self.reference / "one.json", description="Another CPU; BLAS")
        code, line = self.verdict((40, {"flags": DISTURBED}), more=("--results", self.folder / "doubtful"))
        said = f"no reference: cg is in doubt ({DISTURBED[0]['text']}); next: quartet check-machine --quick"
        self.assertEqual((code, said in line), (CANNOT_TELL, True), line)
        self.verdict(40)
        done = quartet("nodes", "--this", "--build", self.folder, "--launcher", self.folder / "launcher", "--kernels", "cg",
                       "--device", "host", "--results", self.folder / "kept")
        self.assertIn("there is no reference to compare with; kept as a reference: cg; next: quartet nodes --this --kernels cg "
                      f"--device host --build {self.folder} --reference {self.folder / 'kept'}\n", done.stdout)
        [kept] = (self.folder / "kept").glob("*/cg-host.json")
        self.assertTrue(rows_of(json.loads(kept.read_text())))
        self.reference = self.folder / "kept"  # two launches later it is one
        self.assertEqual(self.verdict(40)[0], SOUND)
        self.assertEqual(self.verdict(30)[0], SICK)

    def test_a_reference_that_does_not_fit_is_no_proof_that_a_node_is_sound(self):
        code, line = self.verdict(6721)
        self.assertEqual((code, self.looks()), (CANNOT_TELL, 1), line)
        self.assertRegex(line, "cg is 67.2 times as fast as the reference, which therefore does not fit this node; "
                               r"next: quartet nodes --this .*--results FOLDER on sound nodes")
        self.assertEqual([self.verdict(rate)[0] for rate in (140, 160)], [SOUND, CANNOT_TELL])

    def test_a_reference_that_excuses_any_loss_is_no_proof_that_a_node_is_sound(self):
        for rates, least in (((1, 90), "98%"), ((1, 1, 90, 90), "100%")):
            for file in self.reference.iterdir():
                file.unlink()
            for number, rate in enumerate(rates):
                self.document("cg", rate, self.reference / f"{number}.json")
            code, line = self.verdict(2.7)
            self.assertEqual((code, self.looks()), (CANNOT_TELL, 1), line)
            self.assertIn(f": cannot tell: {len(rates)} launches of the reference differ so much that cg is only slow if it "
                          f"loses over {least}; next: quartet nodes --this --kernels cg ", line)

    def test_a_wrong_result_twice_is_sick_and_once_is_not_forgotten(self):
        wrong = (100, {"verified": False})
        self.program("cg", wrong)
        text = (self.folder / "cg").read_text() + "exit 1\n"
        code, line = self.verdict(text)
        self.assertEqual(code, CANNOT_TELL, line)  # the document is gone: 1 is the program's own only with one
        self.document("cg", 100, self.folder / "wrong", verified=False)
        text = f'cp {self.folder}/wrong "$2"\nexit 1\n'
        code, line = self.verdict(text)
        self.assertEqual(code, SICK, line)
        self.assertIn("cg gives a wrong result, in both launches", line)
        code, line = self.verdict(text, 100)
        self.assertEqual(code, CANNOT_TELL, line)
        self.assertIn("cg gives a wrong result in one launch of two", line)

    def test_what_cannot_run_cannot_be_told(self):
        for text in ("exit 3\n", "exit 77\n", "exit 139\n", ":\n", 'echo "{" >"$2"\n'):
            code, line = self.verdict(text)
            self.assertEqual(code, CANNOT_TELL, line)
            self.assertIn("next: quartet launch ", line)
        (self.folder / "bin" / "cg").unlink()
        done = self.check()
        self.assertEqual((done.returncode, "make build" in done.stdout), (CANNOT_TELL, True), done)

    def test_a_program_that_hangs_is_killed_and_is_sick_if_it_hangs_twice(self):
        code, line = self.verdict(HANG)
        self.assertEqual(code, SICK, line)
        self.assertIn("cg hangs (it was killed after 1 s), in both launches", line)
        self.assertEqual(self.left_over(), [])
        self.assertEqual(self.verdict(HANG, 100)[0], SOUND)

    def test_what_is_slow_or_does_not_end_while_others_use_the_node_cannot_be_told(self):
        self.document("cg", 80, self.folder / "slow.json")
        with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as other:
            self.busy = 0.05
            slow = self.verdict("sleep 0.3\n" + f'cp {self.folder}/slow.json "$2"\n')
            code, line = self.verdict(HANG)
            other.kill()
        self.assertEqual(slow[0], CANNOT_TELL, slow)
        self.assertRegex(slow[1], r"cg reaches 80\.0 GFLOP/s, 80% of the reference .* while other programs kept \d\.\d of \d+ processors? busy")
        self.assertEqual(code, CANNOT_TELL, line)
        self.assertRegex(line, r"cg did not end within 1 s while other programs kept \d\.\d of \d+ processors? busy; "
                               r"next: quartet check-machine --quick$")

    def test_what_two_launches_found_is_said_of_each(self):
        wrong = this.NodeResult(this.Verdict.SICK, "cg gives a wrong result", is_wrong=True)
        hangs = this.NodeResult(this.Verdict.SICK, "cg hangs")
        self.assertEqual(this.combine_launches(hangs, hangs).reason, "cg hangs, in both launches")
        self.assertEqual(this.combine_launches(wrong, hangs).reason, "cg gives a wrong result, and then cg hangs")

    def test_a_gpu_that_the_driver_does_not_list_is_missed(self):
        self.document("cg", 100, self.reference / "gpu.json", device="cuda")
        self.program("cg", (97, {}))
        done = self.check("--device", "auto")
        self.assertEqual(done.returncode, CANNOT_TELL, done.stdout)
        self.assertIn("the reference has rates of GPUs, but the driver lists none here; next: nvidia-smi", done.stdout)

    def test_others_explain_no_more_loss_than_their_processors(self):
        self.busy = 0.05
        for rate, code in ((40, SICK), (88, CANNOT_TELL)):
            self.document("cg", rate, self.folder / "slow.json")
            times = [mock.Mock(busy=ticks, stolen=0) for ticks in (0, 20)]  # 0.2 s of processors
            with mock.patch.object(this, "cpu_times", side_effect=itertools.cycle(times)):
                self.assertEqual(self.verdict("sleep 0.8\n" + f'cp {self.folder}/slow.json "$2"\n')[0], code, rate)

    def test_it_ends_within_its_budget_and_asks_for_more_time(self):
        begin = time.monotonic()
        code, line = self.verdict(HANG, more=("--budget", "2"))
        self.assertLess(time.monotonic() - begin, 3)
        self.assertEqual(code, CANNOT_TELL, line)
        self.assertTrue(line.endswith(f"next: quartet nodes --this --kernels cg --device host --build {self.folder} "
                                      f"--reference {self.reference} --budget 30"), line)
        with mock.patch("quartet.results.reference.read", side_effect=lambda *_: time.sleep(20)):
            code, line = self.verdict(100, more=("--budget", "2"))
        self.assertLess(time.monotonic() - begin, 6)
        self.assertEqual((code, "the time was over" in line), (CANNOT_TELL, True), line)

    def test_a_prologs_environment_suffices_and_its_job_is_not_taken_for_ours(self):
        self.program("cg", f'env >{self.folder}/environment\ncp {self.reference}/0.json "$2"\n')
        done = subprocess.run(
            [SCRIPTS / "quartet", "nodes", "--this", "--build", self.folder, "--launcher", self.folder / "launcher", "--kernels",
             "cg", "--device", "host", "--reference", self.reference], text=True, capture_output=True, check=False,
            cwd="/", env={"SLURM_JOB_ID": "7", "SLURM_JOBID": "7", "PMIX_RANK": "0"})
        self.assertEqual(done.returncode, SOUND, done)
        environment = dict(re.findall(r"^(\w+)=(.*)$", (self.folder / "environment").read_text(), re.MULTILINE))
        self.assertEqual([name for name in environment if name.startswith(("SLURM", "PMI"))], [])
        self.assertTrue(environment["PATH"] and environment["HOME"], environment)

    def test_a_node_that_was_found_sound_lately_costs_nothing(self):
        stamp = self.folder / "run" / "sound-1"

        def check(*looks, more=("--max-age", "6h")):
            with mock.patch("quartet.commands.nodes.stamp_of", return_value=stamp):
                code, line = self.verdict(*looks, more=more)
            return code, line, self.looks() if (self.folder / "calls").exists() else 0

        self.assertEqual(check(99, more=())[::2], (SOUND, 1))
        self.assertFalse(stamp.exists())  # nobody asked for one
        self.assertEqual(check(99)[::2], (SOUND, 1))
        code, line, looks = check(40)
        self.assertEqual((code, looks), (SOUND, 0), line)
        self.assertRegex(line, r": sound: every rate is 99% of the reference or more \(lowest: cg\) \(found 0 min ago\); next: quartet run$")
        old = time.time() - 7 * 3600
        os.utime(stamp, (old, old))
        self.assertEqual(check(98)[::2], (SOUND, 1))
        self.assertEqual(check(40, more=())[::2], (SICK, 2))  # whoever finds it sick takes the stamp away
        self.assertEqual(check(40)[::2], (SICK, 2))
        for word in ("6", "h", "0h", "-1h", "6 h", "1e9h"):
            self.assertEqual(self.check("--max-age", word).returncode, 2, word)

    def test_a_check_of_other_things_has_another_stamp(self):
        def stamp(*words):
            return stamp_of(parser_of(("nodes",)).parse_args(["nodes", "--this", *words]))

        self.assertEqual(stamp("--reference", "a"), stamp("--reference", "a", "--budget", "30"))
        with mock.patch("os.uname", return_value=mock.Mock(nodename="another")):
            elsewhere = stamp("--reference", "a")
        self.assertNotEqual(elsewhere, stamp("--reference", "a"))
        before = stamp("--reference", str(self.reference))
        os.utime(self.reference / "0.json", (1, 1))  # as a document that replaces it
        self.assertNotEqual(before, stamp("--reference", str(self.reference)))
        self.assertEqual(len({stamp(*words) for words in ((), ("--small",), ("--kernels", "cg"), ("--reference", "a"))}), 4)

    def test_its_rows_are_those_of_a_check_of_all_nodes(self):
        for kernel in nodes_plan.CHECKS:
            node = nodes_plan.Node(4, 2, ("host", "cuda"))
            for one, launch in zip(nodes_plan.plan(("n1",), [], node, (kernel,), 1, {kernel: "1"}).configurations,
                                   this.launches(Path("bin"), (kernel,), {"host": 4, "cuda": 2}, False)):
                theirs, ours = options_of(one.command_line()), options_of(launch.arguments)
                self.assertEqual((one.ranks, one.device, one.size), (launch.ranks, launch.device, ours["--size"]))
                for flag in ("--pushes", "--iterations"):
                    self.assertEqual(theirs.get(flag), ours.get(flag), (kernel, flag))

    def test_bad_usage_is_no_verdict(self):
        for words in (("--least", "1"), ("--least", "10"), ("--least", "x%"), ("--budget", "1e-9"), ("--budget", "0")):
            self.assertEqual(self.check(*words).returncode, 2)
        self.assertEqual(quartet("nodes", "--this", "--launcher", self.folder / "absent").returncode, 2)
