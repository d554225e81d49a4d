"""The man pages and the completions for bash that `cmake --install` leaves."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from quartet_cli import KERNELS, PROGRAMS, run

BUILD = os.environ["QUARTET_BUILD"]
# Sources a script and prints what it offers for the words of a command line, the last unfinished.
OFFER = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
completion=$(complete -p "$1"); completion=${completion#*-F }; "${completion%% *}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Manuals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.prefix = Path(temporary.name)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True,
                       stdout=subprocess.DEVNULL)

    def pages(self):
        return {kernel.name: self.page(kernel.name) for kernel in KERNELS}

    def page(self, name):
        return self.prefix / f"share/man/man1/{name}.1"

    def script(self, name):
        return self.prefix / "share/bash-completion/completions" / name

    def offered(self, name, *words):
        environment = {**os.environ, "PATH": f"{self.prefix}/bin:{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-c", OFFER, "-", self.script(name), *words], text=True,
                              capture_output=True, check=True, cwd=self.prefix, env=environment)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_pages_render_without_a_warning(self):
        if not shutil.which("groff"):
            self.skipTest("there is no groff")
        self.assertIn("check-machine  says whether", self.rendered(self.page("quartet")))
        for name, page in self.pages().items():
            text = self.rendered(page)
            for words in (name.upper() + "(1)", "SYNOPSIS", "--formulation LIST", "EXIT STATUS",
                          f"mpirun -n 2 {name}"):
                self.assertIn(words, text)

    def rendered(self, page):
        done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-P-c", page], text=True,
                              capture_output=True, check=True)
        self.assertEqual(done.stderr, "")
        return re.sub(".\x08", "", done.stdout)  # bold and underlined letters are struck twice

    def test_pages_explain_every_flag_of_the_help(self):
        for name, page in self.pages().items():
            text = page.read_text(encoding="utf-8").replace("\\-", "-")
            for line in run(name, 2, "--help").stdout.splitlines():
                if line.startswith("  --"):
                    self.assertIn(f"\\fB{line.split()[0].rstrip(',')}\\fR", text)

    def test_programs_write_them_without_mpi(self):
        for kernel in KERNELS:
            done = subprocess.run([PROGRAMS / kernel.name, "--manual", "bash"], text=True,
                                  capture_output=True, check=True, env={})
            self.assertEqual(done.stdout, self.script(kernel.name).read_text(encoding="utf-8"))

    def test_flags_are_offered(self):
        for kernel in KERNELS:
            name = kernel.name
            self.assertEqual(self.offered(name, name, "--formu"), ["--formulation"])
            self.assertEqual(set(self.offered(name, name, "--size")), {"--size", "--sizes"})
            self.assertGreater(len(self.offered(name, name, "")), 20)
            self.assertEqual(self.offered(name, name, "--runs", "--verif"), ["--verify"])

    def test_words_are_offered_also_within_lists(self):
        self.assertEqual(self.offered("cg", "cg", "--storage", ""), ["full", "symmetric"])
        self.assertEqual(self.offered("cg", "cg", "--formulation", "native,li"), ["native,library"])
        self.assertEqual(self.offered("cg", "cg", "--verify", "=", "of"), ["off"])
        self.assertEqual(self.offered("cg", "cg", "--sizes", ""), [])

    def test_files_and_folders_are_offered(self):
        self.assertEqual(self.offered("cg", "cg", "--config", "sha"), ["share"])
        self.assertEqual(set(self.offered("matmul", "matmul", "--data", "")),
                         {"memory", *(path.name for path in self.prefix.iterdir())})

    def test_commands_and_their_flags_are_offered(self):
        self.assertEqual(self.offered("quartet", "quartet", "swe"), ["sweep"])
        self.assertGreater(len(self.offered("quartet", "quartet", "")), 10)
        self.assertEqual(self.offered("quartet", "quartet", "sweep", "--laun"), ["--launcher", "--launches"])
        self.assertEqual(self.offered("quartet", "quartet", "sweep", "la"), [])

    def test_flags_are_offered_behind_the_launcher(self):
        self.assertEqual(self.offered("fft", "launch.sh", "2", "bin/fft", "--wis"), ["--wisdom"])
        self.assertEqual(self.offered("fft", "launch.sh", "2", "bin/other", "--wis"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
