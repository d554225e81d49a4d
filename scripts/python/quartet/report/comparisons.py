"""Formulations against each other, host against CUDA, rates against limits, phases, pairs."""

from typing import Any

from quartet.text import rate, ratio

from . import findings
from .cases import Result
from .charts.model import Bar, BarChart, HeatMap, Stack, StackChart
from .charts.style import MEANINGS, PHASES
from .factors import (
    alike,
    by_kernel,
    counted,
    factors,
    fastest_of_each,
    grouped,
    in_words,
    is_pair,
    label,
    shown,
    size_of,
    usable,
)
from .sections import Section, Table

LEAST_PHASE = 0.01  # of a run: shorter phases tell nothing
OVERLAP = 1.08  # of the run: phases that add up to more are said
MOST_GROUPS = 4  # in a chart; the table has them all


def _cases(results: list[Result]) -> list[Result]:
    return [result for result in usable(results) if not is_pair(result)]


def _resource(result: Result) -> tuple[str, str]:
    """Names what two ways to compute must share to be compared: the cores, or the GPUs."""
    if result.name.device == "cuda":
        return "workers", str(result.workers)
    return "ranks", result.name.values.get("ranks", "")


def _ranks(result: Result) -> int:
    return result.workers if result.name.device == "cuda" else result.name.ranks


def _bar(result: Result, base: Result, name: str) -> Bar:
    times = _ratio(result, base)
    text = f"{rate(result.rate)}{result.mark}" + f" ({times})" * bool(times)
    return Bar(name, result.rate, text, result.interval, result.name.formulation, result.case.text, result.mark)


def _ratio(result: Result, base: Result) -> str:
    """Empty if one of the two is distrusted."""
    return "" if findings.worse(result, base) == "?" else ratio(result.rate / base.rate)


def _doubts(results: list[Result], leave_out: Any = ("nodes",)) -> tuple[str, ...]:
    """The reason why each marked bar is marked."""
    return tuple(f"{result.mark} {label(result, leave_out)}: {result.doubts}" for result in results if result.mark)


def formulations(results: list[Result]) -> Section:
    """Each formulation's best beside the native one on the same cores or GPUs, a chart for each kind of device: a
    host's bars would vanish beside a GPU's."""
    charts, tables = [], []
    kernels = grouped(sorted(_cases(results), key=by_kernel), lambda result: (result.name.kernel, result.name.device))
    several = len({device for _, device in kernels}) > 1
    for (kernel, device), members in kernels.items():
        what = f"{kernel} on {device}" if several else kernel
        groups = grouped(members, lambda result: (
            result.machine, result.series, _resource(result), result.name.size,
            result.nodes, result.name.values.get("threads", "")))
        sets = [best for best in map(_alike, groups.values()) if len({result.name.formulation for result in best}) > 1]
        sets.sort(key=lambda best: (-_ranks(best[0]), -size_of(best[0])))
        if not sets:
            continue
        unit = sets[0][0].unit
        bars = tuple((_place(best[0]), tuple(
            _bar(result, best[0], _way(result)) for result in best))
            for best in sets[:MOST_GROUPS])
        charts.append(BarChart(findings.of_formulations(sets[0]), unit, bars,
                               about=f"{what}: the best of each formulation and variant, in {unit}",
                               notes=_doubts([result for best in sets[:MOST_GROUPS]
                                              for result in best])))
        tables.append(_formulation_table(what, unit, sets))
    return Section(
        "formulations", "Native against dataflow against library",
        "The same problem in the three formulations, and by TensorFlow where quartet peers has measured "
        "it, each in its fastest way. On the host they have "
        "as many ranks (dataflow's reducers included), on GPUs as many workers. The first bar is the "
        "base, 1x. Other storage, order or arithmetic is no like for like: such bars come last.",
        charts, tables, missing="No problem was run in two formulations on the same resources.",
        command="quartet launch 2 fft --formulation "
                "native,dataflow,library --json results/runs/formulations.json")


def _alike(results: list[Result]) -> list[Result]:
    """Each formulation's best, of the variant (storage, order) that most formulations have; then the
    best of the other variants."""
    variants = [fastest_of_each(members, lambda result: (not result.mark, result.rate))
                for members in grouped(results, lambda result: result.name.variant).values()]
    variants.sort(key=len, reverse=True)
    return [result for variant in variants for result in variant]


def _problem(result: Result) -> str:
    return shown("n" if "n" in result.name.values else "size", result.name.size)


def _place(result: Result) -> str:
    where = [result.series * result.told_by_folder, result.machine * result.told_by_machine]
    return ", ".join(filter(None, [_problem(result), shown(*_resource(result)), *where]))


def _way(result: Result) -> str:
    return label(result, ("folder", "machine", "device", "n", "size", "ranks", "threads", "nodes"))


def _formulation_table(what: str, unit: str, sets: list[list[Result]]) -> Table:
    rows = [(_place(best[0]), result.name.formulation, _way(result), rate(result.rate) + result.mark,
             _ratio(result, best[0]),
             f"{rate(best[0].rate)}{best[0].mark} {unit} ({best[0].name.formulation})",
             result.fraction_text)
            for best in sets for result in best]
    return Table(("problem", "formulation", "way", unit, "ratio", "base", "of its limit"), rows,
                 frozenset({unit, "ratio", "of its limit"}),
                 f"{what}: all problems in several formulations", is_open=False)


def devices(results: list[Result]) -> Section:
    """The best on the host beside the best on GPUs, problem by problem."""
    groups = grouped(_cases(results), lambda result: (
        result.name.kernel, result.name.size, result.name.values.get("iterations", ""),
        result.name.values.get("pushes", "")))
    pairs = []
    for group in groups.values():
        best = {result.name.device: result for result in sorted(group, key=lambda item: (not item.mark, item.rate))}
        if {"host", "cuda"} <= best.keys():
            pairs.append((best["host"], best["cuda"]))
    pairs.sort(key=lambda pair: (by_kernel(pair[0]), -size_of(pair[0])))
    charts = []
    for kernel, members in grouped(pairs, lambda pair: pair[0].name.kernel).items():
        host, cuda = members[0]
        faster = "rates in doubt are not compared" if host.mark or cuda.mark else \
            f"CUDA is {ratio(cuda.rate / host.rate)} as fast as the host"
        charts.append(BarChart(f"{kernel}: {faster}", host.unit,
                               tuple((_problem(host), (_bar(host, host, _computes(host)),
                                                       _bar(cuda, host, _computes(cuda))))
                                     for host, cuda in members[:MOST_GROUPS]),
                               about=f"{kernel}: the fastest way on each, in {host.unit}",
                               notes=_doubts([result for pair in members[:MOST_GROUPS]
                                              for result in pair])))
    return Section(
        "devices", "Host against CUDA",
        "The fastest way on each. The rate is of the timed part. The whole task is what a user waits for: "
        "the launch, the start of MPI and of the devices, data made or read, one run, and results written. "
        "The end of MPI and of the launcher is not in it. The host is the base, 1x.",
        charts, [_device_table(pairs), *_whole_tasks(pairs)] if pairs else [],
        missing="No problem was run on both the host and a GPU.",
        command="on a machine with a GPU: quartet launch 2 cg --device "
                "cuda --json results/runs/cg-cuda.json, and the same with --device host")


def _computes(result: Result) -> str:
    return f"{result.name.device}: {counted(result.workers, 'worker')}, {_way(result)}; {result.machine}"


def _device_table(pairs: list[tuple[Result, Result]]) -> Table:
    rows = [(host.name.kernel, _problem(host), f"{rate(host.rate)} {host.unit}",
             f"{rate(cuda.rate)} {cuda.unit}", _ratio(cuda, host),
             f"{counted(host.workers, 'worker')}, {host.machine}",
             f"{counted(cuda.workers, 'worker')}, {cuda.machine}")
            for host, cuda in pairs]
    return Table(("kernel", "problem", "host", "CUDA", "rates' ratio", "host is", "CUDA is"), rows,
                 frozenset({"host", "CUDA", "rates' ratio"}), "Host against CUDA, the timed part")


def _whole_tasks(pairs: list[tuple[Result, Result]]) -> list[Table]:
    """Seconds by stage; nothing if the documents have none."""
    known = [pair for pair in pairs if all(result.whole_task for result in pair)]
    stages = list(dict.fromkeys(stage for pair in known for result in pair for stage in result.whole_task))
    rows = [(result.name.kernel, _place(result), result.name.device, f"{result.whole_task_seconds:.3g}",
             ratio((host.whole_task_seconds or 0) / (result.whole_task_seconds or 1)),
             *(f"{result.whole_task.get(stage, 0):.3g}" for stage in stages))
            for host, cuda in known for result in (host, cuda)]
    if not rows:
        return []
    named = [stage.replace("_", " ") for stage in stages]
    return [Table(("kernel", "problem", "on", "whole task", "speed-up", *named), rows,
                  frozenset({*named, "whole task", "speed-up"}),
                  "Host against CUDA, whole task and its stages, in seconds")]


def _largest_of_each_way(results: list[Result]) -> list[Result]:
    """Returns, for each way to run a kernel, the case on the most ranks, then with the largest problem."""
    ways = grouped(_cases(results), lambda result: (
        result.name.kernel, result.machine, result.series, result.name.formulation,
        result.name.device, result.name.transport, result.name.variant))
    chosen = [max(group, key=lambda item: (item.workers, _ranks(item), size_of(item))) for group in ways.values()]
    return sorted(chosen, key=by_kernel)


def _chart_of(result: Result) -> tuple[str, str, str]:
    """A chart for each kernel on each machine and in each folder."""
    return result.name.kernel, result.machine, result.series


def _short(result: Result, common: dict[str, str]) -> str:
    """Formulation and transport, and how its variant differs."""
    words = [value for key, value in factors(result).items()
             if (key.startswith("word ") or key == "math") and value and key not in common]
    return ", ".join([f"{result.name.formulation} {result.name.transport}", *words])


def _difference(result: Result, common: dict[str, str]) -> str:
    """Names what tells the case from the others of its chart; the whole case if it is alone."""
    is_alone = len(common) == len(factors(result))
    return label(result, ("nodes",) if is_alone else common)


def phases(results: list[Result]) -> Section:
    """Shows where the time goes, on the slowest rank of each role."""
    with_phases = [result for result in _largest_of_each_way(results) if _tells(result)]
    charts = []
    for (kernel, *_), members in grouped(with_phases, _chart_of).items():
        common = alike(members)
        stacks = [_stacks(result, _difference(result, common)) for result in members]
        names = [_short(result, common) for result in members]
        charts.append(StackChart(
            f"{kernel}: {_most(members, stacks, names)}", "share of the median run's time", tuple(PHASES),
            tuple(stack for of_result in stacks for stack in of_result.values()),
            f"{kernel}: phases of the slowest rank; {in_words(common)}",
            _doubts(members, common)))
    return Section(
        "phases", "Phases",
        "Busy seconds of the slowest rank's phases (of a data flow's slowest rank of each role), against the time of "
        "the run (the grey track), for each way on the most workers and the largest problem. Where a bar is shorter "
        "than its track, the rest was in no phase. Where phases overlap, the bar is their sum, and shows shares of "
        "it. Ways with a single phase are left out.",
        charts, notes=[f"{name.replace('_', ' ')}: {MEANINGS[name]}." for name in PHASES
                       if any(name in stack.parts for chart in charts for stack in chart.stacks)],
        missing="No row has several phases.", command="any program")


def _stacks(result: Result, label: str) -> dict[str, Stack]:
    """A bar for each role."""
    return {role: Stack(_of_role(label, role), {name: seconds for name, seconds in parts.items()
                                                if name in PHASES and seconds > 0},
                        result.case.seconds, _seconds(result, parts), result.case.text)
            for role, parts in result.phases.items()}


def _of_role(text: str, role: str) -> str:
    return f"{text} ({role})" if role else text


def _seconds(result: Result, parts: dict[str, float]) -> str:
    """The run's, and the phases' where they overlap."""
    busy = sum(parts.values())
    overlap = f", {busy:.3g} s in phases" if busy > OVERLAP * result.case.seconds else ""
    return f"{result.case.seconds:.3g} s{result.mark}{overlap}"


def _tells(result: Result) -> bool:
    """True if there is more than one phase to see."""
    least = LEAST_PHASE * result.case.seconds
    return any(sum(seconds > least for seconds in parts.values()) > 1 for parts in result.phases.values())


def _most(members: list[Result], stacks: list[dict[str, Stack]], names: list[str]) -> str:
    """In what the native formulation, or else the first way that is not in doubt, spends most of its time."""
    trusted = [place for place, result in enumerate(members) if not result.mark]
    if not trusted:
        return "all rows are in doubt"
    place = min(trusted, key=lambda each: (members[each].name.formulation != "native", members[each].name.math))
    share, phase, role = max((seconds / max(stack.whole, sum(stack.parts.values())), phase, role)
                             for role, stack in stacks[place].items() for phase, seconds in stack.parts.items())
    return f"{_of_role(names[place], role)} spends {share:.0%} of its time in {phase.replace('_', ' ')}"


def pairs(results: list[Result]) -> Section:
    """The rate of every ordered pair of ranks."""
    tested = [result for result in usable(results) if is_pair(result)]
    groups = grouped(tested, lambda result: (result.machine, result.series, tuple(
        (key, value) for key, value in factors(result).items() if key != "pair")))
    charts = [_map(members) for members in groups.values()]
    return Section(
        "pairs", "Every pair of ranks",
        "Each ordered pair alone, one after the other. A row or column that stands out is a slow "
        "node or link; the ranks' places are in the table of machines.",
        charts, missing="No pairs were measured.",
        command="quartet launch 4 stream --pairs --json "
                "results/runs/pairs.json")


def _map(members: list[Result]) -> HeatMap:
    rates = {result.name.pair: result.rate for result in members if result.name.pair}
    ranks = sorted({rank for pair in rates for rank in pair})
    names = tuple(map(members[0].rank_named, ranks))
    values = tuple(tuple(rates.get((sender, receiver)) for receiver in ranks) for sender in ranks)
    slowest, fastest = (choose(members, key=lambda result: result.rate) for choose in (min, max))
    pair = " to ".join(map(slowest.rank_named, slowest.name.pair or ()))
    return HeatMap(f"The slowest pair, {pair}, has "
                   f"{slowest.rate / fastest.rate:.0%}{slowest.mark} of the fastest one's rate",
                   members[0].unit, "from", "to", names, names, values,
                   in_words(alike(members, ("pair",))), _doubts(members))
