"""fake_gpu_test.py FOLDER: quartet gpu, whole, over the programs that run on an emulated GPU (fake_gpu_* in FOLDER) and
the device's tests over it: every part runs to its end and leaves what it should, and each goal is judged. CMake and nvcc
are fakes."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from fake_build import temporary_folder
from quartet.results import load
from quartet.text import WIDTH, slug
from quartet_dev.gpu_plan import BENCHMARKS, CHECKS, PARTS
from tree import QUARTET

GPU = "Fake GPU, 9.0"
CMAKE = '#!/bin/sh\necho "cmake $*" >>{log}\n'
NVCC = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho no rates: nothing was compiled\\n' >"$2"
chmod +x "$2"
"""
CTEST = """add_test(device_cuda_test "{folder}/device_fake_test" "--gtest_filter=Devices/CopyContract.*")
set_tests_properties(device_cuda_test PROPERTIES LABELS gpu)
"""


class Rehearsal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = temporary_folder(cls.addClassCleanup)
        cls.log = cls.folder / "tools.log"
        (cls.folder / "bin").mkdir()
        for name in BENCHMARKS:
            (cls.folder / "bin" / name).symlink_to(FOLDER / f"fake_gpu_{name}")
        for name, text in (("cmake", CMAKE), ("nvcc", NVCC)):
            cls.write(f"tools/{name}", text.format(log=cls.log))
        cls.write("CTestTestfile.cmake", CTEST.format(folder=FOLDER))
        cls.done = subprocess.run(
            [*QUARTET, "gpu", "--build", cls.folder, "--results", cls.folder / "results", "--gpu", GPU, "--small",
             "--only", ",".join(PARTS), "--budget", "1700"], text=True, capture_output=True, check=False,
            env={**os.environ, "PATH": f"{cls.folder / 'tools'}:{os.environ['PATH']}"})

    @classmethod
    def write(cls, name, text):
        file = cls.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)

    def test_every_part_runs_and_nothing_fails(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        for part in PARTS:
            self.assertRegex(self.done.stdout, rf"(?m)^ok .* {part}: ")
        self.assertEqual(len(re.findall("^ok .* check: ", self.done.stdout, re.MULTILINE)), len(CHECKS))
        self.assertIn(" 0 FAILED, 0 not run, 0 not here", self.done.stdout)
        self.assertLessEqual(max(map(len, self.done.stdout.splitlines())), WIDTH, self.done.stdout)

    def test_the_build_is_for_this_gpu(self):
        self.assertIn("CMAKE_CUDA_ARCHITECTURES=90", self.log.read_text(encoding="utf-8"))

    def test_each_measurement_leaves_its_document_and_each_goal_is_judged(self):
        for name, benchmarks in BENCHMARKS.items():
            for each in benchmarks:
                document = load(self.folder / "results" / "fake-gpu" / "documents" / f"{slug(each.title)}.json")
                self.assertEqual(document["context"]["quartet"]["program"], name)
        verdicts = re.findall(r" (\d+\.\d+|\d+)!? +\d\S*\.\.\S+ +>=(\S+) (met|missed|above)$", self.done.stdout, re.MULTILINE)
        self.assertEqual(len(verdicts), sum(len(each.goals) for some in BENCHMARKS.values() for each in some))
        for ratio, least, verdict in verdicts:
            if abs(float(ratio) - float(least)) > 0.01:  # both are rounded
                self.assertEqual(verdict == "missed", float(ratio) < float(least), self.done.stdout)


if __name__ == "__main__":
    FOLDER = Path(sys.argv.pop(1))
    unittest.main()
