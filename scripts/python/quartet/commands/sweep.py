"""Runs programs over sizes, ranks, formulations, transports and devices.

Files say what to run: the published figures are shipped, in full and in laptop size (paper-cg, laptop-cg ..).
Or flags say it: --kernels, --sizes, --ranks and so on. Each launch is an MPI job and leaves one document in
the sweep's folder. Repeated launches follow in rounds, shuffled. A failed launch is recorded and the
rest is run. After an interruption the same command resumes the sweep.

With --slurm the launches are Slurm jobs: one array for each round and kind of job, each round after
the one before. The jobs do not need this command, which only watches them; it finds them again when it
is restarted. With --inside launches are steps of a job: of the present one, if the command is given in
salloc's shell or a batch script; otherwise of one job for each number of nodes, which it submits (--slurm)."""

import argparse
import os
import textwrap
from pathlib import Path
from typing import Any, Optional

from quartet.command_line import UsageError, add_launch_arguments, seconds, shipped_in, whole_number
from quartet.exit_codes import STOPPED, UNAVAILABLE, VERIFIED
from quartet.kernels import NAMES
from quartet.launch import LocalLauncher
from quartet.machine import Machine
from quartet.paths import MACHINES, RESULTS, SWEEPS
from quartet.predict.expectation import Expectations
from quartet.predict.measured import with_rates_of
from quartet.results import collect
from quartet.results import whole_number as whole_factor
from quartet.slurm.allocation import Allocation, StepLauncher, machine_here
from quartet.slurm.launcher import SlurmLauncher
from quartet.slurm.machine import SlurmMachine
from quartet.sweep import cost
from quartet.sweep import plan as sweep_plan
from quartet.sweep import spec as sweep_spec
from quartet.sweep import table as sweep_table
from quartet.sweep.folder import SweepFolder, launches, new_folder, stored_plan, unfinished
from quartet.sweep.loop import Sweep
from quartet.sweep.plan import Draft, Plan
from quartet.sweep.queue import QueuedSweep
from quartet.sweep.spec import SpecError
from quartet.sweep.versions import version_of
from quartet.terminal import printable
from quartet.text import WIDTH, say

EXAMPLE = "quartet sweep --kernels cg --sizes 4096,8192 --ranks 1,2"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = sweep_spec.keys_help()
    parser.add_argument("files", nargs="*", type=shipped_in(SWEEPS), metavar="FILE",
                        help="sweeps, run as one")
    factors = parser.add_argument_group("a sweep without a file, of all combinations of")
    for name, meaning in sweep_spec.FACTORS.items():
        known = f" ({','.join(NAMES)})" if name == "kernels" else ""
        factors.add_argument(f"--{name.replace('_', '-')}", metavar="LIST", help=meaning + known)
    factors.add_argument("--scaling", default="none",
                         help="how sizes grow with the ranks: none, strong or weak (%(default)s)")
    factors.add_argument("--arguments", default="", help="more flags for the programs")
    parser.add_argument("--launches", type=whole_number(sweep_plan.MOST_LAUNCHES),
                        help="launches of each configuration (the file's, or 1)")
    parser.add_argument("--seed", type=whole_number(10**6), help="seed of the order (the file's, or 1)")
    parser.add_argument("--folder", type=Path, help="folder of the results; without FILE the plan there "
                        "continues (an unfinished one of the same plan, or a new one in --results)")
    parser.add_argument("--results", type=Path, default=RESULTS / "runs",
                        help="where new folders are made (%(default)s)")
    parser.add_argument("--budget", type=seconds, metavar="SECONDS",
                        help="starts no launch that would probably pass it")
    parser.add_argument("--timeout", type=seconds, default=1800, metavar="SECONDS",
                        help="limit of one launch (%(default)s)")
    parser.add_argument("--retry-failed", action="store_true",
                        help="runs failed launches again")
    parser.add_argument("--dry-run", action="store_true",
                        help="shows the launches, in their order, and with --slurm the node hours")
    add_launch_arguments(parser)
    parser.add_argument("--slurm", type=shipped_in(MACHINES), metavar="MACHINE",
                        help="submits to Slurm as this machine file says (docs/cluster.md)")
    parser.add_argument("--rates", type=shipped_in(MACHINES), metavar="MACHINE",
                        help="a machine file with rates (docs/prediction.md): the table has what it should "
                             "give (--slurm's, if that has rates)")
    parser.add_argument("--from", dest="documents", action="append", default=[], type=Path, metavar="PATH",
                        help="documents whose rates are taken instead of the file's, as of a pair of nodes; may be "
                             "repeated")
    parser.add_argument("--inside", action="store_true", help="launches are steps of one job")
    parser.add_argument("--job-time", type=seconds, default=3600, metavar="SECONDS",
                        help="limit of a job with --inside; give the command again to run what is left "
                             "(%(default)s)")
    parser.add_argument("--poll", type=seconds, default=30, metavar="SECONDS",
                        help="how often to ask Slurm for its queue (%(default)s)")
    parser.add_argument("--cancel", action="store_true",
                        help="ends the jobs of a sweep that are still in the queue")


def check(options: argparse.Namespace) -> None:
    """Checks what argparse does not, and finds the job that --inside is in. Raises UsageError."""
    if options.inside:
        options.allocation = Allocation.here()
        if not (options.slurm or options.allocation):
            raise UsageError("--inside needs a Slurm job: salloc or sbatch first, or name a machine to "
                             "submit to with --slurm")
    is_queued = options.slurm and not (options.inside and options.allocation)
    if is_queued and options.budget is not None:
        raise UsageError("--budget is for this machine: with --slurm say --timeout, or less to run")
    if options.cancel and not is_queued:
        raise UsageError("--cancel is for jobs in a queue: with --slurm")


def make_plan(options: argparse.Namespace) -> Plan:
    """The plan of the command line. Raises SpecError."""
    lists = {name: getattr(options, name) for name in sweep_spec.FACTORS if getattr(options, name) is not None}
    if bool(options.files) == bool(lists):
        raise SpecError("give either files or --kernels, --sizes, --ranks (see --help)")
    specs = [(str(file), sweep_spec.read_spec(file)) for file in options.files]
    if lists:
        specs = [("command line", {"name": "sweep", "blocks": [_block(options, lists)]})]
    machine = machine_of(options)
    draft = Draft(machine.cores_per_node, machine.sockets_per_node, machine.gpus_per_node) if machine \
        else Draft(Machine.here().cores)
    for where, spec in specs:
        sweep_plan.add_blocks(draft, spec, where, options.launches)
    names = dict.fromkeys(sweep_spec.name_of(spec) for _, spec in specs)
    seed = options.seed if options.seed is not None else sweep_spec.seed_of(specs[0][1])
    kernels = dict.fromkeys(one.kernel for one in draft.configurations)
    programs = {kernel: version_of(options.build / "bin" / kernel) for kernel in kernels}
    return Plan("-".join(names), seed, programs, tuple(draft.blocks), tuple(draft.configurations),
                tuple(dict.fromkeys(draft.notes)))


def machine_of(options: argparse.Namespace) -> Optional[SlurmMachine]:
    """On whose nodes the launches run; None if it is this machine."""
    if options.slurm:
        return SlurmMachine.load(options.slurm)
    return machine_here() if options.inside else None


def _block(options: argparse.Namespace, lists: dict[str, str]) -> dict[str, Any]:
    block: dict[str, Any] = {name: text.split(",") for name, text in lists.items()}
    if "threads" in block:
        block["threads"] = [whole_factor(word) or word for word in block["threads"]]
    return {**block, "scaling": options.scaling, "arguments": options.arguments.split()}


def expectations(options: argparse.Namespace) -> Optional[Expectations]:
    """The expectations of the machine file with rates, where there is one."""
    has_rates = options.slurm and SlurmMachine.load(options.slurm).rates
    file = options.rates or (options.slurm if has_rates else None)
    if not file:
        if options.documents:
            raise UsageError("--from: no machine file says what it measured (it has no overheads, nor what a node is): "
                             "name one with --rates")
        return None
    expected = Expectations.load(file)
    if options.documents:
        expected.machine = with_rates_of(collect(options.documents), expected.machine)
    return expected


def make_sweep(folder: SweepFolder, options: argparse.Namespace) -> Sweep:
    machine = machine_of(options)
    if machine is None:
        return Sweep(folder, LocalLauncher(options.launcher), options)
    if options.inside and options.allocation:
        return Sweep(folder, StepLauncher(machine), options, options.allocation)
    job_time = options.job_time if options.inside else None
    return QueuedSweep(folder, SlurmLauncher(machine, options.timeout, job_time), options)


def find_folder(options: argparse.Namespace) -> SweepFolder:
    """The folder of the command line's sweep, made where it is not there."""
    if options.folder and not options.files and not options.kernels:
        data = stored_plan(options.folder)
        if data is None:
            raise SpecError(f"{options.folder} holds no sweep: give files, or --kernels and so on")
        plan = Plan.from_json(data)
        now = {name: version_of(options.build / "bin" / name) for name in plan.programs}
        plan = Plan(plan.name, plan.seed, now, plan.blocks, plan.configurations, plan.notes)
        return SweepFolder.open(options.folder, plan)
    plan = make_plan(options)
    if options.dry_run:
        return SweepFolder(Path(), plan)
    wanted = plan.as_json()
    path = options.folder or unfinished(options.results, lambda there: there == wanted) \
        or new_folder(options.results, plan)
    return SweepFolder.open(path, plan)


def run(options: argparse.Namespace) -> int:
    check(options)
    expected = expectations(options)
    folder = find_folder(options)
    sweep = make_sweep(folder, options)
    for note in folder.plan.notes:
        say(note)
    if options.dry_run:
        for launch in launches(folder.plan):
            words = " ".join(launch.configuration.command_line())
            print("\n".join(textwrap.wrap(printable(f"{launch.title}: {words}"), WIDTH, subsequent_indent="    ",
                                          break_long_words=False, break_on_hyphens=False)))
        machine = machine_of(options)
        for line in cost.lines(folder.plan, machine, options.timeout, options.results) if machine else ():
            print(line)
        return VERIFIED
    say(f"results in {os.path.relpath(folder.path)}")
    if isinstance(sweep, QueuedSweep) and options.cancel:
        return sweep.cancel()
    code = sweep.run()
    print(sweep_table.render(folder, expected), end="")
    for note in expected.machine.used_notes if expected else ():
        say(note)
    if code != STOPPED:
        folder.mark_shown()
    # What a machine does not have is said in the table; it makes nothing wrong that ran.
    return VERIFIED if code == UNAVAILABLE else code
