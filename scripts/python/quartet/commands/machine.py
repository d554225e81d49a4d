"""Writes the machine file of a Slurm cluster, or compares one with the cluster.

--discover asks Slurm (scontrol, sinfo, srun) for the cores, sockets and GPUs of a partition's nodes, and
for how it starts MPI. Of several kinds of nodes it takes the most frequent one and says so. Where there is
no Slurm it describes this computer. Modules, account and the like are yours to fill in: sites differ.

    quartet machine --discover > mine.json
    quartet machine --check mine.json

--check names each difference between the file and Slurm. Cores, sockets and GPUs are compared once partition and
constraint are right. Exit codes: 2 file and Slurm differ, 3 Slurm does not answer."""

import argparse
import json
import shutil

from quartet.command_line import UsageError, shipped_in
from quartet.exit_codes import BAD_USAGE, VERIFIED
from quartet.files import read_json
from quartet.paths import MACHINES
from quartet.slurm.machine import TEMPLATE, SlurmMachine
from quartet.slurm.site import NO_CLUSTER, Site, ask, differences, discovered, of_this_node
from quartet.text import say

EXAMPLE = "quartet machine --discover --partition gpu"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--discover", action="store_true", help="writes a machine file to standard output")
    what.add_argument("--check", type=shipped_in(MACHINES), metavar="MACHINE", help="compares this machine file")
    parser.add_argument("--partition", default="", help="whose nodes are described (the site's default)")
    parser.add_argument("--constraint", default="", metavar="FEATURE", help="only of nodes that have it")


def run(options: argparse.Namespace) -> int:
    if options.check:
        return check(options)
    problem = ask(["scontrol", "show", "config"]).stderr if shutil.which("scontrol") else NO_CLUSTER
    has_slurm = NO_CLUSTER not in problem
    keys, notes = discovered(Site.ask(), options.partition, options.constraint) if has_slurm else of_this_node()
    template = {key: value for key, value in read_json(TEMPLATE).items() if key != "$schema"}
    print(json.dumps({**template, **keys}, indent=2))
    for note in [*notes, "modules, account and qos are empty: fill in what this site wants"]:
        say(note)
    return VERIFIED


def check(options: argparse.Namespace) -> int:
    if options.partition or options.constraint:
        raise UsageError("--partition and --constraint are for --discover: the file has its own")
    machine = SlurmMachine.load(options.check)
    found = differences(machine, Site.ask())
    for text in found:
        say(f"{text}: correct it" + ", or choose nodes of one kind (`constraint`)" * (" on " in text))
    if not found:
        print(f"{machine.name}: agrees with what Slurm says")
    return BAD_USAGE if found else VERIFIED
