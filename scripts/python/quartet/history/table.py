"""What a history says, in lines."""

import time
from collections.abc import Sequence
from typing import Any

from quartet.history.moments import Moment, Row
from quartet.history.store import Series, Store
from quartet.results import Case, Name
from quartet.tables.cells import aligned_rows
from quartet.tables.doubts import short_name
from quartet.text import counted, minute, rate, wrapped

HEADINGS = ("row", "nodes", "before", "after", "", "ratio", "interval")
MOST = 5  # facts that are listed
NAMED = 4  # nodes in a cell


def day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))


def render(store: Store, every: Sequence[Series], found: Sequence[Moment], false_alarms: float, least: int) -> str:
    times = [at for series in every for at in series.times]
    nodes = len({series.node for series in every})
    left_out = f"; {counted(store.left_out, 'row')} in doubt, wrong or failed not used" if store.left_out else ""
    lines = wrapped("", f"{counted(store.launches, 'launch')} of {counted(len({one.row for one in every}), 'row')} on "
                    f"{counted(nodes, 'node')}, {day(min(times))} to {day(max(times))}{left_out}")
    for moment in found:
        lines += ["", *_moment(moment, nodes)]
    short = sum(len(series.rates) < 2 * least for series in every)
    if short:
        lines += ["", *wrapped("", f"too few launches to tell, {2 * least} at least: {short} of {len(every)} rows of "
                               "single nodes")]
    if short < len(every):
        told = "No change was found. " if not found else ""
        lines += ["", *wrapped("", f"{told}Sound histories raise a false alarm in {false_alarms:.0%} at most.")]
    return "\n".join(lines) + "\n"


def _moment(moment: Moment, nodes: int) -> list[str]:
    return [headline(moment, nodes), *aligned_rows([HEADINGS, *map(_cells, moment.rows)], (0, 1, 4)),
            *(line for text in reasons(moment) for line in wrapped("", text))]


def headline(moment: Moment, nodes: int) -> str:
    """When, which way and where."""
    if moment.is_drift:
        head = f"drift from {day(moment.begin)} to {day(moment.end)}, no single moment"
    else:
        head = f"since {minute(moment.end)} (last before: {minute(moment.begin)})"
    directions = {row.change.value < 1 for row in moment.rows}
    how = "slower" if directions == {True} else "faster" if directions == {False} else "slower and faster"
    return f"{head}: {how}, {scope(moment.nodes, nodes)}"


def reasons(moment: Moment) -> list[str]:
    """What else changed, each in words; a drift has no moment at which anything could."""
    if moment.is_drift:
        return []
    matching = [cause for cause in moment.causes if cause.matches]
    texts = [] if matching else ["nothing that documents record changed at that moment"]
    for cause in (matching or moment.causes)[:MOST]:
        elsewhere = "; also on nodes without the change" if cause.elsewhere >= cause.share else ""
        when = "changed then" if cause.matches else f"changed at another time, {cause.share:.0%} of launches fit"
        texts.append(f"{when}: {cause.what}: {cause.before} -> {cause.after}{elsewhere}")
    if len(matching) > MOST:
        texts.append(f"and {counted(len(matching) - MOST, 'more fact')}")
    return texts


def as_json(every: Sequence[Series], found: Sequence[Moment]) -> list[dict[str, Any]]:
    """The same for programs; times in seconds since 1970."""
    nodes = len({series.node for series in every})
    return [{"begin": moment.begin, "end": moment.end, "is_drift": moment.is_drift, "is_slower": moment.is_slower,
             "what": headline(moment, nodes), "why": reasons(moment),
             "rows": [{"name": row.name, "unit": row.unit, "nodes": row.nodes, "before": row.before,
                       "after": row.after, "ratio": row.change.value, "interval": row.change.interval}
                      for row in moment.rows]} for moment in found]


def _cells(row: Row) -> tuple[str, ...]:
    interval = row.change.interval
    return (row_name(row.name), scope(row.nodes, row.of), rate(row.before), rate(row.after), row.unit,
            f"{row.change.value:.3f}", f"{interval[0]:.3f}-{interval[1]:.3f}" if interval else "")


def row_name(text: str) -> str:
    name = Name.parse(text)
    return f"{short_name(Case(name))} on {counted(name.ranks, 'rank')}" + "".join(
        f" pair {first}-{second}" for first, second in filter(None, [name.pair]))


def scope(nodes: Sequence[str], of: int) -> str:
    """ "all 4 nodes", or "n3 alone", or which of them."""
    if of == 1:
        return nodes[0]
    if len(nodes) == of:
        return f"all {of} nodes"
    more = f" and {len(nodes) - NAMED} more" * (len(nodes) > NAMED)
    return f"{nodes[0]} alone" if len(nodes) == 1 else f"{', '.join(nodes[:NAMED])}{more} of {of}"
