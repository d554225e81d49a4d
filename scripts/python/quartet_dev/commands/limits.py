"""Compares each kernel with its limit and with its peers, or with another build, on two cores.

Each kernel runs as two ranks of one thread and as one rank of two threads; fft in caches as one rank of one thread.
Launches to be compared follow one another, round after round. A ratio is the median over the rounds; its smallest and
largest value stand beside it. Nothing else should run on the machine meanwhile.

The peers are the programs' own `--formulation library`: plain MPI, ScaLAPACK's psgemm, BLAS's dgemv and FFTW-MPI. A
missed goal does not change the exit code: 3 means that a launch failed, 1 that a result was wrong.

--before BUILD measures our rows alone, by both builds in turn, without limits. A row has lost speed if
its ratio is below 0.97, and all of the ratio's 95% interval is below 1: exit code 1. If no row has, but one
is below 0.97, more rounds must decide: 4. An interval needs four rounds."""

import argparse
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Callable

from quartet.exit_codes import BAD_USAGE, UNDECIDED, VERIFIED, WRONG_RESULT, ScriptError
from quartet.results import statistics as own_statistics
from quartet.text import ABOVE_LIMIT, Footnotes, counted, rate, wrapped
from quartet_dev import goals
from quartet_dev.goals import ONE, RANKS, THREADS, Goal, Group, Judged, Round, Selector, Setup, Variant, Verdict, judge
from quartet_dev.goals import lines_of as table_lines

SETUPS = (RANKS, THREADS)
IN_CACHES = (10, 12, 14, 16)  # powers of two
OVER_FFTW = {20: 2.5, 22: 3.5, 24: 4}  # by the power of two


def _variant(name: str, setup: Setup, arguments: str, *more: str) -> Variant:
    """`arguments` are split at blanks; `more` are words that may have blanks."""
    return Variant(name, setup, (*arguments.split(), *more))


def _over(what: str, row: str, peer: str, label: str, least: float = 0) -> Goal:
    return Goal(what, Selector(row), least, Selector(peer), label)


def _stream() -> Group:
    sizes = (2, 4, 8, 16, 32, 64, 128)  # MiB
    common = "--sizes 2:128 --pushes 50 --runs 3"
    variants = (_variant("mpi", RANKS, f"{common} --transport mpi"),
                _variant("plain", RANKS, f"{common} --formulation library --transport mpi --limits off"),
                _variant("rma", RANKS, f"{common} --transport rma"),
                _variant("flow", RANKS, f"{common} --formulation dataflow --transport mpi --limits off"),
                _variant("shm", RANKS, f"{common} --transport shm"))

    def row(variant: str, size: int) -> Selector:
        return Selector(variant, (f"size:{size}MiB",))

    def over(variant: str, peer: str, label: str, size: int, least: float) -> Goal:
        return Goal(f"{variant} {size} MiB", row(variant, size), least, row(peer, size), label)

    goals = (*(Goal(f"shm {size} MiB", row("shm", size), 0.97) for size in sizes),
             *(over("mpi", "plain", "plain MPI", size, 1.3 if size >= 32 else 1) for size in sizes),
             *(over("rma", "plain", "plain MPI", size, 1) for size in sizes),
             *(over("flow", "mpi", "native mpi", size, 0.95) for size in (8, 32, 128)))
    return Group("stream", "stream", variants, f"stream, {RANKS}", goals)


def _products(setup: Setup, data: Path) -> Group:
    # A product takes seconds, so a launch has few runs.
    common, more = "--size 8192", setup.ranks > 1
    tiles = (1024, 2048)
    variants = [*(_variant(f"files-{tile}", setup, f"{common} --tile {tile} --runs 3 --cache warm --generate --data",
                            str(data / f"8192-{tile}")) for tile in tiles),
                _variant("psgemm", setup, f"{common} --formulation library --runs 1 --limits off"),
                _variant("memory", setup, f"{common} --tile 1024 --runs 1")]
    least = 1.4 if more else 0  # on one rank psgemm is one call of SGEMM: the limit itself
    goals = [*(Goal(f"files, tile {tile}", Selector(f"files-{tile}"), 0.97) for tile in tiles),
             Goal("in memory", Selector("memory"), 0.97),
             _over("files, tile 1024", "files-1024", "psgemm", "psgemm", least),
             _over("in memory", "memory", "psgemm", "psgemm", least)]
    if more:
        variants.append(_variant("flow", setup, f"{common} --tile 1024 --runs 1 --formulation dataflow"))
        goals.append(Goal("flow, 1 worker", Selector("flow"), 0.95))
    name = f"matmul-{setup.ranks}x{setup.threads}"
    return Group("matmul", name, tuple(variants), f"matmul, N = 8192, {setup}", tuple(goals))


def _solutions(setup: Setup) -> Group:
    size = 8192
    common = f"--size {size} --iterations 40 --runs 3"
    variants = (_variant("full", setup, f"{common} --storage full"),
                _variant("library", setup, f"{common} --formulation library --limits off"),
                _variant("symmetric", setup, f"{common} --storage symmetric"))
    goals = (Goal("full", Selector("full"), 0.97), Goal("symmetric", Selector("symmetric"), 0.95),
             _over("full", "full", "library", "dgemv", 1.05), _over("symmetric", "symmetric", "full", "full", 1.9),
             _over("symmetric", "symmetric", "library", "dgemv"))
    return Group("cg", f"cg-{setup.ranks}x{setup.threads}", variants, f"cg, N = {size}, {setup}", goals)


def _in_caches() -> Group:
    variants: list[Variant] = []
    for power in IN_CACHES:
        common = f"--size 2^{power} --order natural --runs 500 --limits off"
        variants += [_variant(f"ours-{power}", ONE, common),
                     _variant(f"library-{power}", ONE, f"{common} --formulation library --plan measure")]
    goals = tuple(_over(f"native, 2^{power}", f"ours-{power}", f"library-{power}", "FFTW measured", 1)
                  for power in IN_CACHES)
    return Group("fft", "fft-caches", tuple(variants), f"fft in caches, natural, {ONE}", goals)


def _smooth() -> Group:
    sizes = ("2^22", "4233600", "4199040")
    variants = tuple(_variant(size.replace("^", "-"), RANKS, f"--size {size} --runs 5") for size in sizes)
    goals = tuple(_over(f"{size} points", size, "2-22", "2^22 points", 0.65) for size in sizes[1:])
    return Group("fft", "fft-smooth", variants, f"fft, {RANKS}", goals)


def _power(power: int, order: str) -> Group:
    # FFTW's measured plans of larger sizes take minutes.
    plan = "measure" if power <= 20 else "estimate"
    common = f"--size 2^{power} --order {order} --runs {20 if power < 22 else 5}"
    library = f"{common} --formulation library --plan {plan} --limits off"
    variants = [_variant("threads", THREADS, common), _variant("ranks", RANKS, common),
                _variant("library", RANKS, library)]
    goals = [Goal("ranks", Selector("ranks"), 0.5 if power == 24 else 0),
             _over("ranks", "ranks", "library", f"FFTW {plan}d", OVER_FFTW[power]),
             Goal("threads", Selector("threads")), _over("threads", "threads", "ranks", "2 ranks", 0.95)]
    if order == "natural":  # FFTW on one rank has no transposed order
        variants.append(_variant("threaded", THREADS, library))
        goals.append(_over("threads", "threads", "threaded", "FFTW threads", 1.5))
    return Group("fft", f"fft-{power}-{order}", tuple(variants), f"fft, 2^{power}, {order}", tuple(goals))


KERNELS: dict[str, Callable[[Path], list[Group]]] = {
    "stream": lambda _data: [_stream()],
    "matmul": lambda data: [_products(setup, data) for setup in SETUPS],
    "cg": lambda _data: [_solutions(setup) for setup in SETUPS],
    "fft": lambda _data: [_in_caches(), _smooth(), *(_power(power, order) for power in OVER_FFTW
                                                     for order in ("transposed", "natural"))]}
EXAMPLE = "quartet limits --only cg,fft"
HEADINGS = ("", "measured", "against", "", "ratio", "min..max", "goal", "")
LEFT_ALIGNED = (0, 2, 7)  # columns; the others are numbers
BEFORE = "before-"  # begins the names of the other build's variants
LOST = 0.97  # the least ratio to the other build


def add_arguments(parser: argparse.ArgumentParser) -> None:
    goals.add_arguments(parser, KERNELS, "limits", rounds=5, budget=3000)
    parser.add_argument("--before", type=Path, metavar="BUILD", help="compares with this build instead")


def run(options: argparse.Namespace) -> int:
    goals.check(options)
    if options.before and not (options.before / "bin").is_dir():
        raise ScriptError(f"no programs in {options.before}/bin: name a build folder", BAD_USAGE)
    with tempfile.TemporaryDirectory(prefix="data-", dir=options.results) as data:
        groups = [group for name in options.only for group in KERNELS[name](Path(data).absolute())]
        if options.before:
            groups = [in_both_builds(group, options.before) for group in groups]
        found, code = goals.measure(options, groups)
    if options.before:
        text, decided = before_after(groups, found)
        print(text, end="")
        return code or decided
    print(render(groups, found), end="")
    return code


def in_both_builds(group: Group, before: Path) -> Group:
    """The group with only our own variants, each in both builds, without limits."""
    members = []
    for each in group.variants:
        if "library" not in each.arguments:
            ours = replace(each, arguments=(*each.arguments, "--limits", "off"))
            members += [ours, replace(ours, name=f"{BEFORE}{each.name}", build=before.resolve())]
    return replace(group, variants=tuple(members))


def render(groups: list[Group], found: dict[str, list[Round]]) -> str:
    """The table: a line for each goal."""
    troubles = Footnotes(map(str, range(1, 1000)))
    all_judged: list[Judged] = []
    blocks = []
    for group in groups:
        judged = [judge(goal, found[group.name]) for goal in group.goals]
        all_judged += judged
        lines = []
        for each in judged:
            marks = " ".join(troubles.mark(text) for text in each.troubles)
            cells = each.cells()
            lines.append((each.goal.what, *cells[:-1], f"{cells[-1]} {marks}".strip()))
        units = dict.fromkeys(figures.row.unit for each in judged for figures in each.found)
        blocks.append((", ".join([group.title, *units, counted(len(found[group.name]), "round")]), lines))
    text = table_lines(HEADINGS, blocks, LEFT_ALIGNED)
    verdicts = [each.verdict for each in all_judged]
    text += ["", f"{len(verdicts) - verdicts.count(Verdict.NONE)} goals: {verdicts.count(Verdict.MET)} met, "
             f"{verdicts.count(Verdict.MISSED)} missed, {verdicts.count(Verdict.ABOVE)} above their limits, "
             f"{verdicts.count(Verdict.UNKNOWN)} not measured",
             *wrapped("", "Medians of the rounds; in each round the launches of a heading follow one another, in "
                          "every other one backwards, and ratios are between them."), *_machines(found)]
    text += troubles.lines()
    if any(each.is_above for each in all_judged):
        text += wrapped("!", ABOVE_LIMIT)
    return "\n".join(text) + "\n"


def _machines(found: dict[str, list[Round]]) -> list[str]:
    """The processors and instruction sets of the rows."""
    known = dict.fromkeys(", ".join(filter(None, (row.machine, row.isa))) for rounds in found.values()
                          for results in rounds for result in results.values() for row in result.rows if row.context)
    return [line for text in known for line in wrapped("", text)]


def before_after(groups: list[Group], found: dict[str, list[Round]]) -> tuple[str, int]:
    """The table of our rows in both builds, and the exit code."""
    blocks, codes = [], []
    for group in groups:
        lines = []
        for variant in group.variants:
            if variant.name.startswith(BEFORE):
                continue
            after, before = (_rates(group, name, found) for name in (variant.name, BEFORE + variant.name))
            for name in dict.fromkeys([*after, *before]):
                cells, code = _compared(after.get(name, []), before.get(name, []))
                lines.append((f"{variant.name} {name}".strip(), *cells))
                codes.append(code)
        blocks.append((f"{group.title}, {counted(len(found[group.name]), 'round')}", lines))
    text = table_lines(("", "after", "", "before", "ratio", "95% interval", "goal", ""), blocks, LEFT_ALIGNED)
    slower, unclear = codes.count(WRONG_RESULT), codes.count(UNDECIDED)
    text += ["", f"{counted(len(codes), 'row')}: {slower} slower, {unclear} unclear, {codes.count(VERIFIED)} as fast"]
    return "\n".join(text) + "\n", WRONG_RESULT if slower else UNDECIDED if unclear or not codes else VERIFIED


def _rates(group: Group, variant: str, found: dict[str, list[Round]]) -> dict[str, list[float]]:
    """The rates of a variant in all rounds, by size if it has several rows."""
    rates: dict[str, list[float]] = {}
    for results in found[group.name]:
        rows = [row for row in (results[variant].rows if variant in results else []) if not row.error]
        for row in rows:
            rates.setdefault(row.name.size if len(rows) > 1 else "", []).append(row.rate)
    return rates


def _compared(after: list[float], before: list[float]) -> tuple[tuple[str, ...], int]:
    goal = f">={LOST:g}"
    if not after or not before:
        return ("", "", "", "", "", goal, "?"), UNDECIDED
    over = own_statistics.ratio(before, after)
    code = VERIFIED if over.value >= LOST else WRONG_RESULT if over.interval and over.interval[1] < 1 else UNDECIDED
    verdict = {VERIFIED: "as fast", WRONG_RESULT: "slower", UNDECIDED: "unclear"}[code]
    bounds = f"{over.interval[0]:.3f}..{over.interval[1]:.3f}" if over.interval else ""
    return (rate(statistics.median(after)), "", rate(statistics.median(before)), f"{over.value:.3f}", bounds, goal,
            verdict), code
