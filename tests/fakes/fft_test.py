"""fft over the fake GPU, whose memory the CPU cannot touch: every transform is verified."""

import tempfile
import unittest
from pathlib import Path

from quartet_cli import assert_refused, run
from verified import WAYS, assert_verified

BAD_USAGE, UNAVAILABLE = 2, 77
ONE_SIZE = "--size 4096 --tiles 64"


def on_gpu(ranks, *arguments):
    return run("fake_gpu_fft", ranks, "--device cuda --formulation native --threads 1 --runs 2 --remeasure off "
               "--warmup 1", *arguments)


class StandInFft(unittest.TestCase):
    def test_transforms_ragged_sizes_in_both_orders(self):
        for ranks, transport in WAYS:
            for size in (ONE_SIZE, "--size 5400 --tiles 12", "--size 1001 --tiles 77"):
                for order in ("transposed", "natural"):
                    with self.subTest(ranks=ranks, transport=transport, size=size, order=order):
                        assert_verified(self, on_gpu(ranks, size, f"--transport {transport}",
                                                     f"--order {order}"), 1)

    def test_one_rank_goes_in_place_where_the_gpu_is_too_small(self):
        apart, = assert_verified(self, on_gpu(1, ONE_SIZE), 1)
        in_place, = assert_verified(self, on_gpu(1, ONE_SIZE, "--device-memory 300KiB"), 1)
        self.assertNotIn("in place", apart["note"])
        self.assertIn("in place", in_place["note"])
        assert_refused(self, on_gpu(1, ONE_SIZE, "--device-memory 150KiB"), BAD_USAGE, "fft",
                       "of GPU memory per rank", "ask for a smaller size")

    def test_one_rank_has_one_tile_unless_a_folder_says_otherwise(self):
        whole, = assert_verified(self, on_gpu(1, "--size 65536"), 1)
        self.assertIn("/tiles:1/", whole["name"])
        no_room, = assert_verified(self, on_gpu(1, "--size 2^19 --device-memory 20MiB"), 1)
        self.assertNotIn("/tiles:1/", no_room["name"])
        dealt, = assert_verified(self, on_gpu(2, "--size 65536"), 1)
        self.assertNotIn("/tiles:1/", dealt["name"])
        with tempfile.TemporaryDirectory() as folder:
            there, = assert_verified(self, on_gpu(1, "--size 65536 --generate --data",
                                                  str(Path(folder) / "data")), 1)
            self.assertEqual(there["name"].split("/tiles:")[1].split("/")[0],
                             dealt["name"].split("/tiles:")[1].split("/")[0])

    def test_reads_tiles_from_files_and_keeps_the_result(self):
        for ranks in (1, 2):
            with self.subTest(ranks=ranks), tempfile.TemporaryDirectory() as folder:
                data = Path(folder) / "data"
                outcome = on_gpu(ranks, ONE_SIZE, f"--data {data} --generate --keep")
                assert_verified(self, outcome, 1)
                self.assertEqual(len(list((data / "result").glob("X-*.npy"))), ranks)

    def test_the_library_is_the_vendors_own_transform_on_one_gpu(self):
        outcome = run("fake_gpu_fft", 1, "--size 4096,1001 --device cuda --formulation "
                      "native,library --transport staged --threads 1 --runs 2")
        rows = assert_verified(self, outcome, 4)
        of_library = [row for row in rows if "/library/" in row["name"]]
        self.assertEqual(len(of_library), 2)
        for row in of_library:
            self.assertIn("cuFFT 12.0.0's own transform", row["note"])
            self.assertGreater(row["fraction_of_limit"], 0)
        no_room = run("fake_gpu_fft", 1, ONE_SIZE, "--device cuda --formulation library "
                      "--transport staged --device-memory 180KiB")
        self.assertEqual(no_room.code, UNAVAILABLE)
        several = run("fake_gpu_fft", 2, ONE_SIZE, "--device cuda --formulation library "
                      "--transport staged")
        self.assertEqual(several.code, UNAVAILABLE)
        self.assertIn("use one rank", several.stdout + several.stderr)


if __name__ == "__main__":
    unittest.main()
