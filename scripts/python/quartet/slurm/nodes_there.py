"""Whether a machine file says of its nodes what Slurm says of them."""

import re
import subprocess

from quartet.exit_codes import FAILED
from quartet.launch import LaunchError
from quartet.slurm.machine import SlurmMachine

FIELDS = "%N %X %Y %G"  # names, sockets, cores of a socket, generic resources


def differences(machine: SlurmMachine) -> list[str]:
    """In words; none if they agree. Raises LaunchError if Slurm names no nodes."""
    where = ["-p", machine.partition] if machine.partition else []
    try:
        done = subprocess.run(["sinfo", "-h", "-o", FIELDS, *where], text=True, check=False, stdin=subprocess.DEVNULL,
                              capture_output=True)
    except OSError as error:
        raise LaunchError(FAILED, f"sinfo cannot be run ({error}): go to a machine with Slurm") from None
    lines = [line.split() for line in done.stdout.splitlines() if len(line.split()) == 4]
    if done.returncode != 0 or not lines:
        raise LaunchError(FAILED, f"sinfo names no nodes ({done.stderr.strip() or 'of this partition':.200}): correct "
                          "the partition")
    found: list[str] = []
    for hosts, sockets, cores, resources in lines:
        there = {"sockets_per_node": _number(sockets), "cores_per_node": _number(sockets) * _number(cores),
                 "gpus_per_node": sum(int(count) for count in re.findall(r"\bgpu:(?:[^:,()]+:)?(\d+)", resources))}
        found += [f"{key} is {getattr(machine, key)} in the file, {count} on {hosts:.60}"
                  for key, count in there.items() if getattr(machine, key) != count]
    return found


def _number(text: str) -> int:
    """ "2+" is of nodes that differ: at least so many."""
    return int(re.sub(r"\D", "", text) or 0)
