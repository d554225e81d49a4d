"""The man pages and the completions for bash that `cmake --install` leaves."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from quartet_cli import KERNELS

BUILD = os.environ["QUARTET_BUILD"]
BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")
# Sources scripts and prints what the last offers for the words of a command line, the last unfinished.
OFFER = """
source "$1"; source "$2"; shift 2
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
completion=$(complete -p "$1"); completion=${completion#*-F }
"${completion%% *}" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
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

    @unittest.skipUnless(shutil.which("help2man") and shutil.which("groff"), "there is no help2man or no groff")
    def test_pages_render_what_the_help_says(self):
        self.assertIn("check-machine", self.rendered("quartet"))
        for kernel in KERNELS:
            self.assertIn("--formulation", self.rendered(kernel.name))

    def rendered(self, name):
        done = subprocess.run(["groff", "-man", "-Tascii", "-P-c", self.prefix / f"share/man/man1/{name}.1"],
                              text=True, capture_output=True, check=True)
        return re.sub(".\x08", "", done.stdout)  # bold and underlined letters are struck twice

    def offered(self, name, *words):
        environment = {**os.environ, "PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "QUARTET_PYTHON": sys.executable}
        script = self.prefix / "share/bash-completion/completions" / name
        done = subprocess.run(["bash", "-c", OFFER, "-", BASH_COMPLETION, script, *words], text=True,
                              capture_output=True, check=True, cwd=self.prefix, env=environment)
        return done.stdout.split()

    @unittest.skipUnless(BASH_COMPLETION.exists(), "there is no bash-completion")
    def test_flags_of_the_programs_are_offered(self):
        for kernel in KERNELS:
            self.assertEqual([word.rstrip("=") for word in self.offered(kernel.name, kernel.name, "--formu")],
                             ["--formulation"])

    @unittest.skipUnless(BASH_COMPLETION.exists() and importlib.util.find_spec("argcomplete"),
                         "there is no bash-completion or no argcomplete")
    def test_commands_and_their_flags_are_offered(self):
        self.assertEqual(self.offered("quartet", "quartet", "swe"), ["sweep"])
        self.assertEqual(set(self.offered("quartet", "quartet", "sweep", "--laun")), {"--launcher", "--launches"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
