"""quartet sweep --slurm and quartet submit on a real Slurm: arrays, dependencies, refusals,
interruption, cancelling, resuming."""

import json
import os
import signal
import subprocess
import unittest

from enclosure import enclose

enclose("slurmctld", "slurmd", "munged", "mpirun")
from cluster import CORES, GPUS, ClusterTest, setUpModule  # noqa: F401
from documents import PROGRAMS, medians, quartet, read, saved_iterations
from hosts import wait_for
from tree import QUARTET

# Not with srun: see dies_as_it_starts in slurm_test.py, which tries that.
MACHINE = {"name": "the laboratory", "cores_per_node": CORES, "gpus_per_node": GPUS,
           "gpu_request": "gres", "launcher": "mpirun", "jobs_at_a_time": 3}
SMALL = ["--runs", "1", "--limits", "off"]
QUICK = {"kernels": ["cg"], "sizes": ["50"], "ranks": [2, 6], "arguments": [*SMALL, "--iterations", "3"]}
# Minutes, if nothing ends it.
SLOW = {"kernels": ["cg"], "sizes": ["2000"], "ranks": [2],
        "arguments": [*SMALL, "--problem", "random", "--iterations", "1000000", "--warmup", "0"]}


class OnSlurm(ClusterTest):
    def setUp(self):
        super().setUp()
        self.results = self.folder / "sweep"
        self.machine = self.write("machine.json", MACHINE)
        self.addCleanup(self.empty_the_queue)

    def empty_the_queue(self):
        self.cluster.run("scancel", "--user=root")
        self.cluster.wait()

    def write(self, name, data):
        (self.folder / name).write_text(json.dumps(data), encoding="utf-8")
        return self.folder / name

    def spec(self, *blocks, launches=1):
        return self.write("sweep.json", {"name": "try", "launches": launches, "blocks": list(blocks)})

    def command(self, *arguments):
        return [*QUARTET, "sweep", "--build", PROGRAMS.parent,
                "--folder", self.results, "--slurm", self.machine, "--poll", "0.3", *arguments]

    def sweep(self, *arguments):
        return self.cluster.run(*self.command(*arguments), timeout=120)

    def begin(self, *arguments):
        """A sweep that goes on while the test does."""
        process = subprocess.Popen(
            self.cluster.hosts.head.command(*self.command(*arguments)), text=True,
            env=self.cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def queue(self, columns="%F_%K %T"):
        return self.cluster.must("squeue", "-h", "-r", "-o", columns).splitlines()

    def documents(self):
        return [read(file) for file in sorted(self.results.glob("*.json"))]


class Running(OnSlurm):
    def test_every_launch_is_a_task_and_leaves_its_document(self):
        stream = {"kernels": ["stream"], "sizes": ["1:1"], "ranks": [2], "transports": ["mpi"], "arguments": SMALL}
        done = self.sweep(self.spec(QUICK, stream, launches=2))
        self.assertEqual(done.returncode, 0, done.stderr)
        documents = self.documents()
        self.assertEqual(len(documents), 6)
        for document in documents:
            self.assertTrue(all(row["verified"] for row in medians(document)))
            nodes = -(-quartet(document)["ranks"] // CORES)
            self.assertEqual(quartet(document)["nodes"], nodes)
            self.assertIn("SLURM_ARRAY_TASK_ID", quartet(document)["slurm"])
        # Jobs that ask for the same, two ranks on a node, are one array; there are two rounds.
        arrays = {quartet(document)["slurm"]["SLURM_ARRAY_JOB_ID"] for document in documents}
        self.assertEqual(len(arrays), 4, done.stderr)
        self.assertIn("6 of 6: ", done.stderr)
        self.assertIn("cg GFLOP/s, native", done.stdout)
        page = self.folder / "report" / "index.html"
        self.cluster.must(*QUARTET, "report", self.results, "--output", page)
        self.assertIn("cg", page.read_text())
        again = self.sweep()
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("6 of 6 launches are done already", again.stderr)

    def test_a_round_waits_for_the_one_before(self):
        process = self.begin(self.spec({**QUICK, "ranks": [2]}, SLOW, launches=2))
        waiting = wait_for(lambda: [line for line in self.queue("%F %T %r %E")
                                    if "PENDING Dependency afterany:" in line], 30, "no dependency")
        self.assertEqual(len(waiting), 2)
        process.terminate()
        process.wait(30)

    def test_what_fails_is_recorded_and_the_rest_is_run(self):
        blocks = [QUICK, {**QUICK, "ranks": [4 * CORES]},  # there are three nodes
                  {**QUICK, "ranks": [3], "threads": [CORES + 1]},
                  {**QUICK, "ranks": [5], "transports": ["shm"]}]  # on two nodes
        done = self.sweep(self.spec(*blocks))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"not submitted: .*(permitted|not available)")
        self.assertIn(f"{CORES + 1} threads a rank", done.stderr)
        self.assertIn("reaches one node", done.stderr)
        self.assertEqual(sum(bool(medians(document)) for document in self.documents()), 2)
        again = self.sweep(self.spec(*blocks))
        self.assertEqual(again.returncode, 3)
        self.assertNotIn("array", again.stderr)

    def test_job_that_dies_without_a_word_is_a_failure(self):
        process = self.begin(self.spec(SLOW))
        wait_for(lambda: self.ranks(), 30, "it did not start")
        for host in self.cluster.hosts.nodes:  # the batch shell and its steps
            for pid in host.processes():
                if comm(pid) in ("bash", "batch.sh", "start.sh", "srun", "cg"):
                    kill(pid)
        _, words = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, words)
        self.assertIn("ended as FAILED", words)

    def ranks(self):
        return [pid for host in self.cluster.hosts.nodes for pid in host.processes() if comm(pid) == "cg"]


class Interruption(OnSlurm):
    def test_interrupted_it_leaves_the_jobs_and_finds_them_again(self):
        process = self.begin(self.spec(SLOW, QUICK))
        wait_for(lambda: any(line.endswith("RUNNING") for line in self.queue()), 30, "nothing runs")
        process.send_signal(signal.SIGTERM)
        _, words = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 75, words)
        self.assertIn("stay in the queue", words)
        before = set(self.queue("%F_%K"))
        self.assertTrue(before)
        process = self.begin(self.spec(SLOW, QUICK))
        wait_for(lambda: len(list(self.results.glob("*.json"))) == 2, 60, "the quick ones do not end")
        self.assertLessEqual(set(self.queue("%F_%K")), before)  # nothing was submitted twice
        process.terminate()
        process.wait(30)

    def test_cancelled_it_goes_on_with_what_was_not_run(self):
        process = self.begin(self.spec(QUICK, SLOW))
        wait_for(lambda: len(list(self.results.glob("*.outcome"))) == 2, 60, "the quick ones do not end")
        cancelled = self.sweep("--cancel")  # the watcher holds the folder
        self.assertEqual(cancelled.returncode, 2, cancelled.stderr)
        process.terminate()
        process.wait(30)
        cancelled = self.sweep("--cancel")
        self.assertEqual(cancelled.returncode, 0, cancelled.stderr)
        self.assertIn("1 job cancelled", cancelled.stderr)
        self.cluster.wait()
        before = len(list(self.results.glob("array-*")))
        process = self.begin(self.spec(QUICK, SLOW))
        wait_for(self.queue, 30, "it was not submitted again")
        self.assertEqual(len(list(self.results.glob("array-*"))), before + 1)
        self.cluster.must("scancel", "--user=root")
        _, words = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, words)
        self.assertIn("has left no result (cancelled)", words)
        self.assertEqual(len(list(self.results.glob("*.outcome"))), 2)

    def test_requeued_task_goes_on_from_its_checkpoint(self):
        block = {**SLOW, "arguments": [*SMALL, "--problem", "random", "--iterations", "400", "--warmup",
                                       "0", "--checkpoint", str(self.folder / "save"), "--every",
                                       "20"]}
        process = self.begin(self.spec(block))
        wait_for(lambda: saved_iterations(self.folder / "save"), 60, "no checkpoint came")
        [task] = self.queue("%A")
        self.cluster.must("scancel", "--batch", "--signal=USR1", task)
        self.cluster.wait()
        _, words = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, words)
        [row] = medians(self.documents()[0])
        self.assertGreaterEqual(row["restarted_from"], 20)


class Submitting(OnSlurm):
    def submit(self, *words):
        return self.cluster.run(*QUARTET, "submit", self.machine, *words)

    def test_one_job_by_its_machine_file(self):
        document = self.folder / "results.json"
        done = self.submit("--ranks", "6", "--output", self.folder / "output", PROGRAMS / "cg",
                           "--device", "host", *SMALL, "--size", "50", "--iterations", "3", "--json",
                           document)
        self.assertEqual(done.returncode, 0, done)
        self.cluster.wait(done.stdout.strip())
        self.assertEqual(quartet(read(document))["nodes"], 2)

    def test_refusals_say_why(self):
        for words, code, reason in ((("--ranks", "99"), 3, "permitted|not available"),
                                    (("--ranks", "1", "--threads", "9"), 2, "9 threads")):
            done = self.submit(*words, PROGRAMS / "cg")
            self.assertEqual(done.returncode, code, done)
            self.assertRegex(done.stderr, reason)


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # its parent took it along


if __name__ == "__main__":
    unittest.main(verbosity=2)
