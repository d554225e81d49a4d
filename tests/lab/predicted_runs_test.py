"""Predictions against real runs over real, slow links: `stream` between two hosts measures the link, runs on one
host what ranks compute, and from these alone quartet predict must say how long the kernels take."""

import json
import re
import unittest
from itertools import product

from enclosure import enclose, scratch

enclose("mpirun")
from documents import PROGRAMS, medians, read
from hosts import Hosts, mpirun
from tree import QUARTET

MEGABITS = 5  # of each link: sending takes longer than computing, and than waiting for a core
HOSTS = (2, 4)
SECONDS = 200  # of a launch, at most
WITHIN = 0.2  # of the measured time
# Where this machine stalls, a run or what it is predicted from takes longer: all of it is measured again.
ATTEMPTS = 4
SIZES = {"cg": "4096", "fft": "2^15", "matmul": "256"}
FLAGS = {"cg": ("--iterations", "5"), "fft": (), "matmul": ("--tile", "128")}
CASES = [("cg", "native"), ("cg", "dataflow"), ("fft", "native"), ("fft", "dataflow"), ("matmul", "dataflow")]

# Two runs of stream between two hosts, from which a link's latency and rate follow.
LINK = (("--sizes", "4B", "--pushes", "1", "--runs", "20"), ("--sizes", "256k", "--pushes", "4", "--runs", "3"))
# What no document shows. It is a small part of all that is measured on slow links.
OVERHEAD = {"value": 1e-5, "uncertainty": 1.0, "source": "assumed: a system call or two"}
# Of Open MPI: long messages are sent. By default a receiver fetches them, and an all-to-all among four hosts takes 1.65
# times as long as the links need (with this 1.03 times; measured here).
SENDS = {"btl_tcp_flags": "1"}
DISTURBED = ("disturbed", "unsteady")
PER_SECOND = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}


def stream_between_hosts(run):
    """The link's documents. `run` takes a program with its arguments."""
    files = [scratch() / name for name in ("short.json", "long.json")]
    for file, arguments in zip(files, LINK):
        run(PROGRAMS / "stream", "--device", "host", "--transport", "mpi", "--threads", "1", "--limits", "off",
            *arguments, "--json", file, "--force")
        forgive_disturbance(file)
    return files


def forgive_disturbance(file):
    """Hosts of one machine wait for one another's cores. That marks a row, of which no rate would be taken."""
    document = json.loads(file.read_text(encoding="utf-8"))
    for row in document["benchmarks"]:
        row["flags"] = [flag for flag in row.get("flags", []) if flag["kind"] not in DISTURBED]
        row["distrusted"] = any(flag["kind"] != "overhead" for flag in row["flags"])
    file.write_text(json.dumps(document), encoding="utf-8")


def seconds_of(file):
    """The median of the one case in a document; its row by the paper's clock does not count."""
    [row] = [row for row in medians(read(file)) if not row["run_name"].endswith("/paper")]
    return row["real_time"] / PER_SECOND[row["time_unit"]]


def predicted(machine, documents, host, kernel, size, ranks, formulation="native", flags=()):
    """Seconds on so many ranks."""
    shown = [word for document in documents for word in ("--from", document)]
    table = host.must(*QUARTET, "predict", machine, kernel, "--sizes", size, "--ranks", ranks,
                      "--formulation", formulation, "--arguments", " ".join(flags), *shown)
    return float(re.search(rf"^ *{ranks} +\d+ +(\S+) .*%$", table, re.MULTILINE)[1])


class PredictedRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hosts = Hosts(max(HOSTS))
        cls.addClassCleanup(cls.hosts.close)
        cls.hosts.shape(MEGABITS)
        cls.machine = scratch() / "machine.json"
        cls.machine.write_text(json.dumps({"name": "hosts on one machine", "cores_per_node": 1,
                                           "rates": {"overhead_seconds": OVERHEAD}}))

    def run_on(self, names, *words):
        """One rank for each name of a host."""
        self.hosts["n1"].must(*mpirun("-H", ",".join(names), settings=SENDS), *words, timeout=SECONDS)

    def kernel(self, kernel, names, formulation="native"):
        """The document of its run."""
        file = scratch() / f"{kernel}.json"
        self.run_on(names, PROGRAMS / kernel, "--device", "host", "--transport", "mpi", "--threads", "1", "--limits",
                    "off", "--runs", "3", "--formulation", formulation, "--size", SIZES[kernel], *FLAGS[kernel],
                    "--json", file, "--force")
        return file

    def off(self, kernel, formulation, count, link):
        """How far the prediction is from the time that is measured, as a share of it."""
        computing = []  # on as many cores as the hosts have together; cg's rate is the memory's
        for name in dict.fromkeys((kernel, "cg")):
            computing.append(self.kernel(name, count * ["n1"]))
            forgive_disturbance(computing[-1])
        asked = self.hosts.head, kernel, SIZES[kernel], count
        how = {"formulation": formulation, "flags": FLAGS[kernel]}
        expected = predicted(self.machine, [*link, *computing], *asked, **how)
        measured = seconds_of(self.kernel(kernel, [f"n{number}" for number in range(1, count + 1)], formulation))
        off = expected / measured - 1
        print(f"{kernel} {formulation} on {count} hosts: {measured:.4g} s, predicted {expected:.4g} s, {off:+.1%}", flush=True)
        return off

    def test_times_are_those_predicted(self):
        left = dict.fromkeys((*case, hosts) for case, hosts in product(CASES, HOSTS))
        for _ in range(ATTEMPTS):
            link = stream_between_hosts(lambda *words: self.run_on(("n1", "n2"), *words))
            left = {case: off for case in left if abs(off := self.off(*case, link)) > WITHIN}
            if not left:
                break
        self.assertEqual(left, {})


if __name__ == "__main__":
    unittest.main(verbosity=2)
