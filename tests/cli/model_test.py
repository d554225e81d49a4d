"""Programs on the model device over a real MPI: operations take what a machine's file says, messages are
real, and no row is taken for a measurement."""

import json
import tempfile
import unittest
from pathlib import Path

from quartet_cli import KERNELS, assert_refused, available_transports, main, medians, run, schemas

SLOW = 1e6  # bytes and operations a second: a run takes a tenth of a second or so
WORDS = {"stream": "--sizes 16KiB --pushes 3", "matmul": "--size 96 --tile 32 --reducers 1",
         "cg": "--size 100 --iterations 5", "fft": "--size 4096 --tiles 64"}
# Seconds that two ranks' operations take at these rates, the slower one's: by the formulas of the kernels'
# READMEs.
NATIVE_SECONDS = {
    "stream": 3 * 3 * 16384 / SLOW,
    "matmul": 2 * 96**3 * 2 / 3 / (10 * SLOW),
    "cg": 5 * (8 * 100**2 + 88 * 100) / 2 / SLOW,
    "fft": 5 * 4096 * 12 / 2 / SLOW}


def machine(**rates):
    values = {"memory_bytes_per_second": SLOW, "sgemm_flops_per_second": 10 * SLOW,
              "fft_flops_per_second": SLOW, **rates}
    return {"name": "invented", "cores_per_node": 2,
            "rates": {name: {"value": value, "uncertainty": 0, "source": "invented"}
                      for name, value in values.items() if value}}


class Model(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.file = Path(temporary.name) / "slow.json"
        self.file.write_text(json.dumps(machine()), encoding="utf-8")
        self.flags = f"--device model --machine {self.file} --threads 1 --runs 2 --warmup 0"

    def rows_of(self, kernel, ranks, *arguments):
        outcome = run(kernel.name, ranks, WORDS[kernel.name], self.flags, *arguments)
        self.assertEqual(outcome.code, 0, outcome)
        self.assertEqual(schemas.problems("results", outcome.document), [])
        self.assertEqual(outcome.document["context"]["quartet"]["options"]["verify"], "off")
        return outcome, medians(outcome.document)

    def test_operations_take_what_the_file_says_and_rows_are_no_measurements(self):
        for kernel in KERNELS:
            outcome, rows = self.rows_of(kernel, 2, "--transport mpi")
            self.assertIn("emulated", outcome.stdout)
            for row in rows:
                self.assertEqual([flag["kind"] for flag in row["flags"]], ["emulated"])
                self.assertTrue(row["distrusted"])
                self.assertNotIn("limit", row)
                self.assertIsNone(row["verified"])
                self.assertEqual(row["factors"]["machine"], "slow")
                self.assertIn(f"{kernel.name}/native/model/mpi/", row["run_name"])
            seconds = rows[0]["real_time"] * {"s": 1, "ms": 1e-3, "us": 1e-6}[rows[0]["time_unit"]]
            expected = NATIVE_SECONDS[kernel.name]
            self.assertGreaterEqual(seconds, 0.9999 * expected, kernel.name)
            self.assertLess(seconds, 1.5 * expected + 1, kernel.name)  # messages, on a busy machine

    def test_data_flows_and_other_transports_run_too(self):
        for kernel in KERNELS:
            for transport in available_transports(kernel):
                formulations = [each for each in ("native", "dataflow") if kernel.serves(each, transport)]
                _, rows = self.rows_of(kernel, 3, f"--formulation {','.join(formulations)} --transport {transport}")
                self.assertGreaterEqual(len(rows), len(formulations))

    def test_what_needs_results_is_refused_in_one_line(self):
        refusals = (("cg", "--verify on", "--verify on: device model computes nothing"),
                    ("fft", "--limits on", "--limits on: device model computes nothing"),
                    ("matmul", "--formulation library", "native or dataflow"),
                    ("fft", "--data DIR --generate", "leave out --data"),
                    ("cg", "--checkpoint DIR", "--checkpoint"))
        for program, arguments, reason in refusals:
            words = arguments.replace("DIR", str(self.file.parent / "files"))
            assert_refused(self, run(program, 2, WORDS[program], self.flags, words), 2, program, reason)

    def test_a_machine_must_be_described(self):
        assert_refused(self, run("cg", 2, WORDS["cg"], "--device model"), 2, "cg", "add --machine FILE")
        assert_refused(self, run("cg", 2, WORDS["cg"], f"--machine {self.file}"), 2, "cg",
                       "--machine needs --device model")
        self.file.write_text(json.dumps(machine(sgemm_flops_per_second=None)), encoding="utf-8")
        assert_refused(self, run("cg", 2, WORDS["cg"], self.flags), 2, "cg", "sgemm_flops_per_second")


if __name__ == "__main__":
    main()
