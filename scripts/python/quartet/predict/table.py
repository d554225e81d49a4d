"""A curve as a table of 80 columns, with its marks and the rates that it is computed from below."""

import textwrap

from quartet.predict.curve import Curve
from quartet.predict.duration import PARTS
from quartet.predict.machine import Machine, Prediction
from quartet.predict.rates import BISECTION, Rate
from quartet.text import WIDTH, Footnotes, aligned, counted, rate, widths_of
from quartet.text import size as written

HEADINGS = ("ranks", "nodes", "seconds", "comp.", "lat.", "bandw.", "overh.", "rate", "90% band", "effic.", "")
LETTERS = "abcdefghij"
OF_DATA_FLOW = ("queue", "reducers")  # options
LONGEST_SIZE = 10  # characters
COMPUTED = ("Computed from the rates below, not measured. Parts of the time are in per cent. Not in it: "
            "others' jobs, noise of the system, another algorithm of MPI's.")


def render(machine: Machine, curve: Curve) -> str:
    """The table. What was left out stands in its last lines."""
    wanted, marks = curve.wanted, Footnotes(LETTERS)
    unit = wanted.kernel.unit
    chosen = ", ".join(f"{name} {value}" for name, value in wanted.options.items()
                       if value and (name not in OF_DATA_FLOW or wanted.formulation == "dataflow"))
    growth = "growing from" if wanted.is_weak else "of"
    lines = textwrap.wrap(f"{wanted.kernel.name} {wanted.formulation} on {machine.name}, size {growth} "
                          f"{_size(curve, curve.points[0])}, {chosen}: {unit}, predicted", WIDTH)
    headings = (HEADINGS[0], "size", *HEADINGS[2:]) if wanted.is_weak else HEADINGS
    rows = [_cells(curve, point, ",".join(map(marks.mark, curve.marks.get(point.work.ranks, ()))))
            for point in curve.points]
    widths = widths_of([headings, *rows])
    lines += ["", *(aligned(row, widths, left=(len(headings) - 1,)) for row in (headings, *rows)), ""]
    lines += marks.lines() + textwrap.wrap(COMPUTED, WIDTH)
    for ranks, why in curve.left_out.items():
        lines += textwrap.wrap(f"Left out: {counted(ranks, 'rank')} ({why}).", WIDTH)
    return "\n".join(lines) + "\n"


def _size(curve: Curve, point: Prediction) -> str:
    """In the words of the kernel's flag."""
    size = point.work.size
    return f"{size // 2**20} MiB" if curve.wanted.kernel.unit == "MiB/s" and size % 2**20 == 0 else str(size)


def _cells(curve: Curve, point: Prediction, marks: str) -> tuple[str, ...]:
    spent = point.duration
    parts = [f"{getattr(spent, part) / spent.total:.0%}" for part in PARTS]
    where = _short_size(point.work.size) if curve.wanted.is_weak else str(point.nodes)
    return (str(point.work.ranks), where, f"{spent.total:.3g}", *parts, _short(point.rate),
            f"{_short(point.low)}-{_short(point.high)}", f"{curve.efficiency(point):.0%}", marks)


def _short_size(size: int) -> str:
    text = written(str(size))
    return text if len(text) <= LONGEST_SIZE else f"{size:.4g}"


def _short(value: float) -> str:
    """A rate in six characters."""
    for unit, scale in (("M", 1e6), ("k", 1e3)):
        if value >= 100 * scale:
            return f"{value / scale:.4g}{unit}" if value < 1e5 * scale else f"{value:.2g}"
    return rate(value)


def describe(machine: Machine) -> str:
    """The rates that were used, each with its uncertainty and source."""
    rates = machine.used
    rows = [(name, one) for name, one in rates.single.items()]
    rows += [(f"{BISECTION}, to {nodes} nodes", one) for nodes, one in rates.bisection]
    lines = textwrap.wrap(f"Rates that were used, of {machine.name}, {machine.per_node} ranks a node:", WIDTH)
    for name, one in rows:
        lines += textwrap.wrap(f"{name}: {_value(one)}", WIDTH, initial_indent="  ",
                               subsequent_indent="    ", break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def _value(one: Rate) -> str:
    within = f", known to {one.uncertainty:.0%}" if one.uncertainty else ""
    return f"{one.value:.4g}{within}: {one.source}"
