"""matmul over a fake cuBLAS whose arithmetic is chosen, or is another than what was asked for."""

import os
import unittest
from unittest import mock

from quartet_cli import assert_refused, errors, medians, run
from verified import assert_verified

WRONG = 1
UNAVAILABLE = 77
BITS = {"tf32": 11, "bf16": 8}  # of a number's mantissa


def on_gpu(ranks, *arguments):
    return run("fake_gpu_matmul", ranks, "--device cuda --remeasure off --runs 1 --threads 1 --reducers 1",
               *arguments)


def rounding(bits):
    """cuBLAS keeps so many bits of each number, whatever it is asked for."""
    return mock.patch.dict(os.environ, QUARTET_STAND_IN_BITS=str(bits))


class StandInMath(unittest.TestCase):
    def test_rounded_inputs_are_noticed_at_every_size(self):
        for precision, bits in BITS.items():
            with rounding(bits):
                for ranks, formulation in ((1, "native"), (3, "dataflow")):
                    outcome = on_gpu(ranks, f"--size 64,100,300 --tile 64 --limits off --formulation {formulation}")
                    self.assertEqual(outcome.code, WRONG, outcome)
                    rows = medians(outcome.document)
                    self.assertEqual(len(rows), 3)
                    for row in rows:
                        self.assertIs(row["verified"], False)
                        self.assertEqual(row["precision"], precision)
                        self.assertEqual(row["wrong_because"], f"products are {precision} where fp32 was asked for")
                        self.assertIn(row["wrong_because"], outcome.stderr)

    def test_float32_is_the_standard_and_in_no_name(self):
        for flags in ("", "--math fp32"):
            row, = assert_verified(self, on_gpu(2, "--size 100 --tile 64", flags), 1)
            self.assertEqual(row["precision"], "fp32")
            self.assertNotIn("math", row["factors"])
            self.assertNotIn("wrong_because", row)

    def test_tf32_is_a_row_of_its_own_with_an_error_of_its_own(self):
        for formulation in ("native", "dataflow"):
            row, = assert_verified(self, on_gpu(2, "--size 300 --tile 64 --math tf32",
                                                f"--formulation {formulation}"), 1)
            self.assertEqual((row["precision"], row["factors"]["math"]), ("tf32", "tf32"))
            self.assertIn("/n:300/math:tf32/tile:64/", row["run_name"])
            self.assertLess(row["error"], row["tolerance"])

    def test_what_is_not_tf32_is_wrong_where_that_was_asked_for(self):
        for precision, bits in (("fp32", 24), ("bf16", 8)):
            with rounding(bits):
                outcome = on_gpu(1, "--size 64 --math tf32 --limits off")
            self.assertEqual(outcome.code, WRONG, outcome)
            row, = medians(outcome.document)
            self.assertEqual(row["wrong_because"], f"products are {precision} where tf32 was asked for")

    def test_what_this_gpu_or_a_cpu_lacks_is_not_available(self):
        for flags, reason in (("--device cuda --math bf16x9", "compute capability is 9.x"),
                              ("--device host --math tf32", "add --device cuda"),
                              ("--device host --math bf16x9", "add --device cuda")):
            outcome = run("fake_gpu_matmul", 2, "--size 64 --threads 1", flags)
            self.assertEqual(outcome.code, UNAVAILABLE, outcome)
            error, = errors(outcome.document)
            self.assertIn(reason, error["error_message"])

    def test_an_unknown_arithmetic_is_refused(self):
        assert_refused(self, on_gpu(1, "--size 64 --math fp64"), 2, "matmul", "--math",
                       "is not one of fp32|tf32|bf16x9")


if __name__ == "__main__":
    unittest.main()
