"""Programs over nodes of two to four pretended GPUs: every GPU works, within the memory that was
planned for it, and a run moves over the links what --dry-run says."""

import os
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from gpu_node import gpu_node, machine_of_sockets, moved, planned_memory
from quartet_cli import PROGRAMS, assert_refused, errors, medians, run
from verified import assert_verified

UNAVAILABLE = 77
FFT = "--size 21600 --tiles 24"
CG = "--size 531 --iterations 3"
MATMUL = "--size 531 --tile 96 --formulation native"
SLACK = 64 << 10  # of a rank: what the device itself keeps for sums
# Kernel, ranks, GPUs (some serve several ranks), transport, arguments of one case.
CASES = [("fft", 4, 4, "ipc", f"{FFT} --order natural"),
         ("fft", 3, 2, "ipc", FFT),
         ("fft", 3, 3, "staged", f"{FFT} --order natural"),
         ("cg", 4, 4, "ipc", f"{CG} --storage symmetric"),
         ("cg", 3, 2, "staged", f"{CG} --storage symmetric"),
         ("cg", 2, 2, "ipc", CG),
         ("matmul", 4, 4, "staged", MATMUL),
         ("matmul", 3, 2, "staged", f"{MATMUL} --device-memory 36MiB")]  # C in parts
OUT, IN = "from GPUs to the host", "from the host to GPUs"
BETWEEN, WITHIN = "between GPUs of a node", "within GPUs that ranks share"
PEERS_NEEDED = "needs GPUs that reach one another's memory"


ON_GPUS = "--device cuda --remeasure off --threads 1 --warmup 0"
# Runs the program on the CPU of its rank, on a machine that hwloc is told of.
BOUND = """#!/bin/sh
rank=${{OMPI_COMM_WORLD_RANK-$PMI_RANK}}
export HWLOC_XMLFILE="{folder}/machine.xml" HWLOC_THISSYSTEM=1
exec taskset -c "$(echo {cpus} | cut -d, -f$((rank + 1)))" "{program}" "$@"
"""


def on_gpus(kernel, ranks, *arguments):
    return run(f"fake_gpu_{kernel}", ranks, ON_GPUS, *arguments)


def plan_of(*arguments):
    outcome = on_gpus(*arguments, "--dry-run")
    assert outcome.code == 0, outcome
    return outcome.stdout


class NodesOfGpus(unittest.TestCase):
    def test_every_gpu_works_in_the_memory_planned_for_it(self):
        for kernel, ranks, gpus, transport, case in CASES:
            with self.subTest(kernel=kernel, ranks=ranks, gpus=gpus, transport=transport):
                arguments = (kernel, ranks, case, f"--transport {transport} --runs 1")
                with gpu_node(gpus):
                    largest, on_first = planned_memory(plan_of(*arguments))
                with gpu_node(gpus) as node:
                    outcome = on_gpus(*arguments)
                    counts = node.counts()
                assert_verified(self, outcome, 1)
                used = outcome.document["context"]["quartet"]["gpus"]
                self.assertEqual([gpu["ranks"] for gpu in used],
                                 [list(range(gpu, ranks, gpus)) for gpu in range(gpus)])
                planned = [on_first] + [len(gpu["ranks"]) * largest for gpu in used[1:]]
                for gpu, place, wanted in zip(counts, used, planned):
                    self.assertGreater(gpu.kernels, 0)
                    self.assertEqual(gpu.allocated, 0, "not freed")
                    self.assertEqual(gpu.failed_calls, 0, "compute-sanitizer would report them")
                    self.assertLess(gpu.most_allocated, wanted + len(place["ranks"]) * SLACK)
                    self.assertLess(wanted, 2 * gpu.most_allocated)

    def copied_in_two_runs(self, gpus, *arguments):
        """What two runs more copy, by GPU: nothing else differs."""
        counts = []
        for runs in (1, 3):
            with gpu_node(gpus) as node:
                outcome = on_gpus(*arguments, f"--verify off --limits off --runs {runs}")
                self.assertEqual((outcome.code, errors(outcome.document)), (0, []), outcome)
                counts.append(node.counts())
        return [{key: getattr(more, key) - getattr(less, key)
                 for key in ("to_host", "from_host", "from_peers")}
                for less, more in zip(*counts)]

    def test_links_carry_what_the_dry_run_says(self):
        for kernel, ranks, gpus, transport, case, keys in (
                ("fft", 3, 2, "staged", FFT, {OUT: "to_host", IN: "from_host"}),
                ("matmul", 3, 2, "staged", MATMUL, {OUT: "to_host", IN: "from_host"}),
                ("cg", 3, 3, "ipc", CG, {BETWEEN: "from_peers"}),
                ("cg", 2, 2, "staged", f"{CG} --storage symmetric", {OUT: "to_host"})):
            with self.subTest(kernel=kernel, transport=transport):
                arguments = (kernel, ranks, case, f"--transport {transport}")
                with gpu_node(gpus):
                    planned = moved(plan_of(*arguments))
                copied = self.copied_in_two_runs(gpus, *arguments)
                for kind, key in keys.items():
                    amounts = [gpu[key] / 2 for gpu in copied]
                    self.assertGreater(min(amounts), 0)
                    total, busiest = planned[kind]
                    self.assertAlmostEqual(sum(amounts) / total, 1, delta=0.01)
                    if kind != BETWEEN:  # a GPU has a link to each of the others
                        self.assertAlmostEqual(max(amounts) / busiest, 1, delta=0.01)

    def test_each_gpu_is_read_by_one_other_at_a_time(self):
        gpus = 4
        for kernel, case in (("cg", CG), ("cg", f"{CG} --storage symmetric"),
                             ("fft", f"{FFT} --order natural")):  # and the probe of its limit
            with self.subTest(kernel=kernel, case=case), gpu_node(gpus) as node:
                assert_verified(self, on_gpus(kernel, gpus, case, "--transport ipc --runs 1"), 1)
                for gpu, peers in enumerate(node.peers_read()):
                    others = [(gpu + step) % gpus for step in range(1, gpus)]
                    rounds = len(peers) // len(others)
                    self.assertGreater(rounds, 1)
                    self.assertEqual(peers[:rounds * len(others)], rounds * others)

    def test_ipc_is_for_gpus_with_peer_access(self):
        case = f"{FFT} --runs 1 --limits off"
        with gpu_node(2, peers="none"):
            refused = on_gpus("fft", 3, case, "--transport ipc")
            assert_refused(self, refused, UNAVAILABLE, "fft", PEERS_NEEDED, "ranks 0 and 1",
                           "use --transport staged")
            chosen, = medians(on_gpus("fft", 3, case).document)
            self.assertIn("/staged/", chosen["name"], "two of the ranks share a GPU")
            self.assertIs(chosen["verified"], True)
        with gpu_node(4, peers="pairs"):
            apart = on_gpus("fft", 2, case, "--transport ipc --gpu-map 1,2")
            assert_refused(self, apart, UNAVAILABLE, "fft", PEERS_NEEDED)
            beside, = medians(on_gpus("fft", 2, case, "--gpu-map 2,3").document)
            self.assertIn("/ipc/", beside["name"])
            self.assertIs(beside["verified"], True)

    def test_ranks_take_the_gpus_near_their_cores(self):
        cpus = sorted(os.sched_getaffinity(0))[:2]
        if len(cpus) < 2:
            self.skipTest("one CPU")
        with tempfile.TemporaryDirectory() as folder, gpu_node(2):
            (Path(folder) / "machine.xml").write_text(machine_of_sockets(cpus, gpus=(1, 0)), encoding="utf-8")
            bound = Path(folder) / "bound"
            bound.write_text(BOUND.format(folder=folder, program=PROGRAMS / "fake_gpu_fft",
                                          cpus=",".join(map(str, cpus))), encoding="utf-8")
            bound.chmod(0o755)
            near = run(bound, 2, ON_GPUS, FFT, "--runs 1 --cluster")
        assert_verified(self, near, 1)
        self.assertEqual([(gpu["ranks"], gpu["uuid"][-2:], gpu["numa_nodes"])
                          for gpu in near.document["context"]["quartet"]["gpus"]], [([0], "01", [0]), ([1], "00", [1])])
        _, *workers = re.split(r"worker +\d+:", " ".join(near.stdout.split("fft on")[0].split()))
        for rank, worker in enumerate(workers):
            self.assertRegex(worker.strip(), f"rank {rank} on .*, cpus {cpus[rank]}, GPU Fake .* at NUMA node {rank}$")
        self.assertEqual(len(workers), 2)
        self.assertNotIn("another NUMA node", near.stdout + near.stderr)

    def test_what_ranks_of_one_gpu_exchange_stays_there_and_idle_gpus_are_said(self):
        with gpu_node(4):
            plan = plan_of("fft", 3, FFT, "--transport ipc --gpu-map 0,0,3")
        self.assertIn("idle: 2 of 4 GPUs", plan)
        links = moved(plan)
        self.assertEqual(set(links), {BETWEEN, WITHIN})
        self.assertGreater(links[BETWEEN][0], links[WITHIN][0])

    def test_energy_and_what_held_gpus_back_are_on_the_rows(self):
        libraries = f"{PROGRAMS / 'fake_nvml'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
        with gpu_node(2), mock.patch.dict(os.environ, LD_LIBRARY_PATH=libraries, QUARTET_STAND_IN_NVML="capped"):
            outcome = on_gpus("cg", 3, "--size 531 --iterations 300 --runs 2")
        row, = assert_verified(self, outcome, 1)
        seconds = row["rank_seconds"][0]
        self.assertGreater(seconds, 0.2, "too short for the counters")
        self.assertAlmostEqual(row["energy_joules"] / (2 * 500 * seconds), 1, delta=0.1)  # two GPUs of 500 W
        self.assertAlmostEqual(row["gflops_per_watt"], row["flops"] / row["energy_joules"] / 1e9)
        self.assertAlmostEqual(row["gpu_power_capped_share"], 0.4, delta=0.04)
        self.assertEqual(row["gpu_thermally_slowed_share"], 0)
        self.assertIn("the GPU was at its power limit in 2 of 2 runs", outcome.stdout + outcome.stderr)
        self.assertIn("held_back", [flag["kind"] for flag in row["flags"]])
        for gpu in outcome.document["context"]["quartet"]["gpus"]:
            self.assertEqual((gpu["nvlink_links"], gpu["nvlink_version"], gpu["compute_mode"], gpu["c2c"]),
                             (2, "4.0", "exclusive process", False))
            self.assertEqual((gpu["most_pcie_generation"], gpu["after"]["pcie_width"]), (5, 8))
            self.assertEqual(gpu["after"]["throttled_by"], ["power cap"])


if __name__ == "__main__":
    unittest.main()
