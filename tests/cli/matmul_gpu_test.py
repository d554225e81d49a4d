"""matmul through a GPU's bounded memory: the program over a fake GPU."""

import os
import unittest
from pathlib import Path

from quartet_cli import Scratch, assert_refused, main, medians, run, unwrapped

MATMUL = Path(os.environ["QUARTET_BUILD"]) / "tests" / "fake_gpu_matmul"
WORKSPACE = 32 * 1024  # KiB, cuBLAS's
# Three matrices of 25 tiles each, where the GPU holds ten tiles beside cuBLAS's workspace.
SMALL = (f"--device cuda --size 300 --tile 64 --threads 1 --runs 2 --limits off --device-memory {WORKSPACE + 160}KiB")
MATRIX = 300 * 300 * 4


@unittest.skipUnless(MATMUL.exists(), "no CUDA toolkit: no fake GPU")
class OutOfCore(Scratch):
    def assert_verified(self, outcome):
        self.assertEqual(outcome.code, 0, outcome)
        row, = medians(outcome.document)
        self.assertTrue(row["verified"], row)
        return row

    def test_matrices_that_the_gpu_does_not_hold_are_copied_in_again(self):
        for ranks in (1, 2, 3):
            row = self.assert_verified(run(MATMUL, ranks, SMALL))
            once = (ranks + 1) * MATRIX  # one input shared out, the other on every rank
            self.assertGreater(row["bytes_copied_in"], once)
            self.assertEqual(row["bytes_copied_out"], MATRIX)
            self.assertIn("/device-memory:", row["run_name"])

    def test_what_fits_is_copied_once(self):
        row = self.assert_verified(run(MATMUL, 1, "--device cuda --size 300 --tile 64 --runs 1 --limits off"))
        self.assertEqual((row["bytes_copied_in"], row["bytes_copied_out"]), (2 * MATRIX, MATRIX))

    def test_tiles_in_files_are_staged_on_the_host(self):
        row = self.assert_verified(run(MATMUL, 2, SMALL, f"--data {self.folder}/tiles --generate --memory 300KiB"))
        self.assertEqual(list(self.folder.glob("tiles/C_*")), [])
        self.assertEqual(row["bytes_read"], row["bytes_copied_in"])
        self.assertEqual(row["bytes_read"] + row["bytes_written"], row["bytes_best_whole_tiles"])

    def test_the_limit_is_the_slower_of_products_and_copies(self):
        for flags in ("", f"--device-memory {WORKSPACE + 700}KiB"):  # C at once, and in parts
            row = self.assert_verified(run(MATMUL, 2, "--device cuda --size 200 --tile 64 --runs 2", flags))
            self.assertIn("fraction_of_limit", row)
            self.assertEqual(row["limit"]["what"], "slower of SGEMM and copies to and from GPUs")
            seconds = {part["name"]: part["seconds"] for part in row["limit_components"]}
            self.assertGreater(min(seconds.values()), 0)
            self.assertEqual(row["limit_decided_by"], max(seconds, key=seconds.get))

    def test_the_plan_tells_the_memory_of_host_and_gpu(self):
        outcome = run(MATMUL, 1, SMALL, "--dry-run")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertRegex(unwrapped(outcome.stdout), r"; of GPU memory 32\.\d MiB, 32\.\d MiB")
        self.assertRegex(unwrapped(outcome.stdout), r"on the GPU \d x \d tiles of C held, \d+ slots")

    def test_memory_that_holds_no_tile_is_refused_with_the_arithmetic(self):
        refused = run(MATMUL, 2, "--device cuda --size 65536 --tile 8192 --device-memory 700MiB")
        assert_refused(self, refused, 2, "matmul", "a tile is 256 MiB", "700 MiB are allowed", "--tile")

    def test_memory_that_the_gpu_does_not_have_is_refused(self):
        refused = run(MATMUL, 2, "--device cuda --size 16384 --device-memory 1TiB")
        assert_refused(self, refused, 2, "matmul", "of the memory of one Fake")

    def test_staging_needs_memory_of_the_host(self):
        refused = run(MATMUL, 1, SMALL, f"--data {self.folder}/tiles --generate --memory 60KiB")
        assert_refused(self, refused, 2, "matmul", "in files take at least", "--memory")


if __name__ == "__main__":
    main()
