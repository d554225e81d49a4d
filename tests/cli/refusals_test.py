"""What cannot be served is refused in one line, by its exit code, before anything is done."""

import os
import shlex
import tempfile
import unittest
from pathlib import Path

from quartet_cli import KERNELS, assert_refused, errors, foreign_flags, listed, main, medians, run, run_each, schemas, unavailable_transports

BAD_USAGE = 2
UNAVAILABLE = 77
QUICK_SECONDS = 20

# What every program refuses: its line repeats the flag and the value.
REFUSALS = ("--frobnicate", "stray", "--device gpu", "--formulation fast", "--formulation native,",
            "--transport tcp", "--transport mpi,,shm", "--runs", "--runs 0", "--runs abc",
            "--runs 99999999999999999999", "--ci 0", "--ci 100%", "--warmup -1", "--seed -1",
            "--verify maybe", "--limits 1", "--threads 0", "--threads many", "--memory lots",
            "--chunk 1", "--pipeline maybe", "--progress loud", "--json ''", "--trace ''")
# Other reasons that are given. {folder} holds a few files.
REASONS = {
    "--transport mpi,tcp": "tcp",
    "--transport mip": "did you mean mpi?",
    "--formulation nativ": "did you mean native?",
    "--device hst": "did you mean host?",
    "--sise 8": "no flag is called '--sise': did you mean --size",
    "--filter nothing-such": "matches no row: there are ",
    "--filter (": "--filter: '(' is no regular expression",
    "--memory 1KiB": "--memory allows 1 KiB",
    "--config {folder}/missing": "{folder}/missing",
    "--config {folder}/unknown_key": "nonsense",
    "--config {folder}/bad_value": "--runs: '0'",
    "--config {folder}/bad_syntax": "--runs: bad number",
    "--config {folder}/open_quote": "lacks a closing quote",
    "--config {folder}/bad_switch": "force: '-5' is neither true nor false",
    "--config {folder}/long_line": "at most 4096",
    "--config {folder}/sections": "is a section",
    "--config ''": "--config: file name is empty",
    "--config /dev/zero": "not a regular file",
    "--json {folder}/missing/results.json": "{folder}/missing is not a folder",
    "--json {folder}": "{folder} exists",
    "--trace {folder}/missing/trace.json": "{folder}/missing is not a folder",
}
FILES = {"unknown_key": "runs = 1\nnonsense = 3\n", "bad_value": "runs = 0\n",
         "bad_syntax": "runs = = 6\n", "open_quote": 'json="abc\n', "bad_switch": "force=-5\n",
         "long_line": "x" * 5000, "sections": "[a" + ".a" * 1000 + "]\n"}


class BadInput(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        for name, text in FILES.items():
            (Path(self.folder) / name).write_text(text)

    def assert_all_refused(self, kernel, ranks, reasons):
        outcomes = run_each([(kernel.name, ranks, kernel.small, arguments)
                             for arguments in reasons])
        for (arguments, given), outcome in zip(reasons.items(), outcomes):
            with self.subTest(kernel.name, arguments=arguments):
                assert_refused(self, outcome, BAD_USAGE, kernel.name, *given)
                self.assertEqual(outcome.stdout, "")
                self.assertIsNone(outcome.document)

    def test_is_refused_in_one_line(self):
        reasons = {arguments.format(folder=self.folder): [reason.format(folder=self.folder)]
                   for arguments, reason in REASONS.items()}
        for kernel in KERNELS:
            for ranks, refusals in ((2, REFUSALS + kernel.refusals), (4, kernel.refusals_of_many)):
                words = {arguments: shlex.split(arguments) for arguments in refusals}
                self.assert_all_refused(kernel, ranks, {**words, **(reasons if ranks == 2 else {})})
        self.assertEqual({file.name for file in Path(self.folder).iterdir()}, set(FILES))

    def test_a_pipe_for_a_file_is_not_waited_for(self):
        pipe = Path(self.folder) / "pipe"
        os.mkfifo(pipe)
        for kernel in KERNELS:
            outcome = run(kernel.name, 2, kernel.small, f"--config {pipe}")
            assert_refused(self, outcome, BAD_USAGE, kernel.name, "not a regular file")

    def test_plans_too_long_to_list_are_refused_at_once(self):
        folder = f"--data {self.folder}/data --generate --dry-run"
        for arguments in ("matmul --size 2^28 --dry-run", "matmul --size 65536 --tile 1 " + folder,
                          "matmul --size 2^28 --formulation dataflow --dry-run",
                          "fft --size 2^34 --tiles 2^33 " + folder):
            with self.subTest(arguments):
                kernel, *rest = arguments.split()
                outcome = run(kernel, 2, " ".join(rest))
                assert_refused(self, outcome, BAD_USAGE, kernel, "1048576 are the most")
                self.assertLess(outcome.seconds, QUICK_SECONDS)

    def test_sums_of_memory_do_not_wrap(self):
        for arguments in ("--size 2^28 --tile 2^20", "--size 2^28 --tile 2^28 --transport mpi"):
            outcome = run("matmul", 2, arguments)
            assert_refused(self, outcome, BAD_USAGE, "matmul", "are available")
            self.assertNotRegex(outcome.stderr, "-[0-9]")

    def test_what_no_memory_holds_is_refused_at_once(self):
        for kernel in KERNELS:
            outcome = run(kernel.name, 2, kernel.small, kernel.too_large)
            assert_refused(self, outcome, BAD_USAGE, kernel.name, "are available")
            self.assertLess(outcome.seconds, QUICK_SECONDS)

    def test_too_few_ranks(self):
        for kernel in KERNELS:
            if kernel.least_ranks > 1:
                outcome = run(kernel.name, kernel.least_ranks - 1, kernel.small)
                assert_refused(self, outcome, BAD_USAGE, kernel.name,
                               f"needs at least {kernel.least_ranks} ranks")


class FlagsWithoutEffect(unittest.TestCase):
    def test_are_refused_by_name(self):
        jobs = [(kernel.name, 2, kernel.small, arguments, flag) for kernel in KERNELS
                for arguments, flag in (("--ci 5%", "--ci"), ("--queue 16", "--queue"),
                                        ("--gpu-map 0", "--gpu-map"),
                                        ("--device-memory 1GiB", "--device-memory"),
                                        ("--queue 4 --formulation native,library", "--queue"))]
        matmul = next(kernel for kernel in KERNELS if kernel.name == "matmul")
        jobs.append(("matmul", 2, matmul.small, "--schedule static", "--schedule"))
        jobs.append(("matmul", 2, matmul.small, "--distribution 2x1x64", "--distribution"))
        for job, outcome in zip(jobs, run_each([job[:4] for job in jobs])):
            with self.subTest(job[0], arguments=job[3]):
                assert_refused(self, outcome, BAD_USAGE, job[0], f"{job[0]}: {job[4]}")


class Unavailable(unittest.TestCase):
    def test_reserved_flags(self):
        for kernel in KERNELS:
            reserved = foreign_flags(run(kernel.name, 2, "--help").stdout)
            outcomes = run_each([(kernel.name, 2, kernel.small, f"{flag} 1") for flag in reserved])
            for flag, outcome in zip(reserved, outcomes):
                with self.subTest(kernel.name, flag=flag):
                    assert_refused(self, outcome, UNAVAILABLE, kernel.name,
                                   f"not available in this build: {flag}")

    def test_cuda_where_it_is_not(self):
        for kernel in KERNELS:
            reason = listed(kernel.name)["cuda"]
            if reason == "available":
                self.skipTest("there is a GPU")
            outcome = run(kernel.name, 2, kernel.small, "--device cuda")
            assert_refused(self, outcome, UNAVAILABLE, kernel.name, reason)

    def test_formulation_that_is_not_there(self):
        missing = [(kernel, name) for kernel in KERNELS
                   for name in ("native", "dataflow", "library") if name not in kernel.formulations]
        if not missing:
            self.skipTest("every formulation is there")
        for kernel, name in missing:
            outcome = run(kernel.name, 2, kernel.small, f"--runs 1 --formulation {name}")
            assert_refused(self, outcome, UNAVAILABLE, kernel.name,
                           f"not available in this build: formulation {name}")

    def test_unavailable_named_transports_become_error_rows(self):
        for kernel in KERNELS:
            missing = unavailable_transports(kernel)
            if not missing:
                self.skipTest("every transport is there")
            outcome = run(kernel.name, 2, kernel.small, "--runs 6 --quiet",
                          f"--transport {missing[0]},mpi,{','.join(missing[1:])}".rstrip(","))
            self.assertEqual(outcome.code, UNAVAILABLE)
            self.assertEqual(outcome.stderr.splitlines(),
                             [f"{kernel.name}: {listed(kernel.name)[name]}" for name in missing])
            self.assertEqual(schemas.problems("results", outcome.document), [])
            for name, row in zip(missing, errors(outcome.document)):
                self.assertEqual(row["error_message"], listed(kernel.name)[name])
                self.assertRegex(row["name"], f"^{kernel.name}/native/host/{name}/.*/error$")
            self.assertEqual(len(errors(outcome.document)), len(missing))
            self.assertEqual([row["verified"] for row in medians(outcome.document)],
                             [True] * len(kernel.clocks))

    def test_an_address_to_listen_on_that_is_none_is_refused_in_one_line(self):
        if "grpc" in unavailable_transports(KERNELS[0]):
            self.skipTest("this build has no gRPC")
        for address in ("", "127.0.0.1:99", "192.0.2.1", "unix:/tmp/x", "\x1b[2J\n"):
            outcome = run("stream", 2, "--sizes 64KiB --runs 1 --transport grpc",
                          prefix=("env", f"QUARTET_GRPC_ADDRESS={address}"))
            assert_refused(self, outcome, UNAVAILABLE, "stream", "transport grpc cannot listen on",
                           "QUARTET_GRPC_ADDRESS names the address")

    def test_one_reason_for_many_rows_is_said_once(self):
        for kernel in KERNELS:
            missing = unavailable_transports(kernel)
            if not missing:
                self.skipTest("every transport is there")
            formulations = ",".join(kernel.formulations)
            outcome = run(kernel.name, 2, kernel.small,
                          f"--runs 1 --transport {missing[0]} --formulation {formulations}")
            assert_refused(self, outcome, UNAVAILABLE, kernel.name, listed(kernel.name)[missing[0]])
            self.assertEqual(len(errors(outcome.document)), len(kernel.formulations))


if __name__ == "__main__":
    main()
