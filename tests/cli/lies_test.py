"""Every check that decides an exit code fails where it should: libraries lie about what they compute and move
(tests/faults/lying_libraries.cpp), in each formulation by little more than its check allows."""

import unittest

from quartet_cli import KERNELS, LYING_LIBRARIES, UNAVAILABLE, each, has_lied, listed, main, medians, run_lying

QUIET = "--device host --threads 1 --runs 1 --warmup 0 --limits off --transport mpi"
STREAM = "stream", 2, "--sizes 64KiB --pushes 3"
SOLVE = "--size 1000 --iterations 30 --problem random"


@unittest.skipUnless(LYING_LIBRARIES, "libraries that lie cannot come before a sanitizer")
class Lies(unittest.TestCase):
    def test_each_makes_its_row_wrong_and_the_exit_code_1(self):
        def problem_of(lie):
            kernel, ranks, problem, formulation, what = lie
            if listed(kernel)[formulation.split()[0]] != "available":
                return None
            outcome = run_lying(kernel, ranks, what, problem, QUIET, f"--formulation {formulation}")
            if not has_lied(outcome):
                return f"{lie}: was not told: {outcome}"
            rows = medians(outcome.document) if outcome.document else []
            is_wrong = outcome.code == 1 and rows and not any(row["verified"] for row in rows)
            said = "wrong result" in outcome.stderr
            return None if is_wrong and said else f"{lie}: passed: {outcome}"

        lies = [(kernel.name, *lie) for kernel in KERNELS for lie in kernel.lies]
        self.assertEqual({(kernel, formulation.split()[0]) for kernel, _, _, formulation, _ in lies},
                         {(kernel.name, formulation) for kernel in KERNELS for formulation in kernel.formulations})
        problems = [problem for problem in each(problem_of, lies) if problem]
        self.assertFalse(problems, "\n".join(problems))

    def test_a_sum_that_no_positive_definite_matrix_gives_is_not_laid_to_the_matrix(self):
        for formulation in ("native", "library"):
            outcome = run_lying("cg", 2, "sums:all:1+:bit:63", SOLVE, QUIET, f"--formulation {formulation}")
            self.assertEqual(outcome.code, 1, outcome)
            self.assertIn("a product, a sum or a message is wrong", outcome.stderr)
            self.assertNotIn("is not positive definite", outcome.stderr)

    def test_a_wrong_row_beside_sound_ones_makes_the_exit_code_1(self):
        outcome = run_lying("cg", 2, "dgemv:all:1+:one:1e-3", SOLVE, QUIET, "--formulation native,library")
        self.assertEqual([row["verified"] for row in medians(outcome.document)], [True, False])
        self.assertEqual(outcome.code, 1, outcome)

    def test_a_single_one_late_in_thousands_of_messages_is_noticed(self):
        for what in ("one:1e-3", "lost:0"):
            outcome = run_lying("stream", 2, f"floats@32768:1:2999:{what}", "--sizes 64KiB --pushes 3000", QUIET)
            self.assertEqual((has_lied(outcome), outcome.code), (True, 1), outcome)

    def test_a_smaller_one_passes(self):
        for lie in ("floats@32768:1:1:one:1e-9", "floats@65536:0:1:lost:0"):  # rounded off; never so
            outcome = run_lying(*STREAM[:2], lie, STREAM[2], QUIET)
            self.assertEqual(outcome.code, 0, outcome)

    def test_a_wrong_result_outweighs_an_unavailable_transport(self):
        for lie, code in (("none:0:1:one:0", UNAVAILABLE), ("floats@32768:1:1:one:1", 1)):
            outcome = run_lying(*STREAM[:2], lie, STREAM[2], QUIET.replace("mpi", "mpi,ipc"))
            self.assertEqual(outcome.code, code, outcome)


@unittest.skipUnless(LYING_LIBRARIES, "libraries that lie cannot come before a sanitizer")
class Arithmetic(unittest.TestCase):
    """A BLAS that rounds the numbers that it multiplies."""

    def multiply(self, bits, arguments):
        outcome = run_lying("matmul", 3, f"sgemm:all:1+:inputs:{bits}", arguments, QUIET)
        row, = medians(outcome.document)
        return outcome, row

    def test_rounded_inputs_are_noticed_in_every_formulation(self):
        for formulation in ("native", "dataflow", "library"):
            if listed("matmul")[formulation] != "available":
                continue
            for bits, precision in ((24, "fp32"), (18, "other"), (11, "tf32"), (8, "bf16")):
                with self.subTest(formulation=formulation, bits=bits):
                    outcome, row = self.multiply(bits, f"--formulation {formulation} --size 200 --tile 64")
                    self.assertEqual(row["precision"], precision)
                    self.assertEqual((outcome.code, row["verified"]),
                                     (0, True) if precision == "fp32" else (1, False), outcome)

    def test_without_the_check_nothing_is_claimed(self):
        outcome, row = self.multiply(11, "--size 64 --verify off")
        self.assertEqual((outcome.code, row["verified"]), (0, None))
        self.assertNotIn("precision", row)


if __name__ == "__main__":
    main()
