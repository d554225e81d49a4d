"""A machine file by Slurm's word: what it should say, and where one that is there says something else."""

import os
import re
from collections import Counter
from typing import Any, Optional

from quartet.exit_codes import ScriptError
from quartet.slurm.machine import SlurmMachine
from quartet.slurm.site import Kind, Node, Site, in_ranges, kind_of_this_node
from quartet.text import counted, near

MPI_PREFERRED = ("pmix", "pmix_v5", "pmix_v4", "pmix_v3", "cray_shasta", "pmi2")
ASKS_BY_NODE = "select/cons_tres"  # what knows --gpus-per-node
SHOWN = 60  # characters of nodes' names


def discovered(site: Site, partition: str, constraint: str) -> tuple[dict[str, Any], list[str]]:
    """The keys of a machine file for the most frequent kind of nodes, and what its user should know. Raises
    ScriptError if there are no such nodes."""
    partition = partition or site.default_partition
    if partition not in site.partitions:
        why = f"'{partition:.40}' is none{near(partition, site.partitions)}" if partition else "none is the default"
        raise ScriptError(f"no partition ({why}): name one of {', '.join(site.partitions)} (--partition)")
    nodes = _selected(site, partition, constraint)
    if not nodes:
        raise ScriptError(f"no node of {partition} has {constraint} (--constraint): name another feature")
    kinds = Counter(node.kind for node in nodes)
    kind = max(kinds, key=lambda one: (kinds[one], one.cores, one.gpus_in_all))
    chosen = [node for node in nodes if node.kind == kind]
    others = [node for node in nodes if node.kind != kind]
    own = frozenset.intersection(*(node.features for node in chosen)) - \
        frozenset().union(*(node.features for node in others))
    notes = []
    if others:
        own_feature = min(own, default="")
        constraint = constraint or own_feature
        how = f"constraint {own_feature} chooses them" if own_feature else "no feature tells them apart"
        notes.append(f"{partition} has {counted(len(kinds), 'kind')} of nodes: {in_words(kind)} on "
                     f"{in_ranges(node.name for node in chosen):.{SHOWN}} was taken ({how}); --partition and "
                     "--constraint choose others")
    mpi = mpi_of(site)
    types = {name for node in site.nodes for name, _ in node.kind.gpus}
    keys = {"name": f"{site.name} {partition}".strip(), "cores_per_node": kind.cores,
            "sockets_per_node": kind.sockets, "gpus_per_node": kind.gpus_in_all,
            "gpu_request": "gpus-per-node" if site.selects == ASKS_BY_NODE else "gres",
            "gpu_type": kind.gpus[0][0] if len(kind.gpus) == 1 and len(types) > 1 else "",
            "partition": partition, "constraint": constraint,
            "launcher": "srun" if mpi else "mpirun", **({"mpi": mpi} if mpi else {})}
    notes += [f"{what}: ask who runs this node" for what in node_differences(site)]
    return keys, notes


def of_this_node() -> tuple[dict[str, Any], list[str]]:
    kind = kind_of_this_node()
    return ({"name": os.uname().nodename.partition(".")[0], "cores_per_node": kind.cores,
             "sockets_per_node": kind.sockets, "gpus_per_node": kind.gpus_in_all},
            ["there is no Slurm here (no scontrol): this describes the computer that you are on"])


def differences(machine: SlurmMachine, site: Site) -> list[str]:
    """In words; none if they agree."""
    partition = machine.partition or site.default_partition
    if not partition or not set(partition.split(",")) <= set(site.partitions):
        return [f"partition is '{machine.partition}' in the file{near(partition, site.partitions)}, Slurm has "
                f"{', '.join(site.partitions)}{'' if partition else ', and none is the default'}"]
    nodes = _selected(site, partition, machine.constraint)
    if not nodes:
        return [f"constraint is {machine.constraint} in the file, of which {partition} has no node"]
    found = []
    for kind in dict.fromkeys(node.kind for node in nodes):
        names = in_ranges(node.name for node in nodes if node.kind == kind)
        found += _of_kind(machine, kind, names)
    if machine.gpus_per_node and machine.gpu_request != "gres" and site.selects != ASKS_BY_NODE:
        found.append(f"gpu_request is {machine.gpu_request} in the file, {site.selects} of this site knows gres alone")
    if machine.launcher == "srun" and machine.mpi not in site.mpi:
        found.append(f"mpi is {machine.mpi} in the file, srun --mpi=list has {', '.join(sorted(site.mpi)) or 'none'}")
    return found + node_differences(site)


def _of_kind(machine: SlurmMachine, kind: Kind, names: str) -> list[str]:
    there = {"cores_per_node": kind.cores, "sockets_per_node": kind.sockets, "gpus_per_node": kind.gpus_in_all}
    found = [f"{key} is {getattr(machine, key)} in the file, {number} on {names:.{SHOWN}}"
             for key, number in there.items() if getattr(machine, key) != number]
    types = [name for name, _ in kind.gpus]
    if machine.gpu_type and types and machine.gpu_type not in types:
        found.append(f"gpu_type is {machine.gpu_type} in the file, {', '.join(types) or 'none'} on {names:.{SHOWN}}")
    return found


def node_differences(site: Site, here: Optional[Kind] = None) -> list[str]:
    """Where the node that this process is on, if it is one of the site's, has something else than Slurm says."""
    host = os.uname().nodename
    known = [node for node in site.nodes if host in (node.host, node.name)]
    if not known:
        return []
    node, here = known[0], here or kind_of_this_node()
    return [f"{host} has {counted(mine, noun)}, Slurm says {slurms}" for noun, mine, slurms in
            (("core", here.cores, node.kind.cores + node.reserved_cores), ("socket", here.sockets, node.kind.sockets),
             ("GPU", here.gpus_in_all, node.kind.gpus_in_all)) if mine != slurms]


def _selected(site: Site, partition: str, constraint: str) -> list[Node]:
    """The nodes of a partition, or of several ("a,b"), with the features. Of counts and brackets only the names are
    read."""
    names = re.findall(r"[\w.:-]+", re.sub(r"\*\d+", "", constraint))
    enough = any if "|" in constraint else all
    return [node for node in site.nodes if node.partitions & set(partition.split(","))
            and (not names or enough(name in node.features for name in names))]


def mpi_of(site: Site) -> str:
    """What srun starts MPI by: the site's default, else the best that it has; empty if it has none."""
    if site.mpi_default in site.mpi:
        return site.mpi_default
    return next((name for name in MPI_PREFERRED if name in site.mpi), "")


def in_words(kind: Kind) -> str:
    gpus = [f"{number} {f'{name} ' if name else ''}{'GPU' if number == 1 else 'GPUs'}" for name, number in kind.gpus]
    return ", ".join([counted(kind.cores, "core"), counted(kind.sockets, "socket"), *gpus])
