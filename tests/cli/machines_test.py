"""Machines that are short of something: cores, a network, shared memory."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from quartet_cli import KERNELS, PROGRAMS, assert_refused, errors, main, medians, run

ALONE_IN_THE_NETWORK = 'ip link set lo up && exec "$@"'
LITTLE_SHARED_MEMORY = 'mount -t tmpfs -o size=16m none /dev/shm && exec "$@"'


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


class Machines(unittest.TestCase):
    def prefix(self, namespace, set_up):
        prefix, reason = apart(namespace, set_up)
        if reason:
            self.skipTest(reason)
        return prefix

    def test_more_ranks_than_cores(self):
        if not shutil.which("taskset"):
            self.skipTest("no taskset")
        core = min(os.sched_getaffinity(0))
        for kernel in KERNELS:
            outcome = run(kernel.name, 3, kernel.small, "--runs 1 --transport mpi,shm",
                          prefix=["taskset", "--cpu-list", str(core)])
            warnings = self.placement_warnings(outcome)
            self.assertEqual([line[:len("ranks 0-2 on ")] for line in warnings], ["ranks 0-2 on "])

    def placement_warnings(self, outcome):
        self.assertEqual(outcome.code, 0, outcome)
        rows = {row["run_name"] for row in outcome.document["benchmarks"]}
        return [text for text in outcome.document["context"]["quartet"]["warnings"]
                if not any(name in text for name in rows)]

    def test_a_wrong_placement_is_said(self):
        if not shutil.which("taskset") or cores() < 2:
            self.skipTest("no taskset, or one core")
        stream = "--sizes 64KiB --pushes 3 --runs 1 --device host --transport mpi --threads 1"
        unbound = ["env", "QUARTET_BIND=none"]
        self.assertEqual(self.placement_warnings(run("stream", 2, stream, prefix=unbound)), [])
        # Both ranks on one core of several; the same by OpenMP, which begins at the first place.
        core = min(os.sched_getaffinity(0))
        on_top = [run(Path(shutil.which("taskset")), 2, f"--cpu-list {core} {PROGRAMS / 'stream'}",
                      stream, prefix=unbound),
                  run("stream", 2, stream, prefix=[*unbound, "OMP_PROC_BIND=true"])]
        for outcome in on_top:
            [warning] = self.placement_warnings(outcome)
            self.assertIn("ranks 0-1 on ", warning)
            self.assertIn("are bound on top of each other", warning)
            self.assertIn("warning: ranks 0-1", outcome.stdout)

    def test_threads_that_openmp_binds_to_cores_of_their_own_are_fine(self):
        if cores() < 2:
            self.skipTest("one core")
        cg = "--size 100 --iterations 5 --runs 1 --device host --threads 2"
        bound = ["env", "QUARTET_BIND=none", "OMP_NUM_THREADS=2", "OMP_PROC_BIND=close"]
        for more in ([], ["OMP_PLACES=cores"]):
            self.assertEqual(self.placement_warnings(run("cg", 1, cg, prefix=[*bound, *more])), [])
        by_default = run("cg", 1, cg.replace("--threads 2", ""), prefix=bound)
        self.assertEqual(self.placement_warnings(by_default), [])
        self.assertEqual({row["threads"] for row in medians(by_default.document)}, {cores()})
        [first, *_] = sorted(os.sched_getaffinity(0))
        for wrong in (f"OMP_PLACES={{{first}}}", "OMP_PROC_BIND=master"):
            [warning] = self.placement_warnings(run("cg", 1, cg, prefix=[*bound, wrong]))
            self.assertIn("bound to fewer cores than it has threads", warning)

    def test_no_network_but_loopback(self):
        prefix = self.prefix("--net", ALONE_IN_THE_NETWORK)
        for kernel in KERNELS:
            outcome = run(kernel.name, 2, kernel.small, "--runs 1 --transport mpi,shm",
                          prefix=prefix)
            self.assertEqual(outcome.code, 0, outcome)
            self.assertEqual(outcome.stderr, "")

    def test_little_shared_memory_is_said_with_the_remedy(self):
        prefix = self.prefix("--mount", LITTLE_SHARED_MEMORY)
        sizes = "--sizes 16 --pushes 3 --runs 1 --threads 1"
        refused = run("stream", 2, sizes, "--transport shm", prefix=prefix)
        assert_refused(self, refused, 2, "stream", "of shared memory")
        self.assertIn("--shm-size", refused.stderr)
        self.assertIn("--transport mpi", refused.stderr)
        self.assertIsNone(refused.document)
        served = run("stream", 2, sizes, "--transport mpi", prefix=prefix)
        self.assertEqual(served.code, 0, served)
        self.assertTrue(all(row["verified"] for row in medians(served.document)))

    def test_a_missing_folder_for_windows_is_said(self):
        missing = ["env", "OMPI_MCA_osc_sm_backing_directory=/nonexistent"]
        outcome = run("stream", 2, "--sizes 64KiB --pushes 3 --runs 1 --transport mpi,shm",
                      prefix=missing)
        self.assertNotEqual(outcome.code, 0, outcome)
        self.assertIn("/nonexistent", outcome.stderr)
        self.assertEqual([row["run_name"].split("/")[3] for row in errors(outcome.document)],
                         ["shm"])

    def test_one_sided_windows_want_the_folders_of_both_components(self):
        for component in ("sm", "rdma"):
            missing = ["env", f"OMPI_MCA_osc_{component}_backing_directory=/nonexistent"]
            outcome = run("stream", 2, "--sizes 64KiB --pushes 3 --runs 1 --transport rma",
                          prefix=missing)
            self.assertNotEqual(outcome.code, 0, outcome)
            self.assertIn("/nonexistent", outcome.stderr)


if __name__ == "__main__":
    main()
