"""The program itself on simulated ranks of a described machine, beside what quartet predict
computes (docs/simulation.md). Not a measurement.

MACHINE is a machine file with an object `rates`. The programs are those of the preset simulate:
scripts/setup.sh simulate && cmake --workflow --preset simulate. Documents stay in a folder,
each row marked as simulated.

    quartet simulate fat-tree-cpu-example cg --sizes 65536 --ranks 8:256
    quartet simulate mine.json fft --sizes 2^29 --ranks 64 --collectives mpich
    quartet simulate mine.json fft --sizes 2^20 --ranks 8 --formulation dataflow"""

import argparse
import tempfile
from itertools import product
from pathlib import Path

from quartet.command_line import seconds, shipped_in, whole_number
from quartet.exit_codes import VERIFIED, ScriptError
from quartet.launch import Files, quiet_job
from quartet.paths import MACHINES, RESULTS, ROOT
from quartet.predict.machine import Machine, Work
from quartet.predict.models import MODELS
from quartet.predict.rates import Rate
from quartet.predict.request import flags_in, formulation_called, kernel_called, sizes_in
from quartet.results import cases, load
from quartet.sweep.spec import counts_of
from quartet.text import say, slug
from quartet_dev.simulate import table
from quartet_dev.simulate.platform import platform_of
from quartet_dev.simulate.simulator import COLLECTIVES, Simulator, require_simulator

EXAMPLE = "quartet simulate fat-tree-cpu-example cg --sizes 65536 --ranks 8:64"
FORMULATIONS = ("native", "dataflow")  # libraries compute on the host itself
MOST_RANKS = 4096  # messages grow with their square
MOST_PER_NODE = 10**4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("machine", type=shipped_in(MACHINES), metavar="MACHINE",
                        help="a machine file, or a shipped one's name")
    parser.add_argument("kernel", metavar="KERNEL", help=", ".join(MODELS))
    parser.add_argument("--sizes", required=True, metavar="LIST", help="sizes as the program takes them, or 2^k")
    parser.add_argument("--ranks", required=True, metavar="LIST",
                        help='numbers, or "8:256", which doubles from 8 to 256')
    parser.add_argument("--formulation", default="native", metavar="LIST",
                        help="native or dataflow, or both (%(default)s)")
    parser.add_argument("--transport", default="mpi", choices=("mpi", "rma"),
                        help="the transport of the ranks (%(default)s)")
    parser.add_argument("--arguments", default="", metavar="FLAGS", help="more flags of the program")
    parser.add_argument("--collectives", default="ompi", choices=COLLECTIVES,
                        help="the MPI whose choice of algorithms is simulated (%(default)s: Open MPI's)")
    parser.add_argument("--ranks-per-node", type=whole_number(MOST_PER_NODE), metavar="N",
                        help="ranks of a node, instead of the machine file's")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "simulate", metavar="FOLDER",
                        help="build folder of the preset simulate (%(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS / "simulated", metavar="FOLDER",
                        help="folder of the documents (%(default)s)")
    parser.add_argument("--timeout", type=seconds, default=3600.0, metavar="SECONDS",
                        help="limit of one simulation (%(default)g)")


def equally_fast(machine: Machine) -> Machine:
    """Returns the machine with ranks that are equally fast, as all simulated ones are."""
    return machine.with_measured({"compute_variation": Rate(0.0, 0.0, "none: all simulated ranks are equally fast")})


class Simulations:
    """The simulations of one kernel on one machine."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.kernel = kernel_called(options.kernel)
        self.flags = flags_in(options.arguments)
        known = {name: value for name, value in self.flags.items() if name in MODELS[self.kernel.name].options}
        self.chosen = MODELS[self.kernel.name].chosen(known)
        self.machine = equally_fast(Machine.load(options.machine, options.ranks_per_node))
        self.program = (options.build / "bin" / self.kernel.name).absolute()
        if not self.program.is_file():
            raise ScriptError(f"{self.program} is not there: scripts/setup.sh simulate && "
                              "cmake --workflow --preset simulate")

    def work(self, formulation: str, size: int, ranks: int) -> Work:
        return Work(self.kernel, formulation, size, ranks, self.chosen, self.options.transport)

    def document(self, work: Work) -> Path:
        name = slug(f"{work.kernel.name}-{work.formulation}-{work.transport}-{work.size}-{work.ranks}-"
                    f"{self.options.machine.stem}-{self.options.collectives}")
        return Path(self.options.results, f"{name}.json")

    def run(self, work: Work) -> table.Point:
        """Raises ScriptError if it fails."""
        document = self.document(work)
        flags = [word for name, value in self.flags.items() for word in (f"--{name}", value)]
        arguments = ("--device", "model", "--machine", str(self.options.machine.absolute()),
                     "--formulation", work.formulation, "--transport", work.transport, "--threads", "1",
                     "--runs", "1", "--warmup", "0", self.kernel.size_flag, self.size(work.size), *flags)
        with tempfile.TemporaryDirectory(prefix="simulate-") as name:
            folder = Path(name)
            platform = platform_of(self.machine, work.ranks)
            simulator = Simulator(self.machine, platform.write(folder), self.options.collectives,
                                  work.formulation in work.model.all_to_alls)
            job = quiet_job(self.program, work.ranks, 1, arguments, document)
            outcome = simulator.complete(job, Files(document, folder / "log"), self.options.timeout)
        if outcome.exit_code != VERIFIED:
            raise ScriptError(f"{self.kernel.name} on {work.ranks} simulated ranks: {outcome.message}",
                              outcome.exit_code)
        case = cases(load(document))[0]
        return table.Point(self.machine.predict(work), case.seconds, case.rate, outcome.seconds or 0.0)

    def size(self, size: int) -> str:
        """Writes the size as the program's flag has it."""
        return f"{size}B" if self.kernel.unit == "MiB/s" else str(size)


def run(options: argparse.Namespace) -> int:
    simulations = Simulations(options)
    formulations = [formulation_called(name, FORMULATIONS) for name in options.formulation.split(",")]
    if "dataflow" in formulations and simulations.machine.has_gpus:
        raise ScriptError("--formulation dataflow: its reducers compute beside the GPUs (the model device "
                          "computes at one rate): simulate native, or a machine without GPUs")
    sizes = sizes_in(options.sizes, simulations.kernel)
    ranks = counts_of(options.ranks.split(","), {}, "--ranks")
    if max(ranks) > MOST_RANKS:
        raise ScriptError(f"--ranks {max(ranks)} (at most {MOST_RANKS} are simulated): predict more")
    require_simulator()
    options.results.mkdir(parents=True, exist_ok=True)
    for formulation, size in product(formulations, sizes):
        works = [simulations.work(formulation, size, count) for count in sorted(set(ranks))]
        for work in works:
            if work.why_not:
                say(f"left out {work.ranks} ranks ({work.why_not})")
        points = [simulations.run(work) for work in works if not work.why_not]
        if points:
            print(table.render(table.title_of(simulations.machine, points[0], simulations.size(size),
                                              options.collectives), points))
    print(table.closing(), end="")
    return VERIFIED
