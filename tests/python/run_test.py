"""Tests of quartet run with a fake launcher and fake programs."""

import io
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import fake_results
from fake_build import FakeBuild, Scratch
from in_process import quartet
from quartet import check_machine
from quartet.check_machine import Level
from quartet.commands import run as run_script
from quartet.commands.run import arguments_of
from quartet.machine import Machine, processor_quota
from tree import QUARTET

# Behaves as {folder}/behaviour.json says.
PROGRAM = """#!{python} -S
import json, sys
sys.path.insert(0, {tests!r})
import fake_results
arguments = sys.argv[1:]
behaviour = json.load(open({folder!r} + "/behaviour.json"))
with open({folder!r} + "/calls", "a") as calls:
    print(*arguments, file=calls)
print("the program's own table")
print("stream: 1 of 7", file=sys.stderr)
if "text" in behaviour:
    open(arguments[arguments.index("--json") + 1], "w").write(behaviour["text"])
elif behaviour.get("writes", True):
    with open(arguments[arguments.index("--json") + 1], "w") as file:
        name = fake_results.stream_name("native" if "native" in arguments else "dataflow",
                                        "grpc" if "grpc" in arguments else "shm")
        json.dump(fake_results.document(fake_results.case(name, 10000), warnings=["hot"]), file)
sys.exit(behaviour.get("code", 0))
"""
# Keeps the document measured.json, and runs until it is asked to end, or for ever.
KEEPS = """#!/bin/sh
while [ "$1" != --json ]; do shift; done
[ ! -e {folder}/measured.json ] || cp {folder}/measured.json "$2"
trap "{trap}" TERM
echo $$ >{folder}/running.new && mv {folder}/running.new {folder}/running
while :; do sleep 0.05; done
"""


class Run(FakeBuild):
    def setUp(self):
        super().setUp()
        self.write("launcher", f'#!/bin/sh\necho "$1 $QUARTET_THREADS" >>{self.folder}/launches\n'
                   'shift\nexec "$@"\n')

    def run_with(self, budget=90, **behaviour):
        self.write("bin/stream", PROGRAM.format(
            python=sys.executable, folder=str(self.folder), tests=str(Path(__file__).parent)))
        (self.folder / "behaviour.json").write_text(json.dumps(behaviour))
        return self.run_py("--budget", str(budget))

    def keep(self, *rows, name="stream", trap="exit 75"):
        if rows:
            (self.folder / "measured.json").write_text(json.dumps(fake_results.document(*rows)))
        self.write(f"bin/{name}", KEEPS.format(folder=self.folder, trap=trap))

    def run_py(self, *arguments):
        return quartet(*self.words(), *arguments)

    def words(self):
        return ("run", "--build", self.folder, "--results", self.folder / "results", "--launcher",
                self.folder / "launcher", "--look", "0")

    def interrupted(self, signals):
        """A run that gets signals when its job has begun: how it ended, and whether the job has, too."""
        process = subprocess.Popen([*QUARTET, *self.words(), "--budget", "60"], text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        [job] = self.wait_for(lambda: self.lines("running"))
        for _ in range(signals):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, output + errors)
        self.wait_for(lambda: not Path(f"/proc/{job}").exists())
        return output, errors

    def test_measures_native_rows_first_and_shows_one_table(self):
        done = self.run_with()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("stream MiB/s, host", done.stdout)
        last = done.stdout.splitlines()[-5:]
        self.assertRegex(last[0], rf"^\d documents: {self.folder}/results/\d+T\d+Z-\*\.json$")
        self.assertRegex(last[1], r"^All \d rows verified\.$")
        self.assertTrue(last[-1].startswith("Next: "))
        self.assertEqual(done.stdout.count("95% interval"), 1)
        self.assertIn("warning: hot", done.stdout)
        self.assertNotIn("the program's own table", done.stdout)
        self.assertIn("stream: 1 of 7", done.stderr)
        calls = self.lines("calls")
        self.assertIn("--device host --sizes", calls[0])
        self.assertIn("--transport shm --formulation native --progress", calls[0])
        self.assertIn("--transport mpi,rma --formulation native,library --progress", calls[1])
        self.assertIn("--formulation dataflow --progress", calls[2])
        self.assertIn("--transport grpc", calls[-1])
        files = [file.name for file in (self.folder / "results").iterdir()]
        self.assertEqual(len(files), len(calls), "each launch has a document of its own")
        self.assertRegex(done.stderr, "stream-grpc .*: has (8\\d|90) s, and then ends after its current run",
                         "what others left the last one may take")

    def test_looks_at_the_machine_first(self):
        machine = check_machine.Finding("swap", Level.BAD, "9 pages moved", "free memory first")
        with mock.patch.object(check_machine, "watch_others", return_value=[machine]), \
                mock.patch.object(check_machine, "settings", return_value=[check_machine.Finding("quota", Level.OK, "none")]), \
                mock.patch.object(sys, "stderr", io.StringIO()) as errors:
            run_script.warn_about_machine(0.1)
        self.assertEqual(errors.getvalue(), "quartet: this machine: swap: 9 pages moved (free memory first)\n")

    def test_a_launch_that_takes_too_long_is_asked_to_end_and_its_other_rows_are_not_run(self):
        self.keep(fake_results.case(fake_results.stream_name(), 10000), fake_results.error(
            fake_results.stream_name(size="128MiB"), "stopped on request before its first run"), fake_results.error(
            fake_results.stream_name(size="64MiB"), "the job ended before a run of it was kept"),
                  trap="echo stack trace >&2; exit 75")
        begin = time.monotonic()
        done = self.run_py("--budget", "6")
        self.assertLess(time.monotonic() - begin, 9)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("its time was over, and it ended after ", done.stderr)
        self.assertRegex(done.stderr, r"the time did not suffice for \d launch\S* \(stream on 2 ranks.*\)"
                                      r"; \d of them did not begin: "
                                      r"try `quartet run --budget \d+`, or more\n", "one that was cut off is not done")
        self.assertNotIn("stack trace", done.stderr)
        for size in ("64 MiB", "128 MiB"):
            self.assertRegex(done.stdout, size + " +not run")
        self.assertNotIn("failed", done.stdout)
        self.assertNotIn("on request", done.stdout)

    def test_a_kernel_without_a_rate_is_said_and_gives_4(self):
        self.run_with()
        self.keep(name="cg")
        done = self.run_py("--budget", "6")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("no rate of cg", done.stderr)
        self.assertEqual(done.stderr.count("--budget"), 1)
        self.assertIn("stream MiB/s", done.stdout)
        self.assertRegex(done.stdout, "(?m)^cg, host.*\nnative .*not run$")
        self.keep(fake_results.case(fake_results.stream_name(), 10000,
                                    flags=[{"kind": "disturbed", "text": "other processes ran"}]))
        done = self.run_py("--budget", "4")
        self.assertNotIn("--budget", done.stderr, "a longer time is no remedy")
        self.assertRegex(done.stderr.splitlines()[-1], "busy: 1 of 1 row may be disturbed")

    def test_a_launch_that_failed_when_it_was_asked_to_end_says_why_and_did_not_lack_time(self):
        self.keep(fake_results.case(fake_results.stream_name(), 10000),
                  trap="echo stream: cannot write a.json: no space >&2; exit 3")
        done = self.run_py("--budget", "6")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("quartet: stream on 2 ranks: stream: cannot write a.json: no space\n", done.stderr)
        self.assertRegex(done.stderr, r"suffice for 2 launches \(.*\); [12] of them did not begin: first see to what failed\n\Z")

    def test_a_launch_that_crashes_when_it_is_asked_to_end_has_failed(self):
        self.keep(fake_results.case(fake_results.stream_name(), 10000), trap="exit 139")
        done = self.run_py("--budget", "6")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("stream on 2 ranks: ended from outside, with exit code 139\n", done.stderr)
        self.assertIn("stream MiB/s", done.stdout)

    def test_exit_code_is_the_programs(self):
        for code, expected in ((1, 1), (3, 3), (2, 2), (137, 3), (77, 0)):  # 77: some rows
            done = self.run_with(code=code)
            self.assertEqual(done.returncode, expected)
            self.assertIn("95% interval", done.stdout)

    def test_broken_and_missing_documents_are_said_and_the_table_comes_nevertheless(self):
        for behaviour, words in (({"text": "{"}, r"quartet: left out \S+\.json: "), ({"writes": False}, "left no")):
            shutil.rmtree(self.folder / "results", ignore_errors=True)
            done = self.run_with(**behaviour)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr, words)
            self.assertIn("no results", done.stdout)
            self.assertNotIn("Traceback", done.stderr)

    def test_whatever_ends_it_ends_the_job_and_shows_what_it_had_written(self):
        self.keep(fake_results.case(fake_results.stream_name(), 10000))
        output, errors = self.interrupted(1)
        self.assertIn("quartet: interrupted: these are the results so far; ", errors)
        self.assertIn("stream MiB/s", output)

    def test_second_signal_does_not_leave_the_job_behind(self):
        self.keep(trap="")
        output, _ = self.interrupted(3)
        self.assertIn("Nothing was measured yet.", output)

    def test_what_cannot_be_used_is_said(self):
        done = self.run_py()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("make build", done.stderr)
        (self.folder / "bin" / "stream").touch()
        (self.folder / "file").touch()
        for arguments, words in ((("--results", self.folder / "file"), "cannot be a folder"),
                                 (("--launcher", self.folder / "none"), "cannot be run"),
                                 (("--budget", "nan"), "is no positive number")):
            done = self.run_py(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


class Choices(Scratch):
    def test_quota_is_the_least_of_all_control_groups(self):
        self.assertIsNone(processor_quota(self.folder))
        self.write("proc/self/cgroup", "3:cpuset:/x\n2:cpu,cpuacct:/job\n0::/a/b\n")
        self.write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n")
        self.write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n")
        self.write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n")
        self.assertIsNone(processor_quota(self.folder))
        self.write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "300000\n")
        self.assertEqual(processor_quota(self.folder), 3)
        self.write("sys/fs/cgroup/cpu.max", "150000 100000\n")
        self.assertEqual(processor_quota(self.folder), 1.5)

    def test_sizes_fit_the_memory(self):
        for kernel, memory, ranks, size in (
                ("stream", 1 << 40, 2, "2,8,16,64,128"), ("stream", (3 << 30) - 1, 2, "2,4,16,32,64"),
                ("stream", 3 << 30, 4, "2,4,16,32,64"),
                ("stream", 0, 2, "2"), ("cg", 600 << 20, 2, "8192"), ("cg", 550 << 20, 2, "4096"), ("cg", 0, 2, "1024")):
            self.assertIn(size, arguments_of(kernel, Machine(4, memory), ranks))
