"""Machines that are short of something: cores, a network, shared memory."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from quartet_cli import CG, PROGRAMS, UNAVAILABLE, Scratch, errors, main, medians, run

ALONE_IN_THE_NETWORK = 'ip link set lo up && exec "$@"'
LITTLE_SHARED_MEMORY = 'mount -t tmpfs -o size={} none /dev/shm && exec "$@"'
STREAM = "--sizes {} --pushes 3 --runs 1 --limits off --device host --threads 1"


def apart(namespace, set_up):
    """A prefix for run that sets up a namespace of its own, and why there is none, or None."""
    for unshare in (["unshare", namespace], ["unshare", "--map-root-user", namespace]):
        prefix = [*unshare, "sh", "-c", set_up, "sh"]
        try:
            tried = subprocess.run([*prefix, "true"], capture_output=True, text=True, check=False)
        except OSError as error:
            return None, str(error)
        if tried.returncode == 0:
            return prefix, None
    return None, f"no namespace ({tried.stderr.strip()})"


def cores():
    """How many cores this process may use: hardware threads of one are one."""
    siblings = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    try:
        return len({Path(siblings.format(cpu)).read_text() for cpu in os.sched_getaffinity(0)})
    except OSError:
        return len(os.sched_getaffinity(0))


class Machines(Scratch):
    def prefix(self, namespace, set_up):
        prefix, reason = apart(namespace, set_up)
        if reason:
            self.skipTest(reason)
        return prefix

    def placement_warnings(self, outcome):
        self.assertEqual(outcome.code, 0, outcome)
        rows = {row["run_name"] for row in outcome.document["benchmarks"]}
        return [text for text in outcome.document["context"]["quartet"]["warnings"]
                if not any(name in text for name in rows)]

    @unittest.skipUnless(shutil.which("taskset") and cores() > 1, "no taskset, or one core")
    def test_a_wrong_placement_is_said(self):
        core = min(os.sched_getaffinity(0))
        stream, unbound = STREAM.format("64KiB") + " --transport mpi", ["env", "QUARTET_BIND=none"]
        self.assertEqual(self.placement_warnings(run("stream", 2, stream, prefix=unbound)), [])
        # Both ranks on one core of several; the same by OpenMP, which begins at the first place.
        on_top = [run(Path(shutil.which("taskset")), 2, f"--cpu-list {core} {PROGRAMS / 'stream'}", stream,
                      prefix=unbound), run("stream", 2, stream, prefix=[*unbound, "OMP_PROC_BIND=true"])]
        for outcome in on_top:
            [warning] = self.placement_warnings(outcome)
            self.assertIn("ranks 0-1 on ", warning)
            self.assertIn("are bound on top of each other", warning)
            self.assertIn("warning: ranks 0-1", outcome.stdout)
        crowded = run("stream", 3, stream, prefix=["taskset", "--cpu-list", str(core)])
        self.assertEqual([line[:len("ranks 0-2 on ")] for line in self.placement_warnings(crowded)], ["ranks 0-2 on "])

    @unittest.skipUnless(cores() > 1, "one core")
    def test_threads_that_openmp_binds_to_cores_of_their_own_are_fine(self):
        cg = "--size 100 --iterations 5 --runs 1 --device host --threads 2"
        bound = ["env", "QUARTET_BIND=none", "OMP_NUM_THREADS=2", "OMP_PROC_BIND=close"]
        self.assertEqual(self.placement_warnings(run("cg", 1, cg, prefix=bound)), [])
        by_default = run("cg", 1, cg.replace("--threads 2", ""), prefix=bound)
        self.assertEqual(self.placement_warnings(by_default), [])
        self.assertEqual({row["threads"] for row in medians(by_default.document)}, {cores()})
        [warning] = self.placement_warnings(run("cg", 1, cg, prefix=[*bound, "OMP_PROC_BIND=master"]))
        self.assertIn("bound to fewer cores than it has threads", warning)

    def test_no_network_but_loopback(self):
        prefix = self.prefix("--net", ALONE_IN_THE_NETWORK)
        outcome = run("cg", 2, CG.small, "--runs 1 --transport mpi,shm", prefix=prefix)
        self.assertEqual((outcome.code, outcome.stderr), (0, ""), outcome)

    def test_windows_in_little_shared_memory_are_refused_with_the_remedy(self):
        prefix = self.prefix("--mount", LITTLE_SHARED_MEMORY.format("16m"))
        refused = run("stream", 2, STREAM.format("16"), "--transport rma", prefix=prefix)
        self.assertEqual(refused.code, UNAVAILABLE, refused)
        self.assertIn("/dev/shm", refused.stderr)
        self.assertIn("--shm-size", refused.stderr)
        served = run("stream", 2, STREAM.format("16"), "--transport shm,mpi", prefix=prefix)
        self.assertEqual(served.code, 0, served)

    def test_a_missing_folder_for_windows_is_said(self):
        nowhere = self.folder / "nowhere"
        missing = ["env", f"OMPI_MCA_osc_sm_backing_directory={nowhere}",
                   f"OMPI_MCA_osc_rdma_backing_directory={nowhere}"]
        outcome = run("stream", 2, STREAM.format("64KiB"), "--transport mpi,shm,rma", prefix=missing)
        self.assertNotEqual(outcome.code, 0, outcome)
        self.assertIn(str(nowhere), outcome.stderr)
        self.assertEqual([row["run_name"].split("/")[3] for row in errors(outcome.document)], ["rma"])


if __name__ == "__main__":
    main()
