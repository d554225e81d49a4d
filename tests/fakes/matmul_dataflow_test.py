"""matmul's data flow over the fake GPU: products there, sums in the CPU's memory."""

import tempfile
import unittest
from pathlib import Path

from quartet_cli import assert_refused, run
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
    def test_multiplies_over_each_transport_and_copies_what_it_must(self):
        for ranks, reducers, queue in ((2, 1, 16), (5, 2, 2)):
            with self.subTest(ranks=ranks, reducers=reducers):
                outcome = on_gpu(ranks, RAGGED, f"--reducers {reducers} --queue {queue}",
                                 "--transport", ",".join(TRANSPORTS))
                rows = assert_verified(self, outcome, len(TRANSPORTS))
                for row, transport in zip(rows, TRANSPORTS):
                    self.assertIn(f"/cuda/{transport}/", row["run_name"])
                    self.assertEqual(row["workers"], ranks - reducers)
                    # Two tiles in for each product, and the product out.
                    self.assertEqual((row["bytes_copied_in"], row["bytes_copied_out"]), (2 * PARTIALS, PARTIALS))

    def test_c_has_the_same_bits_whatever_carries_its_parts(self):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "tiles"
            kept = []
            for ranks, transport in ((2, "staged"), (3, "ipc"), (5, "mpi")):
                outcome = on_gpu(ranks, RAGGED, f"--data {data} --generate --keep --limits off",
                                 f"--transport {transport}")
                self.assertEqual(outcome.code, 0, outcome)
                tiles = sorted(data.glob("C_*.npy"))
                self.assertEqual(len(tiles), EDGE * EDGE)
                kept.append([tile.read_bytes() for tile in tiles])
            for other in kept[1:]:
                self.assertEqual(kept[0], other)

    def test_reads_two_tiles_a_product_from_files(self):
        with tempfile.TemporaryDirectory() as folder:
            row, = assert_verified(self, on_gpu(3, RAGGED, f"--data {folder}/tiles --generate --cache drop",
                                                "--transport staged"), 1)
            self.assertEqual(row["bytes_read"], 2 * PARTIALS)
            self.assertEqual(row["bytes_written"], 0)
            self.assertRegex(row["limit"]["what"], "copies to and from GPUs.* storage")
            self.assertEqual(list(Path(folder).glob("tiles/C_*")), [])

    def test_too_little_memory_is_refused_with_the_arithmetic(self):
        seven_tiles = f"--device-memory {WORKSPACE + 7 * TILE // 1024}KiB --limits off"
        assert_refused(self, on_gpu(2, RAGGED, seven_tiles, "--transport staged"), BAD_USAGE,
                       "matmul", "a tile is 16 KiB", "--device-memory", "--tile")


if __name__ == "__main__":
    unittest.main()
