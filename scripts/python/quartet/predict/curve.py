"""Predictions over numbers of ranks, as a table of 80 columns with the rates that were used below it. And the rates
that result documents show: compute rates from rows of one node, the link's rate from a pair of nodes."""

import statistics
import textwrap
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Optional

from quartet.exit_codes import ScriptError
from quartet.kernels import WORDS, Kernel
from quartet.paths import MACHINES
from quartet.predict import cg, fft, matmul, stream
from quartet.predict.machine import HIGH, LINK, LOW, Machine, Rate, Values
from quartet.predict.network import PARTS, Cluster, Duration, Model, Options, Run
from quartet.results import Collection, Row, identity, judged, nodes, whole_number
from quartet.sizes import GROWTH, grow
from quartet.text import WIDTH, aligned, counted, rate, say, size, widths_of

MODELS: dict[str, Model] = {"stream": stream.MODEL, "matmul": matmul.MODEL, "cg": cg.MODEL, "fft": fft.MODEL}
SHOWN = {LINK, stream.LATENCY, *(model.rate for model in MODELS.values())}  # rates that documents can show
EXAMPLE = "h100-example.json"
HEADINGS = ("ranks", "nodes", "seconds", "comp.", "lat.", "bandw.", "overh.", "rate", "90% band", "effic.")
LEAST_UNCERTAINTY, LARGEST_UNCERTAINTY = 0.03, 9.0  # from one hour to another; the bound of machine.schema.json
LAUNCH_SPREAD = 0.3  # uncertainty of a row without an interval: other launches
LEAST_RATE, LARGEST_RATE = 1e3, 1e18  # plausible rates, in bytes or operations per second
Sample = tuple[float, float, str]  # a rate that a row shows, its interval as a share, and its file
COMPUTED = ("Computed from the rates below, not measured. Parts of the time are in per cent. Not in it: "
            "ranks that differ, a rank that has its node's memory to itself, others' jobs, noise, MPI's algorithms.")


@dataclass(frozen=True)
class Work:
    """What is predicted: a kernel in one formulation, at one size, on so many ranks."""

    kernel: Kernel
    formulation: str
    size: int
    ranks: int
    options: Options

    @property
    def reducers(self) -> int:
        """Ranks that do not compute."""
        chosen: int = self.options.get("reducers") or self.kernel.default_reducers(self.ranks)
        return chosen if self.formulation == "dataflow" else 0

    @property
    def workers(self) -> int:
        return self.ranks - self.reducers

    @property
    def why_not(self) -> str:
        """The reason why it cannot be run; empty if it can."""
        if self.workers < 1:
            return "no worker would be left"
        return f"it takes {self.kernel.least_ranks} ranks" if self.ranks < self.kernel.least_ranks else ""


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
        """The rate per worker over that of the first point."""
        first = self.points[0]
        return point.rate / point.work.workers / (first.rate / first.work.workers)


def predict(machine: Machine, work: Work) -> Point:
    """The prediction. It is meaningless if `machine.values` then has missing rates."""
    most, model = machine.per_node, MODELS[work.kernel.name]
    if machine.has_gpus:  # a node has reducers in addition to one rank for each GPU
        most = -(-work.ranks // -(-work.workers // machine.per_node))

    def seconds(values: Values) -> tuple[Run, Duration]:
        run = Run(Cluster(values, work.ranks, most, machine.has_gpus), work.size, work.options, work.reducers)
        return run, model.formulations[work.formulation](run)
    run, duration = seconds(machine.values)
    units = model.work(run) / work.kernel.unit_size
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
    points = tuple(predict(machine, one) for one in possible)
    missing = machine.values.missing
    if missing:
        shown = [name for name in missing if name in SHOWN]
        measure = f", or measure {', '.join(shown)} (--from)" if shown else ""
        raise ScriptError(f"rates are missing ({', '.join(missing)}): add them to `rates` of the machine file, as "
                          f"{MACHINES / EXAMPLE} has them{measure}")
    return Curve(possible[0], points, left_out, is_weak)


def render(machine: Machine, curve: Curve) -> str:
    """The table; its last lines name the numbers of ranks that were left out."""
    work = curve.work
    chosen = "".join(f", {name} {value}" for name, value in work.options.items() if value)
    growth = "growing from" if curve.is_weak else "of"
    size = f"{work.size // 2**20} MiB" if work.kernel.unit == "MiB/s" and work.size % 2**20 == 0 else str(work.size)
    lines = textwrap.wrap(f"{work.kernel.name} {work.formulation} on {machine.name}, size {growth} {size}{chosen}: "
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
    spent, written = point.duration, size(str(point.work.size), point.work.kernel.name)
    parts = [f"{getattr(spent, part) / spent.total:.0%}" for part in PARTS]
    where = (written if len(written) <= 10 else f"{point.work.size:.4g}") if curve.is_weak else str(point.nodes)
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
        within = f" +-{one.uncertainty:.0%}" if one.uncertainty else ""
        lines += textwrap.wrap(f"{name}: {one.value:.4g}{within}: {one.source}", WIDTH, initial_indent="  ",
                               subsequent_indent="    ", break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def with_rates_of(found: Collection, machine: Machine) -> Machine:
    """The machine with the documents' rates of the device on which its ranks compute, in place of described ones. Says
    what was left out. Raises ScriptError if they show no rate, or are of several machines."""
    for why in found.skipped:
        say(f"left out {why}")
    device = "cuda" if machine.has_gpus else "host"
    shown: dict[str, dict[tuple[int, int], list[Sample]]] = defaultdict(lambda: defaultdict(list))  # by ranks, threads
    pairs: dict[str, list[tuple[Row, Options]]] = defaultdict(list)  # by kernel
    used = {}
    for (path, document), rows in zip(found.documents, judged(document for _, document in found.documents)):
        for row in rows:
            options = options_of(row)
            if options is None or row.name.device != device or not _is_sound(row):
                continue
            used[path] = document
            if nodes(document) == 1:
                model = MODELS[row.name.kernel]
                work, seconds = model.shows(row, options)
                value = work / row.workers / seconds if seconds > 0 and row.workers else 0.0  # of one worker
                if LEAST_RATE < value < LARGEST_RATE:
                    low, high = row.interval or (0, 0)
                    spread = max(high / row.rate, row.rate / low) - 1 if low > 0 else LAUNCH_SPREAD
                    threads = whole_number(row.name.values.get("threads", "")) or 1
                    shown[model.rate][row.name.ranks, threads].append((value, spread, path.name))
            elif nodes(document) == 2 and row.name.ranks == 2:
                pairs[row.name.kernel].append((row, options))
    identity.require_one_machine(list(used.values()), "--from: the documents are")
    rates = {name: _rate(*max(samples.items()), machine.per_node) for name, samples in shown.items()}
    for kernel, pushes in pairs.items():
        link = MODELS[kernel].shows_link(pushes)
        rates.update({name: Rate(value, uncertainty, "measured, a pair of nodes")
                      for name, (value, uncertainty) in link.items() if value < LARGEST_RATE})
    if not rates:
        raise ScriptError(f"--from: no document shows a rate of {device} (it needs a native row without `?` of one "
                          "node, or of stream between two): name others")
    return replace(machine, rates={**machine.rates, **rates})


def options_of(row: Row) -> Optional[Options]:
    """The options of a row's kernel model, from the row's name; None if there is no model or a value is not valid."""
    model = MODELS.get(row.name.kernel)
    given = {**dict(zip(WORDS.get(row.name.kernel, ()), row.name.words)), **row.name.values}
    try:
        return model.chosen(given, is_strict=False) if model else None
    except ScriptError:
        return None


def _is_sound(row: Row) -> bool:
    return row.name.formulation == "native" and not row.error and not row.is_distrusted \
        and row.verified is not False and row.seconds > 0 and row.rate > 0


def _rate(where: tuple[int, int], samples: list[Sample], per_node: int) -> Rate:
    """The median of the samples with so many ranks on a node and threads; its uncertainty is how far they differ."""
    values, spreads, paths = zip(*samples)
    middle = statistics.median(values)
    spread = max(LEAST_UNCERTAINTY, max(values) / middle - 1, middle / min(values) - 1, *spreads)
    first, *others = sorted(set(paths))
    more = f" and {counted(len(others), 'more file')}" if others else ""
    ranks, threads = where
    source = (f"measured, {counted(ranks, 'rank')} of a node, {counted(threads, 'thread')} each: {first}{more}"
              + f"; {per_node} ranks may each be slower, as they share its memory, or faster by more threads: measure "
              "them" * (ranks < per_node))
    return Rate(middle, min(spread, LARGEST_UNCERTAINTY), source)
