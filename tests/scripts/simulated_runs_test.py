"""The programs on simulated ranks, beside what is predicted from the same machine file. Needs what `make
simulate` builds, no older than its sources; else it is skipped, and says so. --large: 256 ranks."""

import sys
import tempfile
import unittest
from pathlib import Path

from in_process import run

import simulate
from quartet.documents import load
from quartet.exit_codes import ScriptError
from quartet.kernels import KERNELS
from quartet.predict.machine import Machine
from quartet.results import cases, device
from quartet.simulate.simulator import require_simulator

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build" / "simulate" / "bin"
MACHINE = ROOT / "scripts" / "slurm" / "machines" / "fat-tree-cpu-example.json"
CLOSE, CLOSE_LARGE = 0.05, 0.1  # of a total time, between model and simulation
SMALL = (("cg", "65536", "8,16,64", "--iterations 4", "native"), ("fft", "2^26", "16,64", "", "native"),
         ("matmul", "8192", "16", "--tile 512", "native"))
LARGE = (("cg", "65536", "256", "--iterations 2", "native"),)
PREDICTED = ("cg", "fft")  # natives whose totals must agree


def why_skipped():
    try:
        require_simulator()
    except ScriptError as problem:
        return str(problem)
    programs = [PROGRAMS / name for name in KERNELS]
    if not all(program.is_file() for program in programs):
        return "make simulate has not built the programs"
    sources = [file.stat().st_mtime for folder in ("common", "stream", "matmul", "cg", "fft")
               for file in (ROOT / folder).rglob("*.?pp")]
    if max(sources) > min(program.stat().st_mtime for program in programs):
        return "build/simulate is older than its sources: make simulate"
    return ""


class Simulations(unittest.TestCase):
    plans, close = SMALL, CLOSE

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def simulate(self, kernel, size, ranks, arguments, formulation):
        code, output, errors = run(simulate, MACHINE, kernel, "--sizes", size, "--ranks", ranks, "--arguments",
                                   arguments, "--formulation", formulation, "--out", self.folder)
        self.assertEqual(code, 0, errors)
        self.assertLessEqual(max(map(len, output.splitlines())), 80)
        documents = [load(file) for file in self.folder.glob(f"{kernel}-{formulation}-*.json")]
        self.assertEqual(len(documents), len(ranks.split(",")))
        return documents

    def test_every_row_is_simulated_and_cg_and_fft_take_what_is_predicted(self):
        machine = Machine.load(MACHINE)
        for kernel, size, ranks, arguments, formulation in self.plans:
            with self.subTest(kernel=kernel, formulation=formulation):
                for document in self.simulate(kernel, size, ranks, arguments, formulation):
                    self.assertIn("fat-tree-cpu-example", device(document))
                    case = cases(document)[0]
                    self.assertEqual(list(case.flags), ["simulated"])
                    self.assertEqual(document["context"]["quartet"]["nodes"],
                                     -(-case.name.ranks // machine.per_node))
                    if formulation == "native" and kernel in PREDICTED:
                        self.assert_predicted(machine, case)

    def assert_predicted(self, machine, case):
        options = simulate.argparse.Namespace(kernel=case.name.kernel, arguments="", transport="mpi")
        kernel = simulate.kernel_called(options.kernel)
        known = {name: value for name, value in case.name.values.items() if name in kernel.model.options}
        work = simulate.Work(kernel, case.name.formulation, kernel.model.size_of(case.name.size), case.name.ranks,
                             kernel.model.chosen(known), "mpi")
        predicted = simulate.equally_fast(machine).predict(work).duration.total
        self.assertLess(abs(predicted / case.seconds - 1), self.close, (case.text, predicted, case.seconds))


def main():
    reason = why_skipped()
    if reason:
        print(f"skipped: {reason}")
        return
    if "--large" in sys.argv:
        sys.argv.remove("--large")
        Simulations.plans, Simulations.close = LARGE, CLOSE_LARGE
    unittest.main()


if __name__ == "__main__":
    main()
