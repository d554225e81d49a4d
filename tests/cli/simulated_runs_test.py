"""The programs on simulated ranks, beside what is predicted from the same machine file. Needs what `make
simulate` builds, no older than its sources; else it is skipped, and says so. --large: up to 1024 ranks."""

import json
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import dataclass, replace
from pathlib import Path

from in_process import run
from quartet.exit_codes import ScriptError
from quartet.kernels import KERNELS
from quartet.launch import Job
from quartet.predict.machine import Machine, Work
from quartet.predict.measured import LEAST_UNCERTAINTY, options_of
from quartet.predict.models import MODELS
from quartet.predict.rates import Rate
from quartet.processes import alive_in_session, kill_session, words_of
from quartet.results import cases, device, load
from quartet.text import size_in_bytes
from quartet_dev.commands import simulate
from quartet_dev.simulate.platform import platform_of
from quartet_dev.simulate.simulator import Simulator, require_simulator
from tree import ROOT

PROGRAMS = ROOT / "build" / "simulate" / "bin"
MACHINE = ROOT / "scripts" / "slurm" / "machines" / "fat-tree-cpu-example.json"
CLOSE = 0.05  # of a total time, between model and simulation


@dataclass(frozen=True)
class Plan:
    """`per_node`: 0 as the machine's file says. Data flows have a node for each rank, since what several
    ranks of a node send to one at once is not shared in a simulation (docs/simulation.md). `all_to_all`: what
    jobs tell Open MPI to take."""

    kernel: str
    size: str
    ranks: str
    arguments: str = ""
    formulation: str = "native"
    is_spread: bool = False
    all_to_all: str = ""

    @property
    def per_node(self):
        return 1 if self.formulation == "dataflow" or self.is_spread else 0


SMALL = (Plan("stream", "16MiB", "9,17,257", "--pushes 10"),
         Plan("matmul", "8192", "8,16,256", "--tile 512"),
         Plan("cg", "65536", "8,16,64,256", "--iterations 2"),
         Plan("fft", "2^26", "8,16,64,256"),
         Plan("fft", "2^20", "24"),  # tiles and bins that the ranks do not divide
         Plan("fft", "2^24", "40", is_spread=True),  # all parts at once, across leaves
         Plan("stream", "1MiB", "2,9,257", "--pushes 4", "dataflow"),
         Plan("matmul", "4096", "9,258", "--tile 512", "dataflow"),
         Plan("cg", "8192", "9,33,257", "--iterations 2", "dataflow"),
         Plan("fft", "2^20", "9,33,257", "", "dataflow"))
LARGE = (Plan("matmul", "16384", "1024", "--tile 512"),
         Plan("stream", "1MiB", "512,1024", "--pushes 4"),
         Plan("cg", "65536", "512,1024", "--iterations 2"),
         Plan("fft", "2^29", "256,512"),
         Plan("fft", "2^26", "128,512"),  # parts of 64 KiB at once, and of 4 KiB in pairs
         Plan("fft", "2^29", "1024", all_to_all="pairwise"),
         Plan("fft", str(65**2 * 2**16), "65", is_spread=True),  # 1 MiB, across leaves that are not full
         Plan("fft", str(100**2 * 2**16), "100", is_spread=True))


# A sweep over one to four nodes.
SWEPT = (Plan("cg", "576", "1,2,3,4", "--iterations 5", is_spread=True),
         Plan("fft", str(9 * 2**19), "1,2,3,4", is_spread=True))


def work_of(case):
    return Work(KERNELS[case.name.kernel], case.name.formulation, size_in_bytes(case.name.size), case.name.ranks,
                options_of(case), "mpi")


def why_skipped():
    try:
        require_simulator()
    except ScriptError as problem:
        return str(problem)
    if not all((PROGRAMS / name).is_file() for name in KERNELS):
        return "quartet simulate has not built the programs"
    if any(newest_source(name) > (PROGRAMS / name).stat().st_mtime for name in KERNELS):
        return "build/simulate is older than its sources: quartet simulate"
    return ""


def newest_source(kernel):
    return max(file.stat().st_mtime for folder in ("common", kernel) for file in (ROOT / folder).rglob("*.?pp"))


class Simulations(unittest.TestCase):
    plans = SMALL

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def machine_file(self, plan):
        if not plan.all_to_all:
            return MACHINE
        told = {"use_dynamic_rules": "1", "alltoallv_algorithm": plan.all_to_all}
        path = self.folder / MACHINE.name
        path.write_text(json.dumps({**json.loads(MACHINE.read_text(encoding="utf-8")), "$schema": "", "environment": {
            f"OMPI_MCA_coll_tuned_{name}": value for name, value in told.items()}}), encoding="utf-8")
        return path

    def simulate(self, plan):
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        nodes = ("--ranks-per-node", plan.per_node) if plan.per_node else ()
        code, output, errors = run(simulate, self.machine_file(plan), plan.kernel, "--sizes", plan.size, "--ranks", plan.ranks,
                                   "--arguments", plan.arguments, "--formulation", plan.formulation, "--results",
                                   folder, *nodes)
        self.assertEqual(code, 0, errors)
        self.assertLessEqual(max(map(len, output.splitlines())), 80)
        print(output, flush=True)
        documents = [load(file) for file in folder.glob("*.json")]
        self.assertEqual(len(documents), len(plan.ranks.split(",")))
        return documents

    def test_every_row_is_simulated_and_takes_what_is_predicted(self):
        for plan in self.plans:
            with self.subTest(plan=plan):
                machine = Machine.load(self.machine_file(plan), plan.per_node or None)
                for document in self.simulate(plan):
                    self.assertIn("fat-tree-cpu-example", device(document))
                    case = cases(document)[0]
                    self.assertEqual(list(case.flags), ["simulated"])
                    quartet = document["context"]["quartet"]
                    self.assertEqual(quartet["nodes"], -(-case.name.ranks // machine.per_node))
                    self.assertNotIn("wall", quartet)  # their clock is not the wall's
                    self.assert_predicted(machine, case)

    def shown_link(self):
        """Rates and their uncertainties, from pushes between two nodes as docs/prediction.md has them."""
        rows = []
        for size, pushes in (("4k", 1), ("64MiB", 20)):
            [document] = self.simulate(Plan("stream", size, "2", f"--pushes {pushes}", is_spread=True))
            rows += [(case, options_of(case)) for case in cases(document)]
        return MODELS["stream"].shows_link(rows)

    def test_pushes_show_the_link_as_it_is_described_and_one_to_four_nodes_are_in_the_band_that_follows(self):
        machine = Machine.load(MACHINE, 1)
        described, shown = machine.rates.single, self.shown_link()
        self.assertEqual(set(shown), {"link_bytes_per_second", "latency_seconds"})
        for name, (value, uncertainty) in shown.items():
            self.assertLess(abs(value / described[name].value - 1), uncertainty, name)
        # What else is known as well as measurements can say it of another hour.
        rates = {name: replace(rate, uncertainty=min(rate.uncertainty, LEAST_UNCERTAINTY))
                 for name, rate in described.items()}
        rates |= {name: Rate(*rate, "pushes between two nodes") for name, rate in shown.items()}
        for plan in SWEPT:
            for document in self.simulate(plan):
                case = cases(document)[0]
                expected = simulate.equally_fast(machine.with_measured(rates)).predict(work_of(case))
                self.assertTrue(expected.low <= case.rate <= expected.high, (case.text, case.rate, expected))

    def test_a_killed_simulation_leaves_no_file_where_it_ran(self):
        here = self.folder / "here"
        here.mkdir()
        machine, ranks = Machine.load(MACHINE), 16
        simulator = Simulator(machine, platform_of(machine, ranks).write(self.folder), "ompi")
        job = Job(PROGRAMS / "cg", ranks, 1,
                  ("--device", "model", "--machine", str(MACHINE), "--size", "65536", "--quiet"))
        process = subprocess.Popen(simulator.command(job), cwd=here, start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(kill_session, process.pid)
        # smpirun has made all its files when it starts the ranks' process.
        while not any("smpimain" in "".join(words_of(one)[:1]) for one in alive_in_session(process.pid)):
            self.assertIsNone(process.poll(), "it has ended by itself")
            time.sleep(0.02)
        kill_session(process.pid)
        self.assertEqual(list(here.iterdir()), [])

    def assert_predicted(self, machine, case):
        predicted = simulate.equally_fast(machine).predict(work_of(case)).duration.total
        self.assertLess(abs(predicted / case.seconds - 1), CLOSE, (case.text, predicted, case.seconds))


def main():
    reason = why_skipped()
    if reason:
        print(f"skipped: {reason}")
        return
    if "--large" in sys.argv:
        sys.argv.remove("--large")
        Simulations.plans = LARGE
    unittest.main()


if __name__ == "__main__":
    main()
