"""mutants_test.py SETTINGS.json: kernels that are broken on purpose, one way at a time, are noticed
by device_fake_test. Each is compiled as a library and loaded in place of the true kernels."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants import MUTANTS, NOTICED_BY, UNIT

ORDERS = ("ascending", "descending", "shuffled")


class Kernels:
    """The true kernels as they are compiled for the CPU, and a folder for others."""

    def __init__(self, settings, folder):
        self.source = Path(settings["kernels"])
        self.settings = settings
        self.folder = Path(folder)
        self._precompile()

    def _precompile(self):
        """What each of them includes first takes longer than the kernels."""
        header = self.folder / "device_code.hpp"
        header.write_text(f'#include "{self.settings["emulator"]}/device_code.hpp"\n')
        self._compiler(["-x", "c++-header", header, "-o", f"{header}.gch"])
        self.first = header

    def _compiler(self, arguments):
        subprocess.run([self.settings["compiler"], *self.settings["options"], "-w", "-O1", "-fPIC",
                        *map(str, arguments)], check=True)

    def files(self, pattern):
        """The kernels' files whose names match, below the folder of the sources."""
        return sorted(path.relative_to(self.source).as_posix()
                      for folder in ("common/device/cuda", "*/cuda") for path in self.source.glob(f"{folder}/**/{pattern}"))

    def compile(self, name, unit, changed=None, text=None):
        """The library with one file of kernels, where another file may be changed."""
        folder = self.folder / re.sub(r"\W", "-", name)
        for file in [unit, *self.files("*.cuh")]:
            source, target = self.source / file, folder / file.removeprefix("common/")  # as it is included
            if file == changed:
                source = folder / "changed"
                folder.mkdir(exist_ok=True)
                source.write_text(text)
            target.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([self.settings["cmake"], "-D", f"IN={source}", "-D",
                            f"OUT={target}", "-P",
                            Path(self.settings["emulator"]) / "translate.cmake"], check=True)
        library = folder / "kernels.so"
        self._compiler(["-iquote", folder, "-include", self.first, "-x", "c++", folder / unit.removeprefix("common/"),
                        "-shared", "-o", library])
        return library

    def notices(self, library, order, file):
        """What device_fake_test says of these kernels, the first line; None if it passes."""
        environment = {**os.environ, "LD_PRELOAD": str(library), "GTEST_BRIEF": "1",
                       "GTEST_FILTER": NOTICED_BY.get(file, "*KernelTest.*:*KernelsTest.*"), "GTEST_FAIL_FAST": "1",
                       "QUARTET_EMULATED_ORDER": order, "QUARTET_STAND_IN_ALIGNMENT": "16"}
        try:
            done = subprocess.run([self.settings["test"]], env=environment, text=True, timeout=60,
                                  capture_output=True, check=False)
        except subprocess.TimeoutExpired:
            return "did not end"
        if done.returncode == 0:
            return None
        if done.returncode == 127:  # the loader's
            raise RuntimeError(done.stderr)
        found = re.search(r"emulated GPU: .*|runtime error: .*|Failure", done.stderr + done.stdout)
        return found[0] if found else f"ended by signal {-done.returncode}"


class Mutants(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.kernels = Kernels(SETTINGS, cls.folder.name)

    def test_true_kernels_pass(self):
        units = self.kernels.files("*.cu")
        self.assertGreater(len(units), 4)
        for unit in units:
            with self.subTest(unit=unit):
                library = self.kernels.compile(unit, unit)
                self.assertIsNone(self.kernels.notices(library, "ascending", unit))

    def test_each_kernel_has_one(self):
        for name in self.kernels.files("*.cu*"):
            kernels = len(re.findall(r"__global__", (self.kernels.source / name).read_text(encoding="utf-8")))
            faults = sum(mutant[1] == name for mutant in MUTANTS)
            self.assertGreaterEqual(faults, kernels, name)

    def test_each_is_noticed(self):
        with ThreadPoolExecutor(2) as workers:
            for (name, *_), noticed in zip(MUTANTS, workers.map(self.outcome, MUTANTS)):
                with self.subTest(fault=name):
                    self.assertIsNotNone(noticed)
                    print(f"{name}: {noticed}")

    def outcome(self, mutant):
        name, file, before, after = mutant
        text = (self.kernels.source / file).read_text(encoding="utf-8")
        if text.count(before) != 1:
            raise AssertionError(f"{name}: not once in {file}: {before}")
        library = self.kernels.compile(name, UNIT.get(file, file), file, text.replace(before, after))
        noticed = (self.kernels.notices(library, order, file) for order in ORDERS)
        found = next((line for line in noticed if line), None)
        shutil.rmtree(library.parent)
        return found


if __name__ == "__main__":
    SETTINGS = json.loads(Path(sys.argv.pop(1)).read_text(encoding="utf-8"))
    unittest.main()
