"""Whether a published number may stand beside a result, by the rule in the schema of published numbers,
which the programs follow, too."""

import math
from typing import Iterable, Mapping

from quartet.text import size_in_bytes

LIKE_SIZE = 2  # sizes are alike within this factor
SIZES = ("n", "size")

Match = tuple[tuple[str, tuple[str, ...]], ...]  # each factor's possible values
Merit = tuple[bool, int, float, float]


def match_of(item: Mapping) -> Match:
    """Of a number as a file holds it."""
    match = {"kernel": item["kernel"], **item["match"]}
    if "workers" in item:
        match["workers"] = str(item["workers"])
    return tuple((factor, (value,) if isinstance(value, str) else tuple(value))
                 for factor, value in match.items())


def is_like(match: Match, known: Mapping[str, str]) -> bool:
    """Whether every factor that both know is alike."""
    return all(_is_alike(factor, known[factor], theirs) for factor, theirs in match if factor in known)


def merit(match: Match, known: Mapping[str, str], device: str, models: Iterable[str],
          value: float) -> Merit:
    """Of several that are like, the greatest of this comes first: those of our model of device, with most
    equal factors, nearest in size, greatest."""
    shared = [(factor, theirs) for factor, theirs in match if factor in known]
    apart = sum(_distance(known[factor], theirs) for factor, theirs in shared if factor in SIZES)
    model = device.partition(" ")[0]  # "P100 PCIe" and "Tesla P100-PCIE-16GB"
    return any(model in other for other in models), len(shared), -apart, value


def _is_alike(factor: str, ours: str, theirs: tuple[str, ...]) -> bool:
    return _distance(ours, theirs) <= math.log2(LIKE_SIZE) if factor in SIZES else ours in theirs


def _distance(ours: str, theirs: tuple[str, ...]) -> float:
    size = size_in_bytes(ours)  # or a number
    apart = [abs(math.log2(size / other)) for other in map(size_in_bytes, theirs) if size and other]
    return min(apart, default=math.inf)


def place_of_ours(nodes: int, workers: int) -> str:
    """For people: where a result was measured that stands beside a published one."""
    where = "within one node" if nodes == 1 else f"on {nodes} nodes"
    return f"{where}, {workers} worker{'' if workers == 1 else 's'}"
