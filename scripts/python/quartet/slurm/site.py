"""The nodes and settings of a site, from scontrol, sinfo and srun of versions 22 to 24; the cores and GPUs of this
node; and machine files: what one should have, and how an existing one differs from the site."""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple, Optional

from quartet.exit_codes import FAILED, ScriptError
from quartet.launch import LaunchError
from quartet.machine import Machine
from quartet.slurm.machine import SlurmMachine
from quartet.text import counted, listed, suggestion

MPI_PREFERRED = ("pmix", "pmix_v5", "pmix_v4", "pmix_v3", "cray_shasta", "pmi2")
ASKS_BY_NODE = "select/cons_tres"  # the plugin that knows --gpus-per-node
SHOWN = 4  # names of nodes in a message
LONGEST_ANSWER = 60  # seconds
NO_CLUSTER = "_establish_config_source"  # in scontrol's messages where Slurm is installed, but not configured
MOST = 10**5  # of a node's sockets, cores or GPUs
UNSET = "(null)"
MPI_TYPE = re.compile(r"^(?:srun:)?\s*([a-z][a-z0-9_]*)\s*$", re.MULTILINE)
# Keys in a node's record. If a key is there twice, the second one is in a comment.
KEYS = (" NodeName=", " Sockets=", " CoresPerSocket=", " CoreSpecCount=", " Gres=", " Partitions=",
        " AvailableFeatures=", " Features=")
MPI_VERSIONS = re.compile(r"plugin versions available: (\S+)")


class Kind(NamedTuple):
    """The sockets, cores and GPUs of a node."""

    sockets: int
    cores: int  # physical ones that jobs may use, of all sockets
    gpus: tuple[tuple[str, int], ...] = ()  # type, which may be empty, and number

    @property
    def gpus_in_all(self) -> int:
        return sum(number for _, number in self.gpus)


class Node(NamedTuple):
    name: str
    kind: Kind
    features: frozenset[str]
    partitions: frozenset[str]


@dataclass(frozen=True)
class Site:
    name: str
    nodes: tuple[Node, ...]
    default_partition: str  # empty: there is none
    selects: str  # the plugin that gives nodes to jobs
    mpi_default: str
    mpi: frozenset[str]  # for srun --mpi=...

    @staticmethod
    def ask() -> "Site":
        """Raises LaunchError if Slurm does not answer."""
        settings = dict(re.findall(r"^(\w+) *= *(.*?) *$", answer("scontrol", "show", "config"), re.MULTILINE))
        nodes = tuple(map(node_of, filter(None, answer("scontrol", "-o", "show", "node").splitlines())))
        default = [name[:-1] for name in answer("sinfo", "-h", "-o", "%P").split() if name.endswith("*")]
        types = answer("srun", "--mpi=list")
        known = [*MPI_TYPE.findall(types), *",".join(MPI_VERSIONS.findall(types)).split(",")]
        return Site(settings.get("ClusterName", ""), nodes, next(iter(default), ""), settings.get("SelectType", ""),
                    settings.get("MpiDefault", ""), frozenset(known) - {"", "none"})

    @property
    def partitions(self) -> list[str]:
        return sorted({name for node in self.nodes for name in node.partitions})


def node_of(record: str) -> Node:
    """Reads a line of `scontrol -o show node`. It must be fast: there may be a million. Raises LaunchError."""
    text = f" {record} "
    name, *values = [text[begin + len(key):text.find(" ", begin + 1)] if (begin := text.find(key)) >= 0 else ""
                     for key in KEYS]
    try:
        return Node(name, *_parsed(*values))
    except ValueError:
        raise LaunchError(FAILED, f"'{record:.60}' (no node as scontrol shows it): write the machine file by hand"
                          ) from None


@cache
def _parsed(*values: str) -> tuple[Kind, frozenset[str], frozenset[str]]:
    """A node's kind, features and partitions, from the values of KEYS. Raises ValueError if they are not plausible."""
    sockets, per_socket, for_system, resources, partitions, *features = ("" if value == UNSET else value
                                                                         for value in values)
    cores = _number(sockets) * _number(per_socket) - _number(for_system or "0")
    kind = Kind(_number(sockets), cores, gpus_of(resources))
    if not (0 < kind.sockets <= kind.cores <= MOST and kind.gpus_in_all <= MOST):
        raise ValueError
    names = (next(filter(None, features), ""), partitions)
    known, places = (frozenset(filter(None, text.split(","))) for text in names)
    return kind, known, places


def _number(text: str) -> int:
    """Reads a number. Raises ValueError if it is none."""
    if not re.fullmatch("[0-9]{1,6}", text, re.ASCII):
        raise ValueError
    return int(text)


def gpus_of(resources: str) -> tuple[tuple[str, int], ...]:
    """The GPUs in generic resources, "gpu:a100:4(S:0-1),nic:2", by type. Raises ValueError if a number is none."""
    found: dict[str, int] = {}
    for resource in filter(None, re.sub(r"\([^()]*\)", "", resources).split(",")):
        name, *words = resource.split(":")
        if name == "gpu":
            number = _number(words.pop()) if words and words[-1].isdigit() else 1
            kind = ":".join(words)
            found[kind] = found.get(kind, 0) + number
    return tuple(sorted((kind, number) for kind, number in found.items() if number))


def ask(command: Sequence[str], output: Optional[IO[str]] = None,
        held: tuple[int, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Runs a command of Slurm, which keeps the files `held` open. Its output is in the result, or in the file `output`;
    without that file it may take LONGEST_ANSWER."""
    seconds = None if output else LONGEST_ANSWER
    try:
        return subprocess.run(command, text=True, errors="replace", stdin=subprocess.DEVNULL,
                              stdout=output or subprocess.PIPE, stderr=subprocess.PIPE, check=False, pass_fds=held,
                              timeout=seconds)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, FAILED, "", f"no answer within {seconds} s")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise LaunchError(FAILED, f"{command[0]} cannot be run ({why}): go to a machine with Slurm") from None


def answer(*command: str) -> str:
    """The output of a command of Slurm. Raises LaunchError with the last line of its errors, the most specific one."""
    done = ask(command)
    if done.returncode != 0:
        said = [re.sub(r"^\w+: (error|fatal): ", "", line) for line in done.stderr.splitlines() if line.strip()]
        raise LaunchError(FAILED, f"{' '.join(command):.80} fails ({(said or ['it says nothing'])[-1]:.200}): go to a "
                          "machine with Slurm, or ask whether its controller is up")
    return done.stdout + (done.stderr if command[0] == "srun" else "")  # where srun of version 21 lists


def kind_of_this_node(root: Path = Path("/")) -> Kind:
    """The whole node, even if a job has only a part of it. `root` is the folder with proc/ and sys/."""
    cpus = [cpu for cpu in (_topology(file) for file in sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*")))
            if cpu]
    gpus = len(list((root / "proc/driver/nvidia/gpus").glob("*")))
    if not cpus:
        return Kind(1, Machine.here().cores, (("", gpus),) if gpus else ())
    cores = {siblings for _, siblings in cpus}
    return Kind(len({package for package, _ in cpus}), len(cores), (("", gpus),) if gpus else ())


def _topology(cpu: Path) -> tuple[str, ...]:
    """The socket and core of a hardware thread; empty if it is offline."""
    try:
        return tuple((cpu / "topology" / name).read_text(encoding="ascii").strip()
                     for name in ("physical_package_id", "thread_siblings_list"))
    except OSError:
        return ()


def discovered(site: Site, partition: str, constraint: str) -> tuple[dict[str, Any], list[str]]:
    """The keys of a machine file for the most frequent kind of nodes, and notes. Raises ScriptError without nodes."""
    if not site.nodes:
        raise ScriptError("Slurm shows no node (scontrol show node): ask whether its controller is up", FAILED)
    partition = partition or site.default_partition
    if partition not in site.partitions:
        why = f"'{partition:.40}' is none{suggestion(partition, site.partitions)}" if partition else \
            "none is the default"
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
                     f"{_names(chosen)} was taken ({how}); --partition and --constraint choose others")
    mpi = next((name for name in (site.mpi_default, *MPI_PREFERRED) if name in site.mpi), "")  # of srun --mpi
    types = {name for node in site.nodes for name, _ in node.kind.gpus}
    keys = {"name": f"{site.name} {partition}".strip(), "cores_per_node": kind.cores,
            "sockets_per_node": kind.sockets, "gpus_per_node": kind.gpus_in_all,
            "gpu_request": "gpus-per-node" if site.selects == ASKS_BY_NODE else "gres",
            "gpu_type": kind.gpus[0][0] if len(kind.gpus) == 1 and len(types) > 1 else "",
            "partition": partition, "constraint": constraint,
            "launcher": "srun" if mpi else "mpirun", **({"mpi": mpi} if mpi else {})}
    return keys, notes


def of_this_node() -> tuple[dict[str, Any], list[str]]:
    kind = kind_of_this_node()
    return ({"name": os.uname().nodename.partition(".")[0], "cores_per_node": kind.cores,
             "sockets_per_node": kind.sockets, "gpus_per_node": kind.gpus_in_all},
            ["there is no Slurm here (no scontrol, or it knows no cluster): this describes the computer you are on"])


def differences(machine: SlurmMachine, site: Site) -> list[str]:
    """How a machine file differs from the site, as texts; empty if they agree. Cores, sockets and GPUs can be compared
    if the site has the partition and the constraint."""
    partition, found = machine.partition or site.default_partition, []
    nodes = _selected(site, partition, machine.constraint)
    if not partition or not set(partition.split(",")) <= set(site.partitions):
        found = [f"partition is '{machine.partition}' in the file{suggestion(partition, site.partitions)}, Slurm has "
                 f"{', '.join(site.partitions)}{'' if partition else ', and none is the default'}"]
    elif not nodes:
        found = [f"constraint is {machine.constraint} in the file, of which {partition} has no node"]
    for kind in dict.fromkeys(node.kind for node in nodes):
        found += _of_kind(machine, kind, _names([node for node in nodes if node.kind == kind]))
    if machine.gpus_per_node and machine.gpu_request != "gres" and site.selects != ASKS_BY_NODE:
        found.append(f"gpu_request is {machine.gpu_request} in the file, {site.selects} of this site knows gres alone")
    if machine.launcher == "srun" and machine.mpi not in site.mpi:
        found.append(f"mpi is {machine.mpi} in the file, srun --mpi=list has {', '.join(sorted(site.mpi)) or 'none'}")
    return found


def _of_kind(machine: SlurmMachine, kind: Kind, names: str) -> list[str]:
    there = {"cores_per_node": kind.cores, "sockets_per_node": kind.sockets, "gpus_per_node": kind.gpus_in_all}
    found = [f"{key} is {getattr(machine, key)} in the file, {number} on {names}"
             for key, number in there.items() if getattr(machine, key) != number]
    types = [name for name, _ in kind.gpus]
    if machine.gpu_type and types and machine.gpu_type not in types:
        found.append(f"gpu_type is {machine.gpu_type} in the file, {', '.join(types) or 'none'} on {names}")
    return found


def _selected(site: Site, partition: str, constraint: str) -> list[Node]:
    """The nodes of a partition, or of several ("a,b"), with the constraint's features, not its counts and brackets."""
    names = re.findall(r"[\w.:-]+", re.sub(r"\*\d+", "", constraint))
    enough = any if "|" in constraint else all
    return [node for node in site.nodes if node.partitions & set(partition.split(","))
            and (not names or enough(name in node.features for name in names))]


def _names(nodes: list[Node]) -> str:
    return listed([node.name for node in nodes], SHOWN)


def in_words(kind: Kind) -> str:
    gpus = [f"{number} {f'{name} ' if name else ''}{'GPU' if number == 1 else 'GPUs'}" for name, number in kind.gpus]
    return ", ".join([counted(kind.cores, "core"), counted(kind.sockets, "socket"), *gpus])
