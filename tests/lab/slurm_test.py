"""scripts/slurm/ on a real Slurm: every script, where ranks and GPUs are, requeued jobs, failures."""

import json
import os
import re
import shutil
import signal
import time
import unittest

from enclosure import ROOT, enclose

enclose("slurmctld", "slurmd", "munged", "mpirun")
from cluster import CORES, GPUS, ClusterTest, setUpModule  # noqa: F401
from documents import PROGRAMS, medians, quartet, read, saved_iterations
from hosts import wait_for
from tree import QUARTET

SLURM = ROOT / "scripts" / "slurm"
FEW = ("--device", "host", "--threads", "1", "--runs", "1", "--limits", "off")
SMALL = {
    "stream": ("--sizes", "64KiB", "--pushes", "3"),
    "matmul": ("--size", "96", "--tile", "32"),
    "cg": ("--size", "50", "--iterations", "3"),
    "fft": ("--size", "4096", "--tiles", "64"),
}
# Iterations long enough that the network's part of them is small.
LONG = (*FEW, "--problem", "random", "--size", "2000", "--warmup", "0")
MODULE_COMMANDS = ("/usr/share/modules/init/sh", "/usr/share/lmod/lmod/init/sh")
LAUNCHERS = ("srun", "mpirun")
ATTEMPTS = 4
# mpirun's ranks have the SLURM_PROCID of the daemon that started them.
TELL_PLACE = """echo "rank ${OMPI_COMM_WORLD_RANK-$SLURM_PROCID} $(hostname) GPUs \
$CUDA_VISIBLE_DEVICES threads $OMP_NUM_THREADS"
"""


class OnSlurm(ClusterTest):
    def setUp(self):
        super().setUp()
        self.output = self.folder / "output"
        self.document = self.folder / "results.json"
        self.begin = time.monotonic()

    def tearDown(self):
        print(f"{time.monotonic() - self.begin:.1f} s", flush=True)

    def submit(self, script, *words, options=(), **environment):
        job = self.cluster.submit(f"--output={self.output}", *options, SLURM / script, *words,
                                  environment={"QUARTET_ROOT": str(ROOT), **environment})
        self.addCleanup(self.cluster.run, "scancel", job)  # where the test fails before its end
        return job

    def end(self, job, state="COMPLETED"):
        self.cluster.wait(job)
        facts = self.cluster.facts(job)
        self.assertEqual(facts["JobState"], state, (facts["ExitCode"], self.output.read_text()))
        return facts

    def run_program(self, script, program, *arguments, options=(), **environment):
        """The document of a job."""
        self.document.unlink(missing_ok=True)
        self.complete(script, PROGRAMS / program, *FEW, *SMALL[program], *arguments, "--json", self.document,
                      options=options, **environment)
        document = read(self.document)
        self.assertTrue(medians(document))
        self.assertTrue(all(row["verified"] for row in medians(document)))
        return document

    def complete(self, *words, **how):
        """Runs a job to its end, anew where it died as it started."""
        for _ in range(ATTEMPTS):
            self.output.unlink(missing_ok=True)
            job = self.submit(*words, **how)
            self.cluster.wait(job)
            if not self.dies_as_it_starts(job):
                break
        self.end(job)

    def dies_as_it_starts(self, job):
        """In Open MPI 4.1 and PMIx 4.2 under srun, of a hundred jobs on three nodes with two ranks each
        four die within MPI_Init: a rank is sent messages while it waits for the others' addresses,
        and calls what it has not registered yet (Open MPI's issue 12495)."""
        return (self.cluster.facts(job)["ExitCode"] == "139:0"
                and "Failing at address: (nil)" in self.output.read_text())

    def hosts_of(self, document):
        self.assertEqual([place["rank"] for place in quartet(document)["placement"]],
                         list(range(quartet(document)["ranks"])))
        return [place["host"] for place in quartet(document)["placement"]]

    def places(self, script, *options, **environment):
        """What each rank says of itself: host, GPUs that it sees, threads."""
        self.output.unlink(missing_ok=True)
        self.end(self.submit(script, "sh", "-c", TELL_PLACE, options=options, **environment))
        lines = re.findall(r"^rank (\d+) (\w+) GPUs (\S*) threads (\d+)$", self.output.read_text(), re.MULTILINE)
        return [tuple(line[1:]) for line in sorted(lines, key=lambda line: int(line[0]))]


class Scripts(OnSlurm):
    def test_every_program_ends_and_leaves_its_document(self):
        scripts = (("cpu.sbatch", ()), ("gpu.sbatch", ("--gpus-per-node=2",))) * 2
        for program, (script, options), launcher in zip(SMALL, scripts, (*LAUNCHERS, *LAUNCHERS[::-1])):
            document = self.run_program(script, program, QUARTET_LAUNCHER=launcher,
                                        options=("--nodes=2", "--ntasks-per-node=2", *options))
            self.assertEqual((quartet(document)["ranks"], quartet(document)["nodes"]), (4, 2))
            self.assertRegex(quartet(document)["slurm"]["SLURM_JOB_ID"], r"^\d+$")

    def test_exit_code_is_the_programs(self):
        for launcher in LAUNCHERS:
            for arguments, code in ((("--transport", "shm"), "77:0"), (("--sizes", "0"), "2:0")):
                job = self.submit("cpu.sbatch", PROGRAMS / "stream", *FEW, *arguments,
                                  options=("--nodes=2",), QUARTET_LAUNCHER=launcher)
                self.assertEqual(self.end(job, "FAILED")["ExitCode"], code)

    def test_start_works_by_hand_in_an_allocation(self):
        for launcher in LAUNCHERS:
            document = self.folder / f"{launcher}.json"
            self.cluster.must("salloc", "--nodes=2", "--ntasks=3", SLURM / "start.sh",
                              PROGRAMS / "cg", *FEW, *SMALL["cg"], "--json", document,
                              environment={"QUARTET_LAUNCHER": launcher})
            self.assertEqual(quartet(read(document))["ranks"], 3)

    def test_what_cannot_be_is_refused_in_a_line(self):
        for environment, words in (({"SLURM_JOB_ID": ""}, "no Slurm job"),
                                   ({"SLURM_JOB_ID": "1", "QUARTET_LAUNCHER": "aprun"}, "aprun")):
            done = self.cluster.run(SLURM / "start.sh", "true", environment=environment)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done)
            self.assertIn(words, done.stderr)

    @unittest.skipUnless(any(map(os.path.exists, MODULE_COMMANDS)), "there is no module command")
    def test_modules_are_loaded(self):
        (self.folder / "probe").write_text("#%Module1.0\nsetenv PROBE loaded\n")
        environment = {"MODULEPATH": str(self.folder), "QUARTET_MODULES": "probe"}
        self.end(self.submit("cpu.sbatch", "sh", "-c", "echo it is $PROBE", **environment))
        self.assertIn("it is loaded\n", self.output.read_text())
        environment["QUARTET_MODULES"] = "absent"
        facts = self.end(self.submit("cpu.sbatch", "true", **environment), "FAILED")
        self.assertEqual(facts["ExitCode"], "2:0")
        self.assertIn("module load absent failed", self.output.read_text())

    def test_bytes_that_went_past_the_fast_fabric_are_named(self):
        self.cluster.hosts.plug_in_fabric("n1", "n2")
        document = self.run_program("cpu.sbatch", "stream", "--sizes", "8MiB", "--transport", "mpi",
                                    options=("--nodes=2", "--ntasks-per-node=1", "--nodelist=n1,n2"),
                                    QUARTET_LAUNCHER="mpirun")
        path = medians(document)[0]["network_path"]
        self.assertEqual([node["host"] for node in path], ["n1", "n2"])
        done = self.cluster.run(*QUARTET, "table", self.document)
        said = " ".join(done.stdout.split())
        self.assertRegex(said, "over eth0 (9.|100)%", done)
        self.assertIn("by TCP over eth0, though mlx5_0 (100 Gb/s) is up", said)


class MachineFile(OnSlurm):
    def test_discovered_from_slurm_it_agrees_and_submits(self):
        file = self.folder / "mine.json"
        done = self.cluster.run(*QUARTET, "machine", "--discover")
        self.assertEqual(done.returncode, 0, done)
        file.write_text(done.stdout)
        machine = json.loads(done.stdout)
        self.assertEqual({key: machine[key] for key in ("name", "partition", "cores_per_node", "sockets_per_node",
                                                        "gpus_per_node", "gpu_request", "launcher", "mpi")},
                         {"name": "lab main", "partition": "main", "cores_per_node": CORES, "sockets_per_node": 1,
                          "gpus_per_node": GPUS, "gpu_request": "gpus-per-node", "launcher": "srun", "mpi": "pmix"})
        self.assertEqual(self.cluster.run(*QUARTET, "machine", "--check", file).returncode, 0)
        job = self.cluster.must(*QUARTET, "submit", file, "--nodes", "2", "--ranks-per-node", "cores", "--output",
                                self.output, "/bin/sh", "-c", "hostname", "--device", "host")
        self.end(job)
        self.assertEqual(sorted(re.findall(r"^n\d$", self.output.read_text(), re.MULTILINE)),
                         ["n1"] * CORES + ["n2"] * CORES)
        file.write_text(json.dumps({**machine, "cores_per_node": 64}))
        done = self.cluster.run(*QUARTET, "machine", "--check", file)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn(f"cores_per_node is 64 in the file, {CORES} on n1, n2, n3: correct it", done.stderr)


class Placement(OnSlurm):
    def test_ranks_are_where_the_distribution_says(self):
        hostfile = self.folder / "hosts"
        hostfile.write_text("n3\nn1\nn1\nn2\nn2\nn3\n")
        for distribution, hosts in (("block", "1 1 2 2 3 3"), ("cyclic", "1 2 3 1 2 3"),
                                    ("plane=2", "1 1 2 2 3 3"), ("plane=1", "1 2 3 1 2 3"),
                                    ("arbitrary", "3 1 1 2 2 3")):
            wanted = [f"n{number}" for number in hosts.split()]
            environment = {"SLURM_HOSTFILE": str(hostfile)} if distribution == "arbitrary" else {}
            document = self.run_program(
                "cpu.sbatch", "cg", **environment,
                options=("--nodes=3", "--ntasks=6", "--ntasks-per-node=2", "-m", distribution))
            self.assertEqual(self.hosts_of(document), wanted, distribution)
            self.assertEqual(quartet(document)["nodes"], 3)
            order = list(dict.fromkeys(wanted))
            self.assertEqual([place["node"] for place in quartet(document)["placement"]],
                             [order.index(host) for host in wanted])

    def test_threads_are_the_cores_of_a_task(self):
        for launcher in LAUNCHERS:
            found = self.places("cpu.sbatch", "--nodes=2", "--ntasks=3", "--cpus-per-task=2",
                                "--ntasks-per-node=2", QUARTET_LAUNCHER=launcher)
            self.assertEqual([threads for _, _, threads in found], ["2"] * 3)

    def test_every_node_has_a_worker_a_gpu_and_every_rank_sees_them_all(self):
        # CUDA opens a neighbour's memory only if both see both GPUs.
        for reducers in (0, 1, 2, 3):
            for launcher in LAUNCHERS if reducers == 1 else LAUNCHERS[:1]:
                ranks, most = 4 + reducers, 2 + -(-reducers // 2)
                found = self.places("gpu.sbatch", "--nodes=2", f"--ntasks={ranks}",
                                    f"--ntasks-per-node={most}",
                                    "--gres=gpu:2" if reducers % 2 else "--gpus-per-node=2",
                                    QUARTET_LAUNCHER=launcher)
                workers = [host for host, _, _ in found[reducers:]]
                self.assertEqual(sorted(workers), ["n1", "n1", "n2", "n2"], (reducers, launcher, found))
                self.assertEqual({gpus for _, gpus, _ in found}, {"0,1"})

    def test_binding_that_the_job_asked_for_is_undone(self):
        for options in (("--gpus-per-task=1",), ("--gpus-per-node=2", "--gpu-bind=single:1")):
            found = self.places("gpu.sbatch", "--nodes=1", "--ntasks=2", *options)
            self.assertEqual(len({gpus for _, gpus, _ in found}), 1, found)


class Clusters(OnSlurm):
    """Roles by rank, several of them on a node, wherever planes put the ranks."""

    def assert_planes(self, document, hosts):
        self.assertEqual(self.hosts_of(document), [f"n{number}" for number in hosts.split()])

    def test_reducers_and_workers_share_nodes_and_are_printed_first(self):
        flow = ("--formulation", "dataflow", "--reducers", "2", "--cluster")
        for size, hosts in ((2, "1 1 2 2 1 1"), (1, "1 2 1 2 1 2"), (3, "1 1 1 2 2 2")):
            document = self.run_program("cpu.sbatch", "matmul", *flow, options=(
                "--nodes=2", "--ntasks=6", "--ntasks-per-node=4", "-m", f"plane={size}"))
            self.assert_planes(document, hosts)
        text = self.output.read_text().split("matmul on host")[0]
        self.assertIn("6 ranks on 2 nodes, 1 thread each\ndataflow: 2 reducers, 4 workers\n", text)
        self.assertIn("  reducer 1: rank 1 on n1, cpus ", text)
        self.assertIn("  worker  3: rank 5 on n2, cpus ", text)

    def test_a_step_has_its_planes(self):
        step = ("--ranks=6", "--nodes=2", "--distribution=plane=2", PROGRAMS / "matmul", *FEW, *SMALL["matmul"],
                "--formulation", "dataflow", "--reducers", "2", "--json", self.document)
        self.complete("cpu.sbatch", *step, options=("--nodes=2", "--ntasks-per-node=4"))
        self.assert_planes(read(self.document), "1 1 2 2 1 1")


class Checkpoints(OnSlurm):
    """A long solve that the batch system interrupts."""

    def solve(self, iterations, *options, **environment):
        self.checkpoints = self.folder / "checkpoints"
        job = self.submit("cpu.sbatch", PROGRAMS / "cg", *LONG, "--iterations", str(iterations),
                          "--checkpoint", self.checkpoints, "--every", "20", "--json", self.document, options=("--nodes=2", *options),
                          **environment)
        wait_for(lambda: saved_iterations(self.checkpoints), 60, "no checkpoint came")
        return job

    def assert_went_on(self, job):
        self.assertEqual(self.end(job)["Restarts"], "1", self.output.read_text())
        [row] = medians(read(self.document))
        self.assertTrue(row["verified"])
        self.assertGreaterEqual(row["restarted_from"], 20)

    def test_signal_before_the_time_limit_requeues_the_job_which_goes_on(self):
        for launcher in LAUNCHERS:
            job = self.solve(400, QUARTET_LAUNCHER=launcher)
            # What --signal=B:USR1@120 does two minutes before the limit.
            self.cluster.must("scancel", "--batch", "--signal=USR1", job)
            self.assert_went_on(job)
            self.assertIn("stopped on request", self.output.read_text())
            shutil.rmtree(self.checkpoints)
            self.output.unlink()
            self.document.unlink()

    def test_signal_does_not_kill_what_saves_nothing(self):
        job = self.submit("cpu.sbatch", "sh", "-c", f"touch {self.folder}/here; sleep 4; echo whole")
        wait_for((self.folder / "here").exists, 30, "it did not start")
        self.cluster.must("scancel", "--batch", "--signal=USR1", job)
        self.end(job)
        self.assertIn("whole", self.output.read_text())

    def test_job_of_a_crashed_node_goes_on_elsewhere(self):
        job = self.solve(1000000)
        self.addCleanup(self.cluster.repair, "n2")
        self.addCleanup(self.cluster.run, "scancel", job)
        self.cluster.crash("n2")
        wait_for(lambda: self.cluster.facts(job).get("Restarts") == "1", 90, "it was not requeued")
        before = max(saved_iterations(self.checkpoints))
        wait_for(lambda: self.cluster.is_running(job), 60, "it did not start again")
        self.assertEqual(self.cluster.facts(job)["NodeList"], "n[1,3]")
        wait_for(lambda: max(saved_iterations(self.checkpoints)) > before, 60, "it goes not on")
        self.cluster.must("scancel", job)
        self.cluster.wait(job)


class Failures(OnSlurm):
    def test_rank_that_dies_ends_the_job_and_leaves_nothing(self):
        for launcher in LAUNCHERS:
            self.output.unlink(missing_ok=True)
            job = self.submit("cpu.sbatch", PROGRAMS / "cg", *LONG, "--iterations", "1000000",
                              "--progress", "on", options=("--nodes=2",), QUARTET_LAUNCHER=launcher,
                              SLURM_WAIT="3")
            # Not while Slurm is still starting the others.
            wait_for(lambda: self.output.exists() and "[1/1] cg/" in self.output.read_text(), 30, "it did not start")
            os.kill(self.ranks("n2")[0], signal.SIGKILL)
            self.end(job, "FAILED")
            wait_for(lambda: not self.ranks("n1") and not self.ranks("n2"), 20, "ranks are left")

    def ranks(self, host):
        program = str((PROGRAMS / "cg").resolve())
        return [pid for pid in self.cluster.hosts[host].processes() if executable(pid) == program]


def executable(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


if __name__ == "__main__":
    unittest.main(verbosity=2)
