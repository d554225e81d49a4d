"""How long a kernel should take on a described machine, and what the time is spent on. Computed by
formulas (docs/prediction.md), not measured.

MACHINE is a machine file, or the name of one that is shipped, with an object `rates`: each has a value,
its uncertainty and its source. What documents show need not be described (--from).

    quartet predict h100-example cg --sizes 65536 --ranks 1:16384
    quartet predict mine.json fft --sizes 2^31 --ranks 1:4096 --from runs --weak"""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from quartet.command_line import shipped_in, whole_number
from quartet.exit_codes import VERIFIED, ScriptError
from quartet.files import check_output, write_json
from quartet.paths import MACHINES
from quartet.predict import table
from quartet.predict.curve import Curve, Wanted, curve
from quartet.predict.machine import Machine
from quartet.predict.measured import with_rates_of
from quartet.predict.models import MODELS
from quartet.predict.request import flags_in, formulation_called, kernel_called, sizes_in
from quartet.results import collect
from quartet.sweep.plan import counts_of
from quartet.text import say

EXAMPLE = "quartet predict h100-example cg --sizes 65536 --ranks 1:16384"
MOST_POINTS = 500  # numbers of ranks times sizes
MOST_PER_NODE = 10**5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("machine", type=shipped_in(MACHINES), metavar="MACHINE",
                        help="a machine file, or a shipped one's name")
    parser.add_argument("kernel", metavar="KERNEL", help=", ".join(MODELS))
    parser.add_argument("--sizes", required=True, metavar="LIST", help="sizes as the program takes them, or 2^k")
    parser.add_argument("--ranks", required=True, metavar="LIST",
                        help='numbers, or "1:16384", which doubles from 1 to 16384')
    parser.add_argument("--weak", action="store_true",
                        help="the size is for the fewest workers and grows with them")
    parser.add_argument("--formulation", default="native", metavar="NAME",
                        help="native, dataflow or library (%(default)s)")
    parser.add_argument("--arguments", default="", metavar="FLAGS",
                        help="flags of the program that change the prediction")
    parser.add_argument("--from", dest="documents", action="append", default=[], type=Path,
                        metavar="PATH", help="documents, or a folder of them, whose rates are taken; "
                        "may be repeated")
    parser.add_argument("--ranks-per-node", type=whole_number(MOST_PER_NODE), metavar="N",
                        help="ranks of a node, instead of the machine file's")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also writes the numbers to a file")


def wanted_of(options: argparse.Namespace) -> list[Wanted]:
    """A curve for each size. Raises ScriptError."""
    kernel = kernel_called(options.kernel)
    model = MODELS[kernel.name]
    formulation = formulation_called(options.formulation, tuple(model.formulations))
    sizes = sizes_in(options.sizes, kernel)
    ranks = counts_of(options.ranks.split(","), {}, "--ranks")
    if len(sizes) * len(ranks) > MOST_POINTS:
        raise ScriptError(f"{len(sizes) * len(ranks)} points (at most {MOST_POINTS}): give fewer sizes "
                          "or ranks")
    chosen = model.chosen(flags_in(options.arguments))
    return [Wanted(kernel, formulation, size, tuple(ranks), chosen, options.weak) for size in sizes]


def machine_of(options: argparse.Namespace) -> Machine:
    """Loads the machine, with rates that the documents show in place of described ones. Raises ScriptError."""
    machine = Machine.load(options.machine, options.ranks_per_node)
    if not options.documents:
        return machine
    found = collect(options.documents)
    if options.json:
        check_output(options.json, (path for path, _ in found.documents))
    return with_rates_of(found, machine)


def as_json(machine: Machine, curves: list[Curve]) -> dict[str, Any]:
    rates = machine.rates
    return {"predicted": True, "machine": machine.name, "ranks_per_node": machine.per_node,
            "rates": {name: asdict(rate) for name, rate in rates.single.items()},
            "bisection": [{"nodes": nodes, **asdict(rate)} for nodes, rate in rates.bisection],
            "curves": [{"kernel": one.wanted.kernel.name, "formulation": one.wanted.formulation,
                        "options": one.wanted.options, "unit": one.wanted.kernel.unit,
                        "scaling": "weak" if one.wanted.is_weak else "strong",
                        "points": [{"ranks": point.work.ranks, "workers": point.work.workers,
                                    "nodes": point.nodes, "size": point.work.size,
                                    "seconds": point.duration.total, **asdict(point.duration),
                                    "rate": point.rate, "low": point.low, "high": point.high,
                                    "efficiency": one.efficiency(point),
                                    "marks": one.marks.get(point.work.ranks, [])}
                                   for point in one.points]} for one in curves]}


def run(options: argparse.Namespace) -> int:
    if options.json:
        check_output(options.json, [options.machine])
    wanted = wanted_of(options)
    machine = machine_of(options)
    curves = [curve(machine, one) for one in wanted]
    for one in curves:
        print(table.render(machine, one))
    print(table.describe(machine), end="")
    for note in machine.used_notes:
        say(note)
    if options.json:
        write_json(options.json, as_json(machine, curves))
    return VERIFIED
