"""Predictions against real runs over real, slow links: `stream` between two hosts measures the link, runs on one
host what ranks compute, and from these alone quartet predict must say how long the kernels take. So must simulated
ranks (quartet simulate), where `quartet simulate` has built them."""

import json
import unittest
from itertools import product

from enclosure import enclose, scratch

enclose("mpirun")
from documents import PROGRAMS
from hosts import Hosts, mpirun
from predictions import (
    OVERHEAD,
    SENDS,
    can_simulate,
    forgive_disturbance,
    predicted,
    seconds_of,
    simulated,
    stream_between_hosts,
)

MEGABITS = 5  # of each link: sending takes longer than computing, and than waiting for a core
HOSTS = (2, 4)
SECONDS = 200  # of a launch, at most
WITHIN = 0.2  # of the measured time
# Where this machine stalls, a run or what it is predicted from takes longer: all of it is measured again.
ATTEMPTS = 4
SIZES = {"cg": "4096", "fft": "2^15", "matmul": "256"}
FLAGS = {"cg": ("--iterations", "5"), "fft": (), "matmul": ("--tile", "128")}
CASES = [("cg", "native"), ("cg", "dataflow"), ("fft", "native"), ("fft", "dataflow"), ("matmul", "dataflow")]


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
        """How far predictions are from the time that is measured, as the largest share of it."""
        computing = []  # on as many cores as the hosts have together; cg's rate is the memory's
        for name in dict.fromkeys((kernel, "cg")):
            computing.append(self.kernel(name, count * ["n1"]))
            forgive_disturbance(computing[-1])
        asked = self.hosts.head, kernel, SIZES[kernel], count
        how = {"formulation": formulation, "flags": FLAGS[kernel]}
        expected = {"predicted": predicted(self.machine, [*link, *computing], *asked, **how)[count]["seconds"]}
        if can_simulate():
            expected["simulated"] = simulated(*asked, **how)
        measured = seconds_of(self.kernel(kernel, [f"n{number}" for number in range(1, count + 1)], formulation))
        off = {way: seconds / measured - 1 for way, seconds in expected.items()}
        print(f"{kernel} {formulation} on {count} hosts: {measured:.4g} s",
              *(f"{way} {expected[way]:.4g} s, {off[way]:+.1%}" for way in off), sep="; ", flush=True)
        return max(off.values(), key=abs)

    def test_times_are_those_predicted(self):
        left = dict.fromkeys((*case, hosts) for case, hosts in product(CASES, HOSTS))
        for _ in range(ATTEMPTS):
            link = stream_between_hosts(lambda *words: self.run_on(("n1", "n2"), *words))
            left = {case: off for case in left if abs(off := self.off(*case, link)) > WITHIN}
            if not left:
                break
        self.assertEqual(left, {})
        if not can_simulate():
            print("Nothing was simulated: quartet simulate", flush=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
