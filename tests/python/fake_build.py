"""A folder of fake programs, and a launcher that runs one of them once, whatever the ranks."""

import tempfile
import unittest
from pathlib import Path


class FakeBuild(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "bin").mkdir()
        self.write("launcher", '#!/bin/sh\nshift\nexec "$@"\n')

    def write(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)
