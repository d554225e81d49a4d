"""The best of each kernel, and every row."""

from quartet.table import rate, ratio

from .cases import SUSPICIOUS_FRACTION, Failure, Measurement, Result
from .factors import KERNELS, counted, grouped, is_pair, label
from .publications import Number
from .sections import Section, Table

def summary(results: list[Result], published: list[Number]) -> Section:
    """Each kernel's best verified case on each kind of machine."""
    rows = []
    candidates = [result for result in results if result.verified and not is_pair(result)]
    order = {kernel: index for index, kernel in enumerate(KERNELS)}
    groups = grouped(sorted(candidates, key=lambda item: order.get(item.name.kernel, len(order))),
                     lambda item: (item.name.kernel, item.name.device, item.first.machine))
    for group in groups.values():
        sound = [result for result in group if not result.is_suspicious]
        rows.append(_summary_row(max(sound or group, key=lambda item: item.rate), published))
    return Section(
        "summary", "Summary",
        "The best verified rate of each kernel on each kind of device. Published numbers were "
        "measured under other conditions, which stand beside them.",
        tables=[Table(("kernel", "best rate", "interval", "of its limit",
                       "of the nearest published", "case", "measured on"), rows, frozenset({"best rate", "interval"}))]
        if rows else [],
        missing="No row was verified.", command="any program without --verify off")


def _summary_row(best: Result, published: list[Number]) -> tuple[str, ...]:
    interval = (f"{rate(best.interval[0])} to {rate(best.interval[1])}" if best.interval else "")
    flag = " !" if (best.fraction or 0) > SUSPICIOUS_FRACTION else ""
    share = (f"{best.fraction:.0%}{flag} of {rate(best.limit.rate)} ({best.limit.what})"
             if best.limit and best.fraction else "not measured")
    return (best.name.kernel, f"{rate(best.rate)} {best.first.unit}", interval,
            share, _nearest(best, published), label(best, ("ranks", "nodes")),
            f"{counted(best.first.workers, 'worker')} on {counted(best.first.nodes, 'node')}, "
            f"{best.first.machine}")


def _nearest(best: Result, published: list[Number]) -> str:
    """Ratio and conditions: of the number that the program chose, else of the paper's first."""
    own = best.published
    if own:
        sign = {"above": "> ", "below": "< "}.get(own.bound, "~ ")
        return f"{ratio(own.ratio)} of {sign}{own.value:g} {own.unit}: {own.conditions}"
    on_gpu = best.name.device == "cuda"
    numbers = [number for number in published
               if number.unit == best.first.unit and number.kernel == best.name.kernel]
    if not numbers:
        return "none"
    other = min(numbers, key=lambda number: number.is_gpu != on_gpu)  # the first of equals
    kind = "" if other.is_gpu == on_gpu else " (GPUs, this is a processor)"
    return f"{ratio(best.rate / other.value)} of {other.text}: {other.conditions}{kind}"


def every_row(measurements: list[Measurement], failures: list[Failure]) -> Section:
    """All cases of all documents, one by one, as they are."""
    rows = [_row(item) for item in measurements]
    rows += [(failure.name, *[""] * 6, "failed", "", "", failure.message, "", failure.path)
             for failure in failures]
    return Section(
        "rows", "Every row",
        "One line for each case of each document, the failed last.",
        tables=[Table(("case", "median", "unit", "95% interval", "runs", "seconds",
                       "whole task, seconds", "check", "limit", "of it", "note", "workers",
                       "document"), rows,
                      frozenset({"median", "95% interval", "runs", "seconds", "limit", "of it",
                                 "whole task, seconds", "workers"}))] if rows else [],
        missing="No row.")


def _row(item: Measurement) -> tuple[str, ...]:
    check = {True: "ok", False: "WRONG", None: "off"}[item.verified]
    low_high = f"{rate(item.interval[0])} to {rate(item.interval[1])}" if item.interval else ""
    return (item.run_name, rate(item.rate), item.unit, low_high, str(item.runs),
            f"{item.seconds:.4g}", f"{item.total_seconds:.4g}" if item.total_seconds else "", check,
            rate(item.limit.rate) if item.limit else "",
            f"{item.fraction:.0%}" if item.fraction else "", item.note, str(item.workers),
            item.path)
