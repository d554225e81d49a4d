"""cg with its systems in files, with a user's matrix, and beside NumPy."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet_cli import assert_refused, cases, errors, main, medians, run

PYTHON_WITH_NUMPY = os.environ["QUARTET_PYTHON_WITH_SCIPY"]
SMALL = "--device host --threads 1 --runs 1"
EVERY_WAY = "--storage full,symmetric --algorithm classic,single-reduction"

# Puts the system together; prints how far x is from numpy.linalg.solve's.
SOLVE = """
import sys, numpy
def whole(name, blocks):
    return numpy.concatenate([numpy.load(f"{sys.argv[1]}/{name}-{r}.npy") for r in range(blocks)])
a, b = whole("A", int(sys.argv[2])), whole("b", int(sys.argv[2]))
x = whole("X", int(sys.argv[3]))
assert a.dtype == b.dtype == x.dtype == numpy.dtype("<f8")
assert a.shape == (len(b), len(b)) and len(x) == len(b) and numpy.array_equal(a, a.T)
wanted = numpy.linalg.solve(a, b)
print(numpy.linalg.norm(x - wanted) / numpy.linalg.norm(wanted))
"""

# Prints the largest difference of the blocks from the paper's system.
LAPLACE = """
import sys, numpy
n, blocks = 50, 3
a = numpy.concatenate([numpy.load(f"{sys.argv[1]}/A-{r}.npy") for r in range(blocks)])
b = numpy.concatenate([numpy.load(f"{sys.argv[1]}/b-{r}.npy") for r in range(blocks)])
step = 2 * numpy.pi / n
wanted = 2 * numpy.eye(n) - numpy.eye(n, k=1) - numpy.eye(n, k=-1)
print(max(abs(a - wanted).max(), abs(b - numpy.sin(step * numpy.arange(n)) * step**2).max()))
"""

# Prints the smallest and largest eigenvalue.
SPECTRUM = """
import sys, numpy
a = numpy.concatenate([numpy.load(f"{sys.argv[1]}/A-{r}.npy") for r in range(2)])
print(*numpy.linalg.eigvalsh(a)[[0, -1]])
"""

# Writes a matrix of a few kinds.
MATRIX = """
import sys, numpy
file, kind = sys.argv[1:3]
random = numpy.random.default_rng(1)
b = random.standard_normal((40, 40))
a = b @ b.T / 40 + numpy.eye(40)
changes = {"sound": lambda: a, "huge": lambda: a * 1e300, "tiny": lambda: a * 1e-300,
           "denormal": lambda: a * 1e-310, "indefinite": lambda: a - 1.5 * numpy.eye(40),
           "floats": lambda: a.astype("f4"), "wide": lambda: a[:30], "cube": lambda: a[None],
           "fortran": lambda: numpy.asfortranarray(a)}
if kind in changes:
    a = changes[kind]()
elif kind == "negative":
    a = -a
elif kind == "hidden":  # indefinite behind a positive diagonal
    a = numpy.eye(40) + 2 * (numpy.ones((40, 40)) - numpy.eye(40))
elif kind == "asymmetric":
    a[7, 3] += 1e-7
elif kind == "nan":
    a[11, 5] = a[5, 11] = numpy.nan
numpy.save(file, a)
"""


def numpy(program, *arguments):
    done = subprocess.run([PYTHON_WITH_NUMPY, "-c", program, *map(str, arguments)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Cg(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name) / "data"

    def need_numpy(self):
        if not PYTHON_WITH_NUMPY:
            self.skipTest("no Python with NumPy")

    def cg(self, *arguments, ranks=2):
        return run("cg", ranks, SMALL, *arguments)

    def assert_verified(self, outcome, rows=1):
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual([row["verified"] for row in medians(outcome.document)], [True] * rows)


class Meetings(Cg):
    def test_ranks_that_share_memory_meet_for_an_iterations_sums_alone(self):
        trace = self.folder.with_name("trace.json")
        self.assert_verified(self.cg("--size 64 --iterations 5 --warmup 0 --transport shm", f"--trace {trace}"))
        names = [event["name"] for event in json.loads(trace.read_text())["traceEvents"]]
        self.assertGreaterEqual(names.count("sum"), 2 * 2 * 5)
        self.assertEqual(names.count("open") + names.count("close"), 0)


class Files(Cg):
    def files(self, *arguments, ranks=2):
        return self.cg("--problem random --size 60 --iterations 300", f"--data {self.folder}",
                       *arguments, ranks=ranks)

    def test_any_rank_count_solves_as_numpy_does(self):
        self.need_numpy()
        self.assert_verified(self.files("--generate", ranks=3))
        for ranks in (1, 2, 3, 4):
            for storage in ("full", "symmetric"):
                self.assert_verified(self.files("--keep", f"--storage {storage}", ranks=ranks))
                self.assertLess(float(numpy(SOLVE, self.folder, 3, ranks)), 1e-10)

    def test_blocks_are_the_rank_counts_that_made_them(self):
        self.assert_verified(self.files("--generate", ranks=3))
        names = [f"{name}-{block}.npy" for name in "Ab" for block in range(3)]
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()),
                         sorted([*names, "manifest.json"]))
        before = {file: file.stat().st_mtime_ns for file in self.folder.glob("*.npy")}
        (self.folder / "A-1.npy").unlink()
        self.assert_verified(self.files("--generate", ranks=2))
        changed = [file.name for file, time in before.items() if file.stat().st_mtime_ns != time]
        self.assertEqual(changed, ["A-1.npy"])

    def test_systems_are_what_numpy_says(self):
        self.need_numpy()
        self.assert_verified(self.files("--generate"))
        smallest, largest = map(float, numpy(SPECTRUM, self.folder).split())
        self.assertAlmostEqual(smallest, 1, places=9)
        self.assertAlmostEqual(largest, 4096, places=6)
        other = self.folder.with_name("laplace")
        self.assert_verified(self.cg(f"--size 50 --iterations 60 --data {other} --generate",
                                     ranks=3))
        self.assertLess(float(numpy(LAPLACE, other)), 1e-16)

    def test_an_altered_file_is_named(self):
        self.assert_verified(self.files("--generate"))
        for name in ("A-1.npy", "b-0.npy"):
            file = self.folder / name
            sound = file.read_bytes()
            file.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
            for storage in ("full", "symmetric"):
                assert_refused(self, self.files(f"--storage {storage}"), 2, "cg", name, "checksum")
            file.write_bytes(sound)
        self.assert_verified(self.files())

    def test_a_truncated_file_is_named(self):
        self.assert_verified(self.files("--generate"))
        file = self.folder / "A-0.npy"
        file.write_bytes(file.read_bytes()[:-8])
        for ranks in (1, 2, 4):
            assert_refused(self, self.files(ranks=ranks), 2, "cg", "A-0.npy", "too short")

    def test_what_is_missing_is_refused_with_the_remedy(self):
        assert_refused(self, self.files(), 2, "cg", "--generate")
        self.assert_verified(self.files("--generate"))
        (self.folder / "b-1.npy").unlink()
        assert_refused(self, self.files(), 2, "cg", "b-1.npy", "--generate")

    def test_other_data_are_refused_and_never_replaced(self):
        self.assert_verified(self.files("--generate"))
        manifest = (self.folder / "manifest.json").read_text()
        for other in ("--size 61", "--seed 2", "--problem laplace"):
            assert_refused(self, self.files(other, "--generate"), 2, "cg", "others")
        self.assertEqual((self.folder / "manifest.json").read_text(), manifest)

    def test_flags_that_contradict_each_other_are_refused(self):
        for arguments, reason in (("--cache drop", "--cache"), ("--keep --verify off", "--keep"),
                                  ("--problem a.npy", "--data")):
            assert_refused(self, self.files(arguments), 2, "cg", reason)


class Matrix(Cg):
    def matrix(self, kind):
        self.need_numpy()
        file = self.folder.with_name(f"{kind}.npy")
        numpy(MATRIX, file, kind)
        return file

    def solve(self, kind, *arguments, ranks=2):
        return self.cg(f"--problem {self.matrix(kind)} --iterations 60", *arguments, ranks=ranks)

    def test_a_users_matrix_is_solved_every_way(self):
        for ranks in (1, 2, 3):
            outcome = self.solve("sound", EVERY_WAY, "--transport mpi,shm", ranks=ranks)
            self.assert_verified(outcome, 8)
            for row in medians(outcome.document):
                self.assertIn("/sound.npy/", row["run_name"])
                self.assertIn("/n:40/iterations:60/", row["run_name"])
                self.assertLess(row["solution_error"], 1e-12)

    def test_huge_tiny_and_denormal_matrices_are_solved(self):
        for kind, error in (("huge", 1e-12), ("tiny", 1e-12), ("denormal", 1e-4)):
            outcome = self.solve(kind, EVERY_WAY)
            self.assert_verified(outcome, 4)
            for row in medians(outcome.document):
                self.assertLess(row["solution_error"], error)

    def test_a_matrix_that_is_not_positive_definite_is_named(self):
        for kind in ("indefinite", "hidden"):
            for formulation in ("native", "dataflow"):
                for ranks in (2, 4):
                    outcome = self.solve(kind, f"--formulation {formulation}", ranks=ranks)
                    self.assertIn(outcome.code, (2, 3), outcome)  # 3 if iterations find it out
                    assert_refused(self, outcome, outcome.code, "cg", f"{kind}.npy",
                                   "positive definite")
                    self.assertIsNone(outcome.document)

    def test_other_matrices_that_cannot_be_solved_are_named(self):
        for kind, reason in (("asymmetric", "differs from column"), ("nan", "finite"),
                             ("negative", "not positive")):
            for ranks in (1, 4):
                assert_refused(self, self.solve(kind, ranks=ranks), 2, "cg", f"{kind}.npy", reason)

    def test_other_arrays_are_refused(self):
        for kind, reason in (("floats", "<f4"), ("wide", "(30, 40)"), ("cube", "(1, 40, 40)"),
                             ("fortran", "Fortran")):
            assert_refused(self, self.solve(kind), 2, "cg", f"{kind}.npy", reason)
        file = self.matrix("sound")
        file.write_bytes(file.read_bytes()[:-8])
        assert_refused(self, self.cg(f"--problem {file}"), 2, "cg", "sound.npy", "too short")
        assert_refused(self, self.cg("--problem /nowhere/a.npy"), 2, "cg", "/nowhere/a.npy")

    def test_a_size_that_is_not_the_matrixs_is_refused(self):
        assert_refused(self, self.solve("sound", "--size 41"), 2, "cg", "--size", "40")
        self.assert_verified(self.solve("sound", "--size 40"))


class Flow(Cg):
    """The paper's data flow: the first rank reduces."""

    def test_as_many_workers_as_native_has_ranks_find_the_same_bits(self):
        solve = "--problem random --size 101 --iterations 60"
        for workers in (1, 2, 3):
            native = self.cg(solve, "--transport mpi,shm", ranks=workers)
            self.assert_verified(native, 2)
            for queue in (1, 16):
                flow = self.cg(solve, "--formulation dataflow --transport mpi,shm",
                               f"--queue {queue}", ranks=workers + 1)
                self.assert_verified(flow, 2)
                rows = medians(flow.document)
                self.assertEqual([row["workers"] for row in rows], [workers] * 2)
                for row in (*rows, *medians(native.document)):
                    self.assertEqual(row["residual_history"], rows[0]["residual_history"])

    def test_it_solves_from_files_and_a_users_matrix(self):
        files = ("--problem random --size 60 --iterations 300", f"--data {self.folder}")
        self.assert_verified(self.cg(*files, "--generate"))
        self.assert_verified(self.cg(*files, "--keep --formulation dataflow", ranks=4))
        if not PYTHON_WITH_NUMPY:
            self.skipTest("no Python with NumPy")
        self.assertLess(float(numpy(SOLVE, self.folder, 2, 4)), 1e-10)

    def test_it_is_there_for_what_it_has_and_refused_for_the_rest(self):
        outcome = self.cg("--size 50 --iterations 3 --formulation native,dataflow", EVERY_WAY,
                          "--transport mpi")
        self.assert_verified(outcome, 5)
        for arguments in ("--storage symmetric", "--algorithm single-reduction"):
            assert_refused(self, self.cg("--formulation dataflow", arguments), 2, "cg",
                           "--storage full --algorithm classic")
        assert_refused(self, self.cg("--formulation dataflow", ranks=1), 2, "cg", "2 ranks")


class Library(Cg):
    """Plain MPI and BLAS."""

    def test_it_solves_what_native_solves(self):
        outcome = self.cg("--problem random --size 101 --iterations 400 --transport mpi",
                          "--formulation native,library", ranks=3)
        self.assert_verified(outcome, 2)
        for row in medians(outcome.document):
            self.assertLess(row["solution_error"], 1e-10)
        self.assertIn("row-major", row["note"])
        self.assert_verified(self.cg("--size 50 --iterations 3 --formulation library"), 1)
        files = ("--problem random --size 60 --iterations 300", f"--data {self.folder}")
        self.assert_verified(self.cg(*files, "--generate"))
        self.assert_verified(self.cg(*files, "--keep --formulation library", ranks=3))

    def test_what_it_has_not_is_refused_by_name(self):
        library = "--formulation library --size 50 --iterations 3"
        for arguments in ("--storage symmetric", "--algorithm single-reduction"):
            assert_refused(self, self.cg(library, arguments), 2, "cg",
                           "--storage full --algorithm classic")
        assert_refused(self, self.cg(library, f"--checkpoint {self.folder}/c"), 2, "cg",
                       "--checkpoint", "library")
        assert_refused(self, self.cg(library, "--transport shm"), 77, "cg", "--transport mpi")


class Rows(Cg):
    def test_each_way_has_its_row_its_history_and_its_figures(self):
        outcome = self.cg("--size 200 --iterations 30", EVERY_WAY, "--transport shm")
        self.assert_verified(outcome, 4)
        self.assertEqual(list(cases(outcome.document)), [
            f"cg/native/host/shm/laplace/{storage}/{algorithm}/n:200/iterations:30/ranks:2/threads:1"
            for storage in ("full", "symmetric") for algorithm in ("classic", "single-reduction")])
        for row in medians(outcome.document):
            self.assertEqual(len(row["residual_history"]), 31)
            self.assertEqual(row["residual_history"][0], 1)
            self.assertAlmostEqual(row["residual_history"][-1], row["true_residual"], places=7)
            self.assertEqual(row["flops"], 30 * 2 * 200**2)
            self.assertEqual(row["bytes"],
                             30 * (8 if "/full/" in row["run_name"] else 4) * 200**2)
            self.assertLessEqual(row["energy_error"], row["energy_error_tolerance"])
            self.assertLessEqual(row["residual_gap"], row["residual_gap_tolerance"])
            self.assertEqual(row["tolerance"], 1)

    def test_a_transport_that_only_pushes_is_an_error_row(self):
        outcome = self.cg("--size 50 --iterations 3 --transport mpi,rma")
        self.assertIn(outcome.code, (0, 77))  # rma may not be there at all
        for row in errors(outcome.document):
            self.assertIn("rma", row["error_message"])


if __name__ == "__main__":
    main()
