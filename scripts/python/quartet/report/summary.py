"""The best of each kernel, and every row."""

from collections.abc import Sequence

from quartet.results.published import Number, nearest, place_of_ours
from quartet.tables.cells import CHECKS
from quartet.text import plain_versions, rate, ratio

from .cases import Launch, Result
from .factors import by_kernel, counted, grouped, is_pair, label
from .kernels_chart import NATIVE, on_one_problem
from .sections import Section, Table


def summary(results: list[Result], numbers: Sequence[Number]) -> Section:
    """Each kernel's native result on the problem of the first picture, on each kind of machine."""
    rows = []
    candidates = [result for result in results if result.verified and not is_pair(result)]
    groups = grouped(sorted(candidates, key=by_kernel),
                     lambda item: (item.name.kernel, item.name.device, item.machine, item.series))
    for group in groups.values():
        limited = [result for result in group if result.fraction]
        best, _ = on_one_problem(limited or group)
        rows.append(_summary_row(best, numbers))
    return Section(
        "summary", "Summary",
        "Each kernel's native rate, or that of another formulation where it is alone, on the problem of the first "
        "picture. Published numbers were measured under other conditions, which stand beside them.",
        tables=[Table(("kernel", "rate", "of its limit", "verdict", "limit", "95% interval", "case", "measured on",
                       "nearest published"), rows, frozenset({"rate", "of its limit", "limit", "95% interval"}))]
        if rows else [],
        missing="No row was verified.", command="any program without --verify off")


def _summary_row(found: list[Result], numbers: Sequence[Number]) -> tuple[str, ...]:
    best = next((result for result in found if result.name.formulation == NATIVE), found[0])
    interval = f"{rate(best.interval[0])} to {rate(best.interval[1])}" if best.interval else ""
    return (best.name.kernel, f"{rate(best.rate)}{best.mark} {best.unit}", best.fraction_text or "not measured",
            _verdict(best, found), rate(best.limit.rate) if best.limit else "", interval,
            label(best, ("machine", "folder", "ranks", "nodes", "threads")),
            ", ".join(filter(None, (counted(best.workers, "worker"), counted(best.nodes, "node"), best.machine,
                                    best.series * best.told_by_folder))), _nearest(best, numbers))


def _verdict(best: Result, found: list[Result]) -> str:
    """Says in words what the row may be used for, how it stands to the library, and what limits it."""
    if best.mark == "?":
        return f"in doubt: {plain_versions(best.doubts)}"
    parts = ["its limit is too low: quote the rate alone"] if best.mark else []
    library = next((result for result in found if result.name.formulation == "library" and result is not best), None)
    if library and library.mark != "?":
        gain = best.rate / library.rate
        parts.append(f"{ratio(gain)} the library's rate" if gain >= 1 else
                     f"slower than the library ({rate(best.rate)} against {rate(library.rate)})")
    if best.limit and not best.mark:
        parts.append(f"limited by {best.limit.decided_by or best.limit.what}")
    return "; ".join(parts) or "verified"


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
                       "whole task, seconds", "check", "limit", "of it", "road", "note", "workers",
                       "document"), rows,
                      frozenset({"median", "95% interval", "runs", "seconds", "limit", "of it",
                                 "whole task, seconds", "workers"}))] if rows else [],
        missing="No row.")


def _row(launch: Launch) -> tuple[str, ...]:
    case = launch.case
    if case.error:
        state = "not run" if case.is_not_run else "failed"
        return (case.text, *[""] * 6, state, "", "", "", case.error, "", launch.path)
    low_high = f"{rate(case.interval[0])} to {rate(case.interval[1])}" if case.interval else ""
    total = sum(case.whole_task.values())
    doubts = "; ".join(filter(None, [case.note, *case.flags.values()]))
    decided = f" ({case.median['limit_decided_by']})" if case.median.get("limit_decided_by") else ""
    return (case.text, rate(case.rate) + "?" * case.is_distrusted, case.unit, low_high, str(case.runs),
            f"{case.seconds:.4g}", f"{total:.4g}" if total else "", CHECKS[case.verified],
            rate(case.limit["rate"]) + decided if case.limit else "",
            f"{case.fraction_of_limit:.0%}{case.mark}" if case.fraction_of_limit else "", case.road.text, doubts,
            str(case.workers), launch.path)
