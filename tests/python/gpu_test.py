"""Tests of quartet gpu with a fake launcher and fake programs."""

import json
import os
import tarfile
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import fake_results
from fake_build import FakeBuild
from in_process import quartet
from quartet.exit_codes import FAILED
from quartet.machine import Machine
from quartet.results import Case, Name
from quartet.text import WIDTH
from quartet_dev.gpu import checks, counters, execution, page, parts, promise, record
from quartet_dev.gpu import steps as gpu_steps
from quartet_dev.gpu.ceilings import Ceilings
from quartet_dev.gpu.kernels import ON_GPU
from quartet_dev.limits.goals import Verdict
from tree import SCRIPTS

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
LAUNCHES = sum(len(kernel.benchmarks) for kernel in ON_GPU.values())
SANITIZER = '''#!/bin/sh
echo "sanitizer $*" >>{folder}/calls
while [ "${{1#--}}" != "$1" ]; do
    [ "$1" = --csv ] || shift
    shift
done
exec "$@"
'''

# Leaves a program that says so.
NVCC = """#!/bin/sh
echo "nvcc $*" >>{folder}/calls
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho "$0" >>{folder}/calls\\necho gemv 3 GB/s\\n' >"$2"
chmod +x "$2"
"""

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
        for name in ON_GPU:
            self.write(f"bin/{name}", PROGRAM.format(folder=self.folder))

    def run_gpu(self, *arguments, found="NVIDIA H200, 9.0", path="", code=0, listed=LIST,
                writes=True):
        self.write("list", listed)
        self.write("code", str(code))
        if writes:
            case = fake_results.case(fake_results.stream_name(), 10000)
            self.write("document", json.dumps(fake_results.document(case)))
        there = ["--gpu", found] if found else []
        return quartet("gpu", "--build", self.folder, "--results", self.folder / "results", "--launcher",
                       self.folder / "launcher", *there, *arguments,
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
        self.assertEqual(done.stdout.count("ok   "), len(calls))
        files = [call for call in calls if "--data" in call]
        self.assertEqual(len(files), 2 * 3)
        self.assertEqual(len({call.split("--data ")[1].split()[0] for call in files}), 2 * 3)

    def with_tools(self, *tools):
        for tool in tools:
            self.write(tool, SANITIZER.format(folder=self.folder))
        return f"{self.folder}:/usr/bin:/bin"

    def test_the_sanitizer_watches_where_it_is(self):
        done = self.run_gpu("--only", "check-memory", path=self.with_tools("compute-sanitizer"))
        self.assertEqual(done.returncode, 0, done.stderr)
        watched = [call for call in self.calls() if call.startswith("sanitizer")]
        self.assertEqual(len(watched), SMALL_RUNS)
        for call in watched:  # what CUDA refuses a test or library on purpose is no finding
            self.assertIn("--tool memcheck --report-api-errors no --error-exitcode 3 --target-processes all ", call)

    def test_each_tool_watches_the_tests_of_the_device(self):
        (self.folder / "tests").mkdir()
        self.write("tests/device_cuda_test",
                   f'#!/bin/sh\necho "test $*; $CUDA_DEVICE_MAX_CONNECTIONS" >>{self.folder}/calls\n')
        with mock.patch.dict(os.environ, {"CUDA_DEVICE_MAX_CONNECTIONS": "1"}):
            done = self.run_gpu("--only", "sanitize", path=self.with_tools("compute-sanitizer"))
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = "\n".join(self.calls())
        for tool in checks.TOOLS:
            self.assertEqual(calls.count(f"sanitizer --tool {tool} "), 2 if tool == "memcheck" else 1)
        self.assertEqual(self.calls().count("test --gtest_filter=*Kernel*; "), 3)
        self.assertEqual(self.calls().count("test --gtest_filter=-*Kernel*; "), 1)
        self.assertEqual(calls.count("--report-api-errors no"), 2)

    def test_tools_that_are_not_there_are_no_failure(self):
        done = self.run_gpu("--only", "sanitize,check,check-memory,counters")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(" ".join(done.stdout.split()).count("compute-sanitizer is not on PATH"), 4)
        self.assertIn("ncu is not on PATH", done.stdout)
        self.assertIn("ncu is not on PATH", self.page())
        alone = self.run_gpu("--only", "counters")
        self.assertEqual(alone.returncode, 77)

    def promises(self, name):
        return [line for line in self.page().split("## Promises")[1].splitlines()
                if line.startswith(f"| {name} | ")]

    def page(self):
        return (self.folder / "results" / "nvidia-h200" / "page.md").read_text()

    def test_each_part_runs_alone_and_all_make_one_page(self):
        for name in ("cmake", "ctest"):
            self.write(name, f'#!/bin/sh\necho "{name}" >>{self.folder}/calls\n')
        path = self.with_tools("compute-sanitizer", "ncu")
        self.write("nvcc", NVCC.format(folder=self.folder))
        (self.folder / "tests").mkdir()
        self.write("tests/device_cuda_test", "#!/bin/sh\n")
        for part in parts.PARTS:
            before = len(self.calls())
            done = self.run_gpu("--only", part, path=path)
            self.assertEqual(done.returncode, 0, f"{part}: {done.stderr}")
            self.assertGreater(len(self.calls()), before, part)
            self.assertIn(f"| {part} | ok |", self.page())
        for part in parts.PARTS:
            self.assertIn(f"| {part} | ok |", self.page())
        before = len(self.calls())
        (self.folder / "results" / "nvidia-h200" / "page.md").unlink()
        self.assertEqual(self.run_gpu("--only", "page").returncode, 0)
        self.assertEqual(len(self.calls()), before)
        self.assertIn("| counters | ok |", self.page())

    def test_kernels_alone_need_nothing_but_nvcc_and_are_compiled_once(self):
        self.write("nvcc", NVCC.format(folder=self.folder))
        program = str(self.folder.resolve() / "kernel_benchmark")
        for nvcc_calls in (1, 0):
            before = len(self.calls())
            done = self.run_gpu("--only", "kernels", path=f"{self.folder}:/usr/bin:/bin")
            self.assertEqual(done.returncode, 0, done.stderr)
            calls = self.calls()[before:]
            self.assertEqual(calls[-1], program)
            self.assertIn("## Kernels alone\n\n    gemv 3 GB/s\n", self.page())
            self.assertEqual(len(calls) - 1, nvcc_calls)
        compiled = self.calls()[0]
        for word in ("-arch=sm_90", "kernel_benchmark.cu", "gemv_kernel.cu", "four_step_kernels.cu"):
            self.assertIn(word, compiled)
        (self.folder / "kernel_benchmark").unlink()
        done = self.run_gpu("--only", "kernels")
        self.assertEqual(done.returncode, 77)
        self.assertIn("nvcc is neither on PATH nor in CUDAToolkit_ROOT", " ".join(done.stdout.split()))

    def test_the_cards_clocks_are_left_as_they_are(self):
        self.run_gpu("--only", "counters", path=self.with_tools("ncu"))
        watched = [call for call in self.calls() if call.startswith("sanitizer")]
        self.assertTrue(watched)
        for call in watched:
            self.assertIn("--clock-control none --cache-control none", call)

    def test_counters_that_may_not_be_read_are_no_failure(self):
        self.write("ncu", '''#!/bin/sh
while [ "$1" != --log-file ]; do shift; done
echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission" >"$2"
exit 1
''')
        done = self.run_gpu("--only", "stream,counters", path=f"{self.folder}:/usr/bin:/bin")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not here", done.stdout)
        self.assertIn("an administrator can permit it", self.page())

    def test_documents_go_to_a_folder_of_the_gpus(self):
        done = self.run_gpu("--only", "bench")
        self.assertEqual(done.returncode, 0, done.stderr)
        files = sorted((self.folder / "results" / "nvidia-h200" / "documents").iterdir())
        self.assertEqual(len(files), LAUNCHES)
        self.assertEqual(files[0].name, "cg-16384.json")
        self.assertIn("95% interval", done.stdout)
        self.assertIn("matmul --device cuda --size 65536 --device-memory 8GiB",
                      "\n".join(self.calls()))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), WIDTH)

    def test_a_row_that_is_not_there_is_said_beside_its_promise(self):
        self.run_gpu("--only", "cg")
        lines = self.promises("cg")
        self.assertEqual(len(lines), 6)
        for line in lines:
            self.assertIn("| not measured | no such row |", line)
        for line in self.promises("fft"):
            self.assertIn("| not measured | this part has not run |", line)

    def test_a_new_result_replaces_the_old_one_if_it_is_good(self):
        file = self.folder / "results" / "nvidia-h200" / "documents" / "cg-16384.json"
        self.run_gpu("--only", "cg")
        before = file.stat().st_mtime_ns
        self.run_gpu("--only", "cg", code=1)
        self.assertEqual(file.stat().st_mtime_ns, before)
        self.assertIn("| not measured | exit code 1 |", self.page())
        self.run_gpu("--only", "cg")
        self.assertGreater(file.stat().st_mtime_ns, before)

    def test_it_goes_on_after_a_failure_and_fails(self):
        done = self.run_gpu("--only", "bench", code=1)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count("FAILED"), LAUNCHES)
        self.assertIn("the last words", done.stderr)
        self.assertEqual(len(self.calls()), LAUNCHES)

    def test_a_part_that_fails_does_not_stop_the_others_and_counts(self):
        self.write("bin/cg", "#!/bin/sh\nexit 3\n")
        done = self.run_gpu("--only", "bench")
        self.assertEqual(done.returncode, 3)
        states = {part: record.load(self.folder / "results" / "nvidia-h200" / "parts", part).state
                  for part in ON_GPU}
        self.assertEqual(states, {name: "FAILED" if name == "cg" else "ok" for name in ON_GPU})
        self.assertIn("| cg | FAILED |", self.page())

    def test_what_is_not_here_is_told_apart(self):
        done = self.run_gpu("--only", "stream", code=77, writes=False)
        self.assertEqual(done.returncode, 77)
        self.assertRegex(done.stdout, r"not here .* the last words")

    def test_what_was_measured_beside_what_is_not_here_is_kept(self):
        done = self.run_gpu("--only", "stream", code=77)
        self.assertEqual(done.returncode, 77)
        self.assertTrue((self.folder / "results" / "nvidia-h200" / "documents" /
                         "stream-a-pair.json").exists())

    def test_a_missing_document_is_a_failure(self):
        done = self.run_gpu("--only", "bench", writes=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("left no", done.stdout)

    def test_steps_beyond_the_budget_are_left_out_and_not_called_good(self):
        done = self.run_gpu("--only", "bench", "--budget", "0")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(len([line for line in done.stdout.splitlines()
                              if line.startswith("left out ") and line.endswith(": no time left")]), LAUNCHES)
        self.assertEqual(self.calls(), [])

    def test_parts_have_a_budget_each(self):
        for name in ON_GPU:
            self.write(f"bin/{name}", "#!/bin/sh\nexec sleep 30\n")
        begin = time.monotonic()
        done = self.run_gpu("--only", "stream,matmul", "--budget", "5.5")
        self.assertLess(time.monotonic() - begin, 25)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(" ".join(done.stdout.split()).count("it took too long"), 2)

    def test_all_parts_share_a_total_and_what_it_leaves_out_is_named(self):
        self.write("bin/cg", "#!/bin/sh\nexec sleep 30\n")
        begin = time.monotonic()
        done = self.run_gpu("--only", "bench", "--total", "5.5")
        self.assertLess(time.monotonic() - begin, 25)
        self.assertEqual(done.returncode, 3)
        self.assertIn("- stream, stream, a pair: left out: no time left", self.page())
        self.assertEqual([part for part in parts.PARTS if f"| {part} | left out |" in self.page()],
                         ["fft", "stream", "matmul"])

    def test_what_passed_is_not_run_again_on_request(self):
        self.write("bin/cg", "#!/bin/sh\nexit 3\n")
        self.run_gpu("--only", "bench")
        before = self.calls()
        self.write("bin/cg", PROGRAM.format(folder=self.folder))
        done = self.run_gpu("--only", "bench", "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({call.split()[0] for call in self.calls()[len(before):]}, {"cg"})
        self.assertEqual(done.stdout.count("ok   "), LAUNCHES)
        for name in ON_GPU:
            self.assertIn(f"| {name} | ok |", self.page())
        again = len(before) + len(ON_GPU["cg"].benchmarks) + LAUNCHES
        self.run_gpu("--only", "bench")
        self.assertEqual(len(self.calls()), again)
        self.run_gpu("--only", "bench", "--resume", "--small")  # rates of small sizes are others
        self.assertEqual(len(self.calls()), again + LAUNCHES)

    def test_all_results_are_in_an_archive_after_each_part(self):
        self.write("bin/fft", f"#!/bin/sh\ntar -tzf {self.folder}/all.tgz >{self.folder}/after-cg\n")
        self.run_gpu("--only", "cg,fft", "--archive", self.folder / "all.tgz")
        self.assertIn("nvidia-h200/documents/cg-16384.json", (self.folder / "after-cg").read_text())
        self.assertNotIn("parts/fft.json", (self.folder / "after-cg").read_text())
        with tarfile.open(self.folder / "all.tgz") as archive:
            self.assertIn("nvidia-h200/parts/fft.json", archive.getnames())

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


class Promises(unittest.TestCase):
    """What is promised, and what is expected, on a H200 by its data sheet."""

    H200 = Ceilings.of({"most_memory_clock_mhz": 3201, "memory_bus_bits": 6144, "architecture": 90,
                        "multiprocessors": 132, "most_clock_mhz": 1980})

    @staticmethod
    def case(name, rates, fraction=None):
        case = Case(Name.parse(name), name, unit="GFLOP/s", rate=sorted(rates)[len(rates) // 2],
                    rates=tuple(rates), median={"verified": True})
        if not fraction:
            return case
        limit = {"what": "a limit", "rate": case.rate / fraction, "seconds": 1}
        flags = [{"kind": "above_limit", "text": "above its limit"}] if fraction > 1.05 else []
        return case.with_row(limit=limit, fraction_of_limit=fraction, flags=flags)

    def verdicts(self, name, title, rows):
        benchmark = next(each for each in ON_GPU[name].benchmarks if each.title == title)
        return [promise.judged(each, title, rows).verdict for each in benchmark.promises]

    def test_ceilings_are_those_of_the_data_sheet(self):
        self.assertEqual(str(self.H200), "4.92 TB/s of memory, 66.9 TFLOP/s in single precision")
        self.assertIsNone(Ceilings.of({"architecture": 47, "multiprocessors": 1,
                                       "most_clock_mhz": 1}).flops)
        self.assertIsNone(Ceilings.of({}).memory)

    def test_products_with_a_matrix_keep_both_promises_or_miss_them(self):
        def rows(full, symmetric, of_limit):
            return [self.case(f"cg/native/cuda/ipc/laplace/{storage}/classic/n:16384", [rate] * 6,
                              of_limit)
                    for storage, rate in (("full", full), ("symmetric", symmetric))]

        met, missed = Verdict.MET, Verdict.MISSED
        self.assertEqual(self.verdicts("cg", "cg 16384", rows(1000, 1810, 0.91)), [met] * 3)
        self.assertEqual(self.verdicts("cg", "cg 16384", rows(1000, 1790, 0.91)),
                         [met, met, missed])
        self.assertEqual(self.verdicts("cg", "cg 16384", rows(1000, 1810, 0.89)),
                         [missed, missed, met])
        self.assertEqual(self.verdicts("cg", "cg 16384", rows(1000, 1810, 1.2))[0], Verdict.ABOVE)

    def test_the_transform_is_compared_with_cuffts_own_run_by_run(self):
        def rows(ours):
            return [self.case("fft/native/cuda/staged/transposed/n:1/tiles:1", ours),
                    self.case("fft/library/cuda/mpi/transposed/n:1", [100] * 6)]

        for ours, verdict in (([101] * 6, Verdict.MET), ([95] * 6, Verdict.MISSED),
                              ([99, 101, 99, 101, 99.5, 100.5], Verdict.MET)):
            self.assertEqual(self.verdicts("fft", "fft 2^27", rows(ours)), [verdict], ours)

    def test_the_largest_vector_over_ipc_and_the_product_are_promised(self):
        rows = [self.case(f"stream/native/cuda/{via}/size:{size}MiB", [1] * 6, fraction)
                for via, size, fraction in (("ipc", 32, 0.5), ("ipc", 128, 0.92),
                                            ("staged", 128, 0.1))]
        self.assertEqual(self.verdicts("stream", "stream, a pair", rows), [Verdict.MET])
        for fraction, verdict in ((0.96, Verdict.MET), (0.94, Verdict.MISSED)):
            row = self.case("matmul/native/cuda/mpi/size:65536", [1] * 3, fraction)
            for where in ("from memory", "from files"):
                self.assertEqual(self.verdicts("matmul", f"matmul {where}", [row]), [verdict])

    def test_expected_rates_follow_from_bytes_and_operations(self):
        def expected(name, text, **median):
            benchmark = ON_GPU[name].benchmarks[0]
            case = Case(Name.parse(text), text, median=median)
            return benchmark.expected(case, self.H200)

        memory = 0.9 * 2 * 3201e6 * 6144 / 8
        self.assertAlmostEqual(expected("cg", "cg/native/cuda/ipc/laplace/full"), memory / 4e9)
        self.assertAlmostEqual(expected("cg", "cg/native/cuda/ipc/laplace/symmetric"), memory / 2e9)
        self.assertAlmostEqual(expected("stream", "stream/native/cuda/ipc/size:32MiB", gpus=1),
                               memory / 3 / 2**20)
        self.assertIsNone(expected("stream", "stream/native/cuda/ipc/size:32MiB", gpus=2))
        self.assertAlmostEqual(expected("matmul", "matmul/native/cuda/ipc/size:8192"),
                               0.8 * 2e-3 * 128 * 132 * 1980)
        self.assertAlmostEqual(expected("fft", "fft/library/cuda/mpi/transposed/n:134217728"),
                               5 * 27 / 96 * memory / 1e9)


class Counters(unittest.TestCase):
    def test_the_longest_launch_counts_and_a_refusal_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            logs = Path(folder)
            self.assertEqual((counters.readings(logs), counters.refusal(logs)), ([], ""))
            (logs / "counters-a.1.csv").write_text("==ERROR== ERR_NVGPUCTRPERM\n")
            self.assertIn("an administrator can permit it", counters.refusal(logs))
            self.assertEqual(counters.readings(logs), [])
            metric = counters.CONFLICTS
            (logs / "counters-b.1.csv").write_text(
                '"ID","Process ID","Kernel Name","Metric Name","Metric Value"\n' + "".join(
                    f'"{number}","7","transpose(int)","{name}","{value}"\n'
                    for number, time, conflicts in ((0, "9", "3"), (1, "1,000", "0"))
                    for name, value in ((counters.TIME, time), (metric, conflicts))))
            reading, = counters.readings(logs)
            self.assertEqual((reading.kernel, reading.value, reading.verdict),
                             ("transpose", 0, "met"))

    def test_each_kernel_of_the_table_is_one_of_the_sources(self):
        sources = "".join(file.read_text(encoding="utf-8") for file in
                          (SCRIPTS.parent / "common" / "device" / "cuda").rglob("*.cu"))
        for kernel in counters.TABLE:
            if kernel != "gemm":  # cuBLAS's
                self.assertIn(f" {kernel}(", sources)


class Parts(unittest.TestCase):
    def test_a_gpu_is_read_from_nvidia_smi(self):
        self.assertEqual(gpu_steps.Gpu.parse("NVIDIA H200, 9.0\nNVIDIA L4, 8.9\n"),
                         gpu_steps.Gpu("NVIDIA H200", "90"))
        self.assertEqual(gpu_steps.Gpu.parse("Tesla V100-SXM2-16GB, 7.0").folder,
                         "tesla-v100-sxm2-16gb")
        for text in ("", "No devices were found", "NVIDIA H200, [N/A]"):
            self.assertIsNone(gpu_steps.Gpu.parse(text), text)

        self.assertEqual(gpu_steps.Gpu.parse("NVIDIA H200, 9.0, 580.65.06").driver, "580.65.06")

    def test_the_build_is_for_this_gpu_alone(self):
        place = gpu_steps.Place(Path("b"), Path("l"), Path("r"), Machine(16, 0))
        configure, build = checks.build_steps(place, gpu_steps.Gpu("x", "120"))
        self.assertIn("CMAKE_CUDA_ARCHITECTURES=120", configure.command)
        self.assertIn("gpu_tests", build.command)
        self.assertIn("16", build.command)

    def test_choices_are_those_that_are_available_on_cuda(self):
        self.assertEqual(checks.choices(LIST), (["native", "dataflow"], ["staged", "ipc"]))
        self.assertRaises(ValueError, checks.choices, LIST.replace("on cuda", "on host"))

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
        self.assertEqual(record.code_of([good]), 0)
        self.assertEqual(record.code_of([good, gpu_steps.Step("check", "left out", [], 1)]), 3)

    def test_what_is_not_here_is_no_failure_beside_what_is(self):
        good = gpu_steps.Step("check", "good", [], 1, code=0)
        missing = gpu_steps.Step("check", "not here", [], 1, code=77)
        self.assertEqual(record.code_of([missing, missing]), 77)
        self.assertEqual(record.code_of([good, missing]), 0)

    def test_a_program_that_is_missing_is_a_failure(self):
        step = gpu_steps.Step("build", "none", ["/no/such/program"], 10)
        with tempfile.TemporaryDirectory() as folder:
            execution.run(step, execution.Clock(600), Path(folder))
        self.assertEqual(step.code, FAILED)
        self.assertIn("cannot be started", step.reason)


class Page(unittest.TestCase):
    HOSTILE = "H100 | <script>alert(1)</script>\n# [x](javascript:alert(1)) ![y](//z) `"

    def test_nothing_that_a_machine_says_is_markup(self):
        with tempfile.TemporaryDirectory() as name:
            place = gpu_steps.Place(Path(name), Path(name), Path(name), Machine.here())
            place.logs.mkdir()
            step = record.StepRecord(self.HOSTILE, "FAILED", 1.0, self.HOSTILE, log=self.HOSTILE)
            page.write(place, gpu_steps.Gpu(self.HOSTILE, self.HOSTILE, self.HOSTILE), ("cg",),
                       {"cg": record.PartRecord("cg", self.HOSTILE, 1.0, False, [step])})
            text = (place.results / page.PAGE).read_text(encoding="utf-8")
        self.assertIn("H100", text)
        for markup in ("<script", r"\n# \\?\[", r"(?<!\\)\]\((?!logs/H100%)", r"(?<!\\)`"):
            self.assertNotRegex(text, markup)
        self.assertEqual(len([line for line in text.splitlines() if line.startswith("# ")]), 1)
