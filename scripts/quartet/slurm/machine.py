"""Slurm machines: files of the keys in scripts/slurm/machine.schema.json, one for a kind of nodes
(scripts/slurm/machines/ has a template and two examples), and what a job must ask for there."""

from dataclasses import dataclass
from pathlib import Path

from quartet.exit_codes import ScriptError
from quartet.files import read_json, with_bounds
from quartet.kernels import KERNELS
from quartet.kernels.kernel import Reducers, options_of
from quartet.launch import Job
from quartet.paths import ROOT, SLURM
from quartet.results import whole_number
from quartet.schema import Schema
from quartet.terminal import printable


class MachineError(ScriptError):
    """A machine file, or a job for it, that cannot be used: what is wrong (why), what to do."""


@dataclass(frozen=True)
class SlurmMachine:
    name: str
    cores_per_node: int
    gpus_per_node: int
    gpu_request: str
    gpu_type: str
    partition: str
    account: str
    modules: list
    launcher: str
    mpi: str
    jobs_at_a_time: int
    options: list
    environment: dict

    @staticmethod
    def load(path: Path) -> "SlurmMachine":
        """Raises MachineError."""
        try:
            data = with_bounds(read_json(path), _plain)
        except (OSError, ValueError) as error:
            raise MachineError(f"{path}: cannot be read ({error}): copy {SLURM}/machines/template.json"
                               ) from None
        schema = read_json(SLURM / "machine.schema.json")
        problem = Schema(schema).problem(data)
        if problem:
            raise MachineError(f"{path}: {problem}: see {SLURM}/machine.schema.json")
        data.pop("$schema", None)
        defaults = {key: rule["default"] for key, rule in schema["properties"].items()
                    if "default" in rule}
        return SlurmMachine(**{**defaults, **data})

    def variables(self) -> dict[str, str]:
        """What scripts/slurm/start.sh reads, and the file's own."""
        return {"QUARTET_ROOT": str(ROOT), "QUARTET_LAUNCHER": self.launcher,
                "QUARTET_MPI": self.mpi, "QUARTET_MODULES": " ".join(self.modules),
                **self.environment}


def _plain(text: str) -> str:
    """The text, which no shell, terminal or Slurm reads as more. Raises ValueError."""
    if printable(text) != text:
        raise ValueError(f"'{text:.40}' has a control character")
    return text


@dataclass(frozen=True)
class Request:
    """What a job asks sbatch for; jobs that ask for the same fit one array."""

    script: Path  # that runs one such job
    options: tuple[str, ...]


def request(machine: SlurmMachine, job: Job, minutes: int) -> Request:
    """Whole nodes' worth of cores for the ranks, one GPU for each that computes on one. Raises
    MachineError where a rank does not fit a node."""
    if job.ranks < 1 or job.threads < 1:
        raise MachineError(f"{job.ranks} ranks of {job.threads} threads (not 1 at least): give more")
    if job.threads > machine.cores_per_node:
        raise MachineError(f"{job.threads} threads a rank ({machine.name} has {machine.cores_per_node} "
                           "cores a node): give fewer")
    uses_gpus = _option(job, "--device", "auto") in ("cuda", "auto") and machine.gpus_per_node > 0
    if _option(job, "--device", "auto") == "cuda" and not uses_gpus:
        raise MachineError(f"--device cuda ({machine.name} has no GPUs: gpus_per_node): another machine")
    reducers = _reducers(job)
    if uses_gpus:
        nodes = _ceil(max(1, job.ranks - reducers), machine.gpus_per_node)
    else:
        nodes = _ceil(job.ranks, machine.cores_per_node // job.threads)
    # Ranks are dealt evenly. With reducers one by one, so that each node has as many workers.
    order = "cyclic" if uses_gpus and reducers else "block"
    options = [f"--nodes={nodes}", f"--ntasks={job.ranks}",
               f"--ntasks-per-node={_ceil(job.ranks, nodes)}", f"--cpus-per-task={job.threads}",
               f"--distribution={order}", f"--time={minutes}"]
    if uses_gpus:
        what = f"{machine.gpu_type}:" if machine.gpu_type else ""
        gpus = "gres=gpu:" if machine.gpu_request == "gres" else "gpus-per-node="
        options.append(f"--{gpus}{what}{machine.gpus_per_node}")
    options += [f"--{key}={value}" for key, value in (("partition", machine.partition),
                                                     ("account", machine.account)) if value]
    script = SLURM / ("gpu.sbatch" if uses_gpus else "cpu.sbatch")
    return Request(script, (*options, *machine.options))


def _option(job: Job, flag: str, default: str) -> str:
    return options_of(job.arguments).get(flag, default)


def _reducers(job: Job) -> int:
    """Ranks of a data flow that collect and do not compute."""
    kernel = KERNELS.get(job.program.name)
    if _option(job, "--formulation", "native") != "dataflow" \
            or (kernel and kernel.reducers is Reducers.NONE):
        return 0
    reducers = _option(job, "--reducers", "1")
    if whole_number(reducers) is None:
        raise MachineError(f"--reducers '{reducers:.40}' (not a number): give how many ranks collect")
    return int(reducers)


def _ceil(number: int, divisor: int) -> int:
    return -(-number // divisor)
