"""A soak of links that die: while cg saves checkpoints, the cable of one of its hosts is pulled at random
moments, for some seconds or until the job has ended. Whatever of it is left goes on, and ends with the
bits of an undisturbed run."""

import os
import random
import subprocess
import time
import unittest

from enclosure import ROOT, enclose, scratch

enclose("mpirun")
from documents import PROGRAMS, medians, read, saved_iterations
from hosts import Hosts, mpirun, wait_for

SEED = int(os.environ.get("QUARTET_LAB_SEED", "1"))
SERIES = int(os.environ.get("QUARTET_LAB_SERIES", "2"))
LAUNCHES, EVERY, ENDLESS = 4, 20, 1000000
RANKS = "n1:1,n2:1,n3:1"
SYSTEM = ("--problem", "random", "--size", "300", "--transport", "mpi", "--device", "host", "--threads", "1",
          "--limits", "off", "--runs", "1", "--warmup", "0")
WAYS = (("--storage", "full"), ("--storage", "symmetric", "--algorithm", "single-reduction"))
SHORT, LOST = 2.0, 205  # seconds that no link is given up after; Open MPI's code where one is
SECONDS_TO_SAVE, SECONDS_TO_END = 200, 100


def bits(checkpoint):
    return {file.name: file.read_bytes() for file in checkpoint.glob("*.npy")}


class DyingLinks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = Hosts(3)
        cls.addClassCleanup(cls.hosts.close)

    def setUp(self):
        self.folder = scratch() / "checkpoints"

    def command(self, way, iterations, folder, *more):
        settings = f". {ROOT}/scripts/slurm/open_mpi.sh; exec \"$@\""
        restart = ("--restart",) if saved_iterations(folder) else ()
        return self.hosts["n1"].command(
            "sh", "-c", settings, "sh", *mpirun("-H", RANKS), PROGRAMS / "cg", *SYSTEM, *way,
            "--iterations", iterations, "--checkpoint", folder, "--every", EVERY, *restart, *more)

    def latest(self):
        return max(saved_iterations(self.folder), default=0)

    def nothing_is_left(self):
        return not any(host.processes() for host in self.hosts.nodes)

    def disturb(self, way, chances):
        """One job, which a link ends, or which is ended after the link has come back."""
        before, host, kills = self.latest(), chances.choice(("n2", "n3")), chances.random() < 0.5
        with open(scratch() / "job.log", "wb") as words:
            job = subprocess.Popen(self.command(way, ENDLESS, self.folder), stdin=subprocess.DEVNULL,
                                   stdout=words, stderr=words)
        try:
            wait_for(lambda: self.latest() > before, SECONDS_TO_SAVE, "no checkpoint came")
            time.sleep(chances.random())
            self.hosts.unplug(host)
            seen = self.latest()
            if kills:
                self.assertEqual(job.wait(SECONDS_TO_END), LOST)
                wait_for(self.nothing_is_left, SECONDS_TO_END, "processes are left")
            else:
                time.sleep(SHORT * chances.random())
            self.hosts.plug_in(host)
            if not kills:
                wait_for(lambda: self.latest() > seen + EVERY, SECONDS_TO_SAVE, "the job does not go on")
                job.terminate()
                job.wait(SECONDS_TO_END)
                wait_for(self.nothing_is_left, SECONDS_TO_END, "processes are left")
            self.assertGreaterEqual(self.latest(), seen)
        finally:
            job.kill()
            job.wait()
        return "ended a job" if kills else "came back"

    def finish(self, way):
        """To the end, and once more undisturbed."""
        end = (self.latest() // EVERY + 2) * EVERY
        document, alone = scratch() / "results.json", scratch() / "undisturbed"
        for folder in (self.folder, alone):
            done = subprocess.run(
                self.command(way, end, folder, "--json", document, "--force"), capture_output=True, text=True,
                stdin=subprocess.DEVNULL, timeout=SECONDS_TO_SAVE, check=False)
            self.assertEqual(done.returncode, 0, done)
            self.assertTrue(all(row["verified"] for row in medians(read(document))))
        self.assertEqual(bits(self.folder / f"iteration-{end}"), bits(alone / f"iteration-{end}"))
        for folder in (self.folder, alone):
            subprocess.run(["rm", "-r", folder], check=True)

    def test_no_bit_is_lost(self):
        for number in range(SERIES):
            chances = random.Random(f"{SEED} {number}")
            way = WAYS[(SEED + number) % len(WAYS)]
            happened = [self.disturb(way, chances) for _ in range(LAUNCHES)]
            self.finish(way)
            print(f"series {number}, {' '.join(way)}: a link {', '.join(happened)}", flush=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
