"""Compares each kernel with its limit and with its peers, or with another build, on two cores.

Each kernel runs as two ranks of one thread and as one rank of two threads; fft in caches as one
rank of one thread. Launches to be compared follow one another, round after round. A ratio is the
median over the rounds; its smallest and largest value stand beside it. Nothing else should run on
the machine meanwhile.

The peers are the programs' own `--formulation library`: plain MPI, ScaLAPACK's psgemm, BLAS's dgemv
and FFTW-MPI. Each limit is checked by a loop of another program (limit_loops), which should agree
within 5%. A missed goal does not change the exit code: 3 means that a launch failed, 1 that a result
was wrong.

--before BUILD measures our rows alone, by both builds in turn, without limits. A row has lost speed if
its ratio is below 0.97, and all of the ratio's 95% interval is below 1: exit code 1. If no row has, but one
is below 0.97, more rounds must decide: 4. An interval needs four rounds.

The documents stay in results/limits/: quartet report results/limits makes a page of all."""

import argparse
import shutil
import statistics
import tempfile
import textwrap
from dataclasses import replace
from pathlib import Path

from quartet.exit_codes import BAD_USAGE, UNDECIDED, VERIFIED, WRONG_RESULT, ScriptError
from quartet.results import statistics as own_statistics
from quartet.text import ABOVE_LIMIT, WIDTH, Footnotes, aligned, counted, fraction, rate, widths_of, wrapped
from quartet.units import GIB
from quartet_dev import sides
from quartet_dev.goals import Judged, Verdict, judge
from quartet_dev.limits_plan import FILE_BYTES, KERNELS, Section
from quartet_dev.sides import Group, LoopSide, Round

EXAMPLE = "quartet limits --only cg,fft"
ISAS = ("baseline", "avx2", "avx512", "neon", "sve256", "sve512")
HEADINGS = ("", "measured", "against", "", "ratio", "min..max", "goal", "")
LEFT_ALIGNED = (0, 2, 7)  # columns; the others are numbers
BEFORE = "before-"  # how the names of the other build's sides begin
LOST = 0.97  # the least ratio to the other build


def add_arguments(parser: argparse.ArgumentParser) -> None:
    sides.add_arguments(parser, KERNELS, "limits", rounds=5, budget=3000)
    parser.add_argument("--before", type=Path, metavar="BUILD", help="compares with this build instead")
    parser.add_argument("--isa", choices=ISAS, metavar="NAME",
                        help=f"vector instructions of all launches, one of {','.join(ISAS)} (the programs' own choice)")
    parser.add_argument("--data", type=Path, metavar="FOLDER",
                        help="keeps data files there (a temporary folder in --results)")


def run(options: argparse.Namespace) -> int:
    sides.check(options, *(() if options.before else ("limit_loops",)))
    if options.before and not (options.before / "bin").is_dir():
        raise ScriptError(f"no programs in {options.before}/bin: name a build folder", BAD_USAGE)
    where, needed = options.data or options.results, sum(FILE_BYTES.get(name, 0) for name in options.only)
    if shutil.disk_usage(where if where.exists() else options.results).free < needed:
        raise ScriptError(f"{where} has no room for {needed / GIB:.0f} GiB: name another --data, or --only others",
                          BAD_USAGE)
    with tempfile.TemporaryDirectory(prefix="data-", dir=options.results) as made:
        data = Path(options.data or made).absolute()
        sections = [prepared(section, options) for name in options.only for section in KERNELS[name](data)]
        found, code = sides.measure(options, [section.group for section in sections])
    if options.before:
        text, decided = before_after(sections, found)
        print(text, end="")
        return code or decided
    print(render(sections, found), end="")
    return code


def prepared(section: Section, options: argparse.Namespace) -> Section:
    """With the flags of the command line; beside another build our own rows alone."""
    isa = ("--isa", options.isa) if options.isa else ()
    members = [each if isinstance(each, LoopSide) else replace(each, arguments=(*each.arguments, *isa))
               for each in section.group.sides]
    if options.before:
        ours = [replace(each, arguments=(*each.arguments, "--limits", "off")) for each in members
                if not isinstance(each, LoopSide) and "library" not in each.arguments]
        members = [each for side in ours for each in (side, replace(side, name=f"{BEFORE}{side.name}",
                                                                    build=options.before.resolve()))]
    return replace(section, group=replace(section.group, sides=tuple(members)))


def render(sections: list[Section], found: dict[str, list[Round]]) -> str:
    """The table: a line for each goal."""
    troubles, notes = Footnotes(map(str, range(1, 1000))), {}
    all_judged: list[Judged] = []
    blocks = []
    for section in sections:
        judged = [judge(goal, found[section.group.name]) for goal in section.goals]
        all_judged += judged
        lines = []
        for each in judged:
            marks = " ".join(troubles.mark(text) for text in each.troubles)
            cells = each.cells()
            lines.append((each.goal.what, *cells[:-1], f"{cells[-1]} {marks}".strip()))
            notes.update({f"{each.goal.label}: {figures.note}": None for figures in each.found[:1] if figures.note})
        units = dict.fromkeys(figures.case.unit for each in judged for figures in each.found)
        blocks.append((", ".join([section.title, *units, counted(len(found[section.group.name]), "round")]), lines))
    text = _lines(HEADINGS, blocks)
    verdicts = [each.verdict for each in all_judged]
    text += ["", f"{len(verdicts) - verdicts.count(Verdict.NONE)} goals: {verdicts.count(Verdict.MET)} met, "
             f"{verdicts.count(Verdict.MISSED)} missed, {verdicts.count(Verdict.ABOVE)} above their limits, "
             f"{verdicts.count(Verdict.UNKNOWN)} not measured",
             *wrapped("", "Medians of the rounds; in each round the launches of a heading follow one another, in "
                          "every other one backwards, and ratios are between them."), *_machines(found)]
    text += [*troubles.lines(), *(line for note in notes for line in wrapped("", note))]
    if any(each.is_above for each in all_judged):
        text += wrapped("!", ABOVE_LIMIT)
    return "\n".join(text) + "\n"


def _machines(found: dict[str, list[Round]]) -> list[str]:
    """Processor and instruction set of the rows."""
    known = dict.fromkeys(", ".join(filter(None, (case.machine, case.isa))) for rounds in found.values()
                          for results in rounds for result in results.values() for case in result.cases if case.context)
    return [line for text in known for line in wrapped("", text)]


def _lines(headings: tuple[str, ...], blocks: list[tuple[str, list[tuple[str, ...]]]]) -> list[str]:
    """Headings and rows, in columns that are as wide in all of them."""
    widths = widths_of([headings, *(row for _, members in blocks for row in members)])
    lines = [aligned(headings, widths, LEFT_ALIGNED)]
    for heading, members in blocks:
        lines += textwrap.wrap(heading, WIDTH, subsequent_indent="  ")
        lines += [aligned(cells, widths, LEFT_ALIGNED) for cells in members]
    return lines


def before_after(sections: list[Section], found: dict[str, list[Round]]) -> tuple[str, int]:
    """The table of our rows by both builds, and what it decides."""
    blocks, codes = [], []
    for section in sections:
        lines = []
        for side in section.group.sides:
            if side.name.startswith(BEFORE):
                continue
            after, before = (_rates(section.group, name, found) for name in (side.name, BEFORE + side.name))
            for name in dict.fromkeys([*after, *before]):
                cells, code = _compared(after.get(name, []), before.get(name, []))
                lines.append((f"{side.name} {name}".strip(), *cells))
                codes.append(code)
        blocks.append((f"{section.title}, {counted(len(found[section.group.name]), 'round')}", lines))
    text = _lines(("", "after", "", "before", "ratio", "95% interval", "goal", ""), blocks)
    slower, unclear = codes.count(WRONG_RESULT), codes.count(UNDECIDED)
    text += ["", f"{counted(len(codes), 'row')}: {slower} slower, {unclear} unclear, {codes.count(VERIFIED)} as fast"]
    return "\n".join(text) + "\n", WRONG_RESULT if slower else UNDECIDED if unclear or not codes else VERIFIED


def _rates(group: Group, side: str, found: dict[str, list[Round]]) -> dict[str, list[float]]:
    """The rates of a side's rows in all rounds, by what tells its rows apart."""
    rates: dict[str, list[float]] = {}
    for results in found[group.name]:
        rows = [case for case in (results[side].cases if side in results else []) if not case.error]
        for case in rows:
            rates.setdefault(case.name.size if len(rows) > 1 else "", []).append(case.rate)
    return rates


def _compared(after: list[float], before: list[float]) -> tuple[tuple[str, ...], int]:
    goal = f">={LOST:g}"
    if not after or not before:
        return ("", "", "", "", "", goal, "?"), UNDECIDED
    over = own_statistics.ratio(before, after)
    code = VERIFIED if over.value >= LOST else \
        WRONG_RESULT if over.interval and over.interval[1] < 1 else UNDECIDED
    verdict = {VERIFIED: "as fast", WRONG_RESULT: "slower", UNDECIDED: "unclear"}[code]
    bounds = f"{over.interval[0]:.3f}..{over.interval[1]:.3f}" if over.interval else ""
    return (rate(statistics.median(after)), "", rate(statistics.median(before)), f"{over.value:.3f}", bounds, goal,
            verdict), code
