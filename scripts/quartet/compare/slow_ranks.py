"""Finds nodes and ranks that are slower than the others, by the seconds of each rank in each run.

This works only where ranks do not wait for each other. In cg they wait in every step: all take as
long as the slowest, and none is named."""

import statistics
from dataclasses import dataclass

LEAST_FELLOWS = 3  # of two that differ, either may be the odd one
LEAST_RATIO = 1.10
OUTLIER = 3.5  # modified z-score (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993)
CONSISTENT = 0.6745  # median absolute deviation of a normal distribution, in standard deviations
LEAST_DEVIATION = 0.01  # of ratios; fellows that agree to the last digit make nobody an outlier


@dataclass(frozen=True)
class Slow:
    """A slow node or rank of a case, and by how much."""

    who: str
    case: str
    ratio: float  # of its seconds to its fellows' median
    runs: int


def outliers(ratios: dict) -> dict:
    """Those that are far above the others."""
    if len(ratios) < LEAST_FELLOWS:
        return {}
    middle = statistics.median(ratios.values())
    deviation = statistics.median(abs(value - middle) for value in ratios.values())
    least = max(middle * LEAST_RATIO,
                middle + OUTLIER * max(deviation, LEAST_DEVIATION) / CONSISTENT)
    return {key: value / middle for key, value in ratios.items() if value > least}


def find(document: dict) -> list[Slow]:
    """Of each case first the nodes, then the ranks on other nodes."""
    found = []
    for case, rows in _runs(document).items():
        ratios = _ratios(rows, _first_worker(document, case))
        hosts = _by_host(document, ratios)
        nodes = outliers({host: statistics.median(ratios[rank] for rank in ranks)
                          for host, ranks in hosts.items()})
        # A node that is slow as a whole is said once.
        found += [Slow(f"node {host} ({_gpus(document, hosts[host])}{len(hosts[host])} ranks)",
                       case, ratio, len(rows)) for host, ratio in nodes.items()]
        found += [Slow(_rank_in_words(document, rank), case, ratio, len(rows))
                  for rank, ratio in outliers(ratios).items()
                  if all(rank not in hosts[host] for host in nodes)]
    return found


def _runs(document: dict) -> dict[str, list[list[float]]]:
    """Seconds of the ranks, by case and run."""
    result: dict[str, list[list[float]]] = {}
    for row in document["benchmarks"]:
        if row.get("run_type") == "iteration" and row.get("rank_seconds") \
                and not row["run_name"].endswith("/paper"):
            result.setdefault(row["run_name"], []).append(row["rank_seconds"])
    return result


def _first_worker(document: dict, case: str) -> int:
    """Reducers and receivers come first; they have other work and no fellows."""
    for row in document["benchmarks"]:
        if row.get("run_name") == case and row.get("aggregate_name") == "median":
            return max(0, len(row["rank_seconds"]) - row["workers"])
    return 0


def _ratios(rows: list[list[float]], first: int) -> dict[int, float]:
    """Of each rank's seconds to all fellows' median, as it is in the middle of its runs."""
    ratios: dict[int, list[float]] = {}
    for seconds in rows:
        middle = statistics.median(seconds[first:]) if seconds[first:] else 0
        if middle > 0:
            for rank in range(first, len(seconds)):
                ratios.setdefault(rank, []).append(seconds[rank] / middle)
    return {rank: statistics.median(values) for rank, values in ratios.items()}


def _placement(document: dict) -> dict[int, dict]:
    return {item["rank"]: item for item in document["context"]["quartet"].get("placement", [])}


def _by_host(document: dict, ranks) -> dict[str, list[int]]:
    placement = _placement(document)
    hosts: dict[str, list[int]] = {}
    for rank in ranks:
        hosts.setdefault(placement.get(rank, {}).get("host", "unknown"), []).append(rank)
    return hosts


def _gpus(document: dict, ranks: list[int]) -> str:
    """What these ranks compute on, if it is not the host."""
    gpus = [gpu for gpu in document["context"]["quartet"].get("gpus", [])
            if set(ranks) & set(gpu.get("ranks", []))]
    return "".join(f"{gpu.get('name', 'GPU')} {gpu.get('uuid', '')}".strip() + ", "
                   for gpu in gpus)


def _rank_in_words(document: dict, rank: int) -> str:
    item = _placement(document).get(rank, {})
    cpus = f"cpus {item['cpus']}" if "cpus" in item else "cpus unknown"
    return f"rank {rank} on {item.get('host', 'unknown')} ({_gpus(document, [rank])}{cpus})"
