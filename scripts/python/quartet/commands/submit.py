"""Submits one job to Slurm and prints its number.

MACHINE is a machine file (quartet machine --discover makes one). The job asks for the nodes and GPUs that the ranks
need there, and runs cpu.sbatch or gpu.sbatch; --dry-run shows the command. --ranks alone are packed onto as few nodes
as hold them. Two of --ranks, --nodes and --ranks-per-node decide the third; after quartet submit mine.json:

    --nodes 2 --ranks-per-node 1 stream        a pair of nodes
    --nodes 4 --ranks-per-node gpus cg         a rank for each GPU
    --nodes 4 --ranks-per-node sockets fft     a rank for each socket"""

import argparse
import dataclasses
import shlex
import shutil
import subprocess
from math import ceil
from pathlib import Path

from quartet.command_line import integer, shipped_in
from quartet.exit_codes import FAILED, VERIFIED, ScriptError
from quartet.kernels import KERNELS
from quartet.launch import Job, options_of
from quartet.machine import MOST_RANKS
from quartet.paths import MACHINES
from quartet.slurm.launcher import hosts_of
from quartet.slurm.machine import MachineError, SlurmMachine, ranks_on_each_node, reducers_of, request, shape_of
from quartet.terminal import printable
from quartet.text import say, suggestion

EXAMPLE = "quartet submit mine.json --nodes 2 --ranks-per-node 1 stream"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("machine", type=shipped_in(MACHINES), metavar="MACHINE", help="a machine file")
    parser.add_argument("--ranks", type=integer(MOST_RANKS), help="ranks in all")
    parser.add_argument("--nodes", type=integer(MOST_RANKS), help="nodes over which the ranks are spread evenly")
    parser.add_argument("--ranks-per-node", metavar="N|cores|sockets|gpus",
                        help="a data flow's reducers come on top of gpus")
    parser.add_argument("--hosts", default="", metavar="LIST", help="these nodes and no others: n7,n12 or n[1-4]")
    parser.add_argument("--distribution", default="", metavar="block|cyclic|plane=N",
                        help="how ranks are dealt to nodes: N at a time, in turn (the machine file's)")
    parser.add_argument("--threads", type=integer(4096), help="threads of a rank (1; with sockets a socket's cores)")
    parser.add_argument("--minutes", type=integer(366 * 24 * 60), default=30,
                        help="time limit of the job (%(default)s)")
    parser.add_argument("--output", default="quartet-%j.out", help="file for the output of the job (%(default)s)")
    parser.add_argument("--dry-run", action="store_true", help="before PROGRAM: shows the sbatch command")
    parser.add_argument("program", type=Path, metavar="PROGRAM")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS")


def job_of(machine: SlurmMachine, given: argparse.Namespace) -> Job:
    """The job of the command line. Raises MachineError if flags are missing, or contradict each other."""
    threads = given.threads or (machine.cores_per_node // machine.sockets_per_node
                                if given.ranks_per_node == "sockets" else 1)
    hosts = hosts_of(given.hosts) if "[" in given.hosts else tuple(filter(None, given.hosts.split(",")))
    nodes = given.nodes or len(hosts) or None
    job = Job(given.program, given.ranks or 1, threads, tuple(given.arguments), nodes=nodes, hosts=hosts,
              distribution=given.distribution)
    if hosts and len(hosts) != nodes:
        raise MachineError(f"{len(hosts)} hosts for {nodes} nodes: name as many")
    if given.ranks_per_node is None:
        if given.ranks is None:
            raise MachineError("no ranks: give two of --ranks, --nodes and --ranks-per-node, or --ranks")
        return job
    each = ranks_on_each_node(machine, given.ranks_per_node)
    if each is None:
        why = f"{machine.name} has none" if given.ranks_per_node == "gpus" else "not a number, cores, sockets or gpus"
        raise MachineError(f"--ranks-per-node '{given.ranks_per_node:.40}' ({why}): correct it")
    if nodes is None and given.ranks is None:
        raise MachineError("neither --nodes nor --ranks beside --ranks-per-node: give one of them")
    least = given.ranks or (nodes or 1) * each + 1  # one reducer at least, on which the number of reducers depends
    on_top = reducers_of(dataclasses.replace(job, ranks=least)) if given.ranks_per_node == "gpus" else 0
    nodes = nodes or ceil(max(1, given.ranks - on_top) / each)
    ranks = given.ranks or nodes * each + on_top
    if ceil((ranks - on_top) / nodes) != each:
        raise MachineError(f"{ranks} ranks on {nodes} nodes, {given.ranks_per_node} on each (one of them does "
                           "not fit): leave one out")
    return dataclasses.replace(job, ranks=ranks, nodes=nodes)


def run(given: argparse.Namespace) -> int:
    machine = SlurmMachine.load(given.machine)
    program = shutil.which(given.program.absolute()) or shutil.which(given.program)  # on PATH
    if not program:
        meant = "" if given.program.name in KERNELS else suggestion(given.program.name, KERNELS)
        raise ScriptError(f"there is no program {given.program}{meant}: build it first")
    job = job_of(machine, given)
    shape = shape_of(machine, job)
    wanted = request(machine, shape, given.minutes)
    command = ["sbatch", "--parsable", f"--output={given.output}", *wanted.arguments, *machine.settings,
               str(Path(program).resolve()), *given.arguments]
    if shape.uses_gpus and options_of(job.arguments).get("--device", "auto") == "auto":
        say("asks for GPUs, since --device is auto: --device host asks for none")
    if "--dry-run" in given.arguments and not given.dry_run:
        say("--dry-run after PROGRAM is the program's, so this submits a job: before PROGRAM it would submit nothing")
    if given.dry_run:
        print(printable(shlex.join(command)))
        return VERIFIED
    try:
        done = subprocess.run(command, check=False)
    except (OSError, ValueError) as error:
        raise ScriptError(f"sbatch cannot be run ({error}): go to a machine with Slurm", FAILED) from None
    return VERIFIED if done.returncode == 0 else FAILED
