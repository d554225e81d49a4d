"""Tests of quartet gpu with a fake launcher and fake programs."""

import json
import os
import re
import tarfile
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import fake_results
from fake_build import FakeBuild
from in_process import quartet
from quartet.exit_codes import FAILED, UNAVAILABLE, VERIFIED
from quartet.machine import Machine
from quartet.results import Case, Name
from quartet.text import WIDTH
from quartet_dev.gpu import counters, page, parts, steps
from quartet_dev.gpu.kernels import ON_GPU, judged
from quartet_dev.limits.goals import Verdict
from tree import SCRIPTS

LIST = """devices
  host       available
  cuda       available
formulations
  native     available
  dataflow   available
  library    available
transports on cuda (auto: staged)
  mpi        MPI is not CUDA-aware: use staged
  staged     available
  ipc        available
"""

# A pair of stream's, and of the others alone and in pairs: native in 3 + 2 + 2 ways; a data flow, which wants a
# pair; and the vendor's transform, on one rank. The other libraries want an MPI that reaches the GPU's memory.
SMALL_RUNS = 1 + 2 * (3 + 2 + 2) + 4 + 1
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
                       self.folder / "launcher", "--budget", "100000", *there, *arguments,
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
        self.assertEqual(done.stdout.count("ok   "), len(calls))
        libraries = [call for call in calls if "library" in call]
        self.assertEqual([call.split()[0] for call in libraries], ["fft"])
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
            done = self.run_gpu("--only", ",".join(parts.TOOLS), path=self.with_tools("compute-sanitizer"))
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = "\n".join(self.calls())
        for tool in parts.TOOLS:
            self.assertEqual(calls.count(f"sanitizer --tool {tool} "), 2 if tool == "memcheck" else 1)
        self.assertEqual(self.calls().count("test --gtest_filter=*Kernel*; "), 3)
        self.assertEqual(self.calls().count("test --gtest_filter=-*Kernel*; "), 1)
        self.assertEqual(calls.count("--report-api-errors no"), 2)

    def test_tools_that_are_not_there_are_no_failure(self):
        done = self.run_gpu("--only", "sanitize,check,counters")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(" ".join(done.stdout.split()).count("compute-sanitizer is not on PATH"), 4)
        self.assertIn("ncu is not on PATH", done.stdout)
        self.assertIn("ncu is not on PATH", self.page())
        alone = self.run_gpu("--only", "counters")
        self.assertEqual(alone.returncode, 77)

    def goals(self, name):
        return [line for line in self.page().split("## Goals")[1].splitlines() if line.startswith(f"| {name}: ")]

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
        self.assertIn("matmul --device cuda --size 16384 --math tf32",
                      "\n".join(self.calls()))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), WIDTH)

    def test_a_row_that_is_not_there_is_said_beside_its_goal(self):
        self.run_gpu("--only", "cg,larger")
        lines = self.goals("cg")
        self.assertEqual(len(lines), 7)
        for line in lines:
            self.assertIn("| not measured | no such row |", line)
        for line in self.goals("stream"):
            self.assertIn("| not run |", line)

    def test_a_new_result_replaces_the_old_one_if_it_is_good(self):
        file = self.folder / "results" / "nvidia-h200" / "documents" / "cg-16384.json"
        self.run_gpu("--only", "cg")
        before = file.stat().st_mtime_ns
        self.run_gpu("--only", "cg", code=1)
        self.assertEqual(file.stat().st_mtime_ns, before)
        self.assertIn("| FAILED | exit code 1 |", self.page())
        self.run_gpu("--only", "cg")
        self.assertGreater(file.stat().st_mtime_ns, before)

    def test_it_goes_on_after_a_failure_and_fails(self):
        done = self.run_gpu("--only", "bench", code=1)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(re.findall("^FAILED .* s  ", done.stdout, re.MULTILINE)), LAUNCHES)
        self.assertIn("the last words", done.stderr)
        self.assertEqual(len(self.calls()), LAUNCHES)

    def test_a_part_that_fails_does_not_stop_the_others_and_counts(self):
        self.write("bin/cg", "#!/bin/sh\nexit 3\n")
        done = self.run_gpu("--only", "bench")
        self.assertEqual(done.returncode, 3)
        states = {part: steps.PartRecord.load(self.folder / "results" / "nvidia-h200" / "parts", part).state
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

    def test_steps_beyond_the_budget_are_not_run_which_is_no_failure(self):
        done = self.run_gpu("--only", "bench", "--budget", "0")
        self.assertEqual(done.returncode, 77)  # nothing has run
        self.assertEqual(len([line for line in done.stdout.splitlines() if line.startswith("not run ") and " s  " in
                              line]), LAUNCHES)
        self.assertNotIn("FAILED", done.stdout + self.page())
        self.assertEqual(self.calls(), [])

    def test_the_end_of_the_budget_ends_the_step_under_way_and_what_fits_has_run(self):
        self.write("bin/stream", "#!/bin/sh\nexec sleep 60\n")
        begin = time.monotonic()
        done = self.run_gpu("--only", "stream,check,larger", "--small", "--budget", "5")
        self.assertLess(time.monotonic() - begin, 25)
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("the time was over", done.stdout)
        self.assertIn("| stream | not run |", self.page())
        self.assertIn("| larger | not run |", self.page())
        self.assertIn("larger, fft 2^32 in 65536 tiles: not run: takes about 2 s, and 0 s are left", self.page())
        self.assertNotIn("FAILED", done.stdout + self.page())

    def test_the_cost_is_said_before_anything_starts(self):
        done = self.run_gpu("--only", "cg,check,larger", "--budget", "0")
        head = done.stdout.split("budget")[0]
        self.assertIn("cg 4096", done.stderr)
        seconds = [int(line.split()[1]) for line in head.splitlines() if line.startswith(("cg ", "check ", "larger "))]
        self.assertEqual(len(seconds), 3)
        until = int(re.search(r"^larger +\d+ +(\d+)", head, re.MULTILINE)[1])
        self.assertAlmostEqual(sum(seconds), until, delta=2)  # each is rounded
        self.assertGreater(min(seconds), 0)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), WIDTH)

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


class Goals(unittest.TestCase):
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
        return [judged(each, title, rows).verdict for each in benchmark.targets]

    def test_products_with_a_matrix_meet_their_goals_or_miss_them(self):
        def rows(full, symmetric, of_full, of_symmetric):
            return [self.case(f"cg/native/cuda/ipc/laplace/{storage}/classic/n:16384", [rate] * 6, fraction)
                    for storage, rate, fraction in (("full", full, of_full), ("symmetric", symmetric, of_symmetric))]

        met, missed = Verdict.MET, Verdict.MISSED
        self.assertEqual(self.verdicts("cg", "cg 16384", rows(1000, 1910, 0.98, 0.94)), [met] * 3)
        self.assertEqual(self.verdicts("cg", "cg 16384", rows(1000, 1890, 0.96, 0.92)), [missed] * 3)
        self.assertEqual(self.verdicts("cg", "cg 16384", rows(1000, 1910, 1.2, 0.94))[0], Verdict.ABOVE)
        self.assertEqual(self.verdicts("cg", "cg 4096", rows(1000, 1610, 0.91, 0.1)), [met] * 2)
        self.assertEqual(self.verdicts("cg", "cg 65536", rows(1000, 1000, 1.0, 0.92)), [met, missed])

    def test_the_transform_is_compared_with_cuffts_own_run_by_run(self):
        def rows(ours):
            return [self.case("fft/native/cuda/staged/transposed/n:1/tiles:1", ours),
                    self.case("fft/library/cuda/mpi/transposed/n:1", [100, 200] * 3)]

        for ours, verdict in (([106, 212] * 3, Verdict.MET), ([104, 208] * 3, Verdict.MISSED)):
            self.assertEqual(self.verdicts("fft", "fft 2^27", rows(ours)), [verdict], ours)
        self.assertEqual(self.verdicts("fft", "fft 2^24 in 4096 tiles", rows([96, 192] * 3)), [Verdict.MET])
        for fraction, verdict in ((0.41, Verdict.MET), (0.39, Verdict.MISSED)):
            alone = [self.case("fft/native/cuda/staged/transposed/n:1/tiles:32768", [1] * 3, fraction)]
            self.assertEqual(self.verdicts("fft", "fft 2^31 in 32768 tiles", alone), [verdict])

    def test_the_largest_vectors_and_the_products_have_goals(self):
        def rows(staged):
            return [self.case(f"stream/native/cuda/{via}/size:{size}MiB", [rate] * 6, fraction)
                    for via, size, rate, fraction in (("ipc", 32, 1, 0.5), ("ipc", 128, 1, 0.92),
                                                      ("staged", 32, 1, 0.1), ("staged", 128, staged, 0.1))]

        for staged, verdict in ((42916, Verdict.MET), (42914, Verdict.MISSED)):  # 45 GB/s, in MiB/s
            self.assertEqual(self.verdicts("stream", "stream, a pair", rows(staged)), [Verdict.MET, verdict])
        for where, least in (("16384, TF32,", 0.9), ("65536", 0.95)):
            for fraction, verdict in ((least + 0.01, Verdict.MET), (least - 0.01, Verdict.MISSED)):
                row = self.case("matmul/native/cuda/mpi/size:1", [1] * 3, fraction)
                self.assertEqual(self.verdicts("matmul", f"matmul {where} from host memory", [row]), [verdict])

    def test_a_launch_costs_its_start_its_limits_its_data_and_its_runs(self):
        benchmark = ON_GPU["fft"].benchmarks[0]
        self.assertAlmostEqual(benchmark.expected("fft", 16), 1 + 2 * 1.5 + 2 * 16 * 2**24 / 1.2e9 + 1)
        self.assertAlmostEqual(benchmark.expected("fft", 4) - benchmark.expected("fft", 16), 3 * 2 * 2**28 / 1.2e9)


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
        self.assertEqual(steps.Gpu.parse("NVIDIA H200, 9.0\nNVIDIA L4, 8.9\n"),
                         steps.Gpu("NVIDIA H200", "90"))
        self.assertEqual(steps.Gpu.parse("Tesla V100-SXM2-16GB, 7.0").folder,
                         "tesla-v100-sxm2-16gb")
        for text in ("", "No devices were found", "NVIDIA H200, [N/A]"):
            self.assertIsNone(steps.Gpu.parse(text), text)

        self.assertEqual(steps.Gpu.parse("NVIDIA H200, 9.0, 580.65.06").driver, "580.65.06")

    def test_the_build_is_for_this_gpu_alone(self):
        place = steps.Place(Path("b"), Path("l"), Path("r"), Machine(16, 0))
        configure, build = parts.build_steps(place, steps.Gpu("x", "120"))
        self.assertIn("CMAKE_CUDA_ARCHITECTURES=120", configure.command)
        self.assertIn("gpu_tests", parts.test_steps(place)[0].command)
        self.assertIn("16", build.command)

    def test_choices_are_those_that_are_available_on_cuda(self):
        self.assertEqual(parts.choices(LIST), (["native", "dataflow", "library"], ["staged", "ipc"]))
        self.assertRaises(ValueError, parts.choices, LIST.replace("on cuda", "on host"))

    def run_step(self, *command, expected=0.0, seconds=600.0):
        with tempfile.TemporaryDirectory() as folder:
            place = steps.Place(Path("b"), Path("l"), Path(folder), Machine(16, 0))
            place.logs.mkdir()
            return steps.run(steps.Step("check", "a step", command, expected), steps.Clock(seconds), place)

    def test_a_step_that_is_stuck_has_failed_and_one_without_time_has_not_run(self):
        begin = time.monotonic()
        with mock.patch.object(steps, "SLACK", 0.3):
            stuck = self.run_step("sleep", "60")
        late = self.run_step("sleep", "60", seconds=0.3)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual((stuck.state, stuck.code, late.state, late.code), ("FAILED", FAILED, "not run", None))
        self.assertIn("took too long", stuck.reason)
        too_large = self.run_step("true", expected=30.0, seconds=20.0)
        self.assertEqual((too_large.state, too_large.code), ("not run", None))

    def test_only_what_has_run_decides_the_exit_code(self):
        records = {code: steps.Record("a", "", code=code) for code in (VERIFIED, FAILED, UNAVAILABLE, None)}
        for codes, code in (((VERIFIED, None), VERIFIED), ((VERIFIED, None, FAILED), FAILED), ((None,), UNAVAILABLE),
                            ((UNAVAILABLE, VERIFIED), VERIFIED), ((UNAVAILABLE, UNAVAILABLE), UNAVAILABLE)):
            self.assertEqual(steps.code_of([records[each] for each in codes]), code, codes)

    def test_a_program_that_is_missing_is_a_failure(self):
        record = self.run_step("/no/such/program")
        self.assertEqual(record.code, FAILED)
        self.assertIn("cannot be started", record.reason)

    def test_ways_that_a_transport_cannot_have_are_not_tried(self):
        both = ["staged", "mpi"]
        self.assertEqual(ON_GPU["cg"].transports("library", 2, both), ["mpi"])
        self.assertEqual(ON_GPU["cg"].transports("library", 2, ["staged"]), [])
        self.assertEqual(ON_GPU["fft"].transports("library", 1, both), both)
        self.assertEqual(ON_GPU["fft"].transports("library", 2, both), [])
        self.assertEqual(ON_GPU["cg"].transports("dataflow", 1, both), [])
        self.assertEqual(ON_GPU["cg"].transports("native", 1, both), both)


class Page(unittest.TestCase):
    HOSTILE = "H100 | <script>alert(1)</script>\n# [x](javascript:alert(1)) ![y](//z) `"

    def test_nothing_that_a_machine_says_is_markup(self):
        with tempfile.TemporaryDirectory() as name:
            place = steps.Place(Path(name), Path(name), Path(name), Machine.here())
            place.logs.mkdir()
            step = steps.Record(self.HOSTILE, "FAILED", self.HOSTILE, 3, log=self.HOSTILE)
            page.write(place, steps.Gpu(self.HOSTILE, self.HOSTILE, self.HOSTILE),
                       {"cg": steps.PartRecord("cg", self.HOSTILE, 1.0, False, [step])})
            text = (place.results / page.PAGE).read_text(encoding="utf-8")
        self.assertIn("H100", text)
        for markup in ("<script", r"\n# \\?\[", r"(?<!\\)\]\((?!logs/H100%)", r"(?<!\\)`"):
            self.assertNotRegex(text, markup)
        self.assertEqual(len([line for line in text.splitlines() if line.startswith("# ")]), 1)
