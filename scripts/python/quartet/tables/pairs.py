"""Pairs of ranks by their hosts' names, and who is slow in all of its pairs.

All pairs of a run are compared with the run's median pair: what disturbs a run as a whole makes its rates doubtful,
not the ratios within it. Who has one fast pair is not slow, as in a check of nodes."""

import statistics
from collections.abc import Hashable, Iterable
from typing import Optional, TypeVar

from quartet.results import Case
from quartet.results.statistics import CONSISTENT
from quartet.text import counted, ratio, size, size_in_bytes

LONGEST = 15  # of a pair's names, so that a table keeps to 80 columns
MOST_LISTED = 64  # of hosts
Pair = tuple[str, str]
Key = TypeVar("Key", bound=Hashable)
LEAST_FELLOWS = 3  # of two that differ, either may be the odd one
LEAST_RATIO = 1.10
OUTLIER = 3.5  # modified z-score (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993)
LEAST_DEVIATION = 0.01  # of ratios; fellows that agree to the last digit make nobody an outlier


def named(case: Case) -> Optional[str]:
    """A row's pair, "n1->n3"; None if it is of no pair."""
    if case.name.pair is None:
        return None
    text = "->".join(_names(case, case.name.pair))
    return text if len(text) <= LONGEST else "->".join(map(str, case.name.pair))


def legend(cases: Iterable[Case]) -> str:
    """The hosts of ranks whose names are too long for the column; empty if there are none."""
    hosts = {rank: name for case in cases if case.name.pair and "->".join(map(str, case.name.pair)) == named(case)
             for rank, name in zip(case.name.pair, _names(case, case.name.pair, in_words=True))}
    if not any(name != f"rank {rank}" for rank, name in hosts.items()):
        return ""
    listed = [f"{rank} {hosts[rank]}" for rank in sorted(hosts)]
    return f"ranks: {', '.join(listed[:MOST_LISTED])}" + (" .." if len(listed) > MOST_LISTED else "")


def slowest(cases: Iterable[Case]) -> str:
    """Who stands out among the pairs of a document, of its largest size, in a sentence; empty if there are no pairs, or
    too few to tell."""
    groups: dict[tuple[int, str], list[Case]] = {}
    for case in cases:
        if case.name.pair and not case.error and case.verified is not False:
            groups.setdefault((id(case.context), case.text.rpartition("/pair:")[0]), []).append(case)
    members = max(groups.values(), key=lambda each: (size_in_bytes(each[0].name.size), len(each)), default=[])
    shares = _shares(members)
    nodes = sorted({who for pair in shares for who in pair})
    if len(nodes) < LEAST_FELLOWS:
        return ""
    own = {who: [share for pair, share in shares.items() if who in pair] for who in nodes}
    slow = outliers({who: 1 / max(found) for who, found in own.items()})
    of_what = f" ({members[0].name.transport} {size(members[0].name.size)})" if len(groups) > 1 else ""
    if slow:
        others = statistics.median([share for pair, share in shares.items() if not slow.keys() & set(pair)]
                                   or shares.values())
        who = ", ".join(f"{name}, in all its {counted(len(own[name]), 'pair')} "
                        f"({ratio(statistics.median(own[name]) / others)} the others)"
                        for name in sorted(slow, key=lambda name: -slow[name]))
    else:
        pairs = outliers({pair: 1 / share for pair, share in shares.items()})
        worst = max(pairs, key=lambda pair: pairs[pair], default=None)
        who = f"none of {len(nodes)} in all its pairs" + (
            f"; {'->'.join(worst)} alone ({ratio(shares[worst])} the median pair)" if worst else "")
    doubt = "; rates are in doubt, ratios within a run are not" if any(case.is_distrusted for case in members) else ""
    return f"Slowest{of_what}: {who}{doubt}."


def _shares(members: list[Case]) -> dict[Pair, float]:
    """The rate of each pair of different hosts over that of the run's median pair: the median of all runs."""
    rates: dict[Pair, list[tuple[float, ...]]] = {}
    for case in members:
        names = _names(case, case.name.pair or (0, 0), in_words=True)
        if names[0] != names[1]:
            rates.setdefault(names, []).append(case.rates if min(case.rates, default=0) > 0 else (case.rate,))
    runs = min((len(each) for found in rates.values() for each in found), default=0)
    typical = [statistics.median(each[run] for found in rates.values() for each in found) for run in range(runs)]
    return {pair: max(statistics.median(each[run] / typical[run] for run in range(runs)) for each in found)
            for pair, found in rates.items() if runs}


def _names(case: Case, ranks: tuple[int, int], in_words: bool = False) -> Pair:
    """Of two ranks: their hosts', or on one host "rank 3". Outside of words the rank stands beside its host where that
    has several."""
    placement = case.context.get("quartet", {}).get("placement", [])
    hosts = {place["rank"]: str(place["host"]).partition(".")[0] for place in placement}
    names = set(hosts.values())

    def name(rank: int) -> str:
        if len(names) < 2 or rank not in hosts:
            return f"rank {rank}" if in_words else str(rank)
        return hosts[rank] if in_words or len(names) == len(hosts) else f"{hosts[rank]}:{rank}"

    return name(ranks[0]), name(ranks[1])


def outliers(ratios: dict[Key, float]) -> dict[Key, float]:
    """Returns the keys whose ratios are far above the others, with their ratio to the median."""
    if len(ratios) < LEAST_FELLOWS:
        return {}
    middle = statistics.median(ratios.values())
    deviation = statistics.median(abs(value - middle) for value in ratios.values())
    least = max(middle * LEAST_RATIO, middle + OUTLIER * CONSISTENT * max(deviation, LEAST_DEVIATION * middle))
    return {key: value / middle for key, value in ratios.items() if value > least}
