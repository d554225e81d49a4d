"""The programs over pretended GPUs, whose memory the CPU cannot touch, end to end: each kernel and formulation over each
transport of GPU memory, in the memory that was planned, with the results that the host has."""

import os
import re
import struct
import tempfile
import unittest
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from unittest import mock

from quartet_cli import (BAD_USAGE, PROGRAMS, UNAVAILABLE, Scratch, assert_refused, cases, errors, medians, run,
                         unwrapped)

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
MOST_GPUS = 8
SLACK = 64 << 10  # of a rank: what the device itself keeps for sums
WAYS = [(1, "staged"), (2, "staged"), (3, "ipc")]  # ranks, and how they reach each other's memory
FFT = "--size 21600 --tiles 24"
CG = "--size 531 --iterations 3"
# Kernel, ranks, GPUs (some serve several ranks), transport, arguments of one case.
NODES = [("fft", 4, 4, "ipc", f"{FFT} --order natural"),
         ("fft", 3, 2, "staged", FFT),
         ("cg", 4, 4, "ipc", f"{CG} --storage symmetric"),
         ("cg", 3, 2, "staged", f"{CG} --storage symmetric"),
         ("matmul", 3, 2, "staged", "--size 531 --tile 96 --device-memory 36MiB")]  # C in parts
PEERS_NEEDED = "needs GPUs that reach one another's memory"


@dataclass(frozen=True)
class Counts:
    """Of one GPU: bytes, kernels, and calls that failed."""
    allocated: int
    most_allocated: int
    kernels: int
    failed_calls: int


@contextmanager
def gpu_node(gpus, peers="all"):
    """Programs that are run meanwhile see so many GPUs; `peers` is all, none or pairs. Gives a function that reads what
    each has counted in a file that the ranks share (fake_gpu_node.hpp)."""
    def counts():
        size = len(fields(Counts))
        numbers = struct.unpack_from(f"={size * MOST_GPUS}q", file.read_bytes())
        return [Counts(*numbers[size * gpu:size * (gpu + 1)]) for gpu in range(gpus)]

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counts"
        with mock.patch.dict(os.environ, QUARTET_STAND_IN_GPUS=str(gpus), QUARTET_STAND_IN_PEERS=peers,
                             QUARTET_STAND_IN_COUNTS=str(file)):
            yield counts


def planned_memory(plan):
    """GPU memory of the largest rank, and of all ranks on the first GPU, by the --dry-run of one case."""
    found = re.search(r"; of GPU memory ([\d.]+) (\w+), ([\d.]+) (\w+)", unwrapped(plan)).groups()
    return [1.005 * float(number) * UNITS[unit] for number, unit in (found[:2], found[2:])]  # of three digits


def on_gpu(kernel, ranks, *arguments, program="fake_gpu"):
    return run(f"{program}_{kernel}", ranks, "--device cuda --threads 1 --warmup 0 --runs 1", *arguments)


class Gpus(Scratch):
    def verified(self, kernel, ranks, *arguments, **how):
        """The medians of a job, all of them right; without those of the paper's clock."""
        outcome = on_gpu(kernel, ranks, *arguments, **how)
        self.assertEqual((outcome.code, outcome.left), (0, []), outcome)
        self.assertEqual(errors(outcome.document), [])
        rows = [row for row in medians(outcome.document) if not row["run_name"].endswith("/paper")]
        self.assertTrue(rows and all(row["verified"] for row in rows), rows)
        return rows


class Kernels(Gpus):
    def test_stream_pushes_over_every_transport(self):
        for transfer in ("--formulation native", "--chunk 3000", "--pipeline off", "--formulation dataflow"):
            rows = self.verified("stream", 3, "--sizes 4KiB,1MiB --pushes 3 --transport staged,ipc", transfer)
            self.assertEqual({row["run_name"].split("/")[3] for row in rows}, {"staged", "ipc"})

    def test_cg_solves_by_every_storage_and_in_the_data_flow_with_the_same_bits(self):
        for ranks, transport in WAYS:
            for problem in ("--size 131 --iterations 12", "--problem random --size 7 --iterations 3"):
                self.verified("cg", ranks, problem, f"--storage full,symmetric --transport {transport}")
        for ranks, queue, size in ((2, 16, 131), (4, 2, 2)):
            staged, ipc = self.verified("cg", ranks, f"--problem random --iterations 40 --size {size} --queue {queue}",
                                        "--formulation dataflow --transport staged,ipc")
            self.assertEqual((staged["workers"], staged["residual_history"]), (ranks - 1, ipc["residual_history"]))

    def test_cg_goes_on_from_a_checkpoint_with_the_same_residuals(self):
        case = f"--size 60 --iterations 40 --checkpoint {self.folder}/saved --every 25"
        whole, = self.verified("cg", 1, case)
        parts, = self.verified("cg", 1, case, "--restart")
        self.assertEqual((parts["restarted_from"], parts["residual_history"]), (25, whole["residual_history"]))

    def test_fft_transforms_ragged_sizes_in_both_orders_and_reads_tiles_from_files(self):
        for ranks, transport in WAYS:
            for size in ("--size 4096 --tiles 64", "--size 5400 --tiles 12"):
                for order in ("transposed", "natural"):
                    self.verified("fft", ranks, size, f"--transport {transport} --order {order}")
        self.verified("fft", 2, f"--size 4096 --tiles 64 --data {self.folder}/data --generate --keep")
        self.assertEqual(len(list(self.folder.glob("data/result/X-*.npy"))), 2)

    def test_fft_goes_in_place_where_the_gpu_is_too_small(self):
        apart, = self.verified("fft", 1, "--size 4096 --tiles 64")
        in_place, = self.verified("fft", 1, "--size 4096 --tiles 64 --device-memory 300KiB")
        self.assertEqual(["in place" in row["note"] for row in (apart, in_place)], [False, True])
        assert_refused(self, on_gpu("fft", 1, "--size 4096 --tiles 64 --device-memory 150KiB"), BAD_USAGE, "fft",
                       "of GPU memory per rank", "ask for a smaller size")

    def test_fft_merges_the_data_flows_tiles_over_every_transport(self):
        for ranks, gpus, case in ((2, 1, "--size 4096 --tiles 64"), (3, 2, "--size 5400 --tiles 12 --queue 2")):
            with gpu_node(gpus) as counts:
                for row in self.verified("fft", ranks, case, "--formulation dataflow --transport staged,ipc"):
                    self.assertEqual(row["workers"], ranks - 1)
                self.assertEqual([gpu.allocated for gpu in counts()], [0] * gpus)

    def test_ffts_library_is_the_vendors_own_transform_on_one_gpu(self):
        library = "--size 4096 --formulation library --transport staged"
        row, = self.verified("fft", 1, library)
        self.assertIn("cuFFT 12.0.0's own transform", row["note"])
        self.assertEqual(on_gpu("fft", 2, library).code, UNAVAILABLE)

    def test_matmuls_data_flow_has_the_same_bits_over_every_transport(self):
        kept = []
        for ranks, transport in ((2, "staged"), (3, "ipc"), (5, "mpi")):
            self.verified("matmul", ranks, f"--size 300 --tile 64 --formulation dataflow --transport {transport}",
                          f"--data {self.folder}/tiles --generate --keep", program="aware_gpu")
            kept.append([tile.read_bytes() for tile in sorted(self.folder.glob("tiles/C_*.npy"))])
        self.assertEqual(len(kept[0]), 25)
        self.assertTrue(kept[0] == kept[1] == kept[2])

    def test_matmul_in_too_little_memory_is_refused_with_the_arithmetic(self):
        for formulation in ("native", "dataflow"):
            refused = on_gpu("matmul", 2, "--size 65536 --tile 8192 --transport staged --device-memory 700MiB",
                             f"--formulation {formulation}")
            assert_refused(self, refused, BAD_USAGE, "matmul", "a tile is 256 MiB", "--tile")


class Arithmetic(Gpus):
    """Of a cuBLAS that keeps so many bits of each number, whatever it is asked for."""

    def rounded(self, bits, *arguments):
        with mock.patch.dict(os.environ, QUARTET_STAND_IN_BITS=str(bits)):
            outcome = on_gpu("matmul", 2, "--limits off --reducers 1 --tile 64", *arguments)
        self.assertEqual(outcome.code, 1, outcome)
        row, = medians(outcome.document)
        self.assertIs(row["verified"], False)
        return row["wrong_because"]

    def test_rounded_inputs_are_noticed(self):
        for precision, bits in (("tf32", 11), ("bf16", 8)):
            for formulation in ("native", "dataflow"):
                self.assertEqual(self.rounded(bits, f"--size 100 --formulation {formulation}"),
                                 f"products are {precision} where fp32 was asked for")
        self.assertEqual(self.rounded(8, "--size 64 --math tf32"), "products are bf16 where tf32 was asked for")

    def test_tf32_is_a_row_of_its_own_with_an_error_of_its_own(self):
        row, = self.verified("matmul", 2, "--size 300 --tile 64 --math tf32")
        self.assertEqual((row["precision"], row["factors"]["math"]), ("tf32", "tf32"))
        for flags, reason in (("--device cuda --math bf16x9", "compute capability is 9.x"),
                              ("--device host --math tf32", "add --device cuda")):
            outcome = run("fake_gpu_matmul", 2, "--size 64 --threads 1", flags)
            self.assertEqual(outcome.code, UNAVAILABLE, outcome)
            self.assertIn(reason, errors(outcome.document)[0]["error_message"])


class Nodes(Gpus):
    def test_every_gpu_works_in_the_memory_planned_for_it(self):
        for kernel, ranks, gpus, transport, case in NODES:
            with self.subTest(kernel=kernel, ranks=ranks, gpus=gpus, transport=transport):
                arguments = (kernel, ranks, case, f"--transport {transport}")
                with gpu_node(gpus):
                    largest, on_first = planned_memory(on_gpu(*arguments, "--dry-run").stdout)
                with gpu_node(gpus) as counts:
                    self.verified(*arguments)
                    found = counts()
                for number, gpu in enumerate(found):
                    wanted = largest * len(range(number, ranks, gpus)) if number else on_first
                    self.assertGreater(gpu.kernels, 0)
                    self.assertEqual(gpu.allocated, 0, "not freed")
                    self.assertEqual(gpu.failed_calls, 0, "compute-sanitizer would report them")
                    self.assertLess(gpu.most_allocated, wanted + ranks * SLACK)

    def test_automatic_is_what_reaches_the_gpus_else_the_host(self):
        small = "--sizes 4KiB --pushes 3 --runs 1 --threads 1"
        for environment, way in (({}, "/cuda/ipc/"), ({"QUARTET_STAND_IN_REFUSES": "device"}, "/host/shm/"),
                                 ({"QUARTET_STAND_IN_REFUSES": "all"}, "/host/shm/")):
            with mock.patch.dict(os.environ, environment):
                self.assertIn(way, next(iter(cases(run("fake_gpu_stream", 2, small).document))))
        with mock.patch.dict(os.environ, QUARTET_STAND_IN_REFUSES="kernels"):
            assert_refused(self, run("fake_gpu_stream", 2, small, "--device cuda"), UNAVAILABLE, "stream",
                           "no CUDA device", "no kernels for GPU 0")
        with gpu_node(2, peers="none"):
            refused = on_gpu("fft", 3, FFT, "--limits off --transport ipc")
            assert_refused(self, refused, UNAVAILABLE, "fft", PEERS_NEEDED, "use --transport staged")
            chosen, = self.verified("fft", 3, FFT, "--limits off")
            self.assertIn("/staged/", chosen["name"], "two of the ranks share a GPU")
        with gpu_node(4, peers="pairs"):
            beside, = self.verified("fft", 2, FFT, "--limits off --gpu-map 2,3")
            self.assertIn("/ipc/", beside["name"])

    def test_energy_and_what_held_gpus_back_are_on_the_rows(self):
        libraries = f"{PROGRAMS / 'fake_nvml'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
        with gpu_node(2), mock.patch.dict(os.environ, LD_LIBRARY_PATH=libraries, QUARTET_STAND_IN_NVML="capped"):
            row, = self.verified("cg", 3, "--size 531 --iterations 300 --runs 2")
        seconds = row["rank_seconds"][0]
        self.assertAlmostEqual(row["energy_joules"] / (2 * 500 * seconds), 1, delta=0.1)  # two GPUs of 500 W
        self.assertAlmostEqual(row["gpu_power_capped_share"], 0.4, delta=0.04)


if __name__ == "__main__":
    unittest.main()  # one after another: the environment is that of all
