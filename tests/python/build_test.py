"""CMake in the sources' own folder leaves our Makefile alone."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from tree import ROOT


class Sources(unittest.TestCase):
    def test_cmake_in_their_folder_leaves_the_makefile(self):
        with tempfile.TemporaryDirectory() as folder:
            for file in ("CMakeLists.txt", "Makefile"):
                shutil.copy(ROOT / file, folder)
            done = subprocess.run(["cmake", "."], cwd=folder, text=True, capture_output=True,
                                  check=False)
            self.assertNotEqual(done.returncode, 0, done)
            self.assertIn("would overwrite the Makefile", done.stderr)
            self.assertEqual((Path(folder) / "Makefile").read_bytes(),
                             (ROOT / "Makefile").read_bytes())
