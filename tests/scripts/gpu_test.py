"""Tests of scripts/gpu.py with a fake launcher and fake programs."""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
from quartet.exit_codes import FAILED  # noqa: E402
from quartet.gpu import execution  # noqa: E402
from quartet.gpu import steps as gpu_steps  # noqa: E402
from quartet.kernels import NAMES  # noqa: E402
from quartet.machine import Machine  # noqa: E402
import fake_results  # noqa: E402
from fake_build import FakeBuild  # noqa: E402

LIST = """devices
  host       available
  cuda       available
formulations
  native     available
  dataflow   available
  library    not available in this build
transports on cuda (auto: staged)
  mpi        MPI is not CUDA-aware: use staged
  staged     available
  ipc        available
"""

# A pair of stream's, and of the others alone and in pairs: native in 3 + 2 + 2 ways, and a data
# flow, which wants a pair.
SMALL_RUNS = 1 + 2 * (3 + 2 + 2) + 4

# Answers --list, notes how it is called, leaves its document, and ends as the files here say.
PROGRAM = """#!/bin/sh
echo "${{0##*/}} $*" >>{folder}/calls
case " $* " in *" --list "*) cat {folder}/list && exit 0 ;; esac
while [ $# -gt 1 ]; do
    if [ "$1" = --json ] && [ -e {folder}/document ]; then cp {folder}/document "$2"; fi
    shift
done
echo "the last words"
exit "$(cat {folder}/code)"
"""


class Whole(FakeBuild):
    def setUp(self):
        super().setUp()
        for name in NAMES:
            self.write(f"bin/{name}", PROGRAM.format(folder=self.folder))

    def run_gpu(self, *arguments, found="NVIDIA H200, 9.0", path="", code=0, listed=LIST,
                writes=True):
        self.write("list", listed)
        self.write("code", str(code))
        if writes:
            case = fake_results.case(fake_results.stream_name(), 10000)
            self.write("document", json.dumps(fake_results.document(case)))
        there = ["--gpu", found] if found else []
        return subprocess.run(
            [sys.executable, SCRIPTS / "gpu.py", "--build", self.folder, "--results",
             self.folder / "results", "--launcher", self.folder / "launcher", *there, *arguments],
            text=True, capture_output=True, check=False,
            env={**os.environ, "PATH": path or "/usr/bin:/bin"})

    def calls(self):
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def test_all_that_is_listed_runs_small(self):
        done = self.run_gpu("--only", "check")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = [call for call in self.calls() if "--list" not in call]
        self.assertEqual(len(calls), SMALL_RUNS)
        for call in calls:
            self.assertIn("--device cuda", call)
            self.assertIn("--transport staged,ipc", call)
            self.assertNotIn("library", call)
        self.assertEqual(done.stdout.count("\n"), len(calls))
        files = [call for call in calls if "--data" in call]
        self.assertEqual(len(files), 2 * 3)
        self.assertEqual(len({call.split("--data ")[1].split()[0] for call in files}), 2 * 3)

    def test_the_sanitizer_watches_where_it_is(self):
        self.write("compute-sanitizer", f'#!/bin/sh\necho "sanitizer $1 $2" >>{self.folder}/calls\n'
                   'shift 4\nexec "$@"\n')
        done = self.run_gpu("--only", "check", path=f"{self.folder}:/usr/bin:/bin")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls().count("sanitizer --error-exitcode 3"), SMALL_RUNS)

    def test_documents_go_to_a_folder_of_the_gpus(self):
        done = self.run_gpu("--only", "bench")
        self.assertEqual(done.returncode, 0, done.stderr)
        files = sorted((self.folder / "results" / "nvidia-h200").iterdir())
        self.assertEqual(len(files), len(gpu_steps.benchmarks()))
        self.assertEqual(files[0].name, "cg-16384.json")
        self.assertIn("95% interval", done.stdout)
        self.assertIn("matmul --device cuda --size 65536 --device-memory 8GiB",
                      "\n".join(self.calls()))

    def test_a_new_result_replaces_the_old_one_if_it_is_good(self):
        results = self.folder / "results" / "nvidia-h200"
        self.run_gpu("--only", "bench")
        before = (results / "cg-16384.json").stat().st_mtime_ns
        self.run_gpu("--only", "bench", code=1)
        self.assertEqual((results / "cg-16384.json").stat().st_mtime_ns, before)
        self.run_gpu("--only", "bench")
        self.assertGreater((results / "cg-16384.json").stat().st_mtime_ns, before)

    def test_it_goes_on_after_a_failure_and_fails(self):
        done = self.run_gpu("--only", "bench", code=1)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count("FAILED"), len(gpu_steps.benchmarks()))
        self.assertIn("the last words", done.stderr)
        self.assertEqual(len(self.calls()), len(gpu_steps.benchmarks()))

    def test_what_is_not_here_is_told_apart(self):
        done = self.run_gpu("--only", "bench", code=77)
        self.assertEqual(done.returncode, 77)
        self.assertRegex(done.stdout, r"not here .* the last words")

    def test_a_missing_document_is_a_failure(self):
        done = self.run_gpu("--only", "bench", writes=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("left no", done.stdout)

    def test_steps_beyond_the_budget_are_left_out_and_not_called_good(self):
        done = self.run_gpu("--only", "bench", "--budget", "0")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stdout.count("left out: no time left"), len(gpu_steps.benchmarks()))
        self.assertEqual(self.calls(), [])

    def test_a_list_that_cannot_be_read_is_a_failure(self):
        done = self.run_gpu("--only", "check", listed="nothing")
        self.assertEqual(done.returncode, 3)
        self.assertIn("--list", done.stdout)

    def test_no_gpu_is_said(self):
        done = self.run_gpu(found="", path=str(self.folder))
        self.assertEqual((done.returncode, done.stdout), (77, ""))
        self.assertIn("no GPU is here", done.stderr)

    def test_unknown_groups_are_refused(self):
        done = self.run_gpu("--only", "bench,all")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'all'", done.stderr)


class Parts(unittest.TestCase):
    def test_a_gpu_is_read_from_nvidia_smi(self):
        self.assertEqual(gpu_steps.Gpu.parse("NVIDIA H200, 9.0\nNVIDIA L4, 8.9\n"),
                         gpu_steps.Gpu("NVIDIA H200", "90"))
        self.assertEqual(gpu_steps.Gpu.parse("Tesla V100-SXM2-16GB, 7.0").folder,
                         "tesla-v100-sxm2-16gb")
        for text in ("", "No devices were found", "NVIDIA H200, [N/A]"):
            self.assertIsNone(gpu_steps.Gpu.parse(text), text)

    def test_the_build_is_for_this_gpu_alone(self):
        place = gpu_steps.Place(Path("b"), Path("l"), Path("r"), Path("g"))
        configure, build = gpu_steps.build_steps(place, gpu_steps.Gpu("x", "120"),
                                                 Machine(16, 0))
        self.assertIn("CMAKE_CUDA_ARCHITECTURES=120", configure.command)
        self.assertIn("gpu_tests", build.command)
        self.assertIn("16", build.command)

    def test_choices_are_those_that_are_available_on_cuda(self):
        self.assertEqual(gpu_steps.choices(LIST), (["native", "dataflow"], ["staged", "ipc"]))
        self.assertRaises(ValueError, gpu_steps.choices, LIST.replace("on cuda", "on host"))

    def test_expected_time_fits_ten_minutes_and_slow_steps_are_ended(self):
        clock = execution.Clock(600)
        with tempfile.TemporaryDirectory() as folder:
            step = gpu_steps.Step("check", "slow", ["sleep", "60"], 0.3)
            begin = time.monotonic()
            execution.run(step, clock, Path(folder))
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual((step.code, step.passed), (FAILED, False))
        self.assertIn("took too long", step.reason)

    def test_a_step_has_no_more_than_what_is_left(self):
        with mock.patch.object(execution, "say") as say, tempfile.TemporaryDirectory() as folder:
            now = iter((0.0, 590.0))
            execution.run(gpu_steps.Step("check", "last", ["true"], 60),
                          execution.Clock(600, lambda: next(now)), Path(folder))
        self.assertIn("at most 10 s", say.call_args_list[0].args[0])

    def test_what_was_left_out_has_not_passed(self):
        good = gpu_steps.Step("check", "good", [], 1, code=0)
        self.assertEqual(execution.outcome([good]), 0)
        self.assertEqual(execution.outcome([good, gpu_steps.Step("check", "left out", [], 1)]), 3)

    def test_what_is_not_here_is_no_failure_beside_what_is(self):
        good = gpu_steps.Step("check", "good", [], 1, code=0)
        missing = gpu_steps.Step("check", "not here", [], 1, code=77)
        self.assertEqual(execution.outcome([missing, missing]), 77)
        self.assertEqual(execution.outcome([good, missing]), 0)

    def test_a_program_that_is_missing_is_a_failure(self):
        step = gpu_steps.Step("build", "none", ["/no/such/program"], 10)
        with tempfile.TemporaryDirectory() as folder:
            execution.run(step, execution.Clock(600), Path(folder))
        self.assertEqual(step.code, FAILED)
        self.assertIn("cannot be started", step.reason)


if __name__ == "__main__":
    unittest.main()
