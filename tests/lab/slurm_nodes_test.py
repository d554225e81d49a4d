"""Nodes that are asked for, sweeps inside one job, and quartet nodes, on a real Slurm."""

import json
import os
import re
import signal
import subprocess
import unittest

from enclosure import ROOT, enclose

enclose("slurmctld", "slurmd", "munged", "mpirun")
from cluster import CORES, Cluster, ClusterTest
from documents import PROGRAMS, quartet, read
from hosts import wait_for
from tree import QUARTET

# Not with srun: see dies_as_it_starts in slurm_test.py, which tries that.
MACHINE = {"name": "the laboratory", "cores_per_node": CORES, "launcher": "mpirun"}
FEW = ["--runs", "1", "--limits", "off"]
SECONDS = 120


def setUpModule():
    ClusterTest.cluster = Cluster(4)
    unittest.addModuleCleanup(ClusterTest.cluster.close)


class Nodes(ClusterTest):
    def setUp(self):
        super().setUp()
        self.machine = self.folder / "machine.json"
        self.machine.write_text(json.dumps(MACHINE))
        self.addCleanup(self.cluster.wait)
        self.addCleanup(self.cluster.run, "scancel", "--user=root")

    def script(self, name, *words):
        return [*QUARTET, name, *words]

    def sweep(self, *words):
        return self.script("sweep", "--build", PROGRAMS.parent, "--folder", self.folder / "sweep", "--kernels", "cg",
                           "--sizes", "50", "--arguments", " ".join([*FEW, "--iterations", "3"]), "--inside", *words)

    def places(self):
        """Job, ranks and nodes of each document."""
        found = [quartet(read(file)) for file in sorted((self.folder / "sweep").glob("*.json"))]
        return [(one["slurm"]["SLURM_JOB_ID"], one["ranks"], one["nodes"]) for one in found]


class Asking(Nodes):
    def test_a_pair_of_nodes_where_jobs_get_no_variables(self):
        document, output = self.folder / "pair.json", self.folder / "output"
        # The laboratory's own settings for its network.
        settings = {name: value for name, value in self.cluster.environment.items() if name.startswith("OMPI_")}
        self.machine.write_text(json.dumps({**MACHINE, "environment": settings, "prepare": ["echo prepared >&2"]}))
        job = self.cluster.must(*self.script("submit", self.machine, "--nodes", "2", "--ranks-per-node", "1",
                                             "--output", output, PROGRAMS / "stream", "--device", "host", "--sizes",
                                             "1:1", "--pushes", "3", *FEW, "--json", document),
                                environment={"SBATCH_EXPORT": "NIL"})
        self.cluster.wait(job)
        self.assertTrue(document.exists(), output.read_text())
        self.assertEqual([quartet(read(document))[key] for key in ("ranks", "nodes", "threads")], [2, 2, 1])
        self.assertEqual(len({place["host"] for place in quartet(read(document))["placement"]}), 2)
        self.assertIn("prepared", output.read_text())

    def test_launch_spreads_ranks_over_the_nodes_of_a_job(self):
        document = self.folder / "launch.json"
        self.cluster.must("salloc", "--nodes=2", f"--ntasks-per-node={CORES}", ROOT / "scripts" / "launch.sh", "3",
                          PROGRAMS / "cg", "--device", "host", "--size", "50", "--iterations", "3", *FEW, "--json",
                          document, environment={"QUARTET_LAUNCHER": "mpirun"})
        self.assertEqual((quartet(read(document))["ranks"], quartet(read(document))["nodes"]), (3, 2))


class Steps(Nodes):
    """With srun, and programs that are none of ours, which need no MPI."""

    START = [ROOT / "scripts" / "slurm" / "start.sh", "--launcher=srun", "--mpi=none"]

    def test_a_step_has_the_nodes_and_cores_that_it_asks_for(self):
        tell = 'echo "$(hostname) of $SLURM_STEP_NUM_NODES, $SLURM_CPUS_PER_TASK cores, $OMP_NUM_THREADS threads"'
        job = ["salloc", "--nodes=3", f"--ntasks-per-node={CORES}"]
        lines = self.cluster.must(*job, *self.START, "--hosts=n2,n3", "--threads=2", "3", "sh", "-c", tell).splitlines()
        self.assertEqual(sorted(lines), [f"{name} of 2, 2 cores, 2 threads" for name in ("n2", "n2", "n3")])
        for words, reason in ((["--nodes=4", "4"], "the job has 3"), (["--nodes=3", "2"], "each needs one")):
            done = self.cluster.run(*job, *self.START, *words, "true")
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(reason, done.stderr)

    def test_an_interrupt_ends_a_step_that_takes_no_requests(self):
        here, end = self.folder / "here", self.folder / "end"
        stubborn = f"trap '' TERM INT; touch {here}; for i in $(seq 10000); do sleep 0.1; done; touch {end}"
        end_it = """"$@" & while [ ! -e "$0" ]; do sleep 0.1; done
kill -TERM $!; sleep 0.5; kill -0 $! && kill -INT $!; wait $!; echo "code $?"; squeue -h -s -j $SLURM_JOB_ID -o %i"""
        done = self.cluster.run("salloc", "--nodes=1", "bash", "-mc", end_it, here, *self.START, "1", "sh", "-c",
                                stubborn, timeout=SECONDS)
        self.assertIn("code ", done.stdout, done)
        self.assertNotIn(".0", done.stdout)
        self.assertFalse(end.exists())


class Inside(Nodes):
    def test_a_sweep_runs_as_steps_of_the_job_that_it_is_in(self):
        words = self.sweep("--slurm", self.machine, "--nodes", "1:4", "--ranks-per-node", "2")
        done = self.cluster.run("salloc", "--nodes=2", f"--ntasks-per-node={CORES}", *words, timeout=SECONDS)
        self.assertEqual(done.returncode, 75, done.stderr)  # four nodes are too many for this job
        self.assertIn("1 launch left", done.stderr)
        places = self.places()
        self.assertEqual(sorted(place[1:] for place in places), [(2, 1), (4, 2)])
        self.assertEqual(len({job for job, _, _ in places}), 1)
        # The same command elsewhere submits what is left, a job for each number of nodes.
        done = self.cluster.run(*words, "--poll", "0.5", timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 of 3 launches are done already", done.stderr)
        self.assertEqual(sorted(place[1:] for place in self.places()), [(2, 1), (4, 2), (8, 4)])

    def test_launches_of_a_number_of_nodes_share_a_job(self):
        done = self.cluster.run(*self.sweep("--slurm", self.machine, "--nodes", "1,2", "--ranks-per-node", "1,2",
                                            "--poll", "0.5"), timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        places = self.places()
        self.assertEqual(sorted(place[1:] for place in places), [(1, 1), (2, 1), (2, 2), (4, 2)])
        self.assertEqual(len({(job, nodes) for job, _, nodes in places}), 2)
        self.assertEqual(list((self.folder / "sweep").glob("*.slurm")), [])


class Slow(Nodes):
    def check(self, *words):
        return self.script("nodes", "--build", PROGRAMS.parent, "--slurm", self.machine, "--results",
                           self.folder / "checks", "--small", "--kernels", "cg", "--launches", "1", *words)

    def test_a_node_with_a_slow_link_is_named_and_a_killed_check_goes_on(self):
        # The others' rate is their links', too, however busy this machine is.
        self.cluster.hosts.shape(400)
        self.cluster.hosts.shape(25, "n3")
        command = self.check("--at-once", "2", "--poll", "0.5")
        inside = ["salloc", "--nodes=4", f"--ntasks-per-node={CORES}", *command]
        log = self.folder / "log"
        with open(log, "w", encoding="utf-8") as errors:
            process = subprocess.Popen(self.cluster.hosts.head.command(*inside), env=self.cluster.environment,
                                       stdout=errors, stderr=errors)
            self.addCleanup(process.kill)
            wait_for(lambda: len(re.findall(r" of 8: ", log.read_text())) >= 2, SECONDS, "nothing is measured")
            for pid in self.cluster.hosts.head.processes():
                if "nodes" in words_of(pid) and "salloc" not in words_of(pid)[0]:
                    os.kill(pid, signal.SIGKILL)
            process.wait(SECONDS)
        self.cluster.wait()
        # Outside a job it submits one for each node and pair that is left.
        done = self.cluster.run(*command, timeout=SECONDS)
        self.assertEqual(done.returncode, 1, done.stderr + done.stdout)
        self.assertRegex(done.stderr, r"[2-7] of 8 launches are done already")
        [folder] = (self.folder / "checks").iterdir()
        self.assertEqual(len(list(folder.glob("*.json"))), 8)
        slow = re.findall(r"^(\S+) +network .*%", done.stdout, re.MULTILINE)
        self.assertEqual(slow, ["n3"], done.stdout)

    def test_a_node_that_goes_is_named_and_waited_for_only_until_the_others_are_done(self):
        self.addCleanup(self.cluster.run, "scontrol", "update", "NodeName=n4", "State=RESUME")
        busy = self.cluster.submit("--nodelist=n4", "--exclusive", "--output=/dev/null", "--wrap=sleep 600")
        command, log = self.check("--hosts", "n[1-4]", "--pairs", "none", "--poll", "0.5"), self.folder / "log"
        with open(log, "w", encoding="utf-8") as errors:
            process = subprocess.Popen(self.cluster.hosts.head.command(*command), env=self.cluster.environment,
                                       stdout=errors, stderr=errors)
            self.addCleanup(process.kill)
            wait_for(lambda: len(re.findall(r" of 4: ", log.read_text())) == 3, SECONDS, "the others do not end")
            self.cluster.must("scontrol", "update", "NodeName=n4", "State=DRAIN", "Reason=gone")
            self.cluster.must("scancel", busy)
            self.assertEqual(process.wait(SECONDS), 75, log.read_text())
        self.assertRegex(log.read_text(), r"launches cannot start, since these nodes run no jobs now: n4 \(.*--cancel ends the jobs\)")
        self.assertIn("cg: 3 nodes", log.read_text())
        left = self.cluster.run(*self.check("--hosts", "n[1-4]", "--pairs", "none", "--cancel"), timeout=SECONDS)
        self.assertEqual((left.returncode, "1 job cancelled" in left.stderr), (0, True), left.stderr)
        done = self.cluster.run(*command, timeout=SECONDS)  # a new check, of those that are up
        self.assertEqual(done.returncode, 4, done.stderr + done.stdout)
        self.assertRegex(done.stderr, r"left out: n4 \(dr[a-z]+\)")

    def test_the_table_of_all_pairs_names_the_node_with_the_slow_link(self):
        self.cluster.hosts.shape(400)
        self.cluster.hosts.shape(25, "n3")
        document = self.folder / "pairs.json"
        job = self.cluster.must(*self.script("submit", self.machine, "--nodes", "4", "--ranks-per-node", "1", "--output",
                                             self.folder / "output", PROGRAMS / "stream", "--device", "host", "--pairs",
                                             "--sizes", "128KiB", "--pushes", "2", "--runs", "4", "--limits", "off",
                                             "--json", document))
        self.cluster.wait(job)
        self.assertTrue(document.exists(), (self.folder / "output").read_text())
        text = self.cluster.must(*self.script("table", document))
        self.assertRegex(text, " n1->n3 .*\n(.*\n)* *.* n3->n1 ")
        self.assertRegex(" ".join(text.partition("\nSlowest")[2].split()), r"^: n3, in all its 6 pairs \(0\.\d\dx the others")


def words_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
            return file.read().split("\0")
    except OSError:
        return [""]


if __name__ == "__main__":
    unittest.main(verbosity=2)
