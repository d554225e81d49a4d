"""A user's sweep over one to four nodes lies in the band that quartet predict gives from a measured link
and a measured all-to-all.

Nodes here share a machine's cores, so that no rate of computing holds for one node and for four. Ranks therefore
sleep for as long as operations would take (`--device model`); what they send crosses real, slow links."""

import json
import unittest

from enclosure import ROOT, enclose

enclose("slurmctld", "slurmd", "munged", "mpirun")
import cluster
from documents import PROGRAMS, quartet, read
from predictions import OVERHEAD, SENDS, exchange_among_hosts, predicted, seconds_of, stream_between_hosts
from tree import QUARTET

START = ROOT / "scripts" / "slurm" / "start.sh"
MEGABITS, NODES = 20, 4
ATTEMPTS = 4  # where this machine stalls; of the link and of the sweep
SIZES = {"cg": "4096", "fft": "2^17"}
FLAGS = {"cg": ("--iterations", "5"), "fft": ()}
# As computing is emulated; a rank sleeps a tenth of a millisecond too long at most.
RATES = {name: {"value": value, "uncertainty": 0.05, "source": "what the model device is told"}
         for name, value in (("memory_bytes_per_second", 1e9), ("fft_flops_per_second", 5e7),
                             ("sgemm_flops_per_second", 1e9), ("overhead_seconds", OVERHEAD["value"]))}
# Nodes share cores, which Open MPI does not know: it would bind all ranks to the first.
SETTINGS = {f"OMPI_MCA_{name}": value for name, value in {
    **SENDS, "mpi_yield_when_idle": "1", "hwloc_base_binding_policy": "none", "rmaps_base_mapping_policy": "slot"}.items()}


def setUpModule():
    cluster.ClusterTest.cluster = cluster.Cluster(NODES)
    unittest.addModuleCleanup(cluster.ClusterTest.cluster.close)
    cluster.ClusterTest.cluster.hosts.shape(MEGABITS)


class PredictedSweep(cluster.ClusterTest):
    def setUp(self):
        super().setUp()
        self.machine = self.write("machine.json", {"name": "the laboratory", "cores_per_node": 1, "launcher": "mpirun",
                                                   "rates": RATES})

    def write(self, name, data):
        (self.folder / name).write_text(json.dumps(data), encoding="utf-8")
        return self.folder / name

    def inside(self, nodes, *words):
        """Runs a command in an allocation."""
        self.cluster.must("salloc", f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1", *words,
                          environment=SETTINGS, timeout=300)

    def sweep(self, attempt):
        """Its documents, by kernel and nodes."""
        blocks = [{"kernels": [kernel], "sizes": [size], "ranks": list(range(1, NODES + 1)), "devices": ["model"],
                   "arguments": ["--machine", str(self.machine), "--limits", "off", "--runs", "5", *FLAGS[kernel]]}
                  for kernel, size in SIZES.items()]
        folder = self.folder / f"sweep-{attempt}"
        # One launch after another: others would share nodes' cores and links.
        self.inside(NODES, *QUARTET, "sweep", "--inside", "--build", PROGRAMS.parent,
                    "--folder", folder, self.write("sweep.json", {"name": "try", "blocks": blocks}))
        return {(document.name.split("-")[1], quartet(read(document))["nodes"]): document
                for document in folder.glob("*.json")}

    def outside(self, attempt):
        """Of all points of a sweep those that are not in their band."""
        link = [*stream_between_hosts(lambda *words: self.inside(2, START, *words)),
                *(exchange_among_hosts(lambda *words, nodes=nodes: self.inside(nodes, START, *words), nodes)
                  for nodes in (3, NODES))]
        documents, found = self.sweep(attempt), {}
        for kernel, size in SIZES.items():
            points = predicted(self.machine, link, self.cluster.hosts.head, kernel, size,
                               ",".join(map(str, range(1, NODES + 1))), flags=FLAGS[kernel])
            for nodes, point in points.items():
                measured = point["rate"] * point["seconds"] / seconds_of(documents[kernel, nodes])
                print(f"{kernel} on {nodes} nodes: {measured:.4g}, expected {point['low']:.4g} to {point['high']:.4g}", flush=True)
                if not point["low"] <= measured <= point["high"]:
                    found[kernel, nodes] = measured, point["low"], point["high"]
        return found

    def test_every_point_is_in_its_band(self):
        for attempt in range(ATTEMPTS):
            found = self.outside(attempt)
            if not found:
                break
        self.assertEqual(found, {})


if __name__ == "__main__":
    unittest.main(verbosity=2)
