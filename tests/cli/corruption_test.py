"""One flipped bit of one message, result or file is noticed: in each formulation, over each transport.

The programs are those of tests/faults/, which say on standard error that the bit has flipped. Lower
bits than those that stand here may pass: docs/kernels.md says why, and what else does."""

import os
import re
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

import concurrent_tests
from quartet_cli import KERNELS, errors, listed, medians, run

FAULTY_PROGRAMS = Path(os.environ["QUARTET_FAULTY_PROGRAMS"])
QUIET = "--device host --threads 1 --runs 2 --warmup 0 --limits off --remeasure off"
FILES = "--data {folder} --generate"
UNAVAILABLE_ON_HOST = "ipc"


@dataclass(frozen=True)
class Site:
    """What passes `name` on `rank` for the `call`-th time, in one of two runs, or, as "2+", from then
    on; its `element` has a bit flipped. `lowest` is the lowest bit that must be noticed, with all
    above it."""
    name: str
    rank: int
    call: object
    element: int
    lowest: int


@dataclass(frozen=True)
class Case:
    ranks: int
    formulation: str
    flags: str
    transports: tuple
    sites: tuple


@dataclass(frozen=True)
class Subject:
    element: str
    flags: str
    cases: tuple

    @property
    def sign(self):
        return 31 if self.element == "float" else 63

    def flips(self):
        """(case, transport, site, bit): at each site the lowest bit that must be noticed; over the
        first transport also, in turn, the exponent's highest bit, which makes a number huge or
        tiny, and the sign."""
        for case in self.cases:
            for number, site in enumerate(case.sites):
                yield case, case.transports[0], site, self.sign - (number + 1) % 2
                for transport in case.transports:
                    yield case, transport, site, site.lowest


# Bit b of a mantissa is at most 2^(b - 23) of a float, 2^(b - 52) of a double.
BOTH = ("mpi", "shm")
OF_DATA_FLOWS = (*BOTH, "grpc")
SUBJECTS = {
    "stream": Subject("float", "--sizes 64KiB --pushes 3", (
        Case(3, "native", "", ("mpi", "shm", "rma", "grpc"), (
            Site("push", 0, 2, 100, 0),)),
        Case(3, "dataflow", "", OF_DATA_FLOWS, (
            # Vectors come in any order: a sum of 14 that becomes 18, then 33, loses two bits.
            Site("payload", 0, 9, 100, 6), Site("add", 0, 10, 100, 2))),
        Case(3, "library", "", ("mpi",), (
            Site("receive", 0, 9, 100, 6), Site("add", 0, 10, 100, 0))))),
    "matmul": Subject("float", "--size 96 --tile 32", (
        Case(3, "native", "", OF_DATA_FLOWS, (
            Site("gemm", 1, 5, 100, 12), Site("operand", 1, 5, 100, 0))),
        Case(3, "dataflow", "--reducers 1", OF_DATA_FLOWS, (
            Site("gemm", 1, 20, 100, 12), Site("payload", 0, 40, 100, 12),
            Site("add", 0, 30, 100, 12), Site("operand", 1, 20, 100, 0))),
        Case(3, "library", "", ("mpi",), (
            # Distributions are tried before, again where something disturbs them.
            Site("psgemm", 1, "2+", 10, 12),)),
        # A file as it is compared with the manifest, as the check reads it, as a run reads it.
        Case(2, "native", FILES, ("mpi",), (
            Site("read", 1, 4, 100, 0), Site("read", 1, 13, 100, 0),
            Site("read", 1, 37, 100, 14))))),
    "cg": Subject("double", "--size 1000 --iterations 8 --problem random", (
        Case(3, "native", "", BOTH, (
            # The direction: of the rows of another rank, which has it otherwise.
            Site("gather", 1, 12, 70, 33), Site("xpay", 1, 12, 20, 33),
            Site("product", 1, 12, 20, 33), Site("update", 1, 12, 20, 33),
            Site("matrix", 1, 12, 1020, 0))),
        Case(3, "native", "--storage symmetric --algorithm single-reduction", BOTH, (
            Site("product", 1, 12, 20, 33), Site("reduce", 1, 12, 20, 33),
            Site("update", 1, 12, 20, 33), Site("matrix", 1, 12, 1020, 0))),
        # p's rows on their way to the reducer, all of p on its way back.
        Case(3, "dataflow", "", OF_DATA_FLOWS, (
            Site("payload", 0, 24, 20, 33), Site("payload", 1, 12, 70, 33),
            Site("product", 1, 12, 20, 33), Site("update", 1, 12, 20, 33),
            Site("matrix", 1, 12, 1020, 0))),
        Case(3, "library", "", ("mpi",), (
            Site("gather", 1, 12, 70, 33), Site("gemv", 1, 12, 20, 33),
            Site("axpy", 1, 20, 20, 33), Site("matrix", 1, 12, 1020, 0))),
        Case(2, "native", FILES, ("mpi",), (
            Site("read", 1, 1, 40, 0), Site("read", 1, 241, 40, 33))))),
    "fft": Subject("double", "--size 16384 --tiles 32", (
        Case(2, "native", "--order transposed", BOTH, (
            Site("columns", 1, 2, 100, 22), Site("exchange", 1, 3, 100, 22),
            Site("rows", 1, 2, 100, 22), Site("points", 1, 2, 100, 0))),
        Case(3, "native", "--order natural", BOTH, (
            Site("exchange", 1, 11, 100, 22), Site("points", 1, 2, 100, 0))),
        Case(3, "dataflow", "", OF_DATA_FLOWS, (
            Site("columns", 1, 24, 10, 22), Site("payload", 0, 40, 10, 22),
            Site("rows", 0, 2, 100, 22), Site("points", 1, 24, 10, 0))),
        Case(2, "library", "", ("mpi",), (
            # The impulse first, whose bins then have no order: that is a wrong result, too.
            Site("fftw", 1, "1+", 100, 22), Site("fftw", 1, 3, 100, 22))),
        Case(2, "native", FILES, ("mpi",), (
            Site("read", 1, 1, 40, 0), Site("read", 1, 50, 40, 22))))),
}


def run_faulty(kernel, ranks, fault, *flags, problem=None):
    """The job, and what QUARTET_FAULT's element was and became; None if no bit flipped."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(FAULTY_PROGRAMS / f"faulty_{kernel}", ranks,
                      problem or SUBJECTS[kernel].flags, QUIET,
                      *[words.format(folder=folder) for words in flags],
                      prefix=("env", f"QUARTET_FAULT={fault}"))
    found = re.findall(r"^fault: .*: (\S+) -> (\S+)$", outcome.stderr, re.MULTILINE)
    return outcome, found[0] if found else None


def is_noticed(kernel, outcome):
    """Whether the result is said to be wrong, or a rank has refused to go on and said why."""
    rows = medians(outcome.document) if outcome.document else []
    if outcome.code == 1:
        return bool(rows) and not any(row["verified"] for row in rows)
    refusals = {2: "its checksum differs",
                3: r"(is not positive definite|was not read as the manifest says)"}
    return outcome.code in refusals and re.search(
        rf"^{kernel}: .*{refusals[outcome.code]}", outcome.stderr, re.MULTILINE) is not None


class Corruption(unittest.TestCase):
    def assert_all_are_noticed(self, kernel):
        subject = SUBJECTS[kernel]
        there = listed(kernel)
        flips = [(case, transport, site, bit) for case, transport, site, bit in subject.flips()
                 if there[case.formulation] == there[transport] == "available"]
        self.assertGreater(len(flips), 0)

        def problem_of(flip):
            case, transport, site, bit = flip
            what = f"{case.formulation} {case.flags} {transport}, {site}, bit {bit}"
            fault = f"{site.name}:{site.rank}:{site.call}:{subject.element}:{site.element}:{bit}"
            outcome, change = run_faulty(
                kernel, case.ranks, fault, case.flags,
                f"--formulation {case.formulation} --transport {transport}")
            if change is None:
                return f"{what}: did not flip: {outcome}"
            return None if is_noticed(kernel, outcome) else f"{what}, {change}: passed: {outcome}"

        problems = [problem for problem in concurrent_tests.each(problem_of, flips) if problem]
        self.assertFalse(problems, "\n".join(problems))

    def test_all_formulations_and_transports_are_tried(self):
        for kernel in KERNELS:
            tried = {(case.formulation, transport) for case in SUBJECTS[kernel.name].cases
                     for transport in case.transports}
            self.assertEqual(tried, {(formulation, transport)
                                     for formulation in kernel.formulations
                                     for transport in kernel.transports
                                     if kernel.serves(formulation, transport)})

    def test_stream_notices(self):
        self.assert_all_are_noticed("stream")

    def test_matmul_notices(self):
        self.assert_all_are_noticed("matmul")

    def test_cg_notices(self):
        self.assert_all_are_noticed("cg")

    def test_fft_notices(self):
        self.assert_all_are_noticed("fft")

    def test_cg_notices_a_product_that_is_always_wrong_by_little(self):
        """By 2^-34 to 2^-33 of an element: a hundredth of what the residual of laplace shows. Its step
        from random numbers shows it."""
        laplace = "--size 1000 --iterations 8 --problem laplace"
        for site, flags in (("product", "--formulation native"),
                            ("product", "--storage symmetric --algorithm single-reduction"),
                            ("product", "--formulation dataflow"),
                            ("gemv", "--formulation library")):
            outcome, change = run_faulty("cg", 3, f"{site}:1:1+:double:20:19",
                                         f"{flags} --transport mpi", problem=laplace)
            self.assertIsNotNone(change, outcome)
            self.assertEqual(outcome.code, 1, outcome)
            [row] = medians(outcome.document)
            self.assertEqual(row["wrong_because"], "a step from random numbers is wrong")

    def test_cg_makes_up_for_a_step_of_wrong_length_or_direction(self):
        """x and r go the same wrong way: r stays the residual, and x comes as near. Of several ranks all would have
        to have the same wrong direction."""
        for ranks, site in ((3, "dot:1:12:double:0:63"), (1, "xpay:0:6:double:20:63")):
            sound, _ = run_faulty("cg", ranks, f"dot:{ranks - 1}:1000:double:0:63", "--transport mpi")
            outcome, change = run_faulty("cg", ranks, site, "--transport mpi")
            self.assertIsNotNone(change, outcome)
            self.assertEqual(outcome.code, 0, outcome)
            [row], [same] = medians(outcome.document), medians(sound.document)
            self.assertAlmostEqual(row["energy_error"] / same["energy_error"], 1, places=2)

    def test_only_the_damaged_row_is_wrong(self):
        """Of the last of four pushes, over one of two transports: in the whole run's row and in the
        paper's, and said of both."""
        outcome, change = run_faulty("stream", 3, "push:0:4:float:100:0", "--transport mpi,shm")
        self.assertIsNotNone(change, outcome)
        self.assertEqual(outcome.code, 1, outcome)
        wrong = {row["run_name"] for row in medians(outcome.document) if not row["verified"]}
        self.assertEqual({name.endswith("/paper") for name in wrong}, {True, False})
        self.assertEqual(len({name.split("/")[3] for name in wrong}), 1, wrong)
        self.assertEqual(len(wrong), len(medians(outcome.document)) / 2)
        self.assertEqual({row["error"] for row in medians(outcome.document)}, {0, 1})
        said = set(re.findall(r"^stream: (\S+): wrong result", outcome.stderr, re.MULTILINE))
        self.assertEqual(said, wrong)

    def test_a_wrong_result_outweighs_an_unavailable_transport(self):
        for fault, code in (("push:0:3:float:100:0", 77), ("push:0:2:float:100:0", 1)):
            outcome, change = run_faulty("stream", 3, fault,
                                         f"--transport mpi,{UNAVAILABLE_ON_HOST}")
            self.assertEqual((outcome.code, change is not None), (code, code == 1), outcome)
            self.assertEqual(len(errors(outcome.document)), 1)

    def test_an_unreadable_fault_is_refused(self):
        for fault in ("push", "push:0:1:float:100:32", "push:0:1:half:100:0", "push:x:1:float:1:0"):
            outcome, _ = run_faulty("stream", 3, fault, "--transport mpi")
            self.assertEqual(outcome.code, 2, outcome)


if __name__ == "__main__":
    concurrent_tests.main()
