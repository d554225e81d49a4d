"""The best of each kernel, and every row."""

from collections.abc import Sequence

from quartet.results.published import Number, nearest, place_of_ours
from quartet.tables.cells import CHECKS
from quartet.text import rate, ratio

from .cases import Launch, Result
from .factors import by_kernel, counted, grouped, is_pair, label
from .sections import Section, Table


def summary(results: list[Result], numbers: Sequence[Number]) -> Section:
    """Each kernel's best verified case on each kind of machine."""
    rows = []
    candidates = [result for result in results if result.verified and not is_pair(result)]
    groups = grouped(sorted(candidates, key=by_kernel),
                     lambda item: (item.name.kernel, item.name.device, item.machine, item.series))
    for group in groups.values():
        sound = [result for result in group if not result.mark]
        rows.append(_summary_row(max(sound or group, key=lambda item: item.rate), numbers))
    return Section(
        "summary", "Summary",
        "The best verified rate of each kernel on each kind of device. Published numbers were "
        "measured under other conditions, which stand beside them.",
        tables=[Table(("kernel", "best rate", "interval", "of its limit",
                       "of the nearest published", "case", "measured on"), rows,
                      frozenset({"best rate", "interval"}))]
        if rows else [],
        missing="No row was verified.", command="any program without --verify off")


def _summary_row(best: Result, numbers: Sequence[Number]) -> tuple[str, ...]:
    interval = (f"{rate(best.interval[0])} to {rate(best.interval[1])}" if best.interval else "")
    share = "not measured"
    if best.limit and best.fraction:
        share = f"{best.fraction_text} of {rate(best.limit.rate)} ({best.limit.decided_by or best.limit.what})"
    return (best.name.kernel, f"{rate(best.rate)}{best.mark} {best.unit}", interval,
            share, _nearest(best, numbers), label(best, ("machine", "ranks", "nodes")),
            f"{counted(best.workers, 'worker')} on {counted(best.nodes, 'node')}, "
            f"{best.machine}")


def _nearest(best: Result, numbers: Sequence[Number]) -> str:
    """Ratio and conditions, and where ours was measured."""
    number = nearest(best, numbers)
    if not number:
        return "none of this kind of device, on as many nodes and workers, at a like size"
    return (f"{ratio(best.rate / number.value)}{best.mark} of {number.text}: {number.conditions}; "
            f"ours {place_of_ours(best.nodes, best.workers)}")


def every_row(launches: list[Launch]) -> Section:
    """Lists all cases of all documents, one by one, as they are."""
    rows = [_row(launch) for launch in sorted(launches, key=lambda item: bool(item.case.error))]
    return Section(
        "rows", "Every row",
        "One line for each case of each document, the failed last.",
        tables=[Table(("case", "median", "unit", "95% interval", "runs", "seconds",
                       "whole task, seconds", "check", "limit", "of it", "note", "workers",
                       "document"), rows,
                      frozenset({"median", "95% interval", "runs", "seconds", "limit", "of it",
                                 "whole task, seconds", "workers"}))] if rows else [],
        missing="No row.")


def _row(launch: Launch) -> tuple[str, ...]:
    case = launch.case
    if case.error:
        return (case.text, *[""] * 6, "failed", "", "", case.error, "", launch.path)
    low_high = f"{rate(case.interval[0])} to {rate(case.interval[1])}" if case.interval else ""
    total = sum(case.whole_task.values())
    doubts = "; ".join(filter(None, [case.note, *case.flags.values()]))
    decided = f" ({case.median['limit_decided_by']})" if case.median.get("limit_decided_by") else ""
    return (case.text, rate(case.rate) + "?" * case.is_distrusted, case.unit, low_high, str(case.runs),
            f"{case.seconds:.4g}", f"{total:.4g}" if total else "", CHECKS[case.verified],
            rate(case.limit["rate"]) + decided if case.limit else "",
            f"{case.fraction_of_limit:.0%}{case.mark}" if case.fraction_of_limit else "", doubts,
            str(case.workers), launch.path)
