"""The launches of a check of nodes: some kernels on each node, and one between the nodes of each pair."""

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
LONGEST = 24 * 3600  # seconds from the first launch to the end of a check: rates of different days do not compare


@dataclass(frozen=True)
class Check:
    """Size and flags of a launch of some seconds that shows how fast a node is; its data exceed the caches."""

    full: tuple[str, ...]
    small: tuple[str, ...]  # for --small
    ranks: Callable[[int], int] = lambda cores: cores  # by the number of cores, or GPUs, of a node


CHECKS = {
    "stream": Check(("16:16", "--pushes", "50"), ("1:1", "--pushes", "3"), lambda _: 2),
    "cg": Check(("8192", "--iterations", "20"), ("512", "--iterations", "10")),
    "fft": Check(("2^24",), ("2^16",), lambda cores: 1 << (cores.bit_length() - 1))}  # equal numbers of tiles
NO_LIMITS = ("--limits", "off")  # probes take longer than the runs, and nodes are compared with each other
BETWEEN = "stream"  # the kernel that also runs on pairs of nodes, a rank on each


@dataclass(frozen=True)
class Node:
    """The cores and GPUs of each node."""

    cores: int
    gpus: int
    devices: tuple[str, ...] = (HOST,)  # to be checked; pairs use the first one


def pairs_of(hosts: tuple[str, ...], partners: str) -> list[tuple[str, str]]:
    """A ring, all pairs, or none."""
    if partners == NONE or len(hosts) < 2:
        return []
    if partners == ALL or len(hosts) == 2:
        return list(itertools.combinations(hosts, 2))
    return list(zip(hosts, (*hosts[1:], hosts[0])))


def hosts_in(stored: dict[str, Any]) -> tuple[str, ...]:
    """The nodes of a plan that is given as JSON, in their order."""
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
