"""matmul with its tiles in files: made, checked, multiplied in bounded memory, kept."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet_cli import LYING_LIBRARIES, assert_refused, cases, main, medians, run, run_each, run_lying, unwrapped

PYTHON_WITH_NUMPY = os.environ.get("QUARTET_PYTHON_WITH_NUMPY")
UNAVAILABLE = 77
SMALL = "--size 100 --tile 32 --device host --threads 1 --runs 1"
TILES = [f"{matrix}_{i}_{j}.npy" for matrix in "AB" for i in range(4) for j in range(4)]

# Puts the matrices together with NumPy, and prints the largest error of C relative to it.
PRODUCT = """
import sys, numpy
def whole(name):
    return numpy.block([[numpy.load(f"{sys.argv[1]}/{name}_{i}_{j}.npy") for j in range(4)]
                        for i in range(4)])
a, b, c = whole("A"), whole("B"), whole("C")
assert (a.dtype, a.shape) == (numpy.dtype("<f4"), (100, 100))
wanted = a.astype("f8") @ b.astype("f8")
print(numpy.abs(c - wanted).max() / numpy.abs(wanted).max())
"""

# Writes every tile of A and B again, as NumPy does, in Fortran order where asked to.
REWRITE = """
import sys, numpy, pathlib
for file in pathlib.Path(sys.argv[1]).glob("[AB]_*.npy"):
    tile = numpy.load(file)
    numpy.save(file, numpy.asfortranarray(tile) if sys.argv[2] == "F" else tile)
"""


def numpy(program, *arguments):
    done = subprocess.run([PYTHON_WITH_NUMPY, "-c", program, *map(str, arguments)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Files(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "tiles"

    def matmul(self, *arguments, ranks=2):
        return run("matmul", ranks, SMALL, f"--data {self.folder}", *arguments)

    def assert_verified(self, outcome):
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual([row["verified"] for row in medians(outcome.document)], [True])

    def assert_failed(self, outcome, *reasons):
        """Said what, once, and no number anywhere."""
        assert_refused(self, outcome, 2, "matmul", *reasons)
        self.assertEqual(outcome.stdout, "")
        self.assertIsNone(outcome.document)

    def generate(self):
        self.assert_verified(self.matmul("--generate"))

    def test_tiles_are_made_once_and_the_name_says_where_they_are(self):
        self.generate()
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()),
                         sorted([*TILES, "manifest.json"]))
        before = {file: file.stat().st_mtime_ns for file in self.folder.glob("*.npy")}
        (self.folder / TILES[5]).unlink()
        outcome = self.matmul("--generate", ranks=3)
        self.assert_verified(outcome)
        self.assertEqual(list(cases(outcome.document)),
                         ["matmul/native/host/shm/n:100/tile:32/data:files/cache:warm/"
                          "ranks:3/threads:1"])
        changed = [file.name for file, time in before.items() if file.stat().st_mtime_ns != time]
        self.assertEqual(changed, [TILES[5]])

    def test_kept_results_are_numpys_product(self):
        if not PYTHON_WITH_NUMPY:
            self.skipTest("no Python with NumPy")
        for ranks in (1, 2, 3):
            self.assert_verified(self.matmul("--generate --keep", ranks=ranks))
            self.assertEqual(len(list(self.folder.glob("C_*.npy"))), 16)
            self.assertLess(float(numpy(PRODUCT, self.folder)), 1e-6)

    def test_tiles_that_numpy_has_written_serve(self):
        if not PYTHON_WITH_NUMPY:
            self.skipTest("no Python with NumPy")
        self.generate()
        numpy(REWRITE, self.folder, "C")
        self.assert_verified(self.matmul())
        numpy(REWRITE, self.folder, "F")
        self.assert_failed(self.matmul(), "Fortran order")

    def test_an_altered_tile_is_named(self):
        self.generate()
        tile = self.folder / "B_2_1.npy"
        data = bytearray(tile.read_bytes())
        data[-1] ^= 1
        tile.write_bytes(data)
        self.assert_failed(self.matmul(ranks=3), "B_2_1.npy", "checksum")
        self.assert_verified(self.matmul("--generate"))

    def test_a_truncated_tile_is_named(self):
        self.generate()
        tile = self.folder / "A_3_3.npy"
        tile.write_bytes(tile.read_bytes()[:-4])
        self.assert_failed(self.matmul(), "A_3_3.npy", "too short")

    def test_what_is_missing_is_refused_with_the_remedy(self):
        assert_refused(self, self.matmul(), 2, "matmul", "--generate")
        self.generate()
        (self.folder / "A_0_1.npy").unlink()
        assert_refused(self, self.matmul(), 2, "matmul", "A_0_1.npy", "--generate")

    def test_other_data_are_refused_and_never_replaced(self):
        self.generate()
        manifest = (self.folder / "manifest.json").read_text()
        others = [(other, generate) for other in ("--size 101", "--tile 50", "--seed 2")
                  for generate in ("", "--generate")]
        for outcome in run_each([("matmul", 2, SMALL, f"--data {self.folder}", *words)
                                 for words in others]):
            assert_refused(self, outcome, 2, "matmul", "others")
        self.assertEqual((self.folder / "manifest.json").read_text(), manifest)

    def test_memory_bounds_what_is_held(self):
        # 8 MiB of matrices each; the limit's buffer of 4 MiB is in the memory, too.
        big = (f"--size 1024 --tile 64 --device host --threads 1 --runs 1 --generate "
               f"--data {self.folder}")
        least = None
        for memory in ("5MiB", "6MiB", "32MiB"):
            outcome = run("matmul", 2, big, f"--memory {memory}")
            self.assert_verified(outcome)
            row, = medians(outcome.document)
            self.assertIn(f"/memory:{memory}/", row["run_name"])
            self.assertEqual(row["bytes_read"] + row["bytes_written"], row["bytes_planned"])
            self.assertEqual(row["bytes"], row["bytes_planned"])
            self.assertGreaterEqual(row["bytes_planned"], row["bytes_best_whole_tiles"])
            self.assertEqual(row["bytes_written"], 4 * 1024**2)
            self.assertTrue(least is None or row["bytes_read"] <= least)
            least = row["bytes_read"]
        self.assertEqual(least, 3 * 4 * 1024**2)  # two ranks: one matrix twice, the other once
        refused = run("matmul", 2, big, "--memory 4200KiB")
        assert_refused(self, refused, 2, "matmul", "take at least", "4.1 MiB are allowed")

    def test_the_plan_is_shown(self):
        self.generate()
        outcome = self.matmul("--dry-run --memory 5MiB")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertRegex(unwrapped(outcome.stdout), r"tiles of C held, \d+ slots for A and B, \d+ products of "
                                         r"look-ahead; a rank moves .*, reading .* and writing .* lower bound ")

    def test_the_page_cache_can_be_left_out(self):
        self.generate()
        self.assert_verified(self.matmul("--cache drop"))
        outcome = self.matmul("--cache direct --lookahead 0")
        if outcome.code == 3 and "no direct input" in outcome.stderr:
            self.skipTest("the folder's file system has no direct input")
        self.assert_verified(outcome)
        self.assertIn("/cache:direct/lookahead:0/", medians(outcome.document)[0]["run_name"])

    def test_the_library_formulation_reads_and_writes_them(self):
        outcome = self.matmul("--generate --keep --formulation library --runs 2", ranks=3)
        if outcome.code == UNAVAILABLE:
            self.skipTest(outcome.stderr)
        self.assert_verified(outcome)
        self.assertEqual(list(cases(outcome.document)),
                         ["matmul/library/host/mpi/n:100/tile:32/data:files/cache:warm/"
                          "ranks:3/threads:1"])
        self.assertTrue((self.folder / "C_3_3.npy").exists())
        self.assert_verified(self.matmul("--formulation library", ranks=2))
        self.assertEqual(list(self.folder.glob("C_*")), [])

    def test_flags_that_mean_nothing_are_refused(self):
        for flag in ("--lookahead 2", "--cache drop"):
            refused = run("matmul", 2, SMALL, flag)
            assert_refused(self, refused, 2, "matmul", flag.split()[0], "--data DIR")
        self.generate()
        assert_refused(self, self.matmul("--keep --verify off"), 2, "matmul", "--keep")


@unittest.skipUnless(LYING_LIBRARIES, "libraries that lie cannot come before a sanitizer")
class Arithmetic(unittest.TestCase):
    """A BLAS that rounds the numbers that it multiplies."""

    def multiply(self, bits, arguments):
        outcome = run_lying("matmul", 3, f"sgemm:all:1+:float:inputs:{bits}", arguments,
                            "--device host --threads 1 --runs 1 --limits off --remeasure off")
        if outcome.code == UNAVAILABLE:
            self.skipTest(outcome.stderr)
        row, = medians(outcome.document)
        return outcome, row

    def test_rounded_inputs_are_noticed_in_every_formulation(self):
        for formulation in ("native", "dataflow", "library"):
            for bits, precision in ((24, "fp32"), (11, "tf32"), (8, "bf16")):
                for size in (64, 200):
                    with self.subTest(formulation=formulation, bits=bits, size=size):
                        outcome, row = self.multiply(bits, f"--formulation {formulation} --size {size} --tile 64")
                        self.assertEqual(row["precision"], precision)
                        self.assertEqual((outcome.code, row["verified"]),
                                         (0, True) if precision == "fp32" else (1, False), outcome)

    def test_inputs_of_eighteen_bits_are_noticed_which_the_bound_lets_pass(self):
        outcome, row = self.multiply(18, "--size 200 --tile 64")
        self.assertLess(row["error"], row["tolerance"])
        self.assertEqual((outcome.code, row["precision"]), (1, "other"), outcome)

    def test_without_the_check_nothing_is_claimed(self):
        outcome, row = self.multiply(11, "--size 64 --verify off")
        self.assertEqual((outcome.code, row["verified"]), (0, None))
        self.assertNotIn("precision", row)


class Library(unittest.TestCase):
    def test_a_blas_without_kernels_for_the_processor_is_said(self):
        def measure(*prefix):
            outcome = run("matmul", 1, "--size 1024 --device host --threads 1 --runs 2 --remeasure off",
                          prefix=prefix)
            self.assertEqual(outcome.code, 0, outcome)
            row, = medians(outcome.document)
            return outcome, row, row["limit_components"][0]

        outcome, _, sgemm = measure()
        if "hardware_seconds" not in sgemm or "OpenBLAS" not in str(outcome.document["context"]):
            self.skipTest("the BLAS is another, or does more than was compiled for")
        outcome, row, sgemm = measure("env", "OPENBLAS_CORETYPE=Prescott")
        self.assertLess(sgemm["hardware_seconds"], 0.6 * sgemm["seconds"], outcome)
        self.assertTrue(row["distrusted"], outcome)
        kinds = {flag["kind"] for flag in row["flags"]}
        if not kinds & {"disturbed", "drift", "step", "two_speeds", "limit_moved"}:
            self.assertIn("slow_library", kinds, outcome)
            self.assertRegex(unwrapped(outcome.stdout), r"limit is too low: SGEMM has \d\d?% of the FMA peak")
            self.assertLessEqual(max(map(len, outcome.stdout.splitlines())), 80, outcome.stdout)
        self.assertRegex(row["note"], r"SGEMM has \d\d?% of the FMA peak")


if __name__ == "__main__":
    main()
