"""Tests of scripts/python/quartet_dev/peers/mkl.py with fake programs, and with those of the preset host-mkl where they are."""

import json
import math
import sys
import unittest
from unittest import mock

import fake_results
from fake_build import FakeBuild
from quartet.launch import Files, LocalLauncher
from quartet.paths import LAUNCHER
from quartet_dev.peers import mkl
from quartet_dev.peers.mkl import MklBuild, MklFft

# Each leaves {text} and writes its arguments to {folder}/calls.
FFT = """#!{python} -S
import sys
open({folder!r} + "/calls", "w").write(" ".join(sys.argv[1:3]))
open(sys.argv[3], "w").write({text!r})
"""
MATMUL = """#!{python} -S
import sys
open({folder!r} + "/calls", "w").write(" ".join(sys.argv[1:]))
open(sys.argv[sys.argv.index("--json") + 1], "w").write({text!r})
"""
MKL = "Intel(R) oneAPI Math Kernel Library Version 2026.2-Product"


def left_by_fft(**other):
    return json.dumps({"points": 2**22, "ranks": 2, "seconds": 0.25, "error": 1e-15, "version": "2026.2",
                       "memory": "in place", "processor": "Some processors", **other})


class WithPrograms(FakeBuild):
    def setUp(self):
        super().setUp()
        programs = mock.patch.object(mkl, "PROGRAMS", self.folder / "bin")
        programs.start()
        self.addCleanup(programs.stop)
        self.files = Files(self.folder / "1.out", self.folder / "1.log")

    def complete(self, peer):
        return peer.complete(LocalLauncher(self.folder / "launcher"), 2, self.files, 30)

    def program(self, name, source, text):
        self.write(f"bin/{name}", source.format(python=sys.executable, folder=str(self.folder), text=text))

    def test_is_unavailable_where_it_was_not_built(self):
        for peer in (MklFft(2**22, 5), MklBuild("matmul", ())):
            outcome = self.complete(peer)
            self.assertEqual((outcome.exit_code, outcome.seconds), (77, 0.0))
            self.assertIn("--preset host-mkl", outcome.message)

    def test_transform_is_a_row_that_names_the_version(self):
        self.program("mkl_fft", FFT, left_by_fft())
        self.assertEqual(self.complete(MklFft(2**22, 5)).exit_code, 0)
        self.assertEqual((self.folder / "calls").read_text(), f"{2**22} 5")
        (row,) = MklFft(2**22, 5).read(self.files.document)
        self.assertAlmostEqual(row.rate, 5 * 2**22 * 22 / 0.25 * 1e-9)
        self.assertEqual((row.unit, row.verified, row.name.formulation, row.name.size, row.workers),
                         ("GFLOP/s", True, "library", str(2**22), 2))
        self.assertIn('MKL 2026.2 for "Some processors"', row.note)

    def test_transform_of_another_size_or_a_wrong_one_is_wrong(self):
        bound = 16 * math.log(2**22) * 2.0**-53
        for other, code in (({"error": 0.99 * bound}, 0), ({"error": 1.01 * bound}, 1), ({"points": 2**20}, 1)):
            self.program("mkl_fft", FFT, left_by_fft(**other))
            self.assertEqual(self.complete(MklFft(2**22, 5)).exit_code, code, other)

    def test_what_an_earlier_launch_left_is_no_result(self):
        self.files.document.write_text(left_by_fft())
        self.write("bin/mkl_fft", "#!/bin/sh\nexit 0\n")
        self.assertEqual(self.complete(MklFft(2**22, 5)).exit_code, 3)

    def test_own_program_gets_its_arguments_and_its_rows_name_the_version(self):
        document = fake_results.document(fake_results.case("matmul/library/host/mpi/n:8/ranks:2/threads:1", 9.0, "GFLOP/s", 3,
                                                           note="ScaLAPACK psgemm"))
        document["context"]["quartet"]["device_description"] = f"A processor; {MKL}; FFTW"
        self.program("matmul", MATMUL, json.dumps(document))
        peer = MklBuild("matmul", ("--size", "8"))
        self.assertEqual(self.complete(peer).exit_code, 0)
        self.assertIn("--size 8 --device host --threads 1", (self.folder / "calls").read_text())
        (row,) = peer.read(self.files.document)
        self.assertEqual((row.rate, row.note), (9.0, f"{MKL}; ScaLAPACK psgemm"))


@unittest.skipUnless((mkl.PROGRAMS / "mkl_fft").exists(), "the preset host-mkl was not built")
class Real(FakeBuild):
    def complete(self, peer, ranks):
        files = Files(self.folder / "1.out", self.folder / "1.log")
        outcome = peer.complete(LocalLauncher(LAUNCHER), ranks, files, 100)
        self.assertEqual(outcome.exit_code, 0, outcome)
        (row,) = peer.read(files.document)
        self.assertTrue(row.verified)
        return row

    def test_transform_is_right_on_any_ranks(self):
        for ranks in (1, 2, 3):
            self.assertRegex(self.complete(MklFft(2**16, 2), ranks).note, r"^MKL 20\d\d\.\d for")

    def test_psgemm_is_its_own(self):
        row = self.complete(MklBuild("matmul", ("--size", "256", "--formulation", "library", "--runs", "1")), 2)
        self.assertRegex(row.note, r"^Intel.*Kernel Library Version 20.*psgemm \(libmkl_scalapack.*same BLAS as native")
