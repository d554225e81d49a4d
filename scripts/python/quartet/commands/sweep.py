"""Runs programs over sizes, ranks, formulations, transports and devices.

Files describe sweeps: those of the published figures are shipped, in full and in laptop size (paper-cg, laptop-cg ..).
Or flags do: --kernels, --sizes, --ranks and so on. Each launch is an MPI job and writes one document to the sweep's
folder. Repeated launches are in rounds, in random order. A failed launch is recorded, and the others run. After an
interruption the same command resumes the sweep.

With --slurm the launches are Slurm jobs: one array for each round and kind of job, each round after the one before. The
jobs do not need this command, which only watches them; it finds them again when it is restarted. Without a file
--folder continues with the plan there. With --inside launches are steps of a job: of the present one, if the command is
given in salloc's shell or a batch script; otherwise of one job for each number of nodes, which it submits (--slurm)."""

import argparse
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

from quartet.command_line import UsageError, add_launch_arguments, add_queue_arguments, integer, seconds, shipped_in
from quartet.exit_codes import STOPPED, UNAVAILABLE, VERIFIED
from quartet.kernels import NAMES
from quartet.launch import LocalLauncher
from quartet.machine import Machine
from quartet.paths import RESULTS, SWEEPS
from quartet.results import whole_number
from quartet.slurm.launcher import Allocation, SlurmLauncher, StepLauncher, machine_here
from quartet.slurm.machine import SlurmMachine
from quartet.sweep import plan as sweep_plan
from quartet.sweep import table as sweep_table
from quartet.sweep.folder import SweepFolder, launches, new_folder, stored_plan, unfinished
from quartet.sweep.loop import QueuedSweep, Sweep, cost
from quartet.sweep.plan import Draft, Plan, SpecError, version_of
from quartet.terminal import printable
from quartet.text import WIDTH, say, shown

EXAMPLE = "quartet sweep --kernels cg --sizes 4096,8192 --ranks 1,2"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = sweep_plan.keys_help()
    parser.add_argument("files", nargs="*", type=shipped_in(SWEEPS), metavar="FILE", help="sweeps, run as one")
    factors = parser.add_argument_group("a sweep without a file, of all combinations of")
    for name, meaning in sweep_plan.FACTORS.items():
        known = f" ({','.join(NAMES)})" if name == "kernels" else ""
        factors.add_argument(f"--{name.replace('_', '-')}", metavar="LIST", help=meaning + known)
    factors.add_argument("--scaling", default="none",
                         help="how sizes grow with the ranks: none, strong or weak (%(default)s)")
    factors.add_argument("--arguments", default="", help="more flags for the programs")
    parser.add_argument("--launches", type=integer(sweep_plan.MOST_LAUNCHES),
                        help="launches of each configuration (the file's, or 1)")
    parser.add_argument("--seed", type=integer(10**6), help="seed of the order (the file's, or 1)")
    parser.add_argument("--results", type=Path, default=RESULTS / "runs",
                        help="where new folders are made (%(default)s)")
    parser.add_argument("--budget", type=seconds, metavar="SECONDS",
                        help="ends in this time: starts no launch that would probably exceed it, and asks one that "
                             "does to end")
    add_launch_arguments(parser)
    add_queue_arguments(parser, 1800)
    parser.add_argument("--inside", action="store_true", help="launches are steps of one job")
    parser.add_argument("--job-time", type=seconds, default=3600, metavar="SECONDS",
                        help="limit of a job with --inside; give the command again to run what is left (%(default)s)")


def check(options: argparse.Namespace) -> None:
    """Checks how flags combine, and finds the Slurm job that --inside uses. Raises UsageError."""
    options.allocation = Allocation.here() if options.inside else None
    if options.inside and not (options.slurm or options.allocation):
        raise UsageError("--inside needs a Slurm job: salloc or sbatch first, or name a machine to "
                         "submit to with --slurm")
    is_queued = options.slurm and not options.allocation
    if is_queued and options.budget is not None:
        raise UsageError("--budget is for this machine: with --slurm say --timeout, or less to run")
    if options.cancel and not is_queued:
        raise UsageError("--cancel is for jobs in a queue: with --slurm")


def make_plan(options: argparse.Namespace, machine: Optional[SlurmMachine]) -> Plan:
    """The plan of the command line. Raises SpecError."""
    lists = {name: getattr(options, name) for name in sweep_plan.FACTORS if getattr(options, name) is not None}
    if bool(options.files) == bool(lists):
        raise SpecError("give either files or --kernels, --sizes, --ranks (see --help)")
    specs = {str(file): sweep_plan.read_spec(file) for file in options.files} or \
        {"command line": {"blocks": [_block(options, lists)]}}
    draft = Draft(machine.cores_per_node, machine.sockets_per_node, machine.gpus_per_node) if machine \
        else Draft(Machine.here().cores)
    for where, spec in specs.items():
        sweep_plan.add_blocks(draft, spec, where, options.launches)
    name = "-".join(dict.fromkeys(spec.get("name", "sweep") for spec in specs.values()))
    seed = options.seed or next(iter(specs.values())).get("seed", 1)
    programs = {kernel: version_of(options.build / "bin" / kernel)
                for kernel in dict.fromkeys(one.kernel for one in draft.configurations)}
    return Plan(name, seed, programs, tuple(draft.blocks), tuple(draft.configurations),
                tuple(dict.fromkeys(draft.notes)))


def _block(options: argparse.Namespace, lists: dict[str, str]) -> dict[str, Any]:
    block: dict[str, Any] = {name: text.split(",") for name, text in lists.items()}
    if "threads" in block:
        block["threads"] = [whole_number(word) or word for word in block["threads"]]
    return {**block, "scaling": options.scaling, "arguments": options.arguments.split()}


def find_folder(options: argparse.Namespace, machine: Optional[SlurmMachine]) -> SweepFolder:
    """The folder of the command line's sweep; makes it if there is none."""
    if options.folder and not options.files and not options.kernels:
        data = stored_plan(options.folder)
        if data is None:
            raise SpecError(f"{options.folder} holds no sweep: give files, or --kernels and so on")
        plan = Plan.from_json(data)
        now = {name: version_of(options.build / "bin" / name) for name in plan.programs}
        return SweepFolder.open(options.folder, replace(plan, programs=now))
    plan = make_plan(options, machine)
    if options.dry_run:
        return SweepFolder(Path(), plan)
    there = unfinished(options.results, plan.as_json().__eq__, options.retry_failed)
    path = options.folder or there or new_folder(options.results, plan)
    return SweepFolder.open(path, plan)


def show(plan: Plan, machine: Optional[SlurmMachine], timeout: float) -> None:
    """Prints the launches in their order, and their cost on a cluster."""
    for launch in launches(plan):
        words = " ".join(launch.configuration.command_line())
        print("\n".join(textwrap.wrap(printable(f"{launch.title}: {words}"), WIDTH, subsequent_indent="    ",
                                      break_long_words=False, break_on_hyphens=False)))
    if machine:
        print(textwrap.fill(cost(plan, machine, timeout), WIDTH))


def run(options: argparse.Namespace) -> int:
    check(options)
    machine = SlurmMachine.load(options.slurm) if options.slurm else machine_here() if options.inside else None
    folder = find_folder(options, machine)
    for note in folder.plan.notes:
        say(note)
    if options.dry_run:
        show(folder.plan, machine, options.timeout)
        return VERIFIED
    say(f"results in {shown(folder.path)}")
    if machine and not options.allocation:
        queue = SlurmLauncher(machine, options.timeout, options.job_time if options.inside else None)
        queued = QueuedSweep(folder, queue, options)
        if options.cancel:
            queued.cancel()
            return VERIFIED
        code = queued.run()
    else:
        launcher = StepLauncher(machine) if machine else LocalLauncher(options.launcher)
        code = Sweep(folder, launcher, options, options.allocation).run()
    print(sweep_table.render(folder), end="")
    if code != STOPPED:
        folder.mark_over()
    # The table says what is not available on this machine; that is no failure.
    return VERIFIED if code == UNAVAILABLE else code
