"""A user's own files, made by NumPy without a manifest: computed with in every formulation, on any
number of ranks, and compared with what NumPy makes of them."""

import shutil

from own_files import BAD_USAGE, ONCE, UNAVAILABLE, OwnFiles, numpy
from quartet_cli import assert_refused, main, medians, run, run_each

RANKS = (1, 2, 3)


class OwnData(OwnFiles):
    def compute_in_all(self, kernel, formulation, *arguments):
        for ranks in RANKS:
            if formulation == "dataflow" and ranks == 1:
                continue
            with self.subTest(kernel, formulation=formulation, ranks=ranks, arguments=arguments):
                outcome = self.compute(kernel, ranks, f"--keep --formulation {formulation}", *arguments,
                                       codes=(0, UNAVAILABLE) if formulation == "library" else (0,))
                if outcome.code == UNAVAILABLE:
                    self.skipTest(outcome.stderr)
                row, = medians(outcome.document)[:1]
                self.assertIs(row["verified"], True)
                options = outcome.document["context"]["quartet"]["options"]
                self.assertEqual(options["seed"], "1 (of the check alone)")
                for factors in self.FACTORS[kernel]:
                    self.assertIn(factors, row["run_name"])
                self.assert_right(kernel, ranks, outcome)

    def test_products(self):
        for formulation in ("native", "dataflow", "library"):
            self.compute_in_all("matmul", formulation)

    def test_solutions(self):
        self.compute_in_all("cg", "native")
        self.compute_in_all("cg", "native", "--storage symmetric --algorithm single-reduction")
        self.compute_in_all("cg", "dataflow")
        self.compute_in_all("cg", "library")

    def test_transforms(self):
        for formulation in ("native", "dataflow", "library"):
            self.compute_in_all("fft", formulation)
        for formulation in ("native", "library"):
            self.compute_in_all("fft", formulation, "--order natural")

    def test_what_is_given_must_agree(self):
        for kernel, flags in (("matmul", "--size 37 --tile 12"), ("cg", "--size 23"),
                              ("fft", "--size 360 --tiles 5")):
            self.compute(kernel, 2, flags)
        for kernel, flags, reason in (
                ("matmul", "--size 36", "--size: 36 is not what the files"),
                ("matmul", "--tile 16", "--tile: 16 is not what the files"),
                ("cg", "--size 24", "--size: 24 is not what the files"),
                ("cg", "--problem random", "--problem: 'random' is not what the files"),
                ("fft", "--size 720", "--size: 720 is not what the files"),
                ("fft", "--tiles 6", "--tiles: 6 is not what the files")):
            outcome = run(kernel, 2, f"--data {self.folder / kernel}", flags, ONCE)
            assert_refused(self, outcome, BAD_USAGE, kernel, reason, str(self.folder / kernel))

    def test_nothing_of_a_users_is_replaced_or_removed(self):
        (self.folder / "matmul" / "C_0_0.npy").write_bytes(b"mine")
        refused = run("matmul", 2, f"--data {self.folder / 'matmul'}", ONCE)
        assert_refused(self, refused, BAD_USAGE, "matmul", "C_0_0.npy", "--keep")
        self.assertEqual((self.folder / "matmul" / "C_0_0.npy").read_bytes(), b"mine")
        for kernel, size in (("matmul", "--size 37 --tile 12"), ("cg", "--size 23"),
                             ("fft", "--size 360 --tiles 5")):
            before = {file: file.read_bytes() for file in (self.folder / kernel).iterdir()}
            outcome = run(kernel, 2, f"--data {self.folder / kernel} --generate", size, ONCE)
            assert_refused(self, outcome, BAD_USAGE, kernel, "of a user's own", "--generate")
            after = {file: file.read_bytes() for file in (self.folder / kernel).iterdir()}
            self.assertEqual(before, after)

    def damaged(self, kernel, change, *arguments):
        """A copy of the files that NumPy has changed: `change` may use np, load and save."""
        copy = self.folder / f"copy-{len(list(self.folder.iterdir()))}"
        shutil.copytree(self.folder / kernel, copy)
        numpy("import os, numpy as np\nload = lambda f: np.load(f + '.npy')\n"
              "save = lambda f, a: np.save(f + '.npy', a)\n" + change, cwd=copy)
        return kernel, copy, arguments

    def test_files_that_do_not_fit_are_named(self):
        gone = "os.remove('{}.npy')".format
        cases = [
            (("matmul", gone("A_1_2")), "has no A_1_2.npy"),
            (("matmul", gone("B_3_3")), "has no B_3_3.npy"),
            (("matmul", "[os.remove(f) for f in os.listdir() if f[0] == 'B']"), "has no B_0_0.npy"),
            (("matmul", "save('A_7_0', load('A_0_0'))"), "has no A_0_4.npy (it has A_7_0.npy)"),
            (("matmul", "save('A_1_1', load('A_1_1').astype('f8'))"), "A_1_1.npy", "dtype <f8"),
            (("matmul", "save('B_0_1', np.asfortranarray(load('B_0_1')))"), "B_0_1.npy",
             "Fortran order"),
            (("matmul", "save('B_2_3', load('B_2_3')[:, :0])"), "B_2_3.npy", "shape (12, 0)"),
            (("matmul", "save('A_0_0', load('A_0_0')[0])"), "A_0_0.npy", "where a matrix"),
            (("matmul", "save('A_3_3', np.zeros((20, 20), 'f4'))"), "A_3_3.npy",
             "shape (20, 20) where (12, 12)"),
            (("matmul", "a = load('B_2_2'); a[3, 4] = np.nan; save('B_2_2', a)"), "B_2_2.npy",
             "element 40 is not a finite number"),
            (("cg", gone("A-1")), "has no A-1.npy"),
            (("cg", gone("b-2")), "has no b-2.npy"),
            (("cg", "save('b-0', load('b-0')[:9])"), "b-0.npy", "shape (9,) where (10,)"),
            (("cg", "save('A-2', load('A-2')[:, :22])"), "A-2.npy", "shape (13, 22) where (13, 23)"),
            (("cg", "save('A-0', load('A-0').astype('>f8'))"), "A-0.npy"),
            (("cg", "a = load('A-2'); a[2, 5] += 1; save('A-2', a)"), "cannot solve", "differs from"),
            (("cg", "a = load('A-0'); a[2, 2] = -1; save('A-0', a)"), "element (2, 2) is not positive"),
            (("cg", "b = load('b-0'); b[2] = 1e200; save('b-0', b)"), "1e+200", "scale them"),
            (("fft", gone("x-2")), "has no x-2.npy (it has x-4.npy)"),
            (("fft", "save('x-4', load('x-4')[:71])"), "x-4.npy", "shape (71,) where (72,)"),
            (("fft", "save('x-1', load('x-1').real)"), "x-1.npy", "dtype <f8 where <c16"),
            (("fft", "a = load('x-3'); a[9] = complex(0, np.inf); save('x-3', a)"), "x-3.npy",
             "element 9"),
            (("fft", "[save(f'x-{t}', 1e-200 * load(f'x-{t}')) for t in range(5)]"), "scale them"),
            (("fft", "open('x-0.npy', 'r+b').truncate(200)"), "x-0.npy", "too short"),
        ]
        copies = [self.damaged(*case[0]) for case in cases]
        outcomes = run_each([(kernel, 2, f"--data {copy}", ONCE) for kernel, copy, _ in copies])
        for (made, *reasons), (kernel, copy, _), outcome in zip(cases, copies, outcomes):
            with self.subTest(made):
                assert_refused(self, outcome, BAD_USAGE, kernel, copy.name, *reasons)
                self.assertIsNone(outcome.document)


if __name__ == "__main__":
    main()
