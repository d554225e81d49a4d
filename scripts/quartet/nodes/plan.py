"""What a check of nodes runs: stream, cg and fft on each node, stream between pairs of them."""

import random
from dataclasses import dataclass
from typing import Iterable, Optional

from quartet.sweep.plan import Block, Configuration, Plan

RING, ALL, NONE = "ring", "all", "none"
PAIR = "pair"  # the title of the block of pairs
NAME = "nodes"


@dataclass(frozen=True)
class Sizes:
    """Of the problems, as the programs take them: beyond the caches of a node, and done within seconds.
    Limits would take longer than that; nodes are compared with each other."""

    stream: tuple[str, ...] = ("16:16", "--pushes", "50", "--runs", "6", "--limits", "off")
    cg: tuple[str, ...] = ("8192", "--iterations", "20", "--runs", "6", "--limits", "off")
    fft: tuple[str, ...] = ("2^24", "--runs", "6", "--limits", "off")


SMALL = Sizes(("1:1", "--pushes", "3", "--runs", "3", "--limits", "off"),
              ("512", "--iterations", "10", "--runs", "3", "--limits", "off"),
              ("2^16", "--runs", "3", "--limits", "off"))


@dataclass(frozen=True)
class Node:
    """What every node has."""

    cores: int
    gpus: int  # to be used; 0: the check is of the processors

    @property
    def device(self) -> str:
        return "cuda" if self.gpus else "host"


def pairs_of(hosts: tuple[str, ...], partners: str, seed: int) -> list[tuple[str, str]]:
    """A ring, all pairs, or pairs that give each node about so many partners, drawn by the seed. A node's
    pairs are spread over the machine then."""
    count = len(hosts)
    if partners == NONE or count < 2:
        return []
    steps = list(range(1, count // 2 + 1))
    if partners == RING:
        steps = [1]
    elif partners != ALL:
        steps = random.Random(seed).sample(steps, min(len(steps), -(-int(partners) // 2)))
    found = ((hosts[place], hosts[(place + step) % count]) for step in sorted(steps) for place in range(count))
    return list({frozenset(pair): pair for pair in found}.values())


def plan(hosts: tuple[str, ...], pairs: Iterable[tuple[str, str]], node: Node, sizes: Sizes,
         kernels: tuple[str, ...], launches: int, seed: int, programs: Optional[dict[str, str]] = None) -> Plan:
    """Each launch names its nodes."""
    whole = node.gpus or node.cores
    power = 1 << (whole.bit_length() - 1)  # fft's tiles are shared out evenly
    ranks = {"stream": (2, 1), "cg": (whole, 1), "fft": (power, max(1, node.cores // power) if not node.gpus else 1)}
    configurations: list[Configuration] = []
    blocks: list[Block] = []

    def add(kernel: str, place: tuple[int, int], where: tuple[str, ...]) -> int:
        size, *more = getattr(sizes, kernel)
        configurations.append(Configuration(kernel, size, place[0], "native", "auto", node.device, place[1],
                                            tuple(more), launches, len(where), where))
        return len(configurations) - 1

    for kernel in kernels:
        blocks.append(Block(kernel, "none", tuple(add(kernel, ranks[kernel], (host,)) for host in hosts)))
    between = tuple(add("stream", (2, 1), pair) for pair in pairs)
    if between:
        blocks.append(Block(PAIR, "none", between))
    return Plan(NAME, seed, programs or {}, tuple(blocks), tuple(configurations))
