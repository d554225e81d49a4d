"""How long a kernel should take on a described machine, and what the time is spent on. Computed by
formulas (docs/prediction.md), not measured.

MACHINE is a machine file, or the name of one that is shipped, with an object `rates`: each has a value,
its uncertainty and its source. What documents show need not be described (--from).

    quartet predict h100-example cg --sizes 65536 --ranks 1:16384
    quartet predict mine.json fft --sizes 2^31 --ranks 1:4096 --from runs --weak"""

import argparse
import shlex
from pathlib import Path

from quartet.command_line import shipped_in
from quartet.exit_codes import VERIFIED, ScriptError
from quartet.kernels import KERNELS
from quartet.paths import MACHINES
from quartet.predict.curve import MODELS, Work, curve, describe, render, with_rates_of
from quartet.predict.machine import Machine
from quartet.results import collect
from quartet.sweep.plan import counts_of
from quartet.text import one_of

EXAMPLE = "quartet predict h100-example cg --sizes 65536 --ranks 1:16384"
MOST_POINTS = 500  # numbers of ranks times sizes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("machine", type=shipped_in(MACHINES), metavar="MACHINE",
                        help="a machine file, or a shipped one's name")
    parser.add_argument("kernel", metavar="KERNEL", help=", ".join(MODELS))
    parser.add_argument("--sizes", required=True, metavar="LIST", help="sizes as the program takes them, or 2^k")
    parser.add_argument("--ranks", required=True, metavar="LIST",
                        help='numbers, or "1:16384", which doubles from 1 to 16384')
    parser.add_argument("--weak", action="store_true", help="the size is for the fewest workers and grows with them")
    parser.add_argument("--formulation", default="native", metavar="NAME", help="native or dataflow (%(default)s)")
    parser.add_argument("--arguments", default="", metavar="FLAGS",
                        help="flags of the program that change the prediction")
    parser.add_argument("--from", dest="documents", action="append", default=[], type=Path,
                        metavar="PATH", help="documents, or a folder of them, whose rates are taken; may be repeated")


def curves_of(options: argparse.Namespace) -> list[tuple[Work, list[int]]]:
    """For each size its work, and the numbers of ranks. Raises ScriptError."""
    if options.kernel not in MODELS:
        raise ScriptError(f"kernel '{options.kernel:.60}' ({one_of(options.kernel, MODELS)})")
    model, formulation = MODELS[options.kernel], options.formulation
    if formulation not in model.formulations:
        raise ScriptError(f"--formulation '{formulation:.40}' ({one_of(formulation, model.formulations)})")
    try:
        sizes = list(dict.fromkeys(map(model.size_of, options.sizes.split(","))))
    except ValueError as error:
        raise ScriptError(f"--sizes: {error}") from None
    ranks = counts_of(options.ranks.split(","), {}, "--ranks")
    if len(sizes) * len(ranks) > MOST_POINTS:
        raise ScriptError(f"{len(sizes) * len(ranks)} points (at most {MOST_POINTS}): give fewer sizes or ranks")
    chosen = model.chosen(flags_in(options.arguments))
    if formulation == "dataflow":
        chosen.pop("order", None)  # a data flow's is natural
    return [(Work(KERNELS[options.kernel], formulation, size, 1, chosen), ranks) for size in sizes]


def flags_in(text: str) -> dict[str, str]:
    """The flags in --arguments: values by their names without dashes. Raises ScriptError."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise ScriptError(f"--arguments '{text:.60}': unbalanced quotes") from None
    flags, values = words[::2], words[1::2]
    if len(flags) != len(values) or not all(flag.startswith("--") for flag in flags):
        raise ScriptError(f"--arguments '{text:.60}': write --name value")
    return {flag[2:]: value for flag, value in zip(flags, values)}


def run(options: argparse.Namespace) -> int:
    wanted, machine = curves_of(options), Machine.load(options.machine)
    if options.documents:
        machine = with_rates_of(collect(options.documents), machine)
    for work, ranks in wanted:
        print(render(machine, curve(machine, work, ranks, options.weak)))
    print(describe(machine), end="")
    return VERIFIED
