"""Slurm machines: each is a file with the keys of scripts/slurm/machine.schema.json, for one kind of nodes
(scripts/slurm/machines/ has a template and examples). And the placement of a job's ranks on a machine, with the options
of sbatch for it. Distributions have Slurm's names: block fills a node before the next, cyclic deals ranks one by one,
plane=N deals N at a time, in turn."""

import os
from collections import Counter
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any, Optional

from quartet import schema
from quartet.exit_codes import ScriptError
from quartet.files import read_json, reason_of, with_bounds
from quartet.kernels import KERNELS
from quartet.launch import Job, options_of
from quartet.paths import MACHINES, ROOT, SLURM
from quartet.results import whole_number
from quartet.terminal import printable
from quartet.text import counted, suggestion

TEMPLATE = MACHINES / "template.json"
PLANE = "plane="
HOW_TO_MAKE = "quartet machine --discover > mine.json makes one"


class MachineError(ScriptError):
    """A machine file, or a job for it, that cannot be used: what is wrong (why), what to do."""


@dataclass(frozen=True)
class SlurmMachine:
    name: str
    cores_per_node: int
    sockets_per_node: int
    gpus_per_node: int
    gpu_request: str
    gpu_type: str
    partition: str
    account: str
    qos: str
    constraint: str
    reservation: str
    switches: str
    memory: str
    hint: str
    cpu_bind: str
    distribution: str
    requeue: bool
    modules: list[Any]
    prepare: list[Any]
    launcher: str
    mpi: str
    jobs_at_a_time: int
    more_options: list[Any]  # the file's "options"
    environment: dict[str, Any]
    rates: dict[str, Any]  # as quartet.predict.machine reads them

    @staticmethod
    def load(path: Path) -> "SlurmMachine":
        """Raises MachineError."""
        try:
            data = with_bounds(read_json(path), _plain)
        except (OSError, ValueError) as error:
            is_empty = os.path.isfile(path) and not os.path.getsize(path)
            why = "it is empty: what should have written it failed" if is_empty else reason_of(error)
            meant = suggestion(path.name, (file.stem for file in sorted(MACHINES.glob("*.json"))))
            raise MachineError(f"{path}: cannot be read ({why}){meant}: {HOW_TO_MAKE}") from None
        return SlurmMachine.of(data, f"{path}: ")

    @staticmethod
    def of(data: object, where: str = "") -> "SlurmMachine":
        """The machine with a file's keys. Raises MachineError, whose text begins with `where`."""
        problem = schema.problem("machine", data)
        if problem or not isinstance(data, dict):
            raise MachineError(f"{where}{problem}: see {SLURM}/machine.schema.json; {HOW_TO_MAKE}")
        known = read_json(SLURM / "machine.schema.json")["properties"]
        defaults = {key: rule["default"] for key, rule in known.items() if "default" in rule}
        values = {key: value for key, value in {**defaults, **data}.items() if key != "$schema"}
        machine = SlurmMachine(more_options=values.pop("options"), **values)
        if machine.cpu_bind and machine.hint:
            raise MachineError(f"{where}cpu_bind beside hint {machine.hint} (Slurm takes one of them): "
                               '"hint": "", and --threads-per-core=1 in options for one hardware thread')
        return machine

    @property
    def settings(self) -> tuple[str, ...]:
        """The arguments of scripts/slurm/start.sh. They are no variables, since some sites pass none to jobs."""
        known = (("launcher", self.launcher), ("mpi", self.mpi if self.launcher == "srun" else ""),
                 ("cpu-bind", self.cpu_bind), *(("prepare", line) for line in self.prepare),
                 ("modules", " ".join(self.modules)),
                 *(("set", f"{name}={value}") for name, value in self.environment.items()))
        return tuple(f"--{key}={value}" for key, value in known if value)

    @property
    def options(self) -> tuple[str, ...]:
        """The options of sbatch for each job, whatever its ranks."""
        known = (("hint", self.hint), ("mem", self.memory), ("switches", self.switches),
                 ("reservation", self.reservation), ("constraint", self.constraint),
                 ("qos", self.qos), ("partition", self.partition), ("account", self.account))
        return ("--requeue" if self.requeue else "--no-requeue",
                *(f"--{key}={value}" for key, value in known if value), *self.more_options)


def _plain(text: str) -> str:
    """The text, if it has no control character. Raises ValueError."""
    if printable(text) != text:
        raise ValueError(f"'{text:.40}' has a control character")
    return text


def plane_of(order: str) -> int:
    """The number of ranks that a node gets at a time in a plane distribution. Raises MachineError."""
    size = order[len(PLANE):]
    if not (size.isascii() and size.isdigit() and len(size) < 8 and int(size) > 0):
        raise MachineError(f"--distribution '{order:.40}' (a plane has a number of ranks): plane=2")
    return int(size)


def check_order(order: str) -> str:
    """The name of a distribution, if it is valid. Raises MachineError."""
    if order.startswith(PLANE):
        plane_of(order)
    elif order not in ("", "block", "cyclic"):
        raise MachineError(f"--distribution '{order:.40}' (not block, cyclic or plane=N)"
                           f"{suggestion(order, ('block', 'cyclic'))}: name another one")
    return order


def node_of_ranks(order: str, ranks: int, nodes: int) -> list[int]:
    """The node of each rank, numbered from 0. Blocks are as even as Slurm makes them: the first nodes have one more."""
    if order == "block":
        least, more = divmod(ranks, nodes)
        return [node for node in range(nodes) for _ in range(least + (node < more))]
    size = plane_of(order) if order.startswith(PLANE) else 1
    return [rank // size % nodes for rank in range(ranks)]


@dataclass(frozen=True)
class Request:
    """What a job requests by sbatch; jobs with equal requests can share an array."""

    script: Path  # that runs one such job
    options: tuple[str, ...]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of sbatch: the options, the script, and the suite's folder."""
        return (*self.options, str(self.script), f"--root={ROOT}")


@dataclass(frozen=True)
class Shape:
    """The placement of ranks, which are dealt evenly to nodes."""

    ranks: int
    nodes: int
    threads: int  # cores of a rank
    distribution: str = "block"
    uses_gpus: bool = False
    hosts: tuple[str, ...] = ()  # which nodes; empty: any

    @property
    def per_node(self) -> int:
        """The number of ranks on the fullest node."""
        return max(Counter(node_of_ranks(self.distribution, self.ranks, self.nodes)).values())

    @property
    def step(self) -> tuple[str, ...]:
        """The flags of start.sh for a step, whose job may be larger."""
        hosts = (f"--hosts={','.join(self.hosts)}",) if self.hosts else ()
        return (f"--ranks={self.ranks}", f"--nodes={self.nodes}", f"--threads={self.threads}",
                f"--distribution={self.distribution}", *hosts)


def shape_of(machine: SlurmMachine, job: Job) -> Shape:
    """Places a job on the nodes that it names, else on as few as have enough cores, or a GPU for each rank that
    computes on one. Raises MachineError if a rank does not fit a node, or all ranks do not fit the nodes."""
    if job.ranks < 1 or job.threads < 1:
        raise MachineError(f"{job.ranks} ranks of {job.threads} threads (not 1 at least): give more")
    if job.threads > machine.cores_per_node:
        raise MachineError(f"{job.threads} threads a rank ({machine.name} has {machine.cores_per_node} "
                           "cores a node): give fewer")
    uses_gpus = _uses_gpus(machine, job)
    reducers = reducers_of(job)
    if uses_gpus:
        least = ceil(max(1, job.ranks - reducers) / machine.gpus_per_node)
    else:
        least = ceil(job.ranks / (machine.cores_per_node // job.threads))
    nodes = job.nodes or least
    if nodes > job.ranks:
        raise MachineError(f"{counted(job.ranks, 'rank')} on {counted(nodes, 'node')} (each node needs "
                           "one): give more ranks, or fewer nodes")
    if nodes < least:
        what = (f"{machine.gpus_per_node} GPUs a node, one for each rank that computes" if uses_gpus else
                f"{machine.cores_per_node} cores a node, {job.threads} for each rank")
        raise MachineError(f"{job.ranks} ranks on {counted(nodes, 'node')} ({machine.name} has {what}): "
                           f"give {least} nodes at least")
    # With reducers ranks are dealt one by one, so that nodes have equal numbers of workers.
    order = check_order(job.distribution) or machine.distribution or \
        ("cyclic" if uses_gpus and reducers else "block")
    shape = Shape(job.ranks, nodes, job.threads, order, uses_gpus, job.hosts)
    if uses_gpus:  # all cores, so that a rank that is bound to some is near its GPU
        shape = replace(shape, threads=max(job.threads, machine.cores_per_node // shape.per_node))
    _require_plane_fits(machine, shape, job.threads, reducers)
    return shape


def _require_plane_fits(machine: SlurmMachine, shape: Shape, threads: int, reducers: int) -> None:
    """Planes may give nodes unequal numbers of ranks. Raises MachineError if one has too many."""
    if not shape.distribution.startswith(PLANE):
        return
    if machine.launcher == "mpirun":
        raise MachineError(f"{shape.distribution} with mpirun (it has no such distribution): another launcher, "
                           "or cyclic")
    if shape.per_node * threads > machine.cores_per_node:
        raise MachineError(f"{shape.distribution} puts {shape.per_node} of {shape.ranks} ranks on one of "
                           f"{counted(shape.nodes, 'node')} ({machine.name} has {machine.cores_per_node} cores a "
                           "node): give another plane, or more nodes")
    workers = Counter(node_of_ranks(shape.distribution, shape.ranks, shape.nodes)[reducers:])
    if shape.uses_gpus and max(workers.values(), default=0) > machine.gpus_per_node:
        raise MachineError(f"{shape.distribution} puts {max(workers.values())} workers on one node ({machine.name} "
                           f"has {machine.gpus_per_node} GPUs a node): give another plane, or cyclic")


def request_of_nodes(machine: SlurmMachine, shape: Shape, minutes: int) -> Request:
    """The request of all cores and GPUs of that many nodes, on which several launches run in turn."""
    whole = Shape(shape.nodes * machine.cores_per_node, shape.nodes, 1, "block", shape.uses_gpus, shape.hosts)
    return request(machine, whole, minutes)


def request(machine: SlurmMachine, shape: Shape, minutes: int) -> Request:
    """The request of one job of that shape."""
    options = [f"--nodes={shape.nodes}", f"--ntasks={shape.ranks}",
               f"--ntasks-per-node={shape.per_node}", f"--cpus-per-task={shape.threads}",
               f"--distribution={shape.distribution}", f"--time={minutes}"]
    if shape.hosts:
        options.append(f"--nodelist={','.join(shape.hosts)}")
    if shape.uses_gpus:
        what = f"{machine.gpu_type}:" if machine.gpu_type else ""
        gpus = "gres=gpu:" if machine.gpu_request == "gres" else "gpus-per-node="
        options.append(f"--{gpus}{what}{machine.gpus_per_node}")
    script = SLURM / ("gpu.sbatch" if shape.uses_gpus else "cpu.sbatch")
    return Request(script, (*options, *machine.options))


def ranks_on_each_node(machine: SlurmMachine, text: str) -> Optional[int]:
    """Reads a number, or the word "cores", "sockets" or "gpus" (as many as a node has); None if it is neither, or 0."""
    known = {"cores": machine.cores_per_node, "sockets": machine.sockets_per_node, "gpus": machine.gpus_per_node}
    return known.get(text, whole_number(text)) or None


def _uses_gpus(machine: SlurmMachine, job: Job) -> bool:
    device = options_of(job.arguments).get("--device", "auto")
    if device == "cuda" and machine.gpus_per_node == 0:
        raise MachineError(f"--device cuda ({machine.name} has no GPUs: gpus_per_node): another machine")
    return device in ("cuda", "auto") and machine.gpus_per_node > 0


def reducers_of(job: Job) -> int:
    """The number of reducers of a job: ranks that do not compute. Raises MachineError."""
    kernel, options = KERNELS.get(job.program.name), options_of(job.arguments)
    if options.get("--formulation") != "dataflow":
        return 0
    reducers = options.get("--reducers", str(kernel.default_reducers(job.ranks) if kernel else 1))
    if whole_number(reducers) is None:
        raise MachineError(f"--reducers '{reducers:.40}' (not a number): give how many ranks collect")
    return int(reducers)
