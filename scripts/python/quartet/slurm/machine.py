"""Slurm machines: files of the keys in scripts/slurm/machine.schema.json, one for a kind of nodes
(scripts/slurm/machines/ has a template and examples)."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quartet import schema
from quartet.exit_codes import ScriptError
from quartet.files import read_json, reason_of, with_bounds
from quartet.paths import MACHINES, SLURM
from quartet.terminal import printable
from quartet.text import near

TEMPLATE = MACHINES / "template.json"
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
            why = "it is empty: what should have written it failed" if is_empty else \
                reason_of(error) if isinstance(error, OSError) else error
            meant = near(path.name, (file.stem for file in sorted(MACHINES.glob("*.json"))))
            raise MachineError(f"{path}: cannot be read ({why}){meant}: {HOW_TO_MAKE}") from None
        return SlurmMachine.of(data, f"{path}: ")

    @staticmethod
    def of(data: object, where: str = "") -> "SlurmMachine":
        """Makes a machine of a file's keys. Raises MachineError, which begins with `where`."""
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
        """Returns the arguments of scripts/slurm/start.sh: some sites hand no variables to jobs."""
        known = (("launcher", self.launcher), ("mpi", self.mpi if self.launcher == "srun" else ""),
                 ("cpu-bind", self.cpu_bind), *(("prepare", line) for line in self.prepare),
                 ("modules", " ".join(self.modules)),
                 *(("set", f"{name}={value}") for name, value in self.environment.items()))
        return tuple(f"--{key}={value}" for key, value in known if value)

    @property
    def options(self) -> tuple[str, ...]:
        """Returns sbatch's options that each job has, whatever its ranks."""
        known = (("hint", self.hint), ("mem", self.memory), ("switches", self.switches),
                 ("reservation", self.reservation), ("constraint", self.constraint),
                 ("qos", self.qos), ("partition", self.partition), ("account", self.account))
        return ("--requeue" if self.requeue else "--no-requeue",
                *(f"--{key}={value}" for key, value in known if value), *self.more_options)


def _plain(text: str) -> str:
    """The text, which no shell, terminal or Slurm reads as more. Raises ValueError."""
    if printable(text) != text:
        raise ValueError(f"'{text:.40}' has a control character")
    return text
