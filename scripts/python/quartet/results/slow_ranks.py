"""Finds nodes and ranks that are slower than the others, by the seconds of each rank in each run.

Of many ranks documents have quantiles and the slowest ones only: those are compared with the median.

This works only if ranks do not wait for each other. In cg they wait in every step: all take as
long as the slowest, and none is named."""

import statistics
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from quartet.results.statistics import CONSISTENT

Key = TypeVar("Key", bound=Hashable)
LEAST_FELLOWS = 3  # of two that differ, either may be the odd one
LEAST_RATIO = 1.10
OUTLIER = 3.5  # modified z-score (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993)
LEAST_LISTED = 8  # of a node's ranks among the slowest 16: the node is slow as a whole
LEAST_DEVIATION = 0.01  # of ratios; fellows that agree to the last digit make nobody an outlier


@dataclass(frozen=True)
class Slow:
    """A slow node or rank of a case, and by how much."""

    who: str
    case: str
    ratio: float  # of its seconds to its fellows' median
    runs: int


def outliers(ratios: dict[Key, float]) -> dict[Key, float]:
    """Returns the keys whose ratios are far above the others, with their ratio to the median."""
    if len(ratios) < LEAST_FELLOWS:
        return {}
    middle = statistics.median(ratios.values())
    deviation = statistics.median(abs(value - middle) for value in ratios.values())
    least = _least(middle, deviation)
    return {key: value / middle for key, value in ratios.items() if value > least}


def _least(middle: float, deviation: float) -> float:
    """Returns the bound that an outlier exceeds."""
    return max(middle * LEAST_RATIO,
               middle + OUTLIER * CONSISTENT * max(deviation, LEAST_DEVIATION * middle))


def find(document: dict[str, Any]) -> list[Slow]:
    """Finds, for each case, first the slow nodes, then slow ranks on other nodes."""
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
    for case, summaries in _summaries(document).items():
        found += _slow_among_many(document, case, summaries)
    return found


def _summaries(document: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Quantiles and slowest ranks, by case and run."""
    result: dict[str, list[dict[str, Any]]] = {}
    for row in document["benchmarks"]:
        if row.get("run_type") == "iteration" and row.get("rank_seconds_summary") \
                and not row["run_name"].endswith("/paper"):
            result.setdefault(row["run_name"], []).append(row["rank_seconds_summary"])
    return result


def _slow_among_many(document: dict[str, Any], case: str, summaries: list[dict[str, Any]]) -> list[Slow]:
    """Judges the ranks that are listed in most runs: any other rank was no slower than those."""
    first = _first_worker(document, case)
    ratios: dict[int, list[float]] = {}
    hosts: dict[int, str] = {}
    for summary in summaries:
        middle = summary["p50"]
        least = _least(middle, (summary["p75"] - summary["p25"]) / 2)
        for slow in summary["slowest"]:
            if slow["rank"] >= first and slow["seconds"] > least > 0:
                ratios.setdefault(slow["rank"], []).append(slow["seconds"] / middle)
                hosts[slow["rank"]] = slow["host"]
    steady = {rank: statistics.median(values) for rank, values in ratios.items()
              if 2 * len(values) > len(summaries)}
    listed: dict[str, list[int]] = {}
    for rank in steady:
        listed.setdefault(hosts[rank], []).append(rank)
    placed = Counter(item["host"] for item in _placement(document).values())
    nodes = {host: ranks for host, ranks in listed.items()
             if len(ranks) >= min(LEAST_LISTED, placed[host] or LEAST_LISTED)}
    found = [Slow(f"node {host} ({len(ranks)} of the slowest ranks)", case,
                  statistics.median(steady[rank] for rank in ranks), len(summaries))
             for host, ranks in nodes.items()]
    return found + [Slow(_rank_in_words(document, rank), case, ratio, len(summaries))
                    for rank, ratio in steady.items() if hosts[rank] not in nodes]


def _runs(document: dict[str, Any]) -> dict[str, list[list[float]]]:
    """Seconds of the ranks, by case and run."""
    result: dict[str, list[list[float]]] = {}
    for row in document["benchmarks"]:
        if row.get("run_type") == "iteration" and row.get("rank_seconds") \
                and not row["run_name"].endswith("/paper"):
            result.setdefault(row["run_name"], []).append(row["rank_seconds"])
    return result


def _first_worker(document: dict[str, Any], case: str) -> int:
    """Reducers and receivers come first; they have other work and no fellows."""
    for row in document["benchmarks"]:
        if row.get("run_name") == case and row.get("aggregate_name") == "median":
            summary = row.get("rank_seconds_summary")
            ranks = summary["ranks"] if summary else len(row["rank_seconds"])
            return max(0, int(ranks) - int(row["workers"]))
    return 0


def _ratios(rows: list[list[float]], first: int) -> dict[int, float]:
    """The ratios of each rank's seconds to all fellows' median, as it is in the middle of its runs."""
    ratios: dict[int, list[float]] = {}
    for seconds in rows:
        middle = statistics.median(seconds[first:]) if seconds[first:] else 0
        if middle > 0:
            for rank in range(first, len(seconds)):
                ratios.setdefault(rank, []).append(seconds[rank] / middle)
    return {rank: statistics.median(values) for rank, values in ratios.items()}


def _placement(document: dict[str, Any]) -> dict[int, dict[str, Any]]:
    return {item["rank"]: item for item in document["context"]["quartet"].get("placement", [])}


def _by_host(document: dict[str, Any], ranks: Iterable[int]) -> dict[str, list[int]]:
    placement = _placement(document)
    hosts: dict[str, list[int]] = {}
    for rank in ranks:
        hosts.setdefault(placement.get(rank, {}).get("host", "unknown"), []).append(rank)
    return hosts


def _gpus(document: dict[str, Any], ranks: list[int]) -> str:
    """Names the GPUs on which these ranks compute; empty on the host."""
    gpus = [gpu for gpu in document["context"]["quartet"].get("gpus", [])
            if set(ranks) & set(gpu.get("ranks", []))]
    return "".join(f"{gpu.get('name', 'GPU')} {gpu.get('uuid', '')}".strip() + ", "
                   for gpu in gpus)


def _rank_in_words(document: dict[str, Any], rank: int) -> str:
    item = _placement(document).get(rank, {})
    cpus = f"cpus {item['cpus']}" if "cpus" in item else "cpus unknown"
    return f"rank {rank} on {item.get('host', 'unknown')} ({_gpus(document, [rank])}{cpus})"
