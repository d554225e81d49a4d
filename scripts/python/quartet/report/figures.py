"""The page's charts: each kernel against its limit, then rates over sizes and over workers: the paper's Figures 7, 8,
10 and 11 with the results here, beside what was published."""

from collections.abc import Sequence
from typing import Callable, Optional

from quartet.kernels import Kernel
from quartet.results import grouped
from quartet.results.published import Number
from quartet.sizes import GROWTH
from quartet.tables.verdict import few_runs
from quartet.text import counted, fraction_cell, in_bytes, limit_cell, rate, size
from quartet.units import MIB

from .data import NATIVE, Result, best_by, natural, problem, size_of, trusted_rate, usable, way
from .page import Bar, Line, LineChart, Point, Section, ShareChart, Table
from .style import FORMULATIONS

FIGURES = {"stream": 7, "matmul": 8, "cg": 10, "fft": 11}  # the paper's
SIZES = {"stream": "1,8,64", "fft": "2^18,2^20,2^22"}  # in the command that fills them, by kernel
LEAST_POINTS = 3  # sizes or numbers of workers in a chart; stream is shown from two sizes on
MOST_LINES = 8
NEAR = 4.0  # published numbers within this factor of our rates are drawn
ROUNDING = 0.06  # share by which N of weak scaling may differ: it is rounded to a multiple of tiles
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def on_one_problem(results: list[Result]) -> list[Result]:
    """The best row of each formulation on one size and number of ranks: the problem on which most formulations have a
    quotable fraction, then most formulations at all. The variant that most formulations have comes first."""
    problems = grouped(results, lambda result: (result.name.ranks, result.nodes, size_of(result)))
    formulations = {key: [len({result.name.formulation for result in members if result.quotable_fraction or is_any})
                          for is_any in (False, True)] for key, members in problems.items()}
    members = problems[max(problems, key=lambda key: (formulations[key], key))]
    variants = [best_by(found, lambda result: result.name.formulation)
                for found in grouped(members, lambda result: result.name.variant).values()]
    variants.sort(key=lambda best: (-len(best), bool(next(iter(best.values())).name.math)))
    return [best[name] for best in variants for name in sorted(best, key=list(FORMULATIONS).index)]


def comparable(results: list[Result]) -> list[list[Result]]:
    """For each machine and kernel its verified rows on one problem; those with a limit, if there are any."""
    groups = grouped((result for result in usable(results) if result.verified),
                     lambda result: (result.machine, result.name.device, result.name.kernel, result.unit))
    return [on_one_problem([result for result in members if result.fraction] or members) for members in groups.values()]


def kernels(results: list[Result]) -> Section:
    """A chart for each kernel on each kind of machine."""
    return Section("kernels", "Each kernel against its limit",
        "100% is what this machine has been seen to allow for the work with these ranks: the largest limit that was "
        "measured beside its rows (of a data flow alone: its workers' limit, scaled to all ranks, which may not reach "
        "it). Each bar is the fastest way of a formulation. Hatched bars are not to be quoted.",
        [_shares([(shown[0].name.kernel, shown)]) for shown in comparable(results) if shown[0].fraction],
        missing="No verified row has a limit.", command="any program without --limits off")


def all_kernels(results: list[Result]) -> list[ShareChart]:
    """One chart for each machine, with a group for each kernel."""
    groups = grouped((shown for shown in comparable(results) if shown[0].fraction),
                     lambda shown: (shown[0].machine, shown[0].name.device))
    return [_shares([(f"{shown[0].name.kernel}, {problem(shown[0])}", shown) for shown in members])
            for members in groups.values()]


def _shares(groups: list[tuple[str, list[Result]]]) -> ShareChart:
    every = [result for _, shown in groups for result in shown]
    first = every[0]
    bars = tuple(_group(heading, shown, own) for heading, shown in groups
                 for own in grouped(shown, lambda result: result.name.variant).values())
    notes = tuple(f"{result.mark} {way(result)}: {result.why_marked}" for result in every if result.mark)
    one = "" if bars[1:] else f"{limit_cell(first.limit)} {first.unit}: "  # several groups have it in headings
    about = f"{problem(first)}; 100% is {one}{(first.limit or {}).get('what')}; {first.machine}"
    return ShareChart(f"{first.name.kernel}: {_reached(every)}", bars, about, notes)


def _group(heading: str, shown: list[Result], own: list[Result]) -> tuple[str, str, tuple[Bar, ...]]:
    """The bars of one variant, which have one 100%."""
    words = [word for word in own[0].name.variant if not all(word in result.name.variant for result in shown)]
    return (", ".join([heading, *words]), f"100%: {limit_cell(own[0].limit)} {own[0].unit}",
            tuple(_bar(result, result.name.variant) for result in own))


def _reached(shown: list[Result]) -> str:
    """How near to the limit native comes, and the formulation that comes nearest; and whether they have few runs."""
    sound = [result for result in shown if result.quotable_fraction]
    if not sound:
        return "no share of the limit can be quoted"
    named = [result for result in sound if result.name.formulation == NATIVE][:1] or sound[:1]
    named += [result for result in [max(sound, key=lambda each: each.quotable_fraction or 0)] if result not in named]
    texts = [f"{way(result, shown[0].name.variant)} reaches {result.quotable_fraction:.0%}" for result in named]
    few = few_runs(min(result.runs for result in named))
    return f"{', '.join(texts)} of the limit" + f" ({few})" * bool(few)


def _bar(result: Result, usual: tuple[str, ...]) -> Bar:
    text = f"{rate(result.rate)}{result.rate_mark} {result.unit}"
    share = fraction_cell(result.fraction, result.mark)
    text = f"{share} ({text})" if share else text
    return Bar(way(result, usual), result.fraction or 0, text, result.name.formulation, result.mark, result.row.text)


def scaling(kernel: Kernel, results: list[Result], numbers: Sequence[Number]) -> Section:
    """A kernel's lines: over sizes, over workers on one problem, and on one that grows with them."""
    ours = [result for result in usable(results) if result.name.kernel == kernel.name and result.unit == kernel.unit]
    rates = [number for number in numbers if number.unit == kernel.unit and any(map(number.fits, ours))]
    lettered = list(zip(LETTERS, rates))
    charts, rows = [], []
    by_ranks = grouped(ours, lambda result: (result.machine, result.name.device, result.nodes, result.name.ranks))
    for _, members in sorted(by_ranks.items(), key=lambda item: natural(str(item[0]))):
        if len({size_of(result) for result in members}) >= (2 if kernel.name == "stream" else LEAST_POINTS):
            charts.append(_over_sizes(kernel, members, lettered))
            if kernel.name == "stream":
                pushes = _lines(size_of, members, is_time=True)
                charts.append(_chart("Time of a push", "vector size", "microseconds a push", pushes, [],
                                     members[0].machine, in_bytes))
    by_size = grouped(ours, lambda result: (result.machine, result.name.device, result.name.size))
    for members, about in [*((members, f"N = {members[0].name.plain_size}") for members in by_size.values()),
                           *weak_sets(ours)] if kernel.name in GROWTH else ():
        found = _lines(lambda result: result.workers, members)
        rows += [row for line in found for row in _speed_ups(about, line)]
        if any(len(line.points) >= LEAST_POINTS for line in found):
            charts.append(_over_workers(kernel, members, found, about, lettered))
    drawn = {line.label[:1] for chart in charts for line in chart.lines if line.role == "published"}
    heading = ("problem", "way", "workers", kernel.unit, "speed-up", "efficiency")
    table = Table(heading, rows, frozenset(heading[2:]), "Speed-ups", is_folded=bool(charts))
    figure = FIGURES.get(kernel.name)
    return Section(f"figure-{figure:02d}-{kernel.name}" if figure else kernel.name,
        f"{kernel.name} over sizes and ranks" + (f" (the paper's Figure {figure})" if figure else ""),
        charts=charts, tables=[table] if rows else [],
        notes=[_conditions(letter, number) for letter, number in lettered if letter in drawn],
        missing="All rows have one size and one number of workers." if ours else f"No rows of {kernel.name}.",
        command=f"quartet sweep --kernels {kernel.name} --sizes {SIZES.get(kernel.name, '1024,2048,4096')} --ranks 2")


def _conditions(letter: str, number: Number) -> str:
    caveat = f" {number.caveat[:1].upper()}{number.caveat[1:]}." if number.caveat else ""
    return f"{letter}: {number.text}, {number.device}: {number.conditions} ({number.source}).{caveat}"


def weak_sets(results: list[Result]) -> list[tuple[list[Result], str]]:
    """Sets of rows whose problem grows in proportion to the workers, one for each problem on the fewest workers."""
    found = []
    for members in grouped(results, lambda result: (result.machine, result.name.device, result.name.kernel)).values():
        fewest = min(result.workers for result in members)
        bases = grouped((result for result in members if result.workers == fewest), size_of)
        for smallest, base in bases.items():
            power = GROWTH[base[0].name.kernel].exponent
            grown = [result for result in members if result.workers > fewest and abs(
                size_of(result) / smallest / (result.workers / fewest) ** (1 / power) - 1) < ROUNDING]
            if smallest and grown:
                found.append((base + grown, f"N = {base[0].name.plain_size} on {counted(fewest, 'worker')}, growing "
                                            "with the workers"))
    return found


def _lines(x_of: Callable[[Result], float], members: list[Result],
           is_time: bool = False) -> list[Line]:
    """A line for each formulation, transport and variant; of several rows at one point it has the best. Of rates, or
    of the times of a push in microseconds."""
    def y_of(result: Result, value: float) -> float:
        return result.row.push_microseconds * result.row.rate / value if is_time else value

    usual = members[0].name.variant
    made = []
    for group in grouped(members, lambda result: (result.name.formulation, result.name.transport,
                                                  result.name.variant)).values():
        best = best_by(group, x_of)
        points = tuple(Point(x, y_of(one, one.rate), tuple(sorted(y_of(one, bound) for bound in one.interval or ())),
                             one.row.text, one.rate_mark, one.why_marked) for x, one in sorted(best.items()))
        made.append(Line(way(group[0], usual), points, group[0].name.formulation, group[0].name.transport))
    return made


def _chart(title: str, x_label: str, y_label: str, found: list[Line], others: list[Line], about: str,
           x_text: Callable[[float], str] = "{:g}".format) -> LineChart:
    shown = sorted(found, key=lambda line: -line.points[-1].y)[:MOST_LINES]
    rates = [point.y for line in shown for point in line.points]
    others = [line for line in others if line.role != "published" or  # distant numbers would flatten our lines
              min(rates) / NEAR < line.points[0].y < max(rates) * NEAR]
    left_out = f"; {counted(len(found) - len(shown), 'slower way')} left out" * (len(found) > len(shown))
    marked = tuple(f"{point.mark} {line.label} at {x_text(point.x)}: {point.why}"
                   for line in shown for point in line.points if point.mark)
    return LineChart(title, x_label, y_label, (*shown, *others), about + left_out, marked, x_text)


def _limits(x_of: Callable[[Result], float], members: list[Result]) -> list[Line]:
    """A line for each variant: the limit on the fewest ranks, since data flows have a reducer beside equal workers."""
    made = []
    limits = [(each, each.limit["rate"]) for each in members if each.limit]
    for variant, own in grouped(limits, lambda one: one[0].name.variant).items():
        points = tuple(Point(x, min(found, key=lambda one: one[0].name.ranks)[1])
                       for x, found in sorted(grouped(own, lambda one: x_of(one[0])).items()))
        label = ", ".join(["limit", *(word for word in variant if word not in members[0].name.variant)])
        made.append(Line(label, points, role="limit"))
    return made


def _over_sizes(kernel: Kernel, members: list[Result], lettered: list[tuple[str, Number]]) -> LineChart:
    found = _lines(size_of, members)
    like = [(letter, number, sorted({size_of(each) for each in members if number.is_like(each)}))
            for letter, number in lettered]
    published = [Line(f"{letter} ({number.device})", tuple(Point(x, number.value) for x in sizes), role="published")
                 for letter, number, sizes in like if sizes]
    is_bytes = kernel.unit_size == MIB
    ranks = problem(members[0]).partition(", ")[2]
    return _chart(f"{kernel.name}, {ranks}: rates over sizes", "vector size" if is_bytes else "N", kernel.unit,
                  found, [*_limits(size_of, members), *published], members[0].machine,
                  in_bytes if is_bytes else lambda x: size(f"{x:.0f}", kernel.name))


def _over_workers(kernel: Kernel, members: list[Result], found: list[Line], about: str,
                  lettered: list[tuple[str, Number]]) -> LineChart:
    published = [Line(f"{letter} ({number.device})", (Point(number.workers, number.value),), role="published")
                 for letter, number in lettered if number.workers and any(map(number.fits, members))]
    fewest, most = (choose(result.workers for result in members) for choose in (min, max))
    base = max((result for result in members if result.workers == fewest), key=trusted_rate)
    ideal = Line("ideal", tuple(Point(x, base.rate * x / fewest) for x in (fewest, most)), role="ideal")
    return _chart(f"{kernel.name}, {about}: rates over workers", "workers (computing devices)", kernel.unit, found,
                  [ideal, *_limits(lambda result: result.workers, members), *published], members[0].machine)


def _speed_ups(about: str, line: Line) -> list[tuple[str, ...]]:
    """Lines of the table of speed-ups, against the fewest workers. A speed-up keeps the marks of its rates."""
    base = line.points[0]
    return [(about, line.label, f"{point.x:g}", rate(point.y) + point.mark,
             f"{point.y / base.y:.2f}x{point.mark or base.mark}" if point is not base else "base",
             f"{point.y / base.y * base.x / point.x:.0%}{point.mark or base.mark}" if point is not base else "")
            for point in line.points] if len(line.points) > 1 else []


def published_speed_up(results: list[Result], number: Number) -> Optional[tuple[float, str]]:
    """Our speed-up for the same step in workers, on the largest such problem, and a description of that."""
    lines = grouped((result for result in usable(results)
                     if result.mark != "?" and number.is_like(result, ("workers",))),
                    lambda result: (way(result), result.machine, result.name.size))
    steps = []
    for members in lines.values():
        best = best_by(members, lambda result: result.workers)
        if number.base in best and number.workers in best:
            steps.append((best[number.base], best[number.workers]))
    if not steps:
        return None
    base, more = max(steps, key=lambda step: (size_of(step[1]), step[1].rate))
    return more.rate / base.rate, f"{way(more)}, {problem(more)}; {rate(base.rate)} {base.unit} on {base.workers}"
