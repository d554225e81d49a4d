"""What Slurm says of a site's nodes and settings, as scontrol, sinfo and srun of versions 22 to 24 print it; and what
this node has by its own word."""

import re
import subprocess
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Iterable

from quartet.exit_codes import FAILED
from quartet.launch import LaunchError
from quartet.machine import Machine

UNSET = "(null)"
MPI_TYPE = re.compile(r"^(?:srun:)?\s*([a-z][a-z0-9_]*)\s*$", re.MULTILINE)
MPI_VERSIONS = re.compile(r"plugin versions available: (\S+)")


@dataclass(frozen=True)
class Kind:
    """What a node consists of."""

    sockets: int
    cores: int  # physical ones that jobs may use, of all sockets
    threads: int  # of a core
    gpus: tuple[tuple[str, int], ...] = ()  # type, which may be empty, and number

    @property
    def gpus_in_all(self) -> int:
        return sum(number for _, number in self.gpus)


@dataclass(frozen=True)
class Node:
    name: str
    host: str  # as the node calls itself
    kind: Kind
    features: frozenset[str]
    partitions: frozenset[str]
    reserved_cores: int = 0  # for the system; no job may use them


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
    """A line of `scontrol -o show node`. Raises LaunchError if it is none."""
    def value(key: str, default: str = "") -> str:
        found = re.search(rf"(?:^|\s){key}=(\S*)", record)
        return default if found is None or found[1] == UNSET else found[1]

    try:
        sockets, threads = int(value("Sockets")), int(value("ThreadsPerCore"))
        reserved = int(value("CoreSpecCount", "0"))
        cores = sockets * int(value("CoresPerSocket")) - reserved
    except ValueError:
        raise LaunchError(FAILED, f"'{record:.60}' (no node as scontrol shows it): write the machine file by hand"
                          ) from None
    features = value("AvailableFeatures") or value("Features")
    return Node(value("NodeName"), value("NodeHostName") or value("NodeName"),
                Kind(sockets, cores, threads, gpus_of(value("Gres"))),
                frozenset(filter(None, features.split(","))),
                frozenset(filter(None, value("Partitions").split(","))), reserved)


def gpus_of(resources: str) -> tuple[tuple[str, int], ...]:
    """The GPUs in generic resources, "gpu:a100:4(S:0-1),nic:2", by type."""
    found: dict[str, int] = {}
    for resource in filter(None, re.sub(r"\([^()]*\)", "", resources).split(",")):
        name, *words = resource.split(":")
        if name == "gpu":
            number = int(words.pop()) if words and words[-1].isdigit() else 1
            kind = ":".join(words)
            found[kind] = found.get(kind, 0) + number
    return tuple(sorted((kind, number) for kind, number in found.items() if number))


def in_ranges(names: Iterable[str]) -> str:
    """As Slurm writes nodes: "n[1-3,7]"."""
    parts = sorted((stem, len(digits), int(digits or 0), digits) for stem, digits in
                   (re.fullmatch(r"(.*?)(\d*)", name, re.DOTALL).groups() for name in names))  # type: ignore[union-attr]
    found = []
    for (stem, _), members in groupby(parts, lambda part: part[:2]):
        runs = [[part[3] for _, part in run] for _, run in
                groupby(enumerate(members), lambda item: item[1][2] - item[0])]
        texts = [run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
        is_one = len(runs) == 1 and len(runs[0]) == 1
        found.append(stem + (texts[0] if is_one else f"[{','.join(texts)}]"))
    return ",".join(found)


def answer(*command: str) -> str:
    """What a command of Slurm says. Raises LaunchError, with the last line of its errors, which tells most."""
    try:
        done = subprocess.run(command, text=True, check=False, stdin=subprocess.DEVNULL, capture_output=True)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise LaunchError(FAILED, f"{command[0]} cannot be run ({why}): go to a machine with Slurm") from None
    if done.returncode != 0:
        said = [re.sub(r"^\w+: (error|fatal): ", "", line) for line in done.stderr.splitlines() if line.strip()]
        raise LaunchError(FAILED, f"{' '.join(command):.80} fails ({(said or ['it says nothing'])[-1]:.200}): go to a "
                          "machine with Slurm, or ask whether its controller is up")
    return done.stdout + (done.stderr if command[0] == "srun" else "")  # where srun of version 21 lists


def kind_of_this_node(root: Path = Path("/")) -> Kind:
    """All of the node, whatever a job's share is. `root` is where proc/ and sys/ are."""
    cpus = [cpu for cpu in (_topology(file) for file in sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*")))
            if cpu]
    gpus = len(list((root / "proc/driver/nvidia/gpus").glob("*")))
    if not cpus:
        return Kind(1, Machine.here().cores, 1, (("", gpus),) if gpus else ())
    cores = {siblings for _, siblings in cpus}
    return Kind(len({package for package, _ in cpus}), len(cores), len(cpus) // len(cores),
                (("", gpus),) if gpus else ())


def _topology(cpu: Path) -> tuple[str, ...]:
    """A hardware thread's socket and core; nothing of one that is off."""
    try:
        return tuple((cpu / "topology" / name).read_text(encoding="ascii").strip()
                     for name in ("physical_package_id", "thread_siblings_list"))
    except OSError:
        return ()
