"""Pairs of ranks: their hosts' names, and hosts that are slow in all of their pairs.

All pairs of a run are compared with the run's median pair, since a disturbance of the whole run affects rates, but not
ratios within it. A host with one fast pair is not slow, as in a check of nodes."""

import statistics
from collections.abc import Iterable

from quartet.results import Row, grouped, reference
from quartet.text import counted, ratio, size_in_bytes

LONGEST = 15  # characters of a pair's names, so that the table fits 80 columns
FALSE_ALARMS = 0.01  # share of tables of equally fast hosts that name one
LEAST_LOSS = 0.1  # share below the median of the others


def _hosts(row: Row) -> dict[int, str]:
    """The host of each rank; empty if all ranks have the same."""
    found = {place["rank"]: str(place["host"]).partition(".")[0]
             for place in row.context.get("quartet", {}).get("placement", [])}
    return found if len(set(found.values())) > 1 else {}


def pair_name(row: Row) -> str:
    """A row's pair, "n1->n3"; empty if the row is not of a pair."""
    pair, hosts = row.name.pair, _hosts(row)
    if pair is None:
        return ""
    is_alone = len(set(hosts.values())) == len(hosts)  # each rank on a host of its own
    text = "->".join(f"{hosts[rank]}{'' if is_alone else f':{rank}'}" if rank in hosts else str(rank) for rank in pair)
    return text if len(text) <= LONGEST else "->".join(map(str, pair))


def legend(rows: Iterable[Row]) -> str:
    """The hosts of ranks whose names are too long for the column; empty if there are none."""
    ranks = {rank: host for row in rows if row.name.pair and pair_name(row) == "->".join(map(str, row.name.pair))
             for rank, host in _hosts(row).items() if rank in row.name.pair}
    return f"ranks: {', '.join(f'{rank} {ranks[rank]}' for rank in sorted(ranks))}" if ranks else ""


def slowest(rows: Iterable[Row]) -> str:
    """A sentence that names the hosts that are slow in all pairs of a document, at its largest size, if any."""
    groups = grouped((row for row in rows if row.name.pair and not row.error and row.verified is not False),
                     lambda row: (id(row.context), row.text.rpartition("/pair:")[0]))
    members = max(groups.values(), key=lambda each: (size_in_bytes(each[0].name.size), len(each)), default=[])
    shares = _shares(members)
    own: dict[str, list[float]] = {}
    for pair, share in shares.items():
        for who in pair:
            own.setdefault(who, []).append(share)
    if len(own) < reference.LEAST_VALUES:
        return ""
    slow = reference.slow({who: max(found) for who, found in own.items()}, FALSE_ALARMS, LEAST_LOSS)
    if slow:
        others = statistics.median([share for pair, share in shares.items() if not set(slow) & set(pair)]
                                   or shares.values())
        found = ", ".join(f"{name}, in all its {counted(len(own[name]), 'pair')} "
                          f"({ratio(statistics.median(own[name]) / others)} the others)" for name in slow)
    else:
        found = f"none of {len(own)} in all its pairs"
    caveat = "; the rates (?) are in doubt, but not how the pairs of one run compare"
    return f"Slowest: {found}{caveat * any(row.is_distrusted for row in members)}."


def _shares(members: list[Row]) -> dict[tuple[str, str], float]:
    """For each pair of different hosts, its rate over that of the median pair of the run: the median over the runs."""
    rates: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for row in members:
        hosts, (first, second) = _hosts(row), row.name.pair or (0, 0)
        names = hosts.get(first, f"rank {first}"), hosts.get(second, f"rank {second}")
        if names[0] != names[1]:
            rates.setdefault(names, []).append(row.rates if min(row.rates, default=0) > 0 else (row.rate,))
    runs = range(min((len(each) for found in rates.values() for each in found), default=0))
    typical = [statistics.median(each[run] for found in rates.values() for each in found) for run in runs]
    return {pair: max(statistics.median(each[run] / typical[run] for run in runs) for each in found)
            for pair, found in rates.items() if runs}
