"""Predictions over numbers of ranks, as a table of 80 columns, and the rates that it is computed from below."""

import textwrap
from dataclasses import dataclass, replace

from quartet.exit_codes import ScriptError
from quartet.kernels import Kernel
from quartet.predict import cg, fft, matmul, stream
from quartet.predict.machine import HIGH, LOW, Machine, Values
from quartet.predict.model import Model, Options, Run
from quartet.predict.network import PARTS, Cluster, Duration
from quartet.sizes import GROWTH, grow
from quartet.text import WIDTH, aligned, counted, rate, widths_of
from quartet.text import size as written

MODELS: dict[str, Model] = {"stream": stream.MODEL, "matmul": matmul.MODEL, "cg": cg.MODEL, "fft": fft.MODEL}
HEADINGS = ("ranks", "nodes", "seconds", "comp.", "lat.", "bandw.", "overh.", "rate", "90% band", "effic.")
COMPUTED = ("Computed from the rates below, not measured. Parts of the time are in per cent. Not in it: "
            "others' jobs, noise of the system, another algorithm of MPI's.")


@dataclass(frozen=True)
class Work:
    """What is predicted: a kernel in one formulation, at one size, on so many ranks."""

    kernel: Kernel
    formulation: str
    size: int
    ranks: int
    options: Options

    @property
    def model(self) -> Model:
        return MODELS[self.kernel.name]

    @property
    def reducers(self) -> int:
        """Ranks that do not compute."""
        return self.model.reducers(self.ranks, self.options) if self.formulation == "dataflow" else 0

    @property
    def workers(self) -> int:
        return self.ranks - self.reducers

    @property
    def why_not(self) -> str:
        """The reason why nobody can run it; empty if one can."""
        if self.workers < 1:
            return "no worker would be left"
        return f"it takes {self.model.least_ranks} ranks" if self.ranks < self.model.least_ranks else ""


@dataclass(frozen=True)
class Point:
    """A prediction: `rate` and the 90% band around it, in the kernel's unit."""

    work: Work
    nodes: int
    duration: Duration
    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    work: Work  # of the first point
    points: tuple[Point, ...]
    left_out: dict[int, str]  # numbers of ranks, and why
    is_weak: bool

    def efficiency(self, point: Point) -> float:
        """The rate of a worker, by that of a worker of the first point."""
        first = self.points[0]
        return point.rate / point.work.workers / (first.rate / first.work.workers)


def predict(machine: Machine, work: Work) -> Point:
    """Raises MissingRate."""
    most = machine.per_node
    if machine.has_gpus:  # reducers come beside the ranks that have a GPU
        most = -(-work.ranks // -(-work.workers // machine.per_node))

    def seconds(values: Values) -> tuple[Run, Duration]:
        run = Run(Cluster(values, work.ranks, most, machine.has_gpus), work.size, work.options, work.reducers)
        return run, work.model.formulations[work.formulation](run)
    run, duration = seconds(machine.values)
    units = work.model.work(run) / work.kernel.unit_size
    rates = sorted(units / seconds(values)[1].total for values in machine.samples)
    low, high = (rates[round(quantile * (len(rates) - 1))] for quantile in (LOW, HIGH))
    one = units / duration.total
    return Point(work, run.cluster.nodes, duration, one, min(low, one), max(high, one))


def curve(machine: Machine, work: Work, ranks: list[int], is_weak: bool = False) -> Curve:
    """The work on each of these numbers of ranks; with `is_weak` its size grows with the workers. Raises ScriptError if
    nothing is left, or a rate is missing."""
    works = [replace(work, ranks=count) for count in sorted(set(ranks))]
    left_out = {one.ranks: one.why_not for one in works if one.why_not}
    possible = [one for one in works if not one.why_not]
    if not possible:
        raise ScriptError(f"{work.kernel.name} {work.formulation} cannot run on these ranks "
                          f"({next(iter(left_out.values()))}): give more")
    if is_weak:
        growth = GROWTH.get(work.kernel.name)
        if not growth:
            raise ScriptError(f"--weak: {work.kernel.name} has no problem that grows with its workers: leave it out")
        flags = {f"--{name}": str(value) for name, value in work.options.items()}
        base = possible[0].workers
        possible = [replace(one, size=grow(growth, one.size, one.workers, base, flags).size) for one in possible]
    return Curve(possible[0], tuple(predict(machine, one) for one in possible), left_out, is_weak)


def render(machine: Machine, curve: Curve) -> str:
    """The table. What was left out stands in its last lines."""
    work = curve.work
    chosen = ", ".join(f"{name} {value}" for name, value in work.options.items() if value)
    growth = "growing from" if curve.is_weak else "of"
    size = f"{work.size // 2**20} MiB" if work.kernel.unit == "MiB/s" and work.size % 2**20 == 0 else str(work.size)
    lines = textwrap.wrap(f"{work.kernel.name} {work.formulation} on {machine.name}, size {growth} {size}, {chosen}: "
                          f"{work.kernel.unit}, predicted", WIDTH)
    headings = (HEADINGS[0], "size", *HEADINGS[2:]) if curve.is_weak else HEADINGS
    rows = [_cells(curve, point) for point in curve.points]
    widths = widths_of([headings, *rows])
    lines += ["", *(aligned(row, widths, left=()) for row in (headings, *rows)), ""]
    lines += textwrap.wrap(COMPUTED, WIDTH)
    for ranks, why in curve.left_out.items():
        lines += textwrap.wrap(f"Left out: {counted(ranks, 'rank')} ({why}).", WIDTH)
    return "\n".join(lines) + "\n"


def _cells(curve: Curve, point: Point) -> tuple[str, ...]:
    spent, size = point.duration, written(str(point.work.size))
    parts = [f"{getattr(spent, part) / spent.total:.0%}" for part in PARTS]
    where = (size if len(size) <= 10 else f"{point.work.size:.4g}") if curve.is_weak else str(point.nodes)
    return (str(point.work.ranks), where, f"{spent.total:.3g}", *parts, _short(point.rate),
            f"{_short(point.low)}-{_short(point.high)}", f"{curve.efficiency(point):.0%}")


def _short(value: float) -> str:
    """A rate in six characters."""
    for unit, scale in (("M", 1e6), ("k", 1e3)):
        if value >= 100 * scale:
            return f"{value / scale:.4g}{unit}" if value < 1e5 * scale else f"{value:.2g}"
    return rate(value)


def describe(machine: Machine) -> str:
    """The rates that were used, each with its uncertainty and source."""
    lines = textwrap.wrap(f"Rates that were used, of {machine.name}, {machine.per_node} ranks a node:", WIDTH)
    for name, one in machine.used:
        within = f", known to {one.uncertainty:.0%}" if one.uncertainty else ""
        lines += textwrap.wrap(f"{name}: {one.value:.4g}{within}: {one.source}", WIDTH, initial_indent="  ",
                               subsequent_indent="    ", break_on_hyphens=False)
    return "\n".join(lines) + "\n"
