"""Tests of quartet gpu with a fake launcher and fake programs."""

import json
import os
import re
import time
import unittest
from pathlib import Path
from unittest import mock

import fake_results
from fake_build import FakeBuild
from in_process import quartet
from quartet.exit_codes import FAILED
from quartet.machine import Machine
from quartet.results import Row, Name
from quartet.rounds import Budget
from quartet.text import WIDTH
from quartet_dev import gpu_plan
from quartet_dev.commands import gpu
from quartet_dev.goals import Verdict
from quartet_dev.gpu_plan import BENCHMARKS, CHECKS, judge_runs

LAUNCHES = sum(map(len, BENCHMARKS.values()))
# Leaves a program that says so.
NVCC = """#!/bin/sh
echo "nvcc $*" >>{folder}/calls
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho "$0" >>{folder}/calls\\necho gemv 3 GB/s\\n' >"$2"
chmod +x "$2"
"""

# Notes how it is called, leaves its document, and ends as the files here say.
PROGRAM = """#!/bin/sh
echo "${{0##*/}} $*" >>{folder}/calls
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
        for name in BENCHMARKS:
            self.write(f"bin/{name}", PROGRAM.format(folder=self.folder))

    def run_gpu(self, *arguments, found="NVIDIA H200, 9.0", path="", code=0, writes=True):
        self.write("code", str(code))
        if writes:
            case = fake_results.case(fake_results.stream_name(), 10000)
            self.write("document", json.dumps(fake_results.document(case)))
        there = ["--gpu", found] if found else []
        return quartet("gpu", "--build", self.folder, "--results", self.folder / "results", "--launcher",
                       self.folder / "launcher", "--budget", "100000", *there, *arguments,
                       env={**os.environ, "PATH": path or "/usr/bin:/bin"})

    def calls(self):
        return self.lines("calls")

    def documents(self):
        return sorted((self.folder / "results" / "nvidia-h200" / "documents").iterdir())

    def test_all_that_is_there_runs_small(self):
        done = self.run_gpu("--only", "check")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        self.assertEqual(len(calls), len(CHECKS))
        for call in calls:
            self.assertRegex(call, "--device cuda .*--transport .*staged")
        self.assertEqual(done.stdout.count("ok   "), len(calls))
        for name in BENCHMARKS:
            self.assertTrue([call for call in calls if re.match(f"{name} .*--formulation native,dataflow,library ", call)])
        files = {call.split("--data ")[1].split()[0] for call in calls if "--data" in call}
        self.assertEqual(len(files), 2 * 3)
        self.assertEqual(list((self.folder / "results/nvidia-h200/documents").iterdir()), [])

    def test_kernels_alone_need_nothing_but_nvcc_and_are_compiled_once(self):
        self.write("nvcc", NVCC.format(folder=self.folder))
        program = str(self.folder.resolve() / "kernel_benchmark")
        for nvcc_calls in (1, 0):
            before = len(self.calls())
            done = self.run_gpu("--only", "kernels", path=f"{self.folder}:/usr/bin:/bin")
            self.assertEqual(done.returncode, 0, done.stderr)
            calls = self.calls()[before:]
            self.assertEqual(calls[-1], program)
            self.assertEqual(len(calls) - 1, nvcc_calls)
        log = self.folder / "results/nvidia-h200/logs/kernels-rates-of-kernels.log"
        self.assertEqual(log.read_text(), "gemv 3 GB/s\n")
        for word in ("-arch=sm_90", "kernel_benchmark.cu", "gemv_kernel.cu", "four_step.cu"):
            self.assertIn(word, self.calls()[0])
        (self.folder / "kernel_benchmark").unlink()
        done = self.run_gpu("--only", "kernels")
        self.assertEqual(done.returncode, 77)
        self.assertIn("nvcc is neither on PATH nor in CUDAToolkit_ROOT", " ".join(done.stdout.split()))

    def test_documents_go_to_a_folder_of_the_gpus_and_goals_to_the_table(self):
        done = self.run_gpu("--only", "cg,fft,matmul,stream,larger")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.documents()), LAUNCHES)
        self.assertEqual(self.documents()[0].name, "cg-16384.json")
        self.assertIn("matmul --device cuda --size 16384 --math tf32", "\n".join(self.calls()))
        self.assertGreater(done.stdout.count("(no such row)"), 10)  # the documents are of others
        self.assertIn(f"steps: {LAUNCHES} ok, 0 FAILED, 0 not run, 0 not here\n", done.stdout)

    def test_a_new_result_replaces_the_old_one_if_it_is_good(self):
        self.run_gpu("--only", "cg")
        file, *_ = self.documents()
        before = file.stat().st_mtime_ns
        self.run_gpu("--only", "cg", code=1)
        self.assertEqual(file.stat().st_mtime_ns, before)
        self.run_gpu("--only", "cg")
        self.assertGreater(file.stat().st_mtime_ns, before)

    def test_it_goes_on_after_a_failure_and_fails(self):
        self.write("bin/cg", "#!/bin/sh\necho why >&2\nexit 3\n")
        done = self.run_gpu("--only", "cg,fft,matmul,stream")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(len(re.findall("^FAILED .* cg: ", done.stdout, re.MULTILINE)), 2)
        self.assertIn("why", done.stderr)
        self.assertRegex(done.stdout, "ok .* stream: ")
        self.assertEqual(self.run_gpu("--only", "stream", code=1).returncode, 1)

    def test_what_is_not_here_is_told_apart_and_what_was_measured_beside_it_is_kept(self):
        done = self.run_gpu("--only", "stream", code=77, writes=False)
        self.assertEqual(done.returncode, 77)
        self.assertRegex(done.stdout, r"not here .*the last words")
        self.assertEqual(self.run_gpu("--only", "stream", code=77).returncode, 0)
        self.assertEqual([file.name for file in self.documents()], ["stream-a-pair.json"])

    def test_steps_beyond_the_budget_are_not_run_which_is_no_failure(self):
        done = self.run_gpu("--only", "cg,larger", "--budget", "0")
        self.assertEqual((done.returncode, self.calls()), (77, []))  # nothing has run
        self.assertEqual(len(re.findall("^not run ", done.stdout, re.MULTILINE)), 6)
        self.assertIn("0 FAILED, 6 not run", done.stdout)

    def test_the_end_of_the_budget_ends_the_step_under_way(self):
        self.write("bin/stream", "#!/bin/sh\nexec sleep 60\n")
        begin = time.monotonic()
        done = self.run_gpu("--only", "stream,check,larger", "--small", "--budget", "5")
        self.assertLess(time.monotonic() - begin, 25)
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("the time was over", done.stdout)
        self.assertIn("0 FAILED", done.stdout)
        self.assertIn("small sizes", done.stdout)

    def test_the_cost_is_said_before_anything_starts(self):
        done = self.run_gpu("--only", "cg,check,larger", "--budget", "0")
        head = done.stdout.split("budget")[0]
        seconds = [int(line.split()[1]) for line in head.splitlines() if line.startswith(("cg ", "check ", "larger "))]
        until = int(re.search(r"^larger +\d+ +(\d+)", head, re.MULTILINE)[1])
        self.assertAlmostEqual(sum(seconds), until, delta=2)  # each is rounded
        self.assertGreater(min(seconds), 0)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), WIDTH)

    def test_no_gpu_and_unknown_parts_are_said(self):
        done = self.run_gpu(found="", path=str(self.folder))
        self.assertEqual((done.returncode, done.stdout), (77, ""))
        self.assertIn("no GPU is here", done.stderr)
        done = self.run_gpu("--only", "cg,all")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'all'", done.stderr)


class Goals(unittest.TestCase):
    @staticmethod
    def row(name, rates, fraction=None):
        row = Row(Name.parse(name), name, unit="GFLOP/s", rate=sorted(rates)[len(rates) // 2],
                  rates=tuple(rates), median={"verified": True})
        if not fraction:
            return row
        limit = {"what": "a limit", "rate": row.rate / fraction, "seconds": 1}
        flags = [{"kind": "above_limit", "text": "above its limit"}] if fraction > 1.05 else []
        return row.with_keys(limit=limit, fraction_of_limit=fraction, flags=flags)

    def verdicts(self, name, title, rows):
        benchmark = next(each for each in BENCHMARKS[name] if each.title == title)
        return [judge_runs(each, rows).verdict for each in benchmark.goals]

    def test_products_with_a_matrix_meet_their_goals_or_miss_them(self):
        def rows(full, symmetric, of_full, of_symmetric):
            return [self.row(f"cg/native/cuda/ipc/laplace/{storage}/classic/n:16384", [rate] * 6, fraction)
                    for storage, rate, fraction in (("full", full, of_full), ("symmetric", symmetric, of_symmetric))]

        met, missed = Verdict.MET, Verdict.MISSED
        self.assertEqual(self.verdicts("cg", "cg 16384", rows(1000, 1910, 0.98, 0.94)), [met] * 3)
        self.assertEqual(self.verdicts("cg", "cg 16384", rows(1000, 1890, 0.96, 0.92)), [missed] * 3)
        self.assertEqual(self.verdicts("cg", "cg 16384", rows(1000, 1910, 1.2, 0.94))[0], Verdict.ABOVE)
        self.assertEqual(self.verdicts("cg", "cg 65536", rows(1000, 1000, 1.0, 0.92)), [met, missed])

    def test_the_transform_is_compared_with_cuffts_own_run_by_run(self):
        for ours, verdict in (([106, 212] * 3, Verdict.MET), ([104, 208] * 3, Verdict.MISSED)):
            rows = [self.row("fft/native/cuda/staged/transposed/n:1/tiles:1", ours),
                    self.row("fft/library/cuda/mpi/transposed/n:1", [100, 200] * 3)]
            self.assertEqual(self.verdicts("fft", "fft 2^27", rows), [verdict], ours)
        for fraction, verdict in ((0.41, Verdict.MET), (0.39, Verdict.MISSED)):
            alone = [self.row("fft/native/cuda/staged/transposed/n:1/tiles:32768", [1] * 3, fraction)]
            self.assertEqual(self.verdicts("fft", "fft 2^31 in 32768 tiles", alone), [verdict])


class Steps(FakeBuild):
    def test_a_gpu_is_read_from_nvidia_smi(self):
        self.assertEqual(gpu_plan.Gpu.parse("NVIDIA H200, 9.0\nNVIDIA L4, 8.9\n"), gpu_plan.Gpu("NVIDIA H200", "90"))
        for text in ("", "No devices were found", "NVIDIA H200, [N/A]"):
            self.assertIsNone(gpu_plan.Gpu.parse(text), text)

    def run_step(self, *command, expected=0.0, seconds=600.0):
        place = gpu_plan.Place(Path("b"), Path("l"), self.folder, Machine(16, 0))
        place.logs.mkdir(exist_ok=True)
        return gpu.run_step(gpu_plan.Step("check", "a step", command, expected), Budget(seconds), place)

    def test_a_step_that_is_stuck_has_failed_and_one_without_time_has_not_run(self):
        with mock.patch.object(gpu, "SLACK", 0.3):
            stuck = self.run_step("sleep", "60")
        late = self.run_step("sleep", "60", seconds=0.3)
        self.assertEqual((stuck.state, stuck.code, late.state, late.code), ("FAILED", FAILED, "not run", None))
        self.assertIn("took too long", stuck.reason)
        missing = self.run_step(str(self.folder / "absent"))
        self.assertEqual(missing.code, FAILED)
        self.assertIn("cannot be started", missing.reason)
