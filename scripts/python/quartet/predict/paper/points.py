"""The paper's printed numbers as points that a model can be held against."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Callable

from quartet.kernels import KERNELS, Kernel
from quartet.paths import SHIPPED, SLURM
from quartet.predict.cluster import Cluster
from quartet.predict.model import Run
from quartet.predict.models import MODELS
from quartet.predict.paper.iterations import RemoteQueues
from quartet.predict.paper.pipeline import Merged, Reduced
from quartet.predict.paper.program import Constants, Program, Setting
from quartet.predict.paper.store_and_forward import StoreAndForward
from quartet.predict.rates import Rates, Values
from quartet.results import load_published
from quartet.sizes import points as size_of
from quartet.slurm.machine import SlurmMachine
from quartet.text import BOUNDS
from quartet.units import MIB

PROGRAMS = {"stream": StoreAndForward(), "matmul": Reduced(), "cg": RemoteQueues(), "fft": Merged()}
SPEED_UP = "speed-up"
FLAT = "flattens"
VECTOR = 128 * MIB  # at which rates of pushes have saturated
# The published machines' files, by machine and device; host memory was pushed on Tegner's K420 nodes.
MACHINES = {("Tegner", "K420"): "tegner-k420-like", ("Tegner", "K80"): "tegner-like",
            ("Kebnekaise", "K80"): "kebnekaise-k80-like", ("Kebnekaise", "V100"): "kebnekaise-like",
            ("Tegner", "2 x Xeon E5-2690v3"): "tegner-k420-like"}


@dataclass(frozen=True)
class Point:
    """One number, or with FLAT as text that a number is said to be about 1."""

    kernel: Kernel
    machine: SlurmMachine
    where: str
    setting: Setting
    unit: str
    value: float
    text: str
    workers: int
    base: int  # of a speed-up

    @property
    def is_number(self) -> bool:
        return self.text != FLAT

    @property
    def label(self) -> str:
        size = f"{self.setting.size}" if self.setting.size < 2**20 else f"2^{self.setting.size.bit_length() - 1}"
        what = f"{size}, {self.workers} GPUs, {self.unit}"
        if self.unit == SPEED_UP:
            what = f"{size}, {self.base} to {self.workers}"
        elif self.setting.protocol:
            what = f"{self.setting.protocol}, {self.setting.memory}, {self.unit}"
        return f"{self.kernel.name} {self.where}, {what}"

    @property
    def program(self) -> Program:
        return PROGRAMS[self.kernel.name]

    @cached_property
    def _values(self) -> Values:
        return Rates.described(self.machine.rates).values()

    def data_flow(self, constants: Constants) -> float:
        """What the model of the paper's program gives for this number."""
        return self._number(lambda workers: self.program.seconds(self._values, constants, self.setting,
                                                                 workers), self._paper_work)

    def native(self) -> float:
        """What our native formulation should give on the same machine."""
        model = MODELS[self.kernel.name]
        return self._number(lambda workers: model.formulations["native"](self._run(workers)).total,
                            lambda: model.work(self._run(self.workers)))

    def _number(self, seconds: Callable[[int], float], work: Callable[[], float]) -> float:
        if self.unit == SPEED_UP:
            return seconds(self.base) / seconds(self.workers)
        return work() / seconds(self.workers) / self.kernel.unit_size

    def _paper_work(self) -> float:
        pushes = int(self._run(self.workers).options.get("pushes", 1))
        return MODELS[self.kernel.name].work(self._run(self.workers)) / pushes

    def _run(self, workers: int) -> Run:
        values = Values(self._values)
        if self.setting.memory == "host":
            values["memory_bytes_per_second"] = values["host_memory_bytes_per_second"]
        is_pair = bool(self.setting.protocol)
        cluster = Cluster(values, 2 if is_pair else workers,
                          1 if is_pair else self.machine.gpus_per_node,
                          has_gpus=self.setting.memory != "host")
        options = MODELS[self.kernel.name].chosen(self.program.options(self.setting))
        return Run(cluster, "native", self.setting.size, options)


def published() -> list[Point]:
    """Every number of the paper's figures that a machine here has, in the kernels' order. Raises
    ScriptError or OSError."""
    return [point for kernel in (KERNELS[name] for name in PROGRAMS)
            for item in load_published(SHIPPED / "published" / f"{kernel.name}.json")["numbers"]
            if "figure" in item and (item["machine"], item["device"]) in MACHINES
            for point in _points(kernel, item)]


def _points(kernel: Kernel, item: dict[str, Any]) -> Iterator[Point]:
    place = (item["machine"], item["device"])
    machine = SlurmMachine.load(SLURM / "machines" / f"{MACHINES[place]}.json")
    match, program = item["match"], PROGRAMS[kernel.name]
    protocol = item.get("protocol", "")
    printed = int(match["n"]) if isinstance(match.get("n"), str) else 0  # a list: not beside the figure
    size = printed or _named(r"N = ", item) or program.sizes.get(item["unit"], VECTOR)
    setting = Setting(size, _named(r"tiles? (?:of )?", item), protocol,
                      "host" if protocol and match["device"] == "host" else "device")
    base = re.match(r"\d+", item.get("base", ""))
    workers = int(item.get("workers", match.get("workers", 1)))
    text = f"{BOUNDS[item['bound']].replace('~', '')}{item['value']:g}"
    where = f"{place[1]} {place[0]}" if setting.memory == "device" else place[0]
    point = Point(kernel, machine, where, setting, item["unit"], item["value"], text, workers,
                  int(base[0]) if base else 0)
    yield point
    if program.flattens and point.unit == SPEED_UP:
        yield Point(kernel, machine, where, setting, SPEED_UP, 1.0, FLAT, 2 * workers, workers)


def _named(before: str, item: dict[str, Any]) -> int:
    """A size in the conditions; 0 if there is none."""
    found = re.search(before + r"(2\^\d+|\d+)", item["conditions"])
    return size_of(found[1]) if found else 0
