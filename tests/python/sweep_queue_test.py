"""Tests of quartet sweep --slurm with commands that stand in for Slurm's; tests/lab/ has a Slurm."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from fake_build import FakeBuild
from in_process import quartet
from sweep_test import PROGRAM
from tree import QUARTET

# Runs the tasks of an array at once. Takes as many tasks as the file `most` says, and ends tasks that have
# a file of their number in `killed` as slurmstepd does. With `later` tasks run once there is a file `go`, and none that
# wants the node in `away`.
SBATCH = """#!/bin/bash
cd {folder}
await_go() {{ # no longer than the test has its folder
    while [ -e jobs ] && [ ! -e go ]; do sleep 0.05; done
    [ -e go ]
}}
printf '%s\\n' "$*" >>submitted
for word in "$@"; do
    case $word in
    --array=*) last=${{word##*-}} last=${{last%%\\%*}} ;;
    --nodelist=*) node=${{word#*=}} ;;
    --output=*) output=${{word#*=}} ;;
    *.sbatch) break ;;
    esac
    shift
done
if [ "$last" -ge "$(cat most)" ] || [ -e taken ]; then
    echo "sbatch: error: QOSMaxSubmitJobPerUserLimit" >&2
    echo "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy" >&2
    exit 1
fi
[ ! -e room ] || touch taken # until somebody looks at the queue
number=$(($(cat jobs) + 1))
echo $number >jobs
export SLURM_JOB_ID=$number SLURM_ARRAY_JOB_ID=$number SLURM_JOB_NUM_NODES=9
for SLURM_ARRAY_TASK_ID in $(seq 0 "$last"); do
    export SLURM_ARRAY_TASK_ID
    file=${{output//\\%\\%/@@}}
    file=${{file//\\%A/$number}}
    file=${{file//\\%a/$SLURM_ARRAY_TASK_ID}}
    : >"${{file//@@/%}}"
    if [ -e killed ]; then
        echo "slurmstepd: error: Detected 1 oom-kill event" >"${{file//@@/%}}"
    elif [ -e away ] && [ "$node" = "$(cat away)" ]; then
        touch "alive-${{number}}_$SLURM_ARRAY_TASK_ID"
    elif [ -e later ]; then
        touch "alive-${{number}}_$SLURM_ARRAY_TASK_ID"
        {{ await_go && bash "$@"; rm -f "alive-${{number}}_$SLURM_ARRAY_TASK_ID"; }} >/dev/null 2>&1 &
    else
        bash "$@"
    fi
done
[ ! -e slow ] || await_go
[ ! -e nameless ] || echo "welcome to this cluster"
echo "$number;cluster"
"""
SRUN = """#!/bin/bash
printf '%s\\n' "$*" >>{folder}/steps
for word in "$@"; do
    case $word in
    --ntasks=*) export RANKS=${{word#*=}} ;;
    --*) ;;
    *) break ;;
    esac
    shift
done
exec "$@"
"""
SQUEUE = """#!/bin/sh
rm -f {folder}/taken
if ls {folder}/alive-* 2>/dev/null | sed 's/.*alive-//' | grep .; then
    exit
fi
echo "slurm_load_jobs error: Invalid job id specified" >&2
exit 1
"""
SCONTROL = """#!/bin/sh
echo "JobId=$5 ArrayTaskId=0 JobState=OUT_OF_MEMORY"
"""


class QueuedCase(FakeBuild):
    def setUp(self):
        self.addCleanup(self.wait_for, lambda: not self.left_over())  # when the folder has gone
        super().setUp()
        self.results = self.folder / "sweep 100%a"
        for name, text in (("sbatch", SBATCH), ("srun", SRUN), ("squeue", SQUEUE)):
            self.write(name, text.format(folder=self.folder))
        self.write("scontrol", SCONTROL)
        self.write("bin/matmul", PROGRAM.format(python=sys.executable, folder=str(self.folder),
                                                tests=str(Path(__file__).parent)))
        for name, text in (("version", "quartet 1"), ("behaviour.json", "{}"), ("jobs", "0"), ("most", "100"),
                           ("machine.json", json.dumps({"name": "fake", "cores_per_node": 4}))):
            self.write(name, text)

    def sweep(self, *arguments, ranks=(1, 2, 4), nodes=None, launches=1, sizes=(512,)):
        block = {"kernels": ["matmul"], "sizes": list(map(str, sizes)), "ranks": list(ranks), **({"nodes": nodes} if nodes else {})}
        self.write("spec.json", json.dumps({"launches": launches, "blocks": [block]}))
        return quartet("sweep", self.folder / "spec.json", "--build", self.folder, "--folder", self.results,
                       "--slurm", self.folder / "machine.json", "--poll", "0.1", *arguments, env=self.environment())


class Queue(QueuedCase):
    def test_arrays_that_the_queue_has_no_room_for_are_halved(self):
        self.write("most", "2")
        done = self.sweep(ranks=(1,), sizes=range(1, 6))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list(self.results.glob("*.json"))), 5)
        self.assertEqual([line.split("--array=0-")[1][0] for line in self.lines("submitted")], list("41201"))

    def test_what_the_queue_has_no_room_for_now_is_submitted_later(self):
        self.write("room", "1")  # of arrays
        done = self.sweep(ranks=(1,), launches=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 launches wait until the queue has room", done.stderr)
        self.assertEqual(len(list(self.results.glob("*.json"))), 3)


    def test_launches_that_failed_run_again_also_of_a_sweep_that_is_over(self):
        self.write("killed", "")
        command = ("sweep", "--kernels", "matmul", "--sizes", "512", "--ranks", "1", "--build", self.folder, "--results",
                   self.folder / "runs", "--slurm", self.folder / "machine.json", "--poll", "0.1")
        self.assertEqual(quartet(*command, env=self.environment()).returncode, 3)
        (self.folder / "killed").unlink()
        done = quartet(*command, "--retry-failed", env=self.environment())
        self.assertEqual((done.returncode, len(list(self.folder.glob("runs/*/*.json")))), (0, 1), done.stderr)


class Unwatched(QueuedCase):
    """Whoever starts jobs, leaves and comes back is shown what they came to."""

    def begin(self, command):
        """Starts it, leaves it when its jobs are in the queue, and lets them end."""
        self.write("later", "")
        with subprocess.Popen(command, text=True, stderr=subprocess.PIPE, env=self.environment()) as running:
            for line in running.stderr:
                if "array 1" in line or "job 1" in line:
                    break
            running.send_signal(signal.SIGINT)
            said = running.stderr.read()
        self.assertEqual(running.returncode, 75, said)
        self.write("go", "")
        self.wait_for(lambda: not list(self.folder.glob("alive-*")))

    def make_old(self, runs):
        then = time.time() - 25 * 3600
        for file in runs.glob("*/*-launch*"):
            os.utime(file, (then, then))

    def again(self, command):
        return subprocess.run(command, text=True, capture_output=True, check=False, env=self.environment())

    def assert_the_same_command_shows_it_once(self, command, table):
        self.begin(command)
        self.make_old(self.folder / "runs")  # however late they come back
        done = self.again(command)
        self.assertRegex(done.stdout, table, done.stderr)
        self.assert_there_are(1, 1)
        (self.folder / "later").unlink()
        time.sleep(1)
        self.again(command)
        self.assert_there_are(2, 2)
        return done

    def assert_there_are(self, folders, jobs):
        self.assertEqual((len(list((self.folder / "runs").iterdir())), len(self.lines("submitted"))), (folders, jobs))

    def test_sweep(self):
        self.assert_the_same_command_shows_it_once(
            [*QUARTET, "sweep", "--kernels", "matmul", "--sizes", "512", "--ranks", "1", "--build", self.folder,
             "--results", self.folder / "runs", "--slurm", self.folder / "machine.json", "--poll", "0.1"], "matmul")

    def test_check_of_nodes(self):
        self.write("states", "n1 idle\n")
        done = self.assert_the_same_command_shows_it_once(self.nodes("--hosts", "n1"), "Undecided")
        self.assertIn("but it ran on host (not on n1)", done.stderr)
        self.assertEqual(done.returncode, 3)

    def test_an_array_is_known_though_the_sweep_was_killed_while_it_submitted(self):
        self.write("slow", "")
        command = [*QUARTET, "sweep", "--kernels", "matmul", "--sizes", "512,513", "--ranks", "1", "--build",
                   self.folder, "--folder", self.results, "--slurm", self.folder / "machine.json", "--poll", "0.1"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, env=self.environment()) as running:
            self.wait_for(lambda: len(list(self.results.glob("*.code"))) == 2)
            running.kill()
        self.assertEqual(list(self.results.glob("sweep.jobs")), [])
        done = self.again(command)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("is in use", done.stderr)  # sbatch has not ended
        self.write("go", "")
        self.wait_for(lambda: (self.results / "array-1.tasks" / "number").read_text())
        done = self.wait_for(lambda: found if (found := self.again(command)).returncode != 2 else None)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("submitted before: 2 launches, 2 of them have ended", done.stderr)
        self.assertEqual(len(self.lines("submitted")), 1)

    def test_an_array_without_a_number_is_submitted_again_and_finds_no_tasks(self):
        folder = self.results / "array-1.tasks"
        folder.mkdir(parents=True)
        (folder / "number").touch()
        (folder / "0").write_bytes(b"x\0001\000y\000")
        done = self.sweep(ranks=(1,))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(folder.iterdir()), [])
        self.assertEqual((self.results / "array-2.tasks" / "number").read_text(), "1;cluster\n")
        self.assertEqual(len(self.lines("submitted")), 1)

    def nodes(self, *words):
        """A check of nodes, with a fake sinfo that says what `states` does."""
        self.write("scontrol", "#!/bin/sh\nshift 2\necho $1 | tr , '\\n'\n")
        self.write("sinfo", f"#!/bin/sh\ncat {self.folder}/states\n")
        for name in ("cg", "stream"):
            shutil.copy(self.folder / "bin" / "matmul", self.folder / "bin" / name)
        return [*QUARTET, "nodes", "--slurm", self.folder / "machine.json", "--kernels", "cg", "--pairs", "none",
                "--launches", "1", "--build", self.folder, "--results", self.folder / "runs", "--poll", "0.1", *words]

    def test_a_check_goes_on_where_other_nodes_are_up_than_before(self):
        command = self.nodes()
        self.write("states", "n1 mixed\nn4 drained\nn5 idle*\n")
        self.begin(command)
        self.write("states", "n1 down*\nn3 planned\nn4 drained\n")
        done = self.again(command)
        self.assertIn("continues the check of 1 node that was begun; not part of it (after --cancel a new check begins): n3\n",
                      done.stderr)
        self.assertNotIn("left out", done.stderr)
        self.assert_there_are(1, 1)
        time.sleep(1)  # folders are named by the second
        (self.folder / "later").unlink()
        done = self.again(command)  # its end was shown
        self.assertNotIn("goes on", done.stderr)
        self.assertIn("left out: n1 (down*), n4 (drained)", done.stderr)
        self.assert_there_are(2, 2)

    def test_launches_whose_node_has_gone_are_not_waited_for_and_no_other_node_is_named(self):
        command = self.nodes("--hosts", "n4,n5", "--pairs", "ring")
        why = "ReqNodeNotAvail, UnavailableNodes:n4"
        self.write("squeue", f"#!/bin/sh\nfor job in 1_0 2_0 3_0 4_0 5_0 6_0; do echo $job '{why}'; done\n")
        self.write("sinfo", f"#!/bin/sh\ncat {self.folder}/states\necho 'n4 down*\nn5 idle' >{self.folder}/states\n")
        self.write("states", "n4 idle\nn5 idle\n")
        self.write("later", "")  # nothing runs
        done = self.again(command)
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn(f"launches cannot start, since these nodes run no jobs now: n4 (Slurm's reason: {why}; --cancel ends "
                      "the jobs)", done.stderr)
        self.assertIn("3 launches not run yet", done.stdout)
        self.write("sinfo", f"#!/bin/sh\ncat {self.folder}/states && rm {self.folder}/states\n")
        self.write("states", "n4 idle\nn5 idle\n")
        self.assertIn("run no jobs now: n4, n5 (", self.again([*command, "--results", self.folder / "others"]).stderr)

    def test_named_nodes_that_are_not_up_are_left_out_and_unknown_ones_are_refused(self):
        command = self.nodes("--hosts", "n4,n5")
        self.write("states", "n4 idle\nn5 drained\n")
        self.begin(command)
        self.assertIn("--nodelist=n4 ", self.lines("submitted")[0])
        done = self.again(command)
        self.assertIn("continues the check of 1 node", done.stderr)
        self.assertNotIn("n5", done.stdout)
        done = self.again(self.nodes("--hosts", "n4,n8,n9", "--dry-run"))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("there is no n8, n9 (sinfo names 2 nodes): --hosts", done.stderr)

    def test_a_check_is_over_after_a_day_and_where_it_was_cancelled(self):
        command, both = self.nodes(), "n1 idle\nn2 idle\n"
        self.write("squeue", SQUEUE.format(folder=self.folder).replace("| grep .", "| sed 's/$/ NodeDown/' | grep ."))
        self.write("scancel", f'#!/bin/sh\nfor task; do rm "{self.folder}/alive-$task"; done\n')
        self.write("away", "n2")
        self.write("states", both)
        self.assertIn("there is no check to cancel", self.again([*command, "--cancel"]).stderr)
        self.assertFalse((self.folder / "runs").exists())
        self.assertEqual(self.again(command).returncode, 75)
        self.assert_there_are(1, 2)
        self.write("states", "n1 idle\nn2 down*\n")
        done = self.again(command)
        self.assertIn("that was begun; launches wait for these nodes, which are not up: n2 (down*)\n", done.stderr)
        self.assertIn("1 of 2 launches are done already", done.stderr)
        self.assertIn("run no jobs now: n2 (Slurm's reason: NodeDown;", done.stderr)
        self.assert_there_are(1, 2)
        self.make_old(self.folder / "runs")
        time.sleep(1)  # folders are named by the second
        self.write("states", both)
        done = self.again(command)
        self.assertRegex(done.stderr, r"runs/\w+-nodes is left as it is, since its first launch was more than a day ago: a new "
                                      r"check begins, .*\n.* 1 job cancelled\n")
        self.assertNotIn("done already", done.stderr)
        self.assert_there_are(2, 4)
        oldest = min((self.folder / "runs").iterdir())
        old = self.again([*command, "--folder", oldest, "--hosts", "n1,n2"])
        self.assertIn("nothing more of it is run", old.stderr)
        self.assertEqual((old.returncode, len(list(oldest.glob("*.json")))), (75, 1))
        self.assertLess(*(re.search(r"Measured from (\S+)", one.stdout)[1] for one in (old, done)))
        done = self.again([*command, "--cancel"])
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn(" the check is over: its results stay, and the same command begins a new one\n", done.stderr)
        time.sleep(1)  # folders are named by the second
        self.again(command)
        self.assert_there_are(3, 6)


class Cost(QueuedCase):
    """What a campaign costs is said before it is submitted."""

    def text(self, *words):
        done = quartet(*words, "--slurm", self.folder / "machine.json", "--build", self.folder, "--results",
                       self.folder / "runs", "--dry-run", env=self.environment())
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.lines("submitted"), [])
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        return " ".join(done.stdout.split())

    def test_of_a_check_of_50_nodes(self):
        self.write("scontrol", "#!/bin/sh\nfor number in $(seq 50); do echo n$number; done\n")
        self.write("sinfo", "#!/bin/sh\nfor number in $(seq 50); do echo n$number idle; done\n")
        (self.folder / "bin" / "matmul").rename(self.folder / "bin" / "cg")
        (self.folder / "bin" / "stream").symlink_to("cg")
        command = ["nodes", "--hosts", "n[1-50]", "--kernels", "cg"]
        text = self.text(*command)
        self.assertIn("cg: 50 nodes, 2 launches of each, 4 ranks pair: 50 pairs, 2 launches of each, 2 ranks", text)
        # 100 launches on one node, 100 on two: 300 times 10 s, or 300 s.
        self.assertIn("200 launches on up to 2 nodes each: about 0.833 node hours, if each takes the usual 10 s; at most 25.0 node "
                      "hours, if each takes its limit of 300 s (--timeout)", text)
        self.assertFalse((self.folder / "runs").exists())
        self.write("machine.json", json.dumps({"name": "fake", "cores_per_node": 4, "gpus_per_node": 2}))
        text = self.text(*command)
        self.assertIn("4 ranks cg on GPUs: 50 nodes, 2 launches of each, 2 ranks pair: 50 pairs", text)
        self.assertNotIn("on GPUs", self.text(*command, "--device", "host"))


class Inside(QueuedCase):
    def test_launches_of_a_number_of_nodes_are_steps_of_one_job(self):
        done = self.sweep("--inside", "--timeout", "90", ranks=(2, 4), nodes=[1, 2], launches=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        submitted = sorted(self.lines("submitted"))
        self.assertEqual(len(submitted), 2)
        for nodes, line in zip((1, 2), submitted):
            for word in (f"--nodes={nodes}", "--ntasks-per-node=4", "--array=0-0%", "--time=60"):
                self.assertIn(word, line)
        steps = self.lines("steps")
        self.assertEqual(len(steps), 8)
        self.assertEqual(sum("--nodes=2 --ntasks-per-node=2" in step for step in steps), 2)
        self.assertTrue(all("--time=2 " in step for step in steps))
        self.assertEqual(len(list(self.results.glob("*.json"))), 8)


class Steps(QueuedCase):
    """In an allocation: the same command runs what fits as steps of it."""

    def test_what_fits_the_job_is_run_and_the_rest_is_left(self):
        self.write("scontrol", "#!/bin/sh\nprintf 'n1\\nn2\\n'\n")
        self.write("squeue", "#!/bin/sh\necho 7\n")
        os.environ.update(job := {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_NUM_NODES": "2"})
        self.addCleanup(lambda: [os.environ.pop(name) for name in job])
        done = self.sweep("--inside", ranks=(4,), nodes=["1:4"])
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("1 launch left (this job lacks the nodes)", done.stderr)
        self.assertEqual(self.lines("submitted"), [])
        self.assertEqual(len(list(self.results.glob("*.json"))), 2)
        self.assertTrue(all("--exact" in step for step in self.lines("steps")))
        self.write("squeue", "#!/bin/sh\n")  # the job ends
        self.write("behaviour.json", '{"code": 3, "writes": false}')
        done = self.sweep("--inside", "--folder", self.folder / "other", ranks=(2,), nodes=[2])
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("the job has ended with 1 launch to go", done.stderr)
        self.assertEqual(list((self.folder / "other").glob("*.outcome")), [])
