"""fake_gpu_test.py FOLDER: quartet gpu, whole, over the programs that run on an emulated GPU
(fake_gpu_* in FOLDER) and the device's tests over it: every part runs to its end and leaves what it
should, and a goal shows as missed where it is. CMake, nvcc, compute-sanitizer and ncu are fakes."""

import html
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from quartet.kernels import NAMES
from quartet.results import load
from quartet.text import WIDTH, slug
from quartet_dev.gpu.kernels import ON_GPU
from quartet_dev.gpu.parts import PARTS
from tree import QUARTET

GPU = "Fake GPU, 9.0, 1.0"
CMAKE = '#!/bin/sh\necho "cmake $*" >>{log}\n'
# Takes its options, which have a value each, and runs the rest.
SANITIZER = """#!/bin/sh
echo "compute-sanitizer $*" >>{log}
while [ "${{1#--}}" != "$1" ]; do shift 2; done
exec "$@"
"""
# Leaves a table as ncu does, of two launches of one kernel, and runs the program.
NCU = """#!/bin/sh
echo "ncu $*" >>{log}
while [ "${{1#--}}" != "$1" ]; do
    case $1 in
    --csv) shift ;;
    --log-file)
        head='"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
        row='void quartet::device::multiply_rows<Pairs>(double)'
        rate=dram__throughput.avg.pct_of_peak_sustained_elapsed
        {{
            echo "==PROF== Connected"
            echo "$head"
            echo "\\"0\\",\\"1\\",\\"$row\\",\\"gpu__time_duration.sum\\",\\"ns\\",\\"1,000\\""
            echo "\\"0\\",\\"1\\",\\"$row\\",\\"$rate\\",\\"%\\",\\"99\\""
            echo "\\"1\\",\\"1\\",\\"$row\\",\\"gpu__time_duration.sum\\",\\"ns\\",\\"20,000\\""
            echo "\\"1\\",\\"1\\",\\"$row\\",\\"$rate\\",\\"%\\",\\"41.5\\""
        }} >"$(echo "$2" | sed "s/%p/$$/")"
        shift 2 ;;
    *) shift 2 ;;
    esac
done
exec "$@"
"""
NVCC = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho no rates: nothing was compiled\\n' >"$2"
chmod +x "$2"
"""
DEVICE_TEST = '#!/bin/sh\nexec {folder}/device_fake_test --gtest_filter=Cuda/CopyContract.*\n'
CTEST = """add_test(device_cuda_test "{folder}/device_fake_test" "--gtest_filter=Cuda/CopyContract.*")
set_tests_properties(device_cuda_test PROPERTIES LABELS gpu)
"""


class Rehearsal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.results = cls.folder / "results" / "fake-gpu"
        cls.log = cls.folder / "tools.log"
        for name in NAMES:
            cls.write(f"bin/{name}", "")
            (cls.folder / "bin" / name).unlink()
            (cls.folder / "bin" / name).symlink_to(FOLDER / f"fake_gpu_{name}")
        tools = (("cmake", CMAKE), ("compute-sanitizer", SANITIZER), ("ncu", NCU), ("nvcc", NVCC))
        for name, text in tools:
            cls.write(f"tools/{name}", text.format(log=cls.log))
        cls.write("tests/device_cuda_test", DEVICE_TEST.format(folder=FOLDER))
        cls.write("CTestTestfile.cmake", CTEST.format(folder=FOLDER))
        cls.done = cls.run_gpu("--only", ",".join(PARTS), "--budget", "1700")
        cls.page = html.unescape((cls.results / "page.md").read_text(encoding="utf-8"))

    @classmethod
    def write(cls, name, text):
        file = cls.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)

    @classmethod
    def run_gpu(cls, *arguments):
        return subprocess.run(
            [*QUARTET, "gpu", "--build", cls.folder, "--results",
             cls.folder / "results", "--gpu", GPU, "--small", *arguments],
            text=True, capture_output=True, check=False,
            env={**os.environ, "PATH": f"{cls.folder / 'tools'}:{os.environ['PATH']}"})

    def record(self, part):
        return json.loads((self.results / "parts" / f"{part}.json").read_text(encoding="utf-8"))

    def test_every_part_runs_and_nothing_fails(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        for part in PARTS:
            states = {step["state"] for step in self.record(part)["steps"]}
            self.assertIn("ok", states, part)
            self.assertLessEqual(states, {"ok", "not here"}, part)
            self.assertIn(f"| {part} | ok |", self.page)
        self.assertIn("Small sizes, to try the command", self.page)

    def test_all_that_is_listed_runs_and_is_right(self):
        for part in ("check", "check-memory"):
            titles = [step["title"] for step in self.record(part)["steps"] if step["state"] == "ok"]
            for name in NAMES:
                self.assertTrue([title for title in titles
                                 if title.startswith(f"{name}, 2 ranks, native")], titles)

    def test_tools_are_given_what_they_are_to_watch(self):
        calls = self.log.read_text(encoding="utf-8")
        for tool in ("memcheck", "racecheck", "synccheck"):
            self.assertGreaterEqual(calls.count(f"--tool {tool} "), 1, tool)
        self.assertIn("CMAKE_CUDA_ARCHITECTURES=90", calls)
        self.assertIn("--target-processes all", calls)

    def test_each_measurement_leaves_its_document(self):
        for name, kernel in ON_GPU.items():
            for benchmark in kernel.benchmarks:
                document = load(self.results / "documents" / f"{slug(benchmark.title)}.json")
                self.assertEqual(document["context"]["quartet"]["program"], name)

    def test_goals_are_judged_and_what_is_missed_shows(self):
        rows = [line.split(" | ") for line in self.page.split("## Goals")[1]
                .split("## Rates")[0].splitlines() if line.startswith("| ")][1:]
        goals = sum(len(each.targets) for kernel in ON_GPU.values() for each in kernel.benchmarks)
        self.assertEqual(len(rows), goals)
        missed = 0
        for _, bound, measured, _, _, verdict, _ in rows:
            self.assertIn(verdict, ("met", "MISSED", "above"))
            least = float(bound.removeprefix(">="))
            missed += verdict == "MISSED"
            # Both are rounded, and two runs have no interval that would forgive anything.
            if abs(float(measured) - least) > 0.01:
                self.assertEqual(verdict == "MISSED", float(measured) < least, self.page)
        self.assertEqual(self.done.stdout.count("MISSED "), missed)

    def test_counters_of_the_longest_launch_are_judged(self):
        self.assertRegex(self.page, r"\| multiply_rows \| dram.* \| .* \| >=85 \| 41.5 \| missed \|")

    def test_the_terminal_has_eighty_columns(self):
        self.assertLessEqual(max(map(len, self.done.stdout.splitlines())), WIDTH, self.done.stdout)


if __name__ == "__main__":
    FOLDER = Path(sys.argv.pop(1))
    unittest.main()
