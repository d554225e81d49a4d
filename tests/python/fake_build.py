"""A folder of fake programs, and a launcher that runs one of them once, whatever the ranks."""

import contextlib
import tempfile
import time
import unittest
from pathlib import Path


class FakeBuild(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "bin").mkdir()
        self.write("launcher", '#!/bin/sh\nshift\nexec "$@"\n')

    def left_over(self):
        """Processes that have the folder on their command line."""
        found = []
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                words = file.read_bytes()
                found += [words] if bytes(self.folder) in words else []
        return found

    def write(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def lines(self, name):
        file = self.folder / name
        return file.read_text().splitlines() if file.exists() else []

    def wait_for(self, condition):
        end = time.monotonic() + 120
        while not (found := condition()):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        return found
