"""The smallest faults that lies.py computes are seen, in each formulation: libraries lie about what they
compute and what they move (tests/faults/lie.hpp). lies.py has the faults and the arithmetic."""

import os
import sys
import unittest
from pathlib import Path

import concurrent_tests
import lies
from quartet_cli import LYING_LIBRARIES, has_lied, listed, medians, run, run_lying

FAULTY_PROGRAMS = Path(os.environ["QUARTET_FAULTY_PROGRAMS"])
QUIET = "--device host --threads 1 --runs 1 --warmup 0 --limits off --remeasure off"


def run_told(kernel, size, told, change):
    """The job. `change` is CHANGE:NUMBER of QUARTET_LIE, BIT of QUARTET_FAULT."""
    flags = (kernel.flags.format(size=size), QUIET, told.flags,
             f"--formulation {told.formulation} --transport {told.transport}")
    if isinstance(told, lies.Flipped):
        return run(FAULTY_PROGRAMS / f"faulty_{kernel.name}", told.ranks, *flags,
                   prefix=("env", f"QUARTET_FAULT={told.where}:{change}"))
    return run_lying(kernel.name, told.ranks, f"{told.where}:{change}", *flags)


def change_of(fault, told, least):
    if isinstance(told, lies.Flipped):
        return lies.lowest_bit(least, told)
    return f"{fault.change}:{least if fault.of_bits else least / told.times:.3g}"


def is_wrong(kernel, outcome):
    """Whether the result is said to be wrong, by the check itself. cg may also find its matrix to be unfit."""
    if outcome.code == 1:
        rows = medians(outcome.document)
        return bool(rows) and not any(row["verified"] or row.get("precision", "fp32") != "fp32" for row in rows)
    return outcome.code == 3 and kernel.name == "cg" and "is not positive definite" in outcome.stderr


def faults_to_try(kernel):
    """(what, size, where, change) of all that is available here."""
    there = listed(kernel.name)
    for size in kernel.sizes[:kernel.tried]:
        for fault in kernel.faults:
            least = fault.least(size)
            for told in fault.told:
                if there[told.formulation] == there[told.transport] == "available":
                    yield fault.what, size, told, change_of(fault, told, least)
        for what, change, jobs in kernel.always:
            for told in jobs:
                if there[told.formulation] == there[told.transport] == "available":
                    yield what, size, told, change


class Lies(unittest.TestCase):
    def assert_seen(self, kernel):
        def problem_of(fault):
            outcome = run_told(kernel, *fault[1:])
            if not has_lied(outcome):
                return f"{fault}: was not told: {outcome}"
            return None if is_wrong(kernel, outcome) else f"{fault}: passed: {outcome}"

        tried = list(faults_to_try(kernel))
        self.assertGreater(len(tried), 0)
        problems = [problem for problem in concurrent_tests.each(problem_of, tried) if problem]
        self.assertFalse(problems, "\n".join(problems))

    def test_stream_sees_them(self):
        self.assert_seen(lies.STREAM)

    def test_matmul_sees_them(self):
        self.assert_seen(lies.MATMUL)

    def test_cg_sees_them(self):
        self.assert_seen(lies.CG)

    def test_cg_sees_them_on_laplace(self):
        self.assert_seen(lies.LAPLACE)

    def test_fft_sees_them(self):
        self.assert_seen(lies.FFT)

    def test_fft_sees_those_of_tiles_that_fftw_transforms(self):
        self.assert_seen(lies.FFTW)


if __name__ == "__main__":
    if not LYING_LIBRARIES:
        print("skipped: libraries that lie cannot come before a sanitizer")
        sys.exit(0)
    concurrent_tests.main()
