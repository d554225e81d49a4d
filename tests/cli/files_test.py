"""Data in files: made once, read by any formulation, results as NumPy's, and damage named before anything is measured."""

import json
import os
import unittest

from quartet_cli import (BAD_USAGE, PYTHON_WITH_NUMPY, Scratch, assert_refused, cases, main, medians, numpy, run,
                         run_each)

ONCE = "--device host --threads 1 --runs 1 --limits off"
# Each puts the data together, and prints how far what was kept is from NumPy's.
PRODUCT = """
import sys, numpy
def whole(name):
    return numpy.block([[numpy.load(f"{sys.argv[1]}/{name}_{i}_{j}.npy") for j in range(4)] for i in range(4)])
a, b, c = whole("A"), whole("B"), whole("C")
assert (a.dtype, a.shape) == (numpy.dtype("<f4"), (100, 100))
wanted = a.astype("f8") @ b.astype("f8")
print(numpy.abs(c - wanted).max() / numpy.abs(wanted).max())
"""
SOLUTION = """
import sys, numpy
def whole(name, blocks):
    return numpy.concatenate([numpy.load(f"{sys.argv[1]}/{name}-{r}.npy") for r in range(blocks)])
ranks = int(sys.argv[2])
a, b, x = (whole(name, ranks) for name in "AbX")
assert a.dtype == b.dtype == x.dtype == numpy.dtype("<f8") and numpy.array_equal(a, a.T)
smallest, largest = numpy.linalg.eigvalsh(a)[[0, -1]]
assert abs(smallest - 1) < 1e-9 and abs(largest - 4096) < 1e-6, (smallest, largest)
wanted = numpy.linalg.solve(a, b)
print(numpy.linalg.norm(x - wanted) / numpy.linalg.norm(wanted))
"""
TRANSFORM = """
import json, sys, numpy
from pathlib import Path
folder, ranks = Path(sys.argv[1]), int(sys.argv[2])
manifest = json.loads((folder / "manifest.json").read_text())
(n,), length = manifest["shape"], manifest["tile"]
x = numpy.empty(n, numpy.complex128)
for t in range(n // length):
    x[t::n // length] = numpy.load(folder / f"x-{t}.npy")
order = json.loads((folder / "result" / "manifest.json").read_text())["order"]
parts = [numpy.load(folder / "result" / f"X-{r}.npy") for r in range(ranks)]
found = numpy.concatenate(parts, axis=1).ravel() if order.startswith("transposed") else numpy.concatenate(parts)
expected = numpy.fft.fft(x)
print(numpy.linalg.norm(found - expected) / numpy.linalg.norm(expected))
"""
REWRITE = """
import sys, numpy, pathlib
for file in pathlib.Path(sys.argv[1]).glob("*.npy"):
    numpy.save(file, numpy.load(file))
"""


class Files:
    """What one kernel's files have in common with the others'; `kernel`, `problem` and so on say whose they are."""

    names: list  # of all files of the data
    other = "--seed 2"  # data that the folder does not have
    ranks = 2
    factor = "/data:files/cache:warm/"

    def setUp(self):
        super().setUp()
        self.data = self.folder / "data"

    def job(self, *arguments, ranks=None, data=None):
        return (self.kernel, ranks or self.ranks, ONCE, self.problem, f"--data {data or self.data}", *arguments)

    def compute(self, *arguments, ranks=None):
        outcome = run(*self.job(*arguments, ranks=ranks))
        self.assertEqual(outcome.code, 0, outcome)
        row = medians(outcome.document)[0]
        self.assertTrue(row["verified"])
        return row

    def test_are_made_once_and_read_by_all_formulations(self):
        self.assertIn(self.factor, self.compute("--generate")["run_name"])
        self.assertEqual(sorted(file.name for file in self.data.iterdir()), sorted([*self.names, "manifest.json"]))
        before = {file: file.stat().st_mtime_ns for file in self.data.glob("*.npy")}
        (self.data / self.names[1]).unlink()
        self.compute("--generate --formulation dataflow", ranks=3)
        changed = [file.name for file, time in before.items() if file.stat().st_mtime_ns != time]
        self.assertEqual(changed, [self.names[1]])
        outcome = run(*self.job("--formulation library", ranks=3))
        self.assertIn(outcome.code, (0, 77), outcome)

    @unittest.skipUnless(PYTHON_WITH_NUMPY, "no Python with NumPy")
    def test_results_are_numpys_of_files_that_numpy_has_written(self):
        self.compute("--generate")
        numpy(REWRITE, self.data)
        for ranks, more in self.kept:
            self.compute("--keep", more, ranks=ranks)
            self.assertLess(float(numpy(self.expected, self.data, ranks)), self.near)

    def test_damaged_and_missing_ones_are_named_and_others_never_replaced(self):
        self.compute("--generate")
        manifest = (self.data / "manifest.json").read_text()
        tile = self.data / self.names[1]
        sound = tile.read_bytes()
        for damaged, reason in ((sound[:-1] + bytes([sound[-1] ^ 1]), "checksum"), (sound[:-8], "B of elements"),
                                (b"", self.names[1]), (None, "--generate")):
            tile.unlink() if damaged is None else tile.write_bytes(damaged)
            outcome = run(*self.job())
            assert_refused(self, outcome, BAD_USAGE, self.kernel, self.names[1], reason)
            self.assertEqual((outcome.stdout, outcome.document), ("", None))
        os.mkfifo(tile)
        assert_refused(self, run(*self.job()), BAD_USAGE, self.kernel, self.names[1])
        tile.unlink()
        tile.write_bytes(sound)
        for outcome in run_each([self.job(self.other, more) for more in ("", "--generate")]):
            assert_refused(self, outcome, BAD_USAGE, self.kernel, "was requested")
        self.assertEqual((self.data / "manifest.json").read_text(), manifest)
        self.compute()
        keys = json.loads(manifest)
        for wrong in ("[" * 300000, json.dumps({**keys, "checksums": {}}), json.dumps({**keys, "tile": 0})):
            (self.data / "manifest.json").write_text(wrong)
            assert_refused(self, run(*self.job()), BAD_USAGE, self.kernel, str(self.data))


class Matmul(Files, Scratch):
    kernel, problem, other = "matmul", "--size 100 --tile 32", "--tile 50"
    names = [f"{matrix}_{i}_{j}.npy" for matrix in "AB" for i in range(4) for j in range(4)]
    expected, near, kept = PRODUCT, 1e-6, ((1, ""), (3, ""), (3, "--formulation dataflow"))

    def test_memory_bounds_what_is_held(self):
        # 8 MiB of matrices each; the limit's buffer of 4 MiB is in the memory, too.
        big = f"--size 1024 --tile 64 --device host --threads 1 --runs 1 --generate --data {self.data}"
        read = []
        for memory in ("6MiB", "32MiB"):
            outcome = run("matmul", 2, big, f"--memory {memory}")
            self.assertEqual(outcome.code, 0, outcome)
            row, = medians(outcome.document)
            self.assertIn(f"/memory:{memory}/", row["run_name"])
            self.assertTrue(row["verified"])
            self.assertEqual(row["bytes_written"], 4 * 1024**2)
            read.append(row["bytes_read"])
        self.assertGreater(read[0], read[1])
        self.assertEqual(read[1], 3 * 4 * 1024**2)  # two ranks: one matrix twice, the other once
        refused = run("matmul", 2, big, "--memory 4200KiB")
        assert_refused(self, refused, BAD_USAGE, "matmul", "take at least", "4.1 MiB are allowed")

    def test_the_page_cache_can_be_left_out(self):
        self.compute("--generate --cache drop")
        outcome = run(*self.job("--cache direct"))
        if outcome.code == 3 and "no direct input" in outcome.stderr:
            self.skipTest("the folder's file system has no direct input")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertIn("/cache:direct/", next(iter(cases(outcome.document))))


class Cg(Files, Scratch):
    kernel, problem, other = "cg", "--problem random --size 60 --iterations 300", "--size 61"
    ranks, names = 3, [f"{name}-{rank}.npy" for name in "Ab" for rank in range(3)]
    factor = "/random/full/"
    expected, near = SOLUTION, 1e-10
    kept = (3, ""), (3, "--storage symmetric"), (3, "--formulation dataflow")

    def test_another_rank_count_is_refused(self):
        self.compute("--generate")
        assert_refused(self, run(*self.job(ranks=2)), BAD_USAGE, "cg", "= 3", "2 was requested")


class Fft(Files, Scratch):
    kernel, problem, other = "fft", "--size 960 --tiles 12", "--size 1920"
    names = [f"x-{tile}.npy" for tile in range(12)]
    expected, near, kept = TRANSFORM, 1e-14, ((1, ""), (3, "--order transposed"), (3, "--order natural"),
                                              (3, "--formulation dataflow"))


if __name__ == "__main__":
    main()
