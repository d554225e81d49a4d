"""Tests with a folder of their own, and with fake programs in it."""

import contextlib
import os
import tempfile
import time
import unittest
from pathlib import Path


def temporary_folder(cleanup):
    """A folder that is removed by a test's or a class's cleanup."""
    temporary = tempfile.TemporaryDirectory()
    cleanup(temporary.cleanup)
    return Path(temporary.name).resolve()


class Scratch(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        self.folder = temporary_folder(self.addCleanup)

    def write(self, name, text):
        """A file that can be run, and the folders above it."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
        return file

    def environment(self):
        """With the folder's programs before all others."""
        return {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}

    def lines(self, name):
        file = self.folder / name
        return file.read_text().splitlines() if file.exists() else []

    def wait_for(self, condition):
        end = time.monotonic() + 120
        while not (found := condition()):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        return found


class FakeBuild(Scratch):
    """A folder of programs, and a launcher that runs one of them once, whatever the ranks."""

    def setUp(self):
        super().setUp()
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
