"""Finds slow nodes. Runs stream, cg and fft for some seconds on each node, on its processors and on its
GPUs, and stream between neighbours in a ring (or other pairs), and ends with a table of the slow ones.

In salloc's shell or a batch script it checks the nodes of that job, by steps of it. Elsewhere it submits
a job for each node and each pair (--slurm), which run as nodes come free. If it is stopped, give the same
command again: it continues, and shows what the jobs have found meanwhile. A new check compares with earlier
ones in the same place, and says since when a node is slow.

A node's network rate is that of its best pair, so that a slow node does not make its partners slow. The
exit code is 1 if a node or a pair is slow, 3 if a launch failed, 4 if there are too few nodes to
tell, else 0."""

import argparse
import functools
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

from quartet.command_line import UsageError, add_build, seconds, share, shipped_in, some_of, whole_number
from quartet.exit_codes import FAILED, STOPPED, UNDECIDED, VERIFIED, WRONG_RESULT, ScriptError
from quartet.files import check_output
from quartet.nodes import acceptance, findings, table
from quartet.nodes import plan as nodes_plan
from quartet.paths import MACHINES, RESULTS
from quartet.report.charts import style
from quartet.results import reference
from quartet.slurm.allocation import Allocation, StepLauncher, hosts_of, machine_here
from quartet.slurm.launcher import SlurmLauncher
from quartet.slurm.machine import SlurmMachine
from quartet.slurm.site import answer
from quartet.sweep import cost
from quartet.sweep.folder import SweepFolder, launches, new_folder, stored_plan, unfinished
from quartet.sweep.loop import Sweep
from quartet.sweep.plan import Plan
from quartet.sweep.queue import QueuedSweep
from quartet.sweep.versions import version_of
from quartet.text import counted, near, say

EXAMPLE = "quartet nodes --slurm mine.json --hosts 'n[1-16]'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--slurm", type=shipped_in(MACHINES), metavar="MACHINE",
                        help="a machine file (docs/cluster.md); not needed within a job")
    parser.add_argument("--hosts", metavar="LIST",
                        help="nodes as Slurm writes them, n[1-300] (all of the job, or of the "
                        "machine's partition that are up)")
    parser.add_argument("--kernels", type=some_of(nodes_plan.CHECKS), default=tuple(nodes_plan.CHECKS), metavar="LIST",
                        help=f"kernels to run on each node ({','.join(nodes_plan.CHECKS)})")
    parser.add_argument("--pairs", default=nodes_plan.RING, metavar="ring|all|none|N",
                        help="N gives each node about N partners, drawn by --seed (%(default)s)")
    parser.add_argument("--device", choices=("auto", nodes_plan.HOST, nodes_plan.CUDA), default="auto",
                        help="where the kernels compute; auto: on the processors, and on GPUs too where the nodes have "
                        "some, pairs between processors (%(default)s)")
    parser.add_argument("--launches", type=whole_number(100), default=2,
                        help="launches of each; the best counts (%(default)s)")
    parser.add_argument("--at-once", type=whole_number(10_000), default=32, metavar="N",
                        help="steps within a job at one time, on different nodes; 1 leaves the network to each "
                             "(%(default)s)")
    parser.add_argument("--small", action="store_true", help="small problems, to try it")
    parser.add_argument("--false-alarms", type=share(below=0.5), default=0.05, metavar="SHARE",
                        help="share of checks of alike nodes that name a node (%(default)s)")
    parser.add_argument("--least", type=share(), default=0.05, metavar="SHARE",
                        help="a node is named only if it is this share below the median (%(default)s, or 5%%)")
    parser.add_argument("--reference", type=Path, action="append", default=[], metavar="PATH",
                        help="also names nodes that are slow beside it: documents of sound nodes; may be repeated")
    parser.add_argument("--folder", type=Path,
                        help="folder of this check (an unfinished one of the same plan, or a new one "
                        "in --results)")
    parser.add_argument("--results", type=Path, default=RESULTS / "nodes",
                        help="where new folders are made (%(default)s)")
    parser.add_argument("--seed", type=whole_number(10**6), default=1,
                        help="seed of the order and the pairs (%(default)s)")
    parser.add_argument("--timeout", type=seconds, default=300, metavar="SECONDS",
                        help="limit of one launch (%(default)s)")
    parser.add_argument("--poll", type=seconds, default=30, metavar="SECONDS",
                        help="how often to ask Slurm for its queue (%(default)s)")
    parser.add_argument("--dry-run", action="store_true", help="shows what would be run, and the node hours")
    parser.add_argument("--acceptance", type=Path, metavar="FILE",
                        help="also a report to sign, as a PDF: nodes and links that passed or not (needs matplotlib)")
    parser.add_argument("--retry-failed", action="store_true", help="runs failed launches again")
    add_build(parser)


def check(options: argparse.Namespace) -> None:
    """Checks what argparse does not. Raises UsageError."""
    if options.pairs not in (nodes_plan.RING, nodes_plan.ALL, nodes_plan.NONE) and not (
            options.pairs.isascii() and options.pairs.isdigit() and 0 < int(options.pairs[:5]) < 1000):
        raise UsageError(f"--pairs '{options.pairs:.40}' is none of ring, all, none and 1 to 999"
                         f"{near(options.pairs, (nodes_plan.RING, nodes_plan.ALL, nodes_plan.NONE))}")


def hosts(options: argparse.Namespace, machine: SlurmMachine, allocation: Optional[Allocation]) -> tuple[str, ...]:
    """Returns the nodes to be checked. Raises ScriptError."""
    if options.hosts:
        return hosts_of(options.hosts)
    return allocation.nodes if allocation else hosts_of(",".join(_up(machine.partition)))


def _up(partition: str) -> list[str]:
    """Nodes that run jobs now, or could."""
    where = ["-p", partition] if partition else []
    found = sorted(set(answer("sinfo", "-h", "-N", "-o", "%N", "-t", "idle,alloc,mix,comp", *where).split()))
    if not found:
        raise ScriptError(f"no node of {partition or 'this site'} is up (sinfo names none): name --hosts")
    return found


def make_plan(options: argparse.Namespace, machine: SlurmMachine, names: tuple[str, ...],
              version: Callable[[Path], str] = version_of) -> Plan:
    if options.device == nodes_plan.CUDA and not machine.gpus_per_node:
        raise ScriptError(f"--device cuda ({machine.name} has no GPUs: gpus_per_node): another machine")
    both = (nodes_plan.HOST, nodes_plan.CUDA) if machine.gpus_per_node else (nodes_plan.HOST,)
    node = nodes_plan.Node(machine.cores_per_node, machine.gpus_per_node,
                           both if options.device == "auto" else (options.device,))
    pairs = nodes_plan.pairs_of(names, options.pairs, options.seed)
    kernels = {*options.kernels, *([nodes_plan.BETWEEN] if pairs else [])}
    programs = {kernel: version(options.build / "bin" / kernel) for kernel in sorted(kernels)}
    return nodes_plan.plan(names, pairs, node, options.kernels, options.launches, options.seed, programs,
                           options.small)


def open_folder(options: argparse.Namespace, machine: SlurmMachine,
                allocation: Optional[Allocation]) -> SweepFolder:
    """Goes on with a check of other nodes than are up now, where nobody has named any: nodes come and go."""
    version = functools.cache(version_of)  # of each program, for all plans
    plan = make_plan(options, machine, hosts(options, machine, allocation), version)

    def is_wanted(there: dict[str, Any]) -> bool:
        if options.hosts or allocation or there["name"] != nodes_plan.NAME:
            return there == plan.as_json()
        return there == make_plan(options, machine, nodes_plan.hosts_in(there), version).as_json()

    path = options.folder or unfinished(options.results, is_wanted) or new_folder(options.results, plan)
    there = stored_plan(path)
    if there and there != plan.as_json() and is_wanted(there):
        say("goes on with the nodes of the check that was begun; others are up now: --hosts begins another check")
        plan = make_plan(options, machine, nodes_plan.hosts_in(there), version)
    return SweepFolder.open(path, plan)


def show_cost(plan: Plan, machine: SlurmMachine, options: argparse.Namespace) -> int:
    for block in plan.blocks:
        of_it = [plan.configurations[number] for number in block.members]
        noun = "pair" if block.title == nodes_plan.PAIR else "node"
        print(f"{block.title}: {counted(len(of_it), noun)}, {counted(options.launches, 'launch')} of each, "
              f"{counted(of_it[0].ranks, 'rank')}")
    for line in cost.lines(plan, machine, options.timeout, options.results):
        print(line)
    return VERIFIED


def make_sweep(folder: SweepFolder, options: argparse.Namespace, machine: SlurmMachine,
               allocation: Optional[Allocation]) -> Sweep:
    if allocation:
        return Sweep(folder, StepLauncher(machine), options, allocation, options.at_once)
    kinds = sum(block.title != nodes_plan.PAIR for block in folder.plan.blocks)
    per_node = options.timeout * options.launches * kinds
    return QueuedSweep(folder, SlurmLauncher(machine, options.timeout, per_node), options)


def run(options: argparse.Namespace) -> int:
    check(options)
    if options.acceptance:
        check_output(options.acceptance, [])
        style.require_matplotlib()
    known = reference.read(options.reference, options.least)
    options.budget = None
    allocation = Allocation.here()
    machine = SlurmMachine.load(options.slurm) if options.slurm else machine_here()
    if options.dry_run:
        return show_cost(make_plan(options, machine, hosts(options, machine, allocation)), machine, options)
    folder = open_folder(options, machine, allocation)
    path, plan = folder.path, folder.plan
    say(f"{counted(len(launches(plan)), 'launch')}, results in {os.path.relpath(path)}")
    code = make_sweep(folder, options, machine, allocation).run()
    found = findings.find(folder, options.false_alarms, options.least, known)
    earlier, date = findings.Earlier.beside(path), time.strftime("%Y-%m-%d %H:%M")
    if not found.left:
        findings.keep(path, found, date)
    print(table.render(found, earlier, options.false_alarms, options.least), end="")
    if options.acceptance:
        acceptance.write(acceptance.Acceptance(machine.name, date, os.path.relpath(path), plan, found, earlier,
                                               options.false_alarms, options.least), options.acceptance)
    if not found.left:
        folder.mark_shown()
    if code == STOPPED:
        return STOPPED
    if found.slow:
        return WRONG_RESULT
    return FAILED if found.failures else VERIFIED if found.is_decided else UNDECIDED
