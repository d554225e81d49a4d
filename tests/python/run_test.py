"""Tests of quartet run with a fake launcher and fake programs."""

import io
import json
import math
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import fake_results
from fake_build import FakeBuild
from in_process import quartet
from quartet.check_machine import system
from quartet.check_machine.finding import Level
from quartet.commands import run as run_script
from quartet.exit_codes import worst
from quartet.machine import Machine, processor_quota
from quartet.run import plan as run
from quartet.run.budget import LEAST, SECONDS_TO_START, Budget
from quartet.run.kernels import RUNS
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
        name = fake_results.stream_name()
        json.dump(fake_results.document(fake_results.case(name, 10000), warnings=["hot"]), file)
sys.exit(behaviour.get("code", 0))
"""


class Run(FakeBuild):
    def setUp(self):
        super().setUp()
        self.write("launcher", f'#!/bin/sh\necho "$1 $QUARTET_THREADS" >>{self.folder}/launches\n'
                   'shift\nexec "$@"\n')

    def run_with(self, budget=90, **behaviour):
        """Runs run.py over a stream program with that behaviour."""
        self.write("bin/stream", PROGRAM.format(
            python=sys.executable, folder=str(self.folder), tests=str(Path(__file__).parent)))
        (self.folder / "behaviour.json").write_text(
            json.dumps(behaviour))
        return self.run_py("--budget", str(budget))

    def run_py(self, *arguments):
        return quartet(*self.words(), *arguments)

    def started(self, *arguments):
        return subprocess.Popen([*QUARTET, *self.words(), *arguments], text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def words(self):
        return ("run", "--build", self.folder, "--results", self.folder / "results", "--launcher",
                self.folder / "launcher", "--look", "0")

    def wait_for(self, file):
        for _ in range(600):
            if file.exists():
                return file.read_text().strip()
            time.sleep(0.1)
        self.fail(f"no {file}")

    def calls(self):
        return (self.folder / "calls").read_text().splitlines()

    def test_measures_and_shows_one_table(self):
        done = self.run_with()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("stream MiB/s, host", done.stdout)
        last = done.stdout.splitlines()[-5:]
        self.assertRegex(last[0], r"^\d documents?: .*results/\d+T\d+Z-\*\.json$")
        self.assertRegex(last[1], r"^All \d rows? verified\.$")
        self.assertTrue(last[-1].startswith("Next: "))
        self.assertEqual(done.stdout.count("95% interval"), 1)
        self.assertIn("warning: hot", done.stdout)
        self.assertNotIn("the program's own table", done.stdout)
        self.assertIn("stream: 1 of 7", done.stderr)
        self.assertRegex(done.stderr, r"quartet: about 90 s of measuring\n")
        for argument in ("--device host", "--transport mpi,shm,rma", "--progress on",
                         "--formulation native,dataflow,library", "--pushes 10 "):
            self.assertIn(argument, self.calls()[0] + " ")
        files = sorted(file.name for file in (self.folder / "results").iterdir())
        self.assertEqual(len(files), len(self.calls()), "each launch has a document of its own")
        self.assertRegex(files[-1], r"^\d{8}T\d{6}Z-stream(-grpc)?-\d+\.json$")
        self.assertRegex((self.folder / "launches").read_text(), r"^2 \d+\n")

    def test_looks_at_the_machine_first(self):
        self.write("bin/stream", "#!/bin/sh\nexit 77\n")
        self.assertNotIn("this machine", self.run_py().stderr)
        machine = system.Finding("swap", Level.BAD, "9 pages moved", "free memory first")
        with mock.patch.object(system, "quiet_time", return_value=[machine]), \
                mock.patch.object(system, "settings", return_value=[
                    system.Finding("quota", Level.OK, "none")]), \
                mock.patch.object(sys, "stderr", io.StringIO()) as errors:
            run_script.look_at_the_machine(0.1)
        self.assertIn("this machine: swap: 9 pages moved (free memory first)\n", errors.getvalue())
        self.assertNotIn("quota", errors.getvalue())

    def test_each_launch_is_told_its_share_of_the_budget(self):
        done = self.run_with(budget=90)
        told = [int(re.search(r"--budget (\d+) ", call)[1]) for call in self.calls()]
        # Those before it took nothing: the last one, of gRPC, may take all that is left.
        self.assertEqual(told[-1], 89)
        self.assertIn(f"stream on 2 ranks, about {told[0]} s", done.stderr)

    def test_a_launch_that_takes_too_long_is_asked_to_end_and_its_rows_are_kept(self):
        self.write("bin/stream", f"""#!/bin/sh
while [ "$1" != --json ]; do shift; done
cp {self.folder}/measured.json "$2"
trap "exit 75" TERM
while :; do sleep 0.05; done
""")
        (self.folder / "measured.json").write_text(json.dumps(
            fake_results.document(fake_results.case(fake_results.stream_name(), 10000), fake_results.error(
                fake_results.stream_name(size="128MiB"), "stopped on request before its first run"))))
        begin = time.monotonic()
        done = self.run_py("--budget", "9")
        self.assertLess(time.monotonic() - begin, 12)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("to keep the budget", done.stderr)
        self.assertIn("1 not run", done.stdout)
        self.assertNotIn("on request", done.stdout)

    def test_exit_code_is_the_programs(self):
        for code, expected in ((1, 1), (3, 3), (2, 2), (137, 3), (77, 0)):  # 77: some rows
            done = self.run_with(code=code)
            self.assertEqual(done.returncode, expected)
            self.assertIn("95% interval", done.stdout)

    def test_broken_document_is_said_and_the_table_comes_nevertheless(self):
        for text in ("{", "[]", "[" * 10**5):
            done = self.run_with(text=text)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr, r"quartet: left out \S+\.json: ")
            self.assertIn("no results", done.stdout)
            self.assertNotIn("Traceback", done.stderr)

    def test_launcher_in_this_folder_is_the_one_that_is_named(self):
        self.run_with()  # writes the program
        done = quartet("run", "--build", ".", "--results", "r", "--launcher", "./launcher", "--look", "0",
                       cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_missing_document_is_a_failure(self):
        done = self.run_with(writes=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("left no", done.stderr)
        self.assertIn("no results", done.stdout)

    def test_whatever_ends_it_ends_the_job(self):
        self.write("bin/stream", f"""#!/bin/sh
while [ "$1" != --json ]; do shift; done
cp {self.folder}/measured.json "$2"
echo $$ >{self.folder}/running.new && mv {self.folder}/running.new {self.folder}/running
exec sleep 600
""")
        (self.folder / "measured.json").write_text(json.dumps(
            fake_results.document(fake_results.case(fake_results.stream_name(), 10000))))
        process = self.started("--budget", "1")
        job = self.wait_for(self.folder / "running")
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, errors)
        self.assertIn("quartet: interrupted: this is what there is", errors)
        self.assertIn("stream MiB/s", output)  # what the job had written so far
        self.assertFalse(Path(f"/proc/{job}").exists())

    def test_an_interrupt_before_anything_was_measured_is_said_in_a_line(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(sys, "stdout", io.StringIO()) as output:
            file = Path(folder) / "a.json"
            file.write_text(json.dumps(fake_results.document(
                fake_results.error(fake_results.stream_name(), "stopped"))))
            self.assertTrue(run_script.show([file], False, was_interrupted=True))
        self.assertEqual(output.getvalue(), "Nothing was measured yet.\n")

    def test_second_signal_does_not_leave_the_job_behind(self):
        self.write("bin/stream", f"""#!/bin/sh
trap "" TERM
echo $$ >{self.folder}/running.new && mv {self.folder}/running.new {self.folder}/running
while :; do sleep 0.1; done
""")
        process = self.started("--budget", "1")
        job = self.wait_for(self.folder / "running")
        for _ in range(3):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75, output + errors)
        self.assertFalse(Path(f"/proc/{job}").exists())

    def test_what_cannot_be_used_is_said(self):
        (self.folder / "bin" / "stream").touch()
        (self.folder / "file").touch()
        for arguments, words in ((("--results", self.folder / "file"), "cannot be a folder"),
                                 (("--launcher", self.folder / "none"), "cannot be run"),
                                 (("--budget", "nan"), "is no positive number")):
            done = self.run_py(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_nothing_built_is_said(self):
        done = self.run_py()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("make build", done.stderr)


class Clock:
    """Launches of these weights, each of which takes `seconds` or its share, on a clock of their own."""

    def __init__(self, *weights, optional=0):
        self.now = 0.0
        self.launches = [run.Launch(run.LocalLauncher(Path("launch")), Path(f"program{number}"), 2, 1, [], weight,
                                    is_optional=number >= len(weights) - optional)
                         for number, weight in enumerate(weights)]

    def run(self, seconds, needs=0.0, most=math.inf):
        """The share of each launch, which takes at least `needs` seconds and at most `most`."""
        self.budget = Budget(seconds, self.launches, lambda: self.now)
        shares = []
        while (chosen := self.budget.next()) is not None:
            launch, share, limit = chosen
            self.now += SECONDS_TO_START + min(limit, max(needs, min(share, most)))
            shares.append((launch.program.name, share))
        return shares


class Budgets(unittest.TestCase):
    def test_the_time_is_shared_out_by_weight(self):
        clock = Clock(30, 15, 15)
        self.assertEqual([share for _, share in clock.run(120)], [59, 29, 29])
        self.assertAlmostEqual(clock.now, 120, delta=1)
        self.assertEqual(clock.budget.shortfall(), "")

    def test_what_a_launch_leaves_is_there_for_the_next(self):
        clock = Clock(10, 10, 10)
        self.assertEqual([share for _, share in clock.run(60, most=9)], [19, 24, 39])

    def test_however_slow_the_machine_every_program_is_measured(self):
        clock = Clock(30, 16, 24, 16, 6, optional=1)
        names = [name for name, _ in clock.run(90, needs=60)]
        self.assertEqual(names, ["program0", "program1", "program2", "program3"])
        self.assertLess(clock.now, 90 + 4 * (LEAST + SECONDS_TO_START))
        self.assertEqual(clock.budget.shortfall(),
                         "no time was left for 1 launch (program4 on 2 ranks): quartet run --budget 120")

    def test_second_launches_of_a_program_come_last(self):
        clock = Clock(20, 20, 20, 10, optional=1)
        clock.launches.insert(1, clock.launches.pop())
        self.assertEqual([name for name, _ in clock.run(90)], ["program0", "program1", "program2", "program3"])


class Choices(unittest.TestCase):
    def test_worst_code_follows_the_contract(self):
        self.assertEqual(worst([0, 77, 1, 3]), 3)
        self.assertEqual(worst([0, 77, 1]), 1)
        self.assertEqual(worst([0, 77]), 77)
        self.assertEqual(worst([0, 0]), 0)
        self.assertEqual(worst([0, 139]), 3)

    def test_quota_is_the_least_of_all_control_groups(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)

            def write(file, text):
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(text)

            self.assertIsNone(processor_quota(root))
            write("proc/self/cgroup", "3:cpuset:/x\n2:cpu,cpuacct:/job\n0::/a/b\n")
            write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n")
            write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n")
            write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n")
            self.assertIsNone(processor_quota(root))
            write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "300000\n")
            self.assertEqual(processor_quota(root), 3)
            write("sys/fs/cgroup/cpu.max", "150000 100000\n")
            self.assertEqual(processor_quota(root), 1.5)

    def test_stream_runs_a_pair_and_all_cores(self):
        ranks = RUNS["stream"][0].ranks
        self.assertEqual([ranks(Machine(cores, 0)) for cores in (1, 2, 3, 64)],
                         [[2], [2], [2, 3], [2, 64]])

    def test_stream_sizes_fit_the_memory(self):
        arguments = RUNS["stream"][0].arguments
        for memory, ranks, sizes in ((1 << 40, 2, "2,128"), (3 << 29, 2, "2,128"),
                                     ((3 << 29) - 1, 2, "2,64"), (3 << 29, 4, "2,64"),
                                     (0, 2, "2")):
            self.assertIn(sizes, arguments(Machine(4, memory), ranks))

    def test_matmul_has_as_many_tiles_for_each_rank(self):
        for ranks in (2, 4, 8, 16):
            arguments = RUNS["matmul"][0].arguments(Machine(ranks, 1 << 40), ranks)
            size, tile = (int(arguments[arguments.index(flag) + 1]) for flag in ("--size", "--tile"))
            self.assertEqual((size // tile) ** 2 % ranks, 0)

    def test_cg_sizes_fit_the_memory(self):
        arguments = RUNS["cg"][0].arguments
        for memory, size in ((1 << 40, "8192"), (600 << 20, "8192"), (550 << 20, "4096"),
                             (0, "1024")):
            self.assertIn(size, arguments(Machine(2, memory), 2))
