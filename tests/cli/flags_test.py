"""What each flag of the programs does, as seen from outside, and what cannot be served: refused in one line, by its
exit code, before anything is done. How flags are read: tests/bench/flags."""

import os
import pty
import re
import subprocess
import time
import unittest

from quartet_cli import (BAD_USAGE, CG, FAILED, FFT, FORMULATIONS, KERNELS, LAUNCHER, PROGRAMS, STREAM, UNAVAILABLE,
                         Scratch, assert_refused, cases, errors, foreign_flags, listed, main, medians, run, run_each,
                         schemas, unavailable_transports)

QUICK_SECONDS = 20


class Flags(Scratch):
    def run_small(self, kernel, *arguments, ranks=2):
        """One small case that has to succeed."""
        outcome = run(kernel.name, ranks, kernel.small, *arguments)
        self.assertEqual(outcome.code, 0, outcome)
        return outcome

    def cg(self, *arguments, ranks=2):
        return self.run_small(CG, *arguments, ranks=ranks)

    def test_help_names_every_flag_once_and_its_examples_work(self):
        for kernel in KERNELS:
            text = self.run_small(kernel, "--help").stdout
            shown = re.findall(r"(?m)^  (--[\w-]+)", text) + foreign_flags(text)
            self.assertEqual(len(shown), len(set(shown)))
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            examples = re.findall(rf"(?m)^  mpirun -n (\d) {kernel.name} (.+)$", text)
            self.assertGreater(len(examples), 0)
            for ranks, arguments in examples:
                words = re.sub(r"(--data) \S+", rf"\1 {self.folder}/tiles", arguments)
                outcome = run(kernel.name, int(ranks), words, "--device host --dry-run")
                self.assertEqual(outcome.code, 0, outcome)

    def test_sizes_are_lists_and_ranges_each_run_in_turn(self):
        for kernel in KERNELS:
            text, sizes = kernel.sizes
            small = re.sub("--tiles? [0-9]+", "", kernel.small)
            outcome = run(kernel.name, 2, small, f"--sizes {text} --runs 1 --limits off --transport mpi")
            self.assertEqual(outcome.code, 0, outcome)
            found = [re.search(r"/(?:n|size):(\w+)/", name)[1]
                     for name in cases(outcome.document) if not name.endswith("/paper")]
            self.assertEqual(found, sizes)

    def test_filter_leaves_the_cases_whose_names_match_before_memory_is_judged(self):
        outcome = self.cg("--transport mpi,shm --filter /native/.*/shm/ --runs 1")
        self.assertEqual(list(cases(outcome.document)), CG.names(2, ["shm"], ["native"]))
        shown = self.cg("--size 100,2^20 --dry-run --filter /n:100/").stdout
        self.assertIn("/n:100/", shown)
        self.assertNotIn("/n:1048576/", shown)

    def test_output_that_cannot_be_written_is_a_failure(self):
        """Without a launcher, which would write for the program."""
        for words in ("--help", "--list", "--dry-run", "--runs 1 --warmup 0 --limits off"):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([PROGRAMS / "cg", *CG.small.split(), *words.split()], stdout=full,
                                      stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False)
            self.assertEqual(done.returncode, FAILED, (words, done.stderr))
            self.assertEqual(done.stderr, "cg: standard output cannot be written (No space left on device): "
                             "send it elsewhere\n")

    def test_version_and_list_run_nothing(self):
        self.assertRegex(self.cg("--version").stdout, r"\Aquartet \d+\.\d+\.\d+ .*\n\Z")
        for kernel in KERNELS:
            for name in ("host", "mpi", "shm", *(one for one in kernel.formulations if one != "library")):
                self.assertEqual(listed(kernel.name)[name], "available")

    def test_each_instruction_set_of_the_processor_gives_right_results(self):
        there = listed("cg")
        sets = [name for name in ("baseline", "avx2", "avx512", "neon", "sve256", "sve512") if name in there]
        self.assertNotEqual(sets, [])
        for name in sets:
            for kernel in (CG, FFT):
                outcome = run(kernel.name, 2, kernel.small, f"--isa {name} --runs 1 --limits off")
                if there[name] != "available":
                    assert_refused(self, outcome, UNAVAILABLE, kernel.name, f"does not have {name}")
                    continue
                self.assertEqual(outcome.code, 0, outcome)
                self.assertIn(f"{kernel.name} on host ({name}), 2 ranks", outcome.stdout)
                self.assertEqual([(row["isa"], row["verified"]) for row in medians(outcome.document)], [(name, True)])
        widest = [name for name in sets if there[name] == "available"][-1]
        self.assertEqual(self.cg("--runs 1 --limits off").document["context"]["quartet"]["isa"], widest)

    def test_dry_run_estimates_and_writes_nothing(self):
        for kernel in KERNELS:
            trace, results = self.folder / "trace.json", self.folder / "results.json"
            outcome = self.run_small(kernel, f"--dry-run --trace {trace} --json {results}")
            self.assertRegex(outcome.stdout, r"(?m)^estimated time: [\d.]+ s$")
            automatic = re.search(r"\(auto: (\w+)\)", run(kernel.name, 2, "--list --device host").stdout)[1]
            self.assertIn(kernel.names(2, [automatic], ["native"])[0], outcome.stdout.split())
            self.assertLessEqual(max(map(len, outcome.stdout.splitlines())), 80)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_rows_are_printed_and_nothing_with_quiet_and_progress_goes_to_standard_error(self):
        for kernel in KERNELS:
            self.assertIn(kernel.rate, self.run_small(kernel, "--runs 1").stdout)
        quiet = self.cg("--runs 1 --quiet")
        self.assertEqual((quiet.stdout, quiet.stderr), ("", ""))
        shown = self.cg("--runs 1 --quiet --transport mpi,shm --progress on")
        self.assertEqual(shown.stdout, "")
        begun = [re.sub(r", \d+ s (left|so far)$", "", line) for line in shown.stderr.splitlines()
                 if line.startswith("[") and ": run " not in line]
        self.assertEqual(list(dict.fromkeys(begun)), [f"[{index}/2] {name}" for index, name in
                                                      enumerate(CG.names(2, ["mpi", "shm"], ["native"]), 1)])

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

    def test_progress_shows_on_a_terminal_behind_the_launcher_and_in_a_batch_job(self):
        expected, begun = self.first_lines(2)
        self.assertRegex(expected, r"^cg: about \d+ s of measuring$")
        self.assertRegex(begun, r"^\[1/1\] cg/native/.*, \d+ s left$")
        self.assertRegex(self.first_lines(1, PBS_JOBID="1")[0], r"^cg: about \d+ s of measuring$")

    def test_without_verify_and_limits_nothing_is_claimed(self):
        for row in medians(self.cg("--runs 1 --verify off --limits off").document):
            self.assertIsNone(row["verified"])
            self.assertFalse({"error", "limit", "fraction_of_limit"} & set(row))

    def test_runs_auto_takes_at_least_six(self):
        document = self.cg("--runs auto --ci 99%").document
        for case in cases(document).values():
            self.assertGreaterEqual(len(case["runs"]), 6)
            self.assertEqual(case["median"]["repetitions"], len(case["runs"]))

    def test_threads_and_transfer_settings_are_in_the_name(self):
        for row in self.cg("--runs 1 --threads 2").document["benchmarks"]:
            self.assertTrue(row["run_name"].endswith("/threads:2"))
            self.assertEqual(row["threads"], 2)
        for kernel in (STREAM, CG):
            for name in cases(self.run_small(kernel, "--runs 1 --chunk 16KiB --pipeline off").document):
                self.assertEqual("/chunk:16KiB/pipeline:off/" in name, kernel is STREAM)

    def test_config_file_equals_the_flags_which_override_it(self):
        config = self.folder / "flags.toml"
        config.write_text('transport = "mpi,shm"\nruns = 3\npipeline = "off"\nquiet = true\n')
        by_flags = self.cg("--transport mpi,shm --runs 2 --pipeline off --quiet")
        by_file = self.cg(f"--config {config} --runs 2")
        for outcome in (by_flags, by_file):
            outcome.document["context"]["quartet"]["options"].update(config="", json="")
        self.assertEqual(list(cases(by_file.document)), list(cases(by_flags.document)))
        self.assertEqual(by_file.document["context"]["quartet"]["options"],
                         by_flags.document["context"]["quartet"]["options"])

    def test_seed_changes_the_data_and_nothing_else(self):
        one, other = (self.cg(f"--problem random --runs 1 --seed {seed}").document for seed in (1, 12345))
        self.assertEqual(list(cases(one)), list(cases(other)))
        self.assertTrue(all(row["verified"] for row in medians(other)))
        self.assertNotEqual(medians(one)[0]["residual_history"], medians(other)[0]["residual_history"])

    def test_every_ordered_pair_is_measured_once(self):
        outcome = run("stream", 3, "--pairs --sizes 64KiB --pushes 2 --runs 2 --transport mpi,shm")
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual(schemas.problems("results", outcome.document), [])
        pairs = [(transport, f"pair:{sender}-{receiver}") for transport in ("mpi", "shm")
                 for sender in range(3) for receiver in range(3) if sender != receiver]
        self.assertEqual([(name.split("/")[3], name.split("/")[-1]) for name in cases(outcome.document)], pairs)
        self.assertTrue(all(row["verified"] and row["workers"] == 1 for row in medians(outcome.document)))

    def test_each_rank_has_its_role_and_place(self):
        outcome = self.cg("--formulation dataflow --runs 1 --limits off", ranks=3)
        placement = outcome.document["context"]["quartet"]["placement"]
        self.assertEqual([(task["role"], task["rank"]) for task in placement],
                         [("reducer", 0), ("worker", 1), ("worker", 2)])
        self.assertIn("dataflow: 1 reducer, 2 workers\n", self.cg("--formulation dataflow --dry-run", ranks=3).stdout)


class Refusals(Scratch):
    def test_are_one_line_of_one_rank(self):
        config = self.folder / "config"
        config.write_text("runs = 1\nnonsense = 3\n")
        jobs = [(kernel, arguments, reason) for kernel in KERNELS for arguments, reason in (
            (kernel.refused, kernel.refused.split()[0]), (kernel.too_large, "are available"))]
        jobs += [(CG, arguments, reason) for arguments, reason in {
            "--sise 8": "did you mean --size", "--transport mip": "did you mean mpi?",
            "--filter nothing-such": "matches no row", f"--config {config}": "nonsense",
            "--memory 1KiB": "--memory allows 1 KiB", "--queue 4": "--queue"}.items()]
        outcomes = run_each([(kernel.name, 4, kernel.small, arguments) for kernel, arguments, _ in jobs])
        for (kernel, arguments, reason), outcome in zip(jobs, outcomes):
            with self.subTest(kernel.name, arguments=arguments):
                assert_refused(self, outcome, BAD_USAGE, kernel.name, reason)
                self.assertEqual((outcome.stdout, outcome.document), ("", None))
                self.assertLess(outcome.seconds, QUICK_SECONDS)
        refused = run("stream", 1, STREAM.small)
        assert_refused(self, refused, BAD_USAGE, "stream", "needs at least 2 ranks")

    def test_plans_too_long_to_list_are_refused_at_once(self):
        folder = f"--data {self.folder}/data --generate --dry-run"
        for arguments in ("matmul --size 2^28 --dry-run", f"matmul --size 65536 --tile 1 {folder}",
                          f"fft --size 2^34 --tiles 2^33 {folder}"):
            outcome = run(arguments.split()[0], 2, arguments.split(maxsplit=1)[1])
            assert_refused(self, outcome, BAD_USAGE, arguments.split()[0], "1048576 are the most")
            self.assertLess(outcome.seconds, QUICK_SECONDS)

    def test_sums_of_memory_do_not_wrap(self):
        outcome = run("matmul", 2, "--size 2^28 --tile 2^28 --transport mpi")
        assert_refused(self, outcome, BAD_USAGE, "matmul", "are available")
        self.assertNotRegex(outcome.stderr, "-[0-9]")

    def test_outputs_are_kept_unless_forced_and_never_lie_on_inputs(self):
        file = self.folder / "results.json"
        file.write_text("precious")
        for flag in ("--json", "--trace"):
            assert_refused(self, run("cg", 2, CG.small, f"--runs 1 {flag} {file}"), BAD_USAGE, "cg", f"{file} exists")
            self.assertEqual(file.read_text(), "precious")
        self.assertEqual(run("cg", 2, CG.small, f"--runs 1 --force --json {file}").code, 0)
        self.assertNotEqual(medians(schemas.read_strictly(file)), [])
        self.assertEqual(list(self.folder.iterdir()), [file])
        for name in (f"{self.folder}/{'n' * 250}", "/proc/x.json", f"{self.folder}/missing/x.json"):
            for flag in ("--json", "--trace"):
                self.assertEqual(run("cg", 2, CG.small, flag, name).code, BAD_USAGE)


class Unavailable(unittest.TestCase):
    def test_flags_of_other_programs_and_devices(self):
        for kernel in KERNELS:
            flags = foreign_flags(run(kernel.name, 2, "--help").stdout)
            for flag in flags[:1]:
                assert_refused(self, run(kernel.name, 2, kernel.small, f"{flag} 1"), UNAVAILABLE, kernel.name,
                               f"not available in this build: {flag}")
        reason = listed("cg")["cuda"]
        if reason != "available":
            assert_refused(self, run("cg", 2, CG.small, "--device cuda"), UNAVAILABLE, "cg", reason)

    def test_named_transports_become_error_rows_and_one_reason_is_said_once(self):
        missing = unavailable_transports(CG)
        if not missing:
            self.skipTest("every transport is there")
        outcome = run("cg", 2, CG.small, "--runs 6 --quiet",
                      f"--transport {missing[0]},mpi,{','.join(missing[1:])}".rstrip(","))
        self.assertEqual(outcome.code, UNAVAILABLE)
        self.assertEqual(outcome.stderr.splitlines(), [f"cg: {listed('cg')[name]}" for name in missing])
        self.assertEqual(schemas.problems("results", outcome.document), [])
        self.assertEqual([row["error_message"] for row in errors(outcome.document)],
                         [listed("cg")[name] for name in missing])
        self.assertEqual([row["verified"] for row in medians(outcome.document)], [True])
        all_of_them = run("cg", 2, CG.small, f"--transport {missing[0]} --formulation {','.join(FORMULATIONS)}")
        assert_refused(self, all_of_them, UNAVAILABLE, "cg", listed("cg")[missing[0]])
        self.assertEqual(len(errors(all_of_them.document)), len(FORMULATIONS))

    def test_an_address_to_listen_on_that_is_none_is_refused_in_one_line(self):
        if "grpc" in unavailable_transports(STREAM):
            self.skipTest("this build has no gRPC")
        for address in ("127.0.0.1:99", "\x1b[2J\n"):
            outcome = run("stream", 2, "--sizes 64KiB --runs 1 --transport grpc",
                          prefix=("env", f"QUARTET_GRPC_ADDRESS={address}"))
            assert_refused(self, outcome, UNAVAILABLE, "stream", "transport grpc cannot listen on",
                           "QUARTET_GRPC_ADDRESS names the address")


if __name__ == "__main__":
    main()
