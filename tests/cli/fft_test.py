"""The fft program's files: made, read, kept and compared with NumPy; damaged ones are caught."""

import json
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet_cli import assert_refused, main, medians, run

BAD_USAGE, UNAVAILABLE = 2, 77
PYTHON_WITH_NUMPY = os.environ.get("QUARTET_PYTHON_WITH_NUMPY", "")
CASE = "--size 960 --tiles 12 --device host --threads 1 --runs 1 --limits off"

# Puts the kept parts into the order of k and compares with NumPy's transform of the tiles. It also
# compares one of its own files, read by the program before.
COMPARE = """
import json, sys
from pathlib import Path
import numpy
folder, ranks = Path(sys.argv[1]), int(sys.argv[2])
manifest = json.loads((folder / "manifest.json").read_text())
(n,), length = manifest["shape"], manifest["tile"]
tiles = n // length
x = numpy.empty(n, numpy.complex128)
for t in range(tiles):
    x[t::tiles] = numpy.load(folder / f"x-{t}.npy")
result = folder / "result"
order = json.loads((result / "manifest.json").read_text())["order"]
parts = [numpy.load(result / f"X-{r}.npy") for r in range(ranks)]
found = numpy.concatenate(parts, axis=1).ravel() if order.startswith("transposed") \\
    else numpy.concatenate(parts)
expected = numpy.fft.fft(x)
error = numpy.linalg.norm(found - expected) / numpy.linalg.norm(expected)
assert found.dtype == numpy.complex128 and error < 1e-14, error
"""

# A folder as NumPy would make it: another header, the same numbers.
REWRITE = """
import sys
from pathlib import Path
import numpy
for file in Path(sys.argv[1]).glob("x-*.npy"):
    numpy.save(file, numpy.load(file))
"""


class Files(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "data"
        self.data = f"--data {shlex.quote(str(self.folder))}"

    def fft(self, ranks, *arguments):
        return run("fft", ranks, CASE, self.data, *arguments)

    def generate(self):
        outcome = self.fft(2, "--generate")
        self.assertEqual(outcome.code, 0, outcome)
        return outcome

    def tiles(self):
        return sorted(file.name for file in self.folder.glob("x-*.npy"))

    def test_are_made_once_and_read_by_any_number_of_ranks(self):
        self.generate()
        self.assertEqual(len(self.tiles()), 12)
        before = {name: (self.folder / name).stat().st_mtime_ns for name in self.tiles()}
        for ranks in (1, 2, 3, 4):
            outcome = self.fft(ranks, "--generate")
            self.assertEqual(outcome.code, 0, outcome)
            (row,) = medians(outcome.document)
            self.assertTrue(row["verified"])
            self.assertIn("/data:files/cache:warm/", row["name"])
            self.assertGreater(row["phases"]["read"], 0)
        after = {name: (self.folder / name).stat().st_mtime_ns for name in self.tiles()}
        self.assertEqual(after, before)

    def test_what_is_missing_is_completed_and_what_is_damaged_replaced(self):
        self.generate()
        contents = {name: (self.folder / name).read_bytes() for name in self.tiles()}
        (self.folder / "x-3.npy").unlink()
        (self.folder / "x-7.npy").write_bytes(contents["x-7.npy"][:-8])
        outcome = self.fft(3, "--generate")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual({name: (self.folder / name).read_bytes() for name in self.tiles()},
                         contents)

    def test_results_are_those_of_numpy(self):
        if not PYTHON_WITH_NUMPY:
            self.skipTest("no Python with NumPy")
        self.generate()
        subprocess.run([PYTHON_WITH_NUMPY, "-c", REWRITE, self.folder], check=True)
        for ranks in (1, 2, 3, 4):
            for order in ("transposed", "natural"):
                with self.subTest(ranks=ranks, order=order):
                    outcome = self.fft(ranks, "--keep --order", order)
                    self.assertEqual(outcome.code, 0, outcome)
                    subprocess.run([PYTHON_WITH_NUMPY, "-c", COMPARE, self.folder, str(ranks)],
                                   check=True)

    def test_missing_ones_are_refused_with_the_flag_that_makes_them(self):
        assert_refused(self, self.fft(2), BAD_USAGE, "fft", "--generate")
        self.generate()
        (self.folder / "x-5.npy").unlink()
        assert_refused(self, self.fft(2), BAD_USAGE, "fft", "x-5.npy", "--generate")

    def test_other_data_is_refused(self):
        self.generate()
        for arguments in ("--seed 2", "--size 1920", "--tiles 24"):
            assert_refused(self, self.fft(2, arguments), BAD_USAGE, "fft", "are others")

    def test_damaged_ones_are_named_and_nothing_is_measured(self):
        self.generate()
        file = self.folder / "x-6.npy"
        good = file.read_bytes()
        altered = bytearray(good)
        altered[-9] ^= 1
        for bad in (good[:-16], bytes(altered), good + b"more", b""):
            file.write_bytes(bad)
            outcome = self.fft(2)
            assert_refused(self, outcome, BAD_USAGE, "fft", "x-6.npy")
            self.assertEqual(outcome.stdout, "")
            self.assertIsNone(outcome.document)

    def test_numbers_that_are_others_than_the_manifest_says_are_caught(self):
        self.generate()
        manifest = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))
        manifest["checksums"]["x-2.npy"] = "0" * 16
        (self.folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        assert_refused(self, self.fft(2), BAD_USAGE, "fft", "x-2.npy")

    def test_all_formulations_read_them(self):
        for formulation in ("native", "dataflow", "library"):
            for ranks in (2, 3):
                outcome = self.fft(ranks, f"--generate --formulation {formulation} --runs 2")
                self.assertIn(outcome.code, (0, 77) if formulation == "library" else (0,), outcome)


class Wisdom(unittest.TestCase):
    """FFTW's measured plans, kept from job to job."""

    MEASURED = "--formulation library --transport mpi --plan measure --order natural"

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.file = Path(temporary.name) / "plans"

    def fft(self, ranks, *arguments, file=None):
        outcome = run("fft", ranks, "--size 2^12 --device host --threads 1 --runs 1 --limits off",
                      f"--wisdom {shlex.quote(str(file or self.file))}",
                      *(arguments or [self.MEASURED]))
        if outcome.code == UNAVAILABLE:
            self.skipTest(outcome.stderr)
        return outcome

    def note(self, outcome):
        self.assertEqual(outcome.code, 0, outcome)
        (row,) = medians(outcome.document)
        self.assertTrue(row["verified"])
        return row["note"]

    def left_beside(self):
        return [file.name for file in self.file.parent.iterdir() if file != self.file]

    def test_second_job_has_the_first_ones_plan_of_each_problem(self):
        for ranks in (1, 2, 3):
            self.assertNotIn("earlier job", self.note(self.fft(ranks)))
        kept = self.file.read_bytes()
        for ranks in (1, 2, 3):
            self.assertIn("measure plan of an earlier job", self.note(self.fft(ranks)))
        self.assertEqual(self.file.read_bytes(), kept)
        self.assertNotIn("earlier job", self.note(self.fft(2, self.MEASURED, "--size 2^10")))
        self.assertIn("earlier job", self.note(self.fft(2)))
        self.assertEqual(self.left_beside(), [])

    def test_damaged_file_is_refused_and_left_as_it_is(self):
        self.note(self.fft(2))
        good = self.file.read_bytes()
        altered = bytearray(good)
        altered[-9] ^= 1
        for bad in (good[:len(good) // 2], bytes(altered), good + b"\n", b""):
            self.file.write_bytes(bad)
            assert_refused(self, self.fft(3), BAD_USAGE, "fft", "--wisdom", "plans' is damaged")
            self.assertEqual(self.file.read_bytes(), bad)
        self.assertEqual(self.left_beside(), [])

    def test_unwritable_results_file_is_refused_before_measuring(self):
        for file in (self.file.parent / "none" / "plans", self.file.parent, Path("/dev/zero")):
            assert_refused(self, self.fft(2, file=file), BAD_USAGE, "fft", "--wisdom", str(file))
        self.assertEqual(self.left_beside(), [])

    def test_estimates_and_other_formulations_have_none(self):
        assert_refused(self, self.fft(2, "--formulation library --transport mpi"), BAD_USAGE, "fft",
                       "--plan measure")
        assert_refused(self, self.fft(2, "--plan measure"), BAD_USAGE, "fft", "--formulation library")


class Rows(unittest.TestCase):
    def test_any_size_on_any_ranks_in_both_orders(self):
        for ranks, arguments in ((1, "--size 1"), (2, "--size 1009"), (3, "--size 44100"),
                                 (4, "--size 1000000 --order natural"), (3, "--size 2^16 --tiles 8"),
                                 (4, "--size 3 --order natural")):
            with self.subTest(ranks=ranks, arguments=arguments):
                outcome = run("fft", ranks, "--device host --threads 1 --runs 1", arguments)
                self.assertEqual(outcome.code, 0, outcome)
                (row,) = medians(outcome.document)
                self.assertTrue(row["verified"])
                self.assertLess(row["error"], row["tolerance"])

    def test_are_limited_and_say_how_they_were_done(self):
        (row,) = medians(run("fft", 2, "--size 2^16 --device host --threads 1 --runs 2").document)
        self.assertIn("all-to-all", row["limit"]["what"])
        self.assertRegex(row["note"], r"in \d+ lanes")
        self.assertEqual(row["flops"], 5 * 2**16 * 16)
        self.assertEqual(row["bytes"], 64 * 2**16)


if __name__ == "__main__":
    main()
