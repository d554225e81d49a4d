"""matmul's data flow over the fake GPU: products there, sums in the CPU's memory or there."""

import tempfile
import unittest
from pathlib import Path

from quartet_cli import assert_refused, run, unwrapped
from verified import assert_verified

BAD_USAGE = 2
TRANSPORTS = ("staged", "ipc", "mpi")
TILE = 64 * 64 * 4
MATRIX = 300 * 300 * 4
EDGE = 5  # tiles along an edge
PARTIALS = EDGE * MATRIX  # bytes of all partial tiles
WORKSPACE = 32 * 1024  # KiB, cuBLAS's
RAGGED = "--size 300 --tile 64"


def on_gpu(ranks, *arguments, program="aware_gpu_matmul"):
    return run(program, ranks, "--device cuda --remeasure off --formulation dataflow --runs 1 --threads 1",
               *arguments)


class StandInMatmulFlow(unittest.TestCase):
    def test_multiplies_over_each_transport_and_reduces_on_either_device(self):
        for ranks, reducers, queue, schedule in ((2, 1, 16, "static"), (3, 1, 1, "dynamic"),
                                                 (5, 2, 2, "static")):
            for device in ("host", "cuda"):
                with self.subTest(ranks=ranks, reducers=reducers, device=device):
                    outcome = on_gpu(ranks, RAGGED, f"--reducers {reducers} --queue {queue}",
                                     f"--schedule {schedule} --reducer-device {device}",
                                     "--transport", ",".join(TRANSPORTS))
                    rows = assert_verified(self, outcome, len(TRANSPORTS))
                    for row, transport in zip(rows, TRANSPORTS):
                        self.assertIn(f"/cuda/{transport}/", row["run_name"])
                        self.assertEqual("/reducer-device:cuda" in row["run_name"],
                                         device == "cuda")
                        self.assertEqual(row["workers"], ranks - reducers)
                        self.assert_copied(row, device, transport)

    def assert_copied(self, row, device, transport):
        """Two tiles a product in; partial tiles through the host where GPUs do not share them."""
        through_host = PARTIALS if device == "host" or transport == "staged" else 0
        reduced = MATRIX if device == "cuda" else 0
        self.assertEqual(row["bytes_copied_in"],
                         2 * PARTIALS + (through_host if device == "cuda" else 0))
        self.assertEqual(row["bytes_copied_out"], through_host + reduced)

    def test_c_has_the_same_bits_whatever_carries_and_adds_its_parts(self):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "tiles"
            kept = []
            for ranks, transport, device in ((2, "staged", "host"), (3, "ipc", "host"),
                                             (5, "mpi", "host"), (3, "staged", "cuda"),
                                             (5, "ipc", "cuda"), (2, "mpi", "cuda")):
                outcome = on_gpu(ranks, RAGGED, f"--data {data} --generate --keep --limits off",
                                 f"--transport {transport} --reducer-device {device}")
                self.assertEqual(outcome.code, 0, outcome)
                tiles = sorted(data.glob("C_*.npy"))
                self.assertEqual(len(tiles), EDGE * EDGE)
                kept.append([tile.read_bytes() for tile in tiles])
            for other in kept[1:]:
                self.assertEqual(kept[0], other)

    def test_reads_two_tiles_a_product_from_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for device in ("host", "cuda"):
                outcome = on_gpu(3, RAGGED, f"--data {folder}/tiles --generate --cache drop",
                                 f"--reducer-device {device} --transport staged")
                row, = assert_verified(self, outcome, 1)
                self.assertEqual(row["bytes_read"], 2 * PARTIALS)
                self.assertEqual(row["bytes_written"], 0)
                self.assertRegex(row["limit"]["what"], "copies to and from GPUs.* storage")
            self.assertEqual(list(Path(folder).glob("tiles/C_*")), [])

    def test_copies_as_far_ahead_as_the_gpu_has_memory(self):
        # Two tiles for each product, and two partial tiles that are copied out.
        for tiles, ahead in ((4, 0), (6, 1), (8, 2), (100, 2)):
            memory = f"--device-memory {WORKSPACE + tiles * TILE // 1024}KiB --limits off"
            outcome = on_gpu(2, RAGGED, memory, "--transport staged")
            self.assertEqual(outcome.code, 0, outcome)
            row = next(row for row in outcome.document["benchmarks"] if "lookahead" in row)
            self.assertEqual(row["lookahead"], ahead)
            self.assertIn(f"{ahead} products copied ahead", row["note"])
            plan = on_gpu(2, RAGGED, memory, "--transport staged --dry-run")
            self.assertIn(f"{ahead} products copied ahead to the GPU", unwrapped(plan.stdout))
            self.assertRegex(unwrapped(plan.stdout), r"; of GPU memory 32\.\d MiB, 32\.\d MiB")

    def test_too_little_memory_is_refused_with_the_arithmetic(self):
        three_tiles = f"--device-memory {WORKSPACE + 3 * TILE // 1024}KiB --limits off"
        assert_refused(self, on_gpu(2, RAGGED, three_tiles, "--transport staged"), BAD_USAGE,
                       "matmul", "a tile is 16 KiB", "--device-memory", "--tile")
        eight_tiles = f"--device-memory {WORKSPACE + 8 * TILE // 1024}KiB --limits off"
        assert_refused(self, on_gpu(2, RAGGED, eight_tiles, "--transport staged --lookahead 3"),
                       BAD_USAGE, "matmul", "a tile is 16 KiB", "--lookahead")

    def test_reducers_compute_where_the_job_does(self):
        for device, reducer_device, what in (("host", "cuda", "the device is host"),
                                             ("cuda", "gpu", "is not one of host|cuda")):
            outcome = run("fake_gpu_matmul", 2, RAGGED, "--formulation dataflow",
                          f"--device {device} --reducer-device {reducer_device}")
            assert_refused(self, outcome, BAD_USAGE, "matmul", "--reducer-device", what)
        outcome = run("fake_gpu_matmul", 2, RAGGED, "--device cuda --reducer-device cuda")
        assert_refused(self, outcome, BAD_USAGE, "matmul", "--reducer-device",
                       "--formulation dataflow")


if __name__ == "__main__":
    unittest.main()
