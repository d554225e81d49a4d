"""What a check of nodes runs: some kernels on each node, and one between pairs of them."""

import itertools
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Optional

from quartet.sweep.plan import Block, Configuration, Plan

HOST, CUDA = "host", "cuda"
RING, ALL, NONE = "ring", "all", "none"
PAIR = "pair"  # the title of the block of pairs
NAME = "nodes"
SEED = 1  # of the order
SECONDS = 10  # of a launch, about
LONGEST = 24 * 3600  # seconds after its first launch a check is over: rates of other days say nothing of these nodes


@dataclass(frozen=True)
class Check:
    """A launch of some seconds that shows whether a node is as fast as others: size and flags, beyond a
    node's caches."""

    full: tuple[str, ...]
    small: tuple[str, ...]  # to try it
    ranks: Callable[[int], int] = lambda cores: cores  # on a node with so many cores, or GPUs


CHECKS = {
    "stream": Check(("16:16", "--pushes", "50"), ("1:1", "--pushes", "3"), lambda _: 2),
    "cg": Check(("8192", "--iterations", "20"), ("512", "--iterations", "10")),
    "fft": Check(("2^24",), ("2^16",), lambda cores: 1 << (cores.bit_length() - 1))}  # as many tiles for each
NO_LIMITS = ("--limits", "off")  # they would take longer than that; nodes are compared with each other
BETWEEN = "stream"  # also with a rank on each of two nodes


@dataclass(frozen=True)
class Node:
    """What every node has."""

    cores: int
    gpus: int
    devices: tuple[str, ...] = (HOST,)  # that are checked; the first one is for pairs


def pairs_of(hosts: tuple[str, ...], partners: str) -> list[tuple[str, str]]:
    """A ring, all pairs, or none."""
    if partners == NONE or len(hosts) < 2:
        return []
    if partners == ALL or len(hosts) == 2:
        return list(itertools.combinations(hosts, 2))
    return list(zip(hosts, (*hosts[1:], hosts[0])))


def hosts_in(stored: dict[str, Any]) -> tuple[str, ...]:
    """The nodes of a plan, as JSON, in their order."""
    return tuple(dict.fromkeys(host for one in stored["configurations"] for host in one.get("hosts", ())))


def title_of(kernel: str, device: str) -> str:
    return f"{kernel} on GPUs" if device == CUDA else kernel


def plan(hosts: tuple[str, ...], pairs: Iterable[tuple[str, str]], node: Node, kernels: tuple[str, ...],
         launches: int, programs: dict[str, str], is_small: bool = False) -> Plan:
    """Each launch names its nodes."""
    configurations: list[Configuration] = []
    blocks: list[Block] = []
    counts = {HOST: node.cores, CUDA: node.gpus}

    def add(kernel: str, device: str, ranks: Optional[int], where: tuple[str, ...]) -> int:
        check = CHECKS[kernel]
        size, *more = check.small if is_small else check.full
        more += ["--runs", "3" if is_small else "6", *NO_LIMITS]
        configurations.append(Configuration(kernel, size, ranks or check.ranks(counts[device]), "native",
                                            "auto", device, 1, tuple(more), launches, len(where), where))
        return len(configurations) - 1

    for device in node.devices:
        for kernel in kernels:
            members = tuple(add(kernel, device, None, (host,)) for host in hosts)
            blocks.append(Block(title_of(kernel, device), "none", members))
    between = tuple(add(BETWEEN, node.devices[0], 2, pair) for pair in pairs)
    if between:
        blocks.append(Block(PAIR, "none", between))
    return Plan(NAME, SEED, programs, tuple(blocks), tuple(configurations))
