"""What each flag of the programs does, as seen from outside."""

import os
import pty
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from quartet_cli import KERNELS, LAUNCHER, PROGRAMS, assert_refused, cases, foreign_flags, listed, main, medians, run, schemas

# Words of all programs.
FLAGS = """--device --formulation --transport --list --runs --ci --warmup --seed --verify --limits
--budget --remeasure --threads --isa --math --memory --device-memory --lookahead --chunk --pipeline --json
--force --trace --progress --quiet --config --dry-run --version --help --reducers --queue --schedule
--reducer-device""".split()

# Several sizes as they may be written, and as rows name them.
SIZES = {"stream": ("4k:16k,1M", ["4KiB", "8KiB", "16KiB", "1MiB"]),
         "matmul": ("32:64,0.125k", ["32", "64", "128"]), "cg": ("8:16,1e2", ["8", "16", "100"]),
         "fft": ("4k:8k,1e4", ["4096", "8192", "10000"])}


class Flags(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def run_small(self, kernel, *arguments, ranks=2):
        """One small case that has to succeed."""
        outcome = run(kernel.name, ranks, kernel.small, *arguments)
        self.assertEqual(outcome.code, 0, outcome)
        return outcome

    def test_help_names_every_flag_once(self):
        for kernel in KERNELS:
            text = self.run_small(kernel, "--help").stdout
            shown = re.findall(r"(?m)^  (--[\w-]+)", text)
            shown += foreign_flags(text)
            self.assertLessEqual(set(FLAGS), set(shown))
            self.assertEqual(len(shown), len(set(shown)))
            self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_the_examples_of_the_help_work(self):
        for kernel in KERNELS:
            text = self.run_small(kernel, "--help").stdout
            examples = re.findall(rf"(?m)^  mpirun -n (\d) {kernel.name} (.+)$", text)
            self.assertEqual(len(examples), 3)
            for ranks, arguments in examples:
                words = re.sub(r"(--data) \S+", rf"\1 {self.folder}/tiles", arguments)
                outcome = run(kernel.name, int(ranks), words, "--device host --dry-run")
                self.assertEqual(outcome.code, 0, outcome)

    def test_choices_plan_and_roles_fit_80_columns(self):
        for flags in ("--list", "--dry-run", "--cluster --runs 1 --limits off"):
            outcome = self.run_small(KERNELS[2], flags)
            text = outcome.stdout if "cluster" not in flags else outcome.stdout.split("cg on ")[0]
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_each_program_takes_size_and_sizes_alike(self):
        for kernel in KERNELS:
            flag, size = kernel.small.split()[:2]
            other = {"--size": "--sizes", "--sizes": "--size"}[flag]
            there = [run(kernel.name, 2, kernel.small.replace(f"{flag} {size}", f"{word} {size}"),
                         "--dry-run").stdout.split() for word in (flag, other)]
            names = [[word for word in words if word.startswith(kernel.name + "/")]
                     for words in there]
            self.assertEqual(names[0], names[1])
            self.assertNotEqual(names[0], [])

    def test_sizes_are_lists_and_ranges_each_run_in_turn(self):
        for kernel in KERNELS:
            text, sizes = SIZES[kernel.name]
            small = re.sub("--tiles? [0-9]+", "", kernel.small)
            outcome = run(kernel.name, 2, small, f"--sizes {text} --runs 1 --limits off",
                          "--transport mpi")
            self.assertEqual(outcome.code, 0, outcome)
            found = [re.search(r"/(?:n|size):(\w+)/", name)[1]
                     for name in cases(outcome.document) if not name.endswith("/paper")]
            self.assertEqual(found, sizes)
            self.assertEqual(schemas.problems("results", outcome.document), [])

    def test_filter_leaves_the_cases_whose_names_match(self):
        for kernel in KERNELS:
            arguments = "--transport mpi,shm --filter /native/.*/shm/ --runs 1"
            outcome = self.run_small(kernel, arguments)
            self.assertEqual(list(cases(outcome.document)), [
                name for name in kernel.names(2, ["shm"]) if "/native/" in name])
            self.assertEqual(outcome.document["context"]["quartet"]["options"]["filter"],
                             "/native/.*/shm/")
            shown = self.run_small(kernel, "--transport mpi,shm --filter /mpi/ --dry-run").stdout
            self.assertIn(f"  {kernel.name}/native/host/mpi/", shown)
            self.assertNotIn("/host/shm/", shown)

    def test_filter_comes_before_the_memory_is_judged(self):
        for kernel in KERNELS:
            size = kernel.small.split()[1]
            flag, large, *more = kernel.too_large.split()
            name = kernel.factors.split("/")[0 if kernel.name in ("stream", "matmul") else -2]
            outcome = run(kernel.name, 2, kernel.small, f"{flag} {size},{large} --dry-run",
                          *more, f"--filter /{name}/")
            self.assertEqual(outcome.code, 0, outcome)

    def test_output_that_cannot_be_written_is_a_failure(self):
        """Without a launcher, which would write for the program."""
        for kernel in KERNELS:
            for words in ("--help", "--version", "--list",
                          *(("--dry-run", "--runs 1 --warmup 0 --limits off") if kernel.least_ranks == 1 else ())):
                with open("/dev/full", "w", encoding="utf-8") as full:
                    done = subprocess.run([PROGRAMS / kernel.name, *kernel.small.split(), *words.split()], stdout=full,
                                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
                self.assertEqual(done.returncode, 3, (kernel.name, words, done.stderr))
                self.assertEqual(done.stderr, f"{kernel.name}: standard output cannot be written (No space left on "
                                 "device): send it elsewhere\n")

    def test_version_is_one_line(self):
        for kernel in KERNELS:
            outcome = self.run_small(kernel, "--version")
            self.assertRegex(outcome.stdout, r"\Aquartet \d+\.\d+\.\d+ .*\n\Z")

    def test_list_runs_nothing(self):
        for kernel in KERNELS:
            outcome = self.run_small(kernel, "--list", ranks=1)
            self.assertIsNone(outcome.document)
            for name in ("host", "mpi", *kernel.formulations):
                self.assertEqual(listed(kernel.name)[name], "available")
            self.assertRegex(outcome.stdout, r"(?m)^transports on \w+ \(auto: \w+\)$")

    def test_each_instruction_set_of_the_processor_gives_right_results(self):
        by_name = {kernel.name: kernel for kernel in KERNELS}
        there = listed("cg")
        sets = [name for name in ("baseline", "avx2", "avx512", "neon", "sve256", "sve512")
                if name in there]
        self.assertNotEqual(sets, [])
        for name in sets:
            for kernel in (by_name["cg"], by_name["fft"]):
                outcome = run(kernel.name, 2, kernel.small, f"--isa {name} --runs 1 --limits off")
                if there[name] != "available":
                    assert_refused(self, outcome, 77, kernel.name, f"does not have {name}")
                    continue
                self.assertEqual(outcome.code, 0, outcome)
                self.assertIn(f"{kernel.name} on host ({name}), 2 ranks", outcome.stdout)
                self.assertEqual(outcome.document["context"]["quartet"]["isa"], name)
                self.assertEqual([row["isa"] for row in medians(outcome.document)], [name])
                self.assertEqual([row["verified"] for row in medians(outcome.document)], [True])
        widest = [name for name in sets if there[name] == "available"][-1]
        document = self.run_small(by_name["cg"], "--runs 1 --limits off").document
        self.assertEqual(document["context"]["quartet"]["isa"], widest)

    def test_an_unknown_instruction_set_is_bad_usage(self):
        for kernel in KERNELS:
            outcome = run(kernel.name, 2, kernel.small, "--isa mmx")
            assert_refused(self, outcome, 2, kernel.name, "--isa: 'mmx' is not one of auto|")

    def test_dry_run_estimates_and_writes_nothing(self):
        for kernel in KERNELS:
            trace, results = self.folder / "trace.json", self.folder / "results.json"
            outcome = self.run_small(kernel, f"--dry-run --trace {trace} --json {results}")
            lines = outcome.stdout.splitlines()
            self.assertEqual(
                len([line for line in lines if re.fullmatch(r"estimated time: [\d.]+ s", line)]), 1)
            for name in kernel.names(2, [self.automatic(kernel)])[:1]:
                self.assertEqual(len([line for line in lines if name in line.split()]), 1)
            self.assertEqual(list(self.folder.iterdir()), [])

    def automatic(self, kernel):
        return re.search(r"\(auto: (\w+)\)", run(kernel.name, 2, "--list --device host").stdout)[1]

    def test_auto_transport_is_named(self):
        for kernel in KERNELS:
            names = list(cases(self.run_small(kernel, "--runs 1").document))
            self.assertEqual(names, [
                name for name in kernel.names(2, [self.automatic(kernel)]) if "/native/" in name])

    def test_as_many_runs_are_made_as_fit_into_the_budget(self):
        for kernel in KERNELS:
            outcome = self.run_small(kernel, "--runs 100000 --budget 1 --limits off --transport mpi")
            self.assertTrue(1 < medians(outcome.document)[0]["repetitions"] < 100000, outcome)
            self.assertLess(outcome.seconds, 30)

    def test_rows_are_printed_and_nothing_with_quiet(self):
        for kernel in KERNELS:
            self.assertIn(kernel.rate, self.run_small(kernel, "--runs 1").stdout)
            outcome = self.run_small(kernel, "--runs 1 --quiet")
            self.assertEqual((outcome.stdout, outcome.stderr), ("", ""))

    def test_progress_goes_to_standard_error(self):
        for kernel in KERNELS:
            outcome = self.run_small(kernel, "--runs 1 --quiet --transport mpi,shm --progress on")
            names = [name for name in kernel.names(2, ["mpi", "shm"])
                     if "/native/" in name and not name.endswith("/paper")]
            lines = [re.sub(r", \d+ s (left|so far)$", "", line) for line in outcome.stderr.splitlines()]
            begun = [line for line in lines
                     if line.startswith("[") and not re.search(r": run \d+", line)]  # of runs that take seconds
            self.assertEqual(list(dict.fromkeys(begun)), [
                f"[{index}/{len(names)}] {name}" for index, name in enumerate(names, 1)])
            self.assertEqual(outcome.stdout, "")

    # A run that takes long: its first lines, and what they mean.
    def first_lines(self, count, *arguments, **environment):
        command = [LAUNCHER, "1", PROGRAMS / "cg", "--size", "500", "--iterations", "10000000", "--quiet", *arguments]
        ours, terminal = pty.openpty() if not environment else os.pipe()
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=terminal,
                              env={**os.environ, **environment}) as process:
            os.close(terminal)
            with open(ours, encoding="utf-8", errors="replace") as shown:
                lines = [shown.readline() for _ in range(count)]
                process.terminate()  # after the run under way
                time.sleep(1)
                process.terminate()  # now
        return lines

    def test_progress_shows_on_a_terminal_behind_the_launcher(self):
        expected, begun, again = self.first_lines(3)
        self.assertRegex(expected, r"^cg: about \d+ s of measuring$")
        for line in (begun, again):
            self.assertRegex(line, r"^\[1/1\] cg/native/.*, \d+ s left$")

    def test_a_batch_job_says_how_long_it_takes(self):
        self.assertRegex(self.first_lines(1, PBS_JOBID="1")[0], r"^cg: about \d+ s of measuring$")

    def test_verify_off_is_no_verdict(self):
        for kernel in KERNELS:
            for row in medians(self.run_small(kernel, "--runs 1 --verify off").document):
                self.assertIsNone(row["verified"])
                self.assertNotIn("error", row)

    def test_limits_off_is_no_limit(self):
        for kernel in KERNELS:
            for row in medians(self.run_small(kernel, "--runs 1 --limits off").document):
                self.assertNotIn("limit", row)
                self.assertNotIn("fraction_of_limit", row)

    def test_trace_has_spans_of_every_rank(self):
        for kernel in KERNELS:
            file = self.folder / f"{kernel.name}.json"
            self.run_small(kernel, f"--runs 1 --transport mpi --trace {file}", ranks=3)
            events = schemas.read_strictly(file)["traceEvents"]
            spans = [event for event in events if event["ph"] == "X"]
            self.assertEqual({span["pid"] for span in spans}, {0, 1, 2})
            for span in spans:
                self.assertGreaterEqual(span["ts"], 0)
                self.assertGreaterEqual(span["dur"], 0)
                self.assertNotEqual(span["name"], "")
            tracks = {(event["pid"], event["tid"]) for event in events
                      if event["ph"] == "M" and event["name"] == "thread_name"}
            self.assertLessEqual({(span["pid"], span["tid"]) for span in spans}, tracks)

    def test_trace_names_ranks_lines_and_runs(self):
        for kernel in KERNELS:
            file = self.folder / f"{kernel.name}_names.json"
            outcome = self.run_small(kernel, f"--runs 2 --limits off --remeasure off --trace {file}", ranks=2)
            document = schemas.read_strictly(file)
            self.assertEqual(document["otherData"], {"dropped_spans": 0})
            events = document["traceEvents"]
            names = [event["args"]["name"] for event in events if event["name"] == "process_name"]
            self.assertEqual([name.split(", ")[0] for name in names], ["rank 0", "rank 1"])
            for name in names:
                self.assertRegex(name, r"^rank \d, [^,]+, (worker|reducer|worker or reducer)$")
            first = medians(outcome.document)[0]["run_name"].removesuffix("/paper")
            runs = [event for event in events if event["ph"] == "X" and event["name"] == first]
            self.assertEqual(len(runs), 2 * (1 + 2), "each run, and the one to warm up, of each rank")
            for each in runs:
                within = [event for event in events if event["ph"] == "X" and event["tid"] > 0 and
                          event["pid"] == each["pid"] and event["ts"] >= each["ts"] and
                          event["ts"] + event["dur"] <= each["ts"] + each["dur"]]
                self.assertNotEqual(within, [], "a run without spans")

    def test_runs_auto_takes_at_least_six(self):
        for kernel in KERNELS:
            document = self.run_small(kernel, "--runs auto --ci 99%").document
            for case in cases(document).values():
                self.assertGreaterEqual(len(case["runs"]), 6)
                self.assertEqual(case["median"]["repetitions"], len(case["runs"]))
                said = any(case["median"]["run_name"] + " converged after" in text for text in
                           document["context"]["quartet"]["warnings"])
                self.assertEqual(said, len(case["runs"]) < 9)

    def test_threads_are_in_the_name(self):
        for kernel in KERNELS:
            document = self.run_small(kernel, "--runs 1 --threads 2").document
            for row in document["benchmarks"]:
                self.assertRegex(row["run_name"], r"/threads:2(/paper)?$")
                self.assertEqual(row["threads"], 2)

    def test_name_has_transfer_settings_that_are_not_defaults(self):
        for kernel in KERNELS:
            outcome = self.run_small(kernel, "--runs 1 --chunk 16KiB --pipeline off")
            for name in cases(outcome.document):
                if kernel.transfers:
                    self.assertIn("/chunk:16KiB/pipeline:off/", name)
                else:
                    self.assertNotIn("/chunk:", name)

    def test_config_file_equals_the_flags(self):
        for kernel in KERNELS:
            flags = "--transport mpi,shm --runs 2 --pipeline off --quiet"
            config = self.folder / "flags.toml"
            config.write_text('transport = mpi,shm\nruns = 2\npipeline = "off"\nquiet = true\n')
            by_flags = self.run_small(kernel, flags)
            by_file = self.run_small(kernel, f"--config {config}")
            for outcome in (by_flags, by_file):
                outcome.document["context"]["quartet"]["options"].update(config="", json="")
            self.assertEqual(list(cases(by_file.document)), list(cases(by_flags.document)))
            self.assertEqual(by_file.document["context"]["quartet"]["options"],
                             by_flags.document["context"]["quartet"]["options"])
            self.assertEqual((by_file.stdout, by_flags.stdout), ("", ""))

    def test_command_line_overrides_the_config_file(self):
        for kernel in KERNELS:
            config = self.folder / "flags.toml"
            config.write_text('transport = ["mpi", "shm"]\nruns = 3\n')
            outcome = self.run_small(kernel, f"--config {config} --runs 2 --transport mpi")
            self.assertEqual({len(case["runs"]) for case in cases(outcome.document).values()}, {2})
            self.assertEqual(len(cases(outcome.document)), len(kernel.clocks))

    def test_seed_changes_the_data_and_nothing_else(self):
        for kernel in KERNELS:
            one, other = (self.run_small(kernel, f"--runs 1 --seed {seed}").document
                          for seed in (1, 12345))
            self.assertEqual(list(cases(one)), list(cases(other)))
            self.assertEqual([row["verified"] for row in medians(other)],
                             [True] * len(kernel.clocks))


class Pairs(unittest.TestCase):
    def test_every_ordered_pair_is_measured_once(self):
        outcome = run("stream", 3, "--pairs --sizes 64KiB --pushes 2 --runs 6 --transport mpi,shm")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual(schemas.problems("results", outcome.document), [])
        names = list(cases(outcome.document))
        pairs = [(transport, f"pair:{sender}-{receiver}") for transport in ("mpi", "shm")
                 for sender in range(3) for receiver in range(3) if sender != receiver]
        self.assertEqual([(name.split("/")[3], name.split("/")[-1]) for name in names], pairs)
        for row in medians(outcome.document):
            self.assertIs(row["verified"], True)
            self.assertEqual(row["bytes"], 2 * 64 * 2**10)
            self.assertEqual(row["workers"], 1)
            self.assertIn("limit", row)

    def test_defaults_are_sixteen_mebibytes_and_ten_pushes(self):
        lines = run("stream", 2, "--pairs --dry-run").stdout.splitlines()
        self.assertEqual(len([line for line in lines if "/size:16MiB/pushes:10/" in line]), 2)


if __name__ == "__main__":
    main()
