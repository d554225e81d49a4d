"""A comparison as a text of 80 columns: how the machines and builds differ, the table of cases, what could not be
compared and why, what is undecided, and how many launches would decide it."""

import itertools
from typing import Optional, Union

from quartet.compare.pairs import LEAST_LAUNCHES, Pair, ResultSet, Sample, Verdict
from quartet.results.statistics import ERROR
from quartet.text import ABOVE_LIMIT, Footnotes, aligned_rows, counted, rate, shortened, wrapped

HEADINGS = ("form", "via", "size", "ranks", "A", "B", "B/A", "interval", "more", "verdict")
LEFT_ALIGNED = ("form", "via", "size", "verdict")  # columns; the others are numbers
IN_COLUMNS = {"size", "n", "ranks", "pair"}


def render(sets: list[ResultSet], pairs: list[Pair], threshold: float, error: float = ERROR) -> str:
    """The whole text; `threshold` is in per cent; an interval misses with probability `error` at most."""
    reasons = Footnotes(map(str, itertools.count(1)))
    table: list[Union[str, tuple[str, ...]]] = [HEADINGS]
    groups: dict[str, list[tuple[str, ...]]] = {}
    for pair in pairs:
        groups.setdefault(_group(pair), []).append(_cells(pair, reasons))
    for heading, members in groups.items():
        table += [heading, *members]
    left = [column for column, heading in enumerate(HEADINGS) if heading in LEFT_ALIGNED]
    lines = [*_sets(sets), "", *aligned_rows(table, left), "", *_legend(pairs, error),
             *reasons.lines(), "", *_not_in_turn(sets), *_counts(pairs, threshold),
             *_unclear(pairs, threshold), *_too_few(pairs), *_all_disturbed(pairs), *_looks_slower(pairs)]
    return "\n".join(lines).rstrip() + "\n"


def _group(pair: Pair) -> str:
    name = pair.name
    unit = next(sample.unit for sample in (pair.first, pair.second) if sample)
    others = [f"{key}:{value}" for key, value in name.values.items() if key not in IN_COLUMNS]
    return ", ".join([f"{name.kernel} {unit}", name.device, *name.words, *others])


def _ratio(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _rate(sample: Optional[Sample]) -> str:
    """The median, with `?` if all its launches were disturbed."""
    return rate(sample.rate) + ("" if sample.undisturbed else "?") if sample else ""


def _cells(pair: Pair, reasons: Footnotes) -> tuple[str, ...]:
    name, is_enough = pair.name, pair.launches >= LEAST_LAUNCHES
    found = pair.ratio if is_enough or pair.mark != "?" else None
    bounds = found.interval if found and is_enough else None
    interval = "-".join(map(_ratio, bounds)) if bounds else ""
    verdict = f"{pair.verdict.value} {','.join(map(reasons.mark, pair.why))}".rstrip()
    return (name.formulation, name.transport, name.plain_size, name.values.get("pair", name.values.get("ranks", "")),
            _rate(pair.first), _rate(pair.second), _ratio(found.value) + pair.mark if found else "", interval,
            str(pair.more or ""), verdict)


def _sets(sets: list[ResultSet]) -> list[str]:
    """Describes A and B, and how their machines, builds and settings differ."""
    lines = []
    settings = [each.settings for each in sets]
    for each, known in zip(sets, settings):
        lines += wrapped(f"{each.label}:", f"{counted(len(each.documents), 'document')}, "
                         f"{known['device']} on {known['host']}")
    if len(sets) < 2:
        return lines
    if sets[0].is_elsewhere(sets[1]):
        lines += wrapped("!", "A and B are different machines, so ratios are not of a change of the program: "
                         "rows are matched by kernel, formulation, kind of device, transport, size, nodes and ranks")
    for key in {**settings[0], **settings[1]}:
        values = [known.get(key, "not recorded") for known in settings]
        if values[0] != values[1]:
            lines += wrapped("", f"differs: {key}: {' | '.join(shortened(*values))}")
    return lines


def _legend(pairs: list[Pair], error: float) -> list[str]:
    marks = {pair.mark for pair in pairs}
    found = []
    if any(pair.ratio and pair.ratio.interval for pair in pairs):
        found += wrapped("", "B/A: median over all pairs of a launch of A and one of B; interval: its "
                         f"{1 - error:.0%} confidence interval")
    if any(pair.more for pair in pairs):
        found += wrapped("", "more: launches of each side that would probably decide")
    if "?" in marks:
        found += wrapped("?", "a launch is in doubt: do not quote")
    if "!" in marks:
        found += wrapped("!", ABOVE_LIMIT)
    return found


def _not_in_turn(sets: list[ResultSet]) -> list[str]:
    """Warns if all of A was measured before B, or after: a change of the machine then looks like one of the program."""
    if len(sets) < 2 or sets[0].is_elsewhere(sets[1]) or not all(each.documents for each in sets):
        return []
    dates = [sorted(str(document["context"].get("date", "")) for _, document in each.documents) for each in sets]
    apart = dates[0][-1] < dates[1][0] or dates[1][-1] < dates[0][0]
    return wrapped("", "A and B were measured one after the other: a change of the machine between "
                   "them looks like one of the program (quartet compare --run launches in turn)") if apart else []


def _counts(pairs: list[Pair], threshold: float) -> list[str]:
    counts = [f"{sum(pair.verdict is verdict for pair in pairs)} "
              f"{'not comparable' if verdict is Verdict.NOT_COMPARABLE else verdict.value}"
              for verdict in Verdict if any(pair.verdict is verdict for pair in pairs)]
    return wrapped("", f"{', '.join(counts) or 'no case'}, at a threshold of {threshold:g}%")


def _has_enough(pair: Pair) -> bool:
    """True if there are enough launches for an interval."""
    return bool(pair.ratio and pair.ratio.interval) and pair.launches >= LEAST_LAUNCHES


def _unclear(pairs: list[Pair], threshold: float) -> list[str]:
    """Says how large a difference the unclear cases with enough launches may hide."""
    seen = [pair for pair in pairs if pair.verdict is Verdict.UNCLEAR and _has_enough(pair) and not pair.slow_hosts]
    if not seen:
        return []
    widest = max(abs(bound - 1) for pair in seen if pair.ratio and pair.ratio.interval for bound in pair.ratio.interval)
    differ = [pair for pair in seen if pair.ratio and pair.ratio.interval and not
              pair.ratio.interval[0] <= 1 <= pair.ratio.interval[1]]
    more = max((pair.more for pair in seen if pair.more), default=None)
    is_hopeless = threshold > 0 and not any(pair.more for pair in seen)
    remedy = f"; about {counted(more, 'more launch')} of each side would decide {threshold:g}%" if more else \
        f". Launches differ too much to decide {threshold:g}%: quiet the machine, or raise --threshold" \
        if is_hopeless else ""
    found = f"no difference found, +-{widest:.0%}{' at worst' * (len(seen) > 1)}" if not differ else \
        f"a difference in {len(differ)} of {counted(len(seen), 'case')}, perhaps below {threshold:g}%"
    return wrapped("", f"unclear: {found}{remedy}")


def _too_few(pairs: list[Pair]) -> list[str]:
    few = [pair for pair in pairs if pair.verdict is Verdict.UNCLEAR and pair.launches and not _has_enough(pair)]
    if not few:
        return []
    have = counted(min(pair.launches for pair in few), "launch")
    return wrapped("", f"no verdict on {counted(len(few), 'case')}, a side has only {have} without doubt; it "
                   f"takes {LEAST_LAUNCHES}, since even the same program has other rates in another launch")


def _all_disturbed(pairs: list[Pair]) -> list[str]:
    """Says what to do about cases without a ratio: every launch of A or of B was disturbed."""
    none = [pair for pair in pairs if pair.verdict is Verdict.UNCLEAR and not pair.launches]
    has_one = any(sample and sample.undisturbed for pair in none for sample in (pair.first, pair.second))
    return wrapped("", f"no verdict on {counted(len(none), 'case')}: every launch{' of a side' * has_one} is in "
                   "doubt: quiet the machine (quartet check-machine), then repeat") if none else []


def _looks_slower(pairs: list[Pair]) -> list[str]:
    slower = [pair for pair in pairs if pair.looks_slower and _has_enough(pair)]
    worst, mark = min(((min((pair.ratio.value, *pair.slow_hosts)), pair.mark) for pair in slower if pair.ratio),
                      default=(1.0, ""))
    return wrapped("!", f"{counted(len(slower), 'case')} may be slower, which is not decided: at worst "
                   f"{worst:.2f}{mark} of A's rate") if slower else []
