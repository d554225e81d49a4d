"""One large array each, cut by quartet tiles into what the programs read, under a manifest."""

import json
import os
import shlex
import shutil
import subprocess

from own_files import BAD_USAGE, ONCE, PYTHON_WITH_NUMPY, UNAVAILABLE, OwnFiles, numpy
from quartet_cli import assert_refused, main, run
from tree import QUARTET


class Cutting(OwnFiles):

    CUTS = (("matmul", "A.npy B.npy", "--tile 12"), ("cg", "M.npy b.npy", "--blocks 3"),
            ("fft", "x.npy", "--tiles 5"))

    def tiles(self, arguments, python=PYTHON_WITH_NUMPY):
        return subprocess.run([python, *QUARTET[1:], "tiles", *shlex.split(arguments)], cwd=self.folder,
                              capture_output=True, text=True, check=False, timeout=100)

    def assert_cut(self, arguments):
        done = self.tiles(arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def assert_refused_by_tiles(self, arguments, *reasons):
        done = self.tiles(arguments)
        self.assertEqual(done.returncode, BAD_USAGE, done)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for reason in reasons:
            self.assertIn(reason, done.stderr)

    def test_arrays_are_cut_as_the_programs_read_them(self):
        for kernel, arrays, flag in self.CUTS:
            for order in "CF":
                shutil.rmtree(self.folder / kernel)
                numpy("import sys, numpy as np\nfor f in sys.argv[2:]:\n"
                      " np.save(f, np.array(np.load(f), order=sys.argv[1]))", order, *arrays.split(),
                      cwd=self.folder)
                self.assert_cut(f"{kernel} {arrays} {kernel} {flag} --manifest")
                manifest = json.loads((self.folder / kernel / "manifest.json").read_text())
                self.assertEqual({"seed", "generator_version"} & set(manifest), set())
                self.assertEqual(set(manifest["checksums"]),
                                 {file.name for file in (self.folder / kernel).glob("*.npy")})
                self.compute(kernel, 2, "--keep")
                self.assert_right(kernel, 2, order)

    def test_a_manifest_of_files_that_are_there_is_compared(self):
        for kernel, _, flag in self.CUTS:
            self.assert_cut(f"{kernel} {kernel} --manifest")
            self.compute(kernel, 3, "--keep")
            self.assert_right(kernel, 3, kernel)
            victim = sorted((self.folder / kernel).glob("[Bbx]?*.npy"))[0]
            numpy("import sys, numpy as np\na = np.load(sys.argv[1])\na.flat[1] += 1e-6\n"
                  "np.save(sys.argv[1], a)", victim)
            outcome = run(kernel, 2, f"--data {self.folder / kernel}", ONCE, "--keep",
                          self.MORE[kernel])
            assert_refused(self, outcome, BAD_USAGE, kernel, victim.name, "checksum differs",
                           "quartet tiles")
            self.assert_cut(f"{kernel} {kernel} --manifest")
            self.compute(kernel, 1, "--keep")

    def test_other_types_are_converted_where_that_is_asked_for(self):
        numpy("import numpy as np\nfor f in ('A', 'B'):\n"
              " np.save(f'{f}8.npy', np.load(f + '.npy').astype('>f8'))\n"
              "np.save('z.npy', np.load('x.npy').astype('c8'))\n"
              "np.save('words.npy', np.array(['a', 'b']))", cwd=self.folder)
        shutil.rmtree(self.folder / "matmul")
        wanted = "matmul A8.npy B8.npy matmul --tile 12"
        self.assert_refused_by_tiles(wanted, "A8.npy", "dtype >f8 where <f4", "--convert")
        self.assertFalse((self.folder / "matmul").exists())
        self.assert_cut(wanted + " --convert")
        self.compute("matmul", 2, "--keep")
        self.assert_right("matmul", 2, wanted)
        self.assert_refused_by_tiles("matmul x.npy x.npy c --tile 5", "x.npy", "square matrix")
        self.assert_refused_by_tiles("fft words.npy w --tiles 2", "words.npy", "dtype <U1")
        self.assert_refused_by_tiles("cg A.npy x.npy w --blocks 2 --convert", "x.npy", "shape (360,)")

    def test_what_cannot_be_cut_is_refused(self):
        (self.folder / "text.npy").write_text("text")
        os.mkfifo(self.folder / "pipe.npy")
        for arguments, *reasons in (
                ("matmul A.npy B.npy matmul --tile 12", "has A_0_0.npy already"),
                ("matmul A.npy new --tile 12", "1 array where A and B are cut"),
                ("matmul A.npy B.npy new", "--tile: it is missing"),
                ("matmul A.npy B.npy new --tiles 3 --tile 3", "--tiles: matmul has --tile"),
                ("matmul A.npy M.npy new --tile 3", "M.npy cannot be B", "shape (23, 23)"),
                ("fft x.npy new --tiles 7", "--tiles: 7 tiles"),
                ("fft text.npy new --tiles 7", "text.npy is no .npy file"),
                ("fft gone.npy new --tiles 7", "gone.npy"),
                ("fft pipe.npy new --tiles 7", "pipe.npy (not a regular file)"),
                ("fft matmul --manifest", "matmul has no x in files"),
                ("cg matmul --manifest", "matmul has no A in files")):
            with self.subTest(arguments):
                self.assert_refused_by_tiles(arguments, *reasons)
        self.assertFalse((self.folder / "new").exists())
        self.compute("fft", 1, "--generate --size 64 --tiles 8 --dry-run", codes=(BAD_USAGE,))
        made = run("fft", 1, f"--data {self.folder / 'made'} --generate --size 64 --tiles 8", ONCE)
        self.assertEqual(made.code, 0, made)
        self.assert_refused_by_tiles("fft made --manifest", "a program has made")

    def test_numbers_that_no_file_may_have_are_refused_where_they_stand(self):
        numpy("import numpy as np\na, b, x = (np.load(f + '.npy') for f in 'AMx')\nlarge = a.astype('f8')\n"
              "large[30, 14] = 1e300\nnp.save('large.npy', large)\na[3, 5] = np.nan\nnp.save('nan.npy', a)\n"
              "np.save('matmul/A_0_0.npy', a[:12, :12])\n"
              "b[22, 0] = -np.inf\nnp.save('inf.npy', b)\nx[251] = complex(1, np.nan)\nnp.save('z.npy', x)", cwd=self.folder)
        for arguments, *reasons in (
                ("matmul A.npy large.npy new --tile 12 --convert", "large.npy has 1e+300 at [30, 14] (float32 has no"),
                ("matmul nan.npy B.npy new --tile 12", "nan.npy has nan at [3, 5] (the programs take finite"),
                ("cg inf.npy b.npy new --blocks 3", "inf.npy has -inf at [22, 0]"),
                ("fft z.npy new --tiles 5", "z.npy has (1+nanj) at [251]"),
                ("matmul matmul --manifest", "A_0_0.npy has nan at [3, 5]")):
            with self.subTest(arguments):
                self.assert_refused_by_tiles(arguments, *reasons)
                self.assertEqual(list(self.folder.glob("new/*")), [])
        self.assertFalse((self.folder / "matmul/manifest.json").exists())

    def test_a_file_that_is_longer_than_its_array_is_refused(self):
        with (self.folder / "x.npy").open("ab") as file:
            file.write(b"x")
        self.assert_refused_by_tiles("fft x.npy new --tiles 5", "x.npy has 1 byte behind its numbers")

    def test_modules_that_are_missing_are_named(self):
        numpy("import numpy as np\nnp.save('x-0.npy', np.ones(10, 'c16'))", cwd=self.folder)
        for module, arguments in (("numpy", ("x-0.npy", "new", "--tiles", "5")), ("xxhash", (".", "--manifest"))):
            hidden = self.folder / module
            hidden.mkdir()
            (hidden / "__init__.py").write_text("raise ImportError('hidden')")
            done = subprocess.run([PYTHON_WITH_NUMPY, *QUARTET[1:], "tiles", "fft", *arguments],
                                  cwd=self.folder, capture_output=True, text=True, check=False,
                                  env={**os.environ, "PYTHONPATH": str(self.folder)})
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (UNAVAILABLE, 1), done)
            self.assertIn(f"module {module} ", done.stderr)
            shutil.rmtree(hidden)


if __name__ == "__main__":
    main()
