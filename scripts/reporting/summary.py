"""What a reader needs first: what to be careful about, and the best of each kernel."""

from collections import Counter
from dataclasses import dataclass
from typing import Optional

from table import rate, ratio

from .cases import SUSPICIOUS_FRACTION, Failure, Measurement, Result
from .factors import KERNELS, grouped, is_pair, label
from .publications import Number
from .sections import Section, Table

LEAST_RUNS = 6  # of an interval


@dataclass(frozen=True)
class Warning:
    """`is_grave`: something is wrong or missing, not merely to be known."""

    text: str
    is_grave: bool = False


def warnings(documents: list[tuple[str, dict]], skipped: list[str], results: list[Result],
             failures: list[Failure]) -> list[Warning]:
    """Everything to know before a number is believed, the grave first."""
    found = [Warning(f"Skipped: {why}", True) for why in skipped]
    found += [Warning(f"Wrong result, left out of all charts: {result.first.run_name} "
                      f"({', '.join(sorted({launch.path for launch in result.launches}))})", True)
              for result in results if result.verified is False]
    found += [Warning(f"Failed or refused: {failure.name}: {failure.message} ({failure.path})",
                      True) for failure in failures]
    found += [Warning(f"{result.fraction:.0%} of its limit: one of the two is wrong, or a cache is "
                      f"in play: {result.first.run_name}"
                      + (f" ({result.first.note})" if result.first.note else ""))
              for result in results if result.is_suspicious]
    said = Counter(str(text) for _, document in documents
                   for text in document["context"]["quartet"].get("warnings") or [])
    found += [Warning(f"Said by the program: {text}" + (f" ({count} documents)" if count > 1
                                                          else ""))
              for text, count in said.items()]
    return found + _about_builds(documents, results) + _about_rows(results)


def _about_builds(documents, results: list[Result]) -> list[Warning]:
    found = []
    if any(document["context"].get("library_build_type") == "debug" for _, document in documents):
        found.append(Warning("Some documents are from a debug build: their rates mean nothing.",
                             True))
    commits = sorted({launch.commit for result in results for launch in result.launches})
    if len(commits) > 1:
        found.append(Warning(f"Rows of {len(commits)} commits stand side by side: "
                             + ", ".join(commits)))
    changed = [commit for commit in commits if commit.endswith("-dirty")]
    if changed:
        found.append(Warning("Built from a changed working tree, so not to be repeated exactly: "
                             + ", ".join(changed)))
    return found


def _about_rows(results: list[Result]) -> list[Warning]:
    found = []
    unchecked = sum(result.verified is None for result in results)
    if unchecked:
        found.append(Warning(f"{unchecked} of {len(results)} cases were not verified."))
    short = sum(result.interval is None for result in results)
    if short:
        found.append(Warning(f"{short} of {len(results)} cases have no interval: fewer than "
                             f"{LEAST_RUNS} runs, one launch."))
    several = sum(len(result.launches) > 1 for result in results)
    if several:
        found.append(Warning(f"{several} cases were launched more than once: shown is the median "
                             "of the launches' medians; the interval spans all of them."))
    return found


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
        tables=[Table(("kernel", "best rate", "interval", "case", "of its limit", "limit",
                       "ratio to", "published", "measured on"), rows,
                      frozenset({"best rate", "interval", "of its limit", "ratio to"}))]
        if rows else [],
        missing="No row was verified.", command="any program without --verify off")


def _summary_row(best: Result, published: list[Number]) -> tuple[str, ...]:
    interval = (f"{rate(best.interval[0])} to {rate(best.interval[1])}" if best.interval else "")
    flag = " !" if (best.fraction or 0) > SUSPICIOUS_FRACTION else ""
    share = f"{best.fraction:.0%}{flag}" if best.fraction else ""
    limit = f"{rate(best.limit.rate)}, {best.limit.what}" if best.limit else "not measured"
    return (best.name.kernel, f"{rate(best.rate)} {best.first.unit}", interval,
            f"{label(best)}; {best.first.workers} workers", share, limit,
            *_nearest(best, published), best.first.machine)


def _nearest(best: Result, published: list[Number]) -> tuple[str, str]:
    """Ratio and conditions: of the number that the program chose, else of the paper's first."""
    own = best.published
    if own:
        sign = {"above": "> ", "below": "< "}.get(own.bound, "~ ")
        return ratio(own.ratio), f"{sign}{own.value:g} {own.unit}: {own.conditions}"
    other: Optional[Number] = next((number for number in published if number.unit == best.first.unit
                                    and number.kernel == best.name.kernel), None)
    if not other:
        return "", "none"
    return (ratio(best.rate / other.value), f"{other.text}: {other.conditions} (another device)")


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
