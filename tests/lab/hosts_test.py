"""The programs on hosts that are really apart: placement, transports, results, failures."""

import os
import signal
import subprocess
import time
import unittest

from enclosure import ROOT, enclose, scratch

enclose("mpirun")
from documents import PROGRAMS, error_rows, medians, quartet, read, saved_iterations
from hosts import Hosts, mpirun, wait_for
from quartet.results import rows_of

SMALL = ("--device", "host", "--threads", "1", "--limits", "off")
ENDLESS = ("--iterations", "1000000", "--problem", "random", "--size", "1000", "--runs", "1", "--warmup", "0")
SECONDS_TO_NOTICE = 20  # of a link that is down: six of the settings', and a loaded machine's


def setUpModule():
    OnHosts.hosts = Hosts(3)
    unittest.addModuleCleanup(OnHosts.hosts.close)


class OnHosts(unittest.TestCase):
    hosts = None

    def launch(self, where, program, *arguments, launcher=(), settings=None):
        """The outcome and the document of a job that is started on n1."""
        file = scratch() / "results.json"
        file.unlink(missing_ok=True)
        done = self.hosts["n1"].run(*mpirun("-H", where, *launcher, settings=settings),
                                    PROGRAMS / program, *SMALL, *arguments, "--json", file)
        return done, read(file) if file.exists() else None

    def measure(self, *arguments, **how):
        done, document = self.launch(*arguments, **how)
        self.assertEqual(done.returncode, 0, done)
        self.assertTrue(all(row["verified"] for row in medians(document)))
        return document


class Placement(OnHosts):
    def assert_placed(self, document, hosts):
        placed = sorted(quartet(document)["placement"], key=lambda place: place["rank"])
        self.assertEqual([place["host"] for place in placed], hosts)
        order = list(dict.fromkeys(hosts))
        self.assertEqual([place["node"] for place in placed], [order.index(host) for host in hosts])
        self.assertEqual([place["local_rank"] for place in placed],
                         [hosts[:rank].count(host) for rank, host in enumerate(hosts)])
        self.assertEqual(quartet(document)["nodes"], len(order))
        self.assertEqual(document["context"]["host_name"], hosts[0])

    def test_hosts_and_nodes_are_those_of_the_ranks(self):
        for where, launcher, hosts in (
                ("n1:2,n2:2", (), ["n1", "n1", "n2", "n2"]),
                ("n1:2,n2:2", ("--map-by", "node"), ["n1", "n2", "n1", "n2"]),
                ("n1:1,n2:3", (), ["n1", "n2", "n2", "n2"]),
                ("n1:1,n2:1,n3:2", ("--map-by", "node"), ["n1", "n2", "n3", "n3"]),
                ("n3:3", (), ["n3", "n3", "n3"])):
            document = self.measure(where, "cg", "--size", "50", "--iterations", "3", "--runs", "1", launcher=launcher)
            self.assert_placed(document, hosts)


class Transports(OnHosts):
    SIZE = ("--sizes", "64KiB", "--pushes", "3", "--runs", "1")

    def test_shared_memory_reaches_one_host_and_says_so(self):
        done, document = self.launch("n1:1,n2:1", "stream", *self.SIZE, "--transport", "mpi,shm")
        self.assertEqual(done.returncode, 77, done)
        [row] = error_rows(document)
        self.assertIn("native/host/shm", row["name"])
        self.assertIn("reaches one node (the ranks are on 2)", row["error_message"])
        self.assertTrue(all(row["verified"] for row in medians(document)))

    def test_automatic_choice_is_what_reaches_all_ranks_and_bytes_go_that_way(self):
        for where, transport in (("n1:1,n2:1", "mpi"), ("n1:2,n2:1", "mpi"), ("n2:2", "shm")):
            document = self.measure(where, "stream", "--sizes", "1MiB", "--pushes", "3", "--runs", "1")
            [case] = rows_of(document)
            self.assertEqual((case.name.transport, case.network_path.most), (transport, "" if transport == "shm" else "eth0"))

    def test_grpc_between_hosts_by_either_protocol(self):
        grpc = (*self.SIZE, "--transport", "grpc")
        done, document = self.launch("n1:1,n2:1", "stream", *grpc)
        if done.returncode == 77 and "not available in this build" in error_rows(document)[0]["error_message"]:
            self.skipTest("this build has no gRPC")
        self.assertTrue(medians(document) and all(row["verified"] for row in medians(document)), done)
        parts = []
        for name in ("n1", "n2"):
            address = f"fd77::{name[1:]}"
            self.hosts[name].must("ip", "address", "add", f"{address}/64", "dev", "eth0", "nodad")
            parts += [":", "-H", f"{name}:1", "-x", f"QUARTET_GRPC_ADDRESS=[{address}]",
                      PROGRAMS / "stream", *SMALL, *grpc]
        done = self.hosts["n1"].run(*mpirun(*parts[1:]))
        self.assertEqual(done.returncode, 0, done)


class Results(OnHosts):
    """Same ranks, same bits: which host they are on changes nothing."""

    ONE, APART = "n1:4", "n3:1,n1:2,n2:1"

    def files(self, where, program, *arguments, pattern):
        folder = scratch() / "data" / where.replace(":", "_") / "-".join([program, *arguments])
        self.measure(where, program, *arguments, "--data", str(folder), "--generate", "--keep",
                     "--runs", "1", "--transport", "mpi")
        return {file.name: file.read_bytes() for file in folder.rglob(pattern)}

    def assert_same(self, program, *arguments, pattern):
        together, apart = (self.files(where, program, *arguments, pattern=pattern) for where in (self.ONE, self.APART))
        self.assertGreater(len(together), 3)
        self.assertEqual(together, apart)

    def test_matmul(self):
        self.assert_same("matmul", "--size", "192", "--tile", "32", pattern="C_*.npy")

    def test_cg(self):
        for storage in ("full", "symmetric"):
            histories = []
            for where in (self.ONE, self.APART):
                document = self.measure(where, "cg", "--problem", "random", "--size", "120",
                                        "--iterations", "30", "--storage", storage, "--runs", "1",
                                        "--transport", "mpi")
                [row] = medians(document)
                histories.append(row["residual_history"])
            self.assertGreater(len(histories[0]), 25)
            self.assertEqual(*histories)


class Failures(OnHosts):
    def setUp(self):
        self.folder = scratch() / self.id()
        settings = f". {ROOT}/scripts/slurm/open_mpi.sh; exec \"$@\""
        # What it says goes to a file: a rank that was cut off could hold a pipe open.
        self.words = scratch() / f"{self.id()}.log"
        with open(self.words, "wb") as words:
            self.job = subprocess.Popen(
                self.hosts["n1"].command(
                    "sh", "-c", settings, "sh",
                    *mpirun("-H", "n1:2,n2:2", settings={"orte_execute_quiet": 0}),
                    PROGRAMS / "cg", *SMALL, *ENDLESS, "--checkpoint", self.folder, "--every", "50"),
                stdin=subprocess.DEVNULL, stdout=words, stderr=words)
        self.addCleanup(self.job.wait)
        self.addCleanup(self.job.kill)
        wait_for(lambda: saved_iterations(self.folder), 60, "no checkpoint came")

    def assert_ends(self, begin, code, *words):
        self.assertEqual(self.job.wait(SECONDS_TO_NOTICE), code, self.words.read_text())
        seconds = time.monotonic() - begin
        said = " ".join(self.words.read_text().split())
        for word in words:
            self.assertIn(word, said)
        wait_for(lambda: not any(host.processes() for host in self.hosts.nodes), SECONDS_TO_NOTICE,
                 "processes are left")
        print(f"{self.id()}: ended {seconds:.1f} s after", flush=True)

    def test_link_that_goes_down_ends_the_job_on_both_sides(self):
        begin = time.monotonic()
        self.hosts.unplug("n2")
        self.addCleanup(self.hosts.plug_in, "n2")
        self.assert_ends(begin, 205, "lost communication with a remote daemon", "n2")

    def test_rank_that_dies_on_another_host_ends_the_job(self):
        begin = time.monotonic()
        ranks = [pid for pid in self.hosts["n2"].processes()
                 if os.readlink(f"/proc/{pid}/exe") == str((PROGRAMS / "cg").resolve())]
        os.kill(ranks[-1], signal.SIGKILL)
        self.assert_ends(begin, 137, "n2", "signal 9")


if __name__ == "__main__":
    unittest.main(verbosity=2)
