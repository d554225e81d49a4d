"""Ranks on the nodes of a machine, and what it costs when each of them sends something.

Ranks fill nodes one after the other. Those of a node share its link."""

from dataclasses import dataclass
from math import log, sqrt
from typing import Optional

from quartet.predict.duration import Duration
from quartet.predict.open_mpi import AllToAll
from quartet.predict.rates import STAGED, Values

SHARED = ("", "auto", "shm", "ipc", "rma")  # transports by which ranks of a node reach one another's memory


@dataclass(frozen=True)
class Cluster:
    values: Values
    ranks: int
    most_per_node: int  # ranks
    has_gpus: bool = False  # which then compute, one for each rank
    transport: str = ""  # empty: as a program chooses
    all_to_all: Optional[AllToAll] = None  # as Open MPI is told; else it chooses

    @property
    def per_node(self) -> int:
        return min(self.ranks, self.most_per_node)

    @property
    def nodes(self) -> int:
        return -(-self.ranks // self.per_node)

    @property
    def is_staged(self) -> bool:
        """True if what GPUs send goes through the host's memory."""
        return self.has_gpus and bool(self.values[STAGED])

    @property
    def shares_memory(self) -> bool:
        """True if ranks read one another's memory."""
        return self.nodes == 1 and not self.is_staged and self.transport in SHARED

    @property
    def host_memory(self) -> float:
        """Bytes per second that a rank reads and writes on the CPU."""
        name = "host_memory_bytes_per_second"
        return self.values[name if self.has_gpus or name in self.values else "memory_bytes_per_second"]

    def rate(self, name: str, formulation: str) -> float:
        """The rate of computing; the library formulation may have one of its own."""
        own = f"library_{name}"
        return self.values[own if formulation == "library" and own in self.values else name]

    @property
    def latency(self) -> float:
        """The latency of a message to the farthest rank."""
        return self.values["latency_seconds" if self.nodes > 1 else "node_latency_seconds"]

    @property
    def overhead(self) -> float:
        """The overhead of a message, for its sender and for its receiver."""
        return self.values["overhead_seconds"]

    def link(self, nodes: int) -> float:
        """Bytes per second of a node's link when all of so many nodes send across all of them."""
        shares = self.values.shares
        share = next((share for most, share in shares if nodes <= most), shares[-1][1] if shares else 1.0)
        return self.values["link_bytes_per_second"] * share

    def link_into(self, nodes: int) -> float:
        """Bytes per second of the link of each of so many nodes, which all others send to. Half of them
        cross the bisection, whose links all nodes share."""
        return min(self.values["link_bytes_per_second"], self.link(self.nodes) * self.nodes / nodes)

    def within(self, size: float) -> float:
        """Seconds for bytes of each rank to another one of its node, if there is one."""
        return size / self.values["node_bytes_per_second"] if size and self.per_node > 1 else 0.0

    def copied(self, size: float) -> float:
        """Seconds for bytes of each rank from its GPU to the host, or back."""
        return size / self.values["host_link_bytes_per_second"] if self.has_gpus and size else 0.0

    def step(self, size: float, distance: int, in_pairs: bool = True) -> Duration:
        """Each rank sends bytes to a rank at a distance, and receives as many: with `in_pairs` from
        the same one, where the numbers of ranks allow it. It takes as long as its slowest message."""
        leaving = self._leaving(distance, in_pairs)
        if not leaving:
            return Duration(latency=self.values["node_latency_seconds"], bandwidth=self.within(size))
        spanned = min(self.nodes, 2 * -(-distance // self.per_node))
        inside = self.within(size) if leaving < self.per_node else 0.0
        return Duration(latency=self.latency, bandwidth=max(leaving * size / self.link(spanned), inside))

    def _leaving(self, distance: int, in_pairs: bool) -> int:
        """Ranks of a node that send to another node."""
        if self.nodes == 1:
            return 0
        are_powers = all(count & (count - 1) == 0 for count in (self.ranks, self.per_node))
        if in_pairs and are_powers and distance < self.per_node:
            return 0  # partners differ in one bit of their numbers
        return min(distance, self.per_node)

    def to_all(self, size: float) -> Duration:
        """Each rank sends its bytes in equal parts to all ranks, itself included, all messages at
        once. Staged ones cross the host's link both ways, at the same time."""
        if self.ranks == 1:
            return Duration()
        others, node = self.ranks - 1, self.per_node
        part = size / self.ranks
        away = self.ranks - node  # ranks on other nodes
        bandwidth = max(self.within(part * (node - 1)), self.copied(part * others) if self.is_staged else 0.0)
        overhead = others * self.overhead
        if away:
            bandwidth = max(bandwidth, node * part * away / self.link(self.nodes))
            if "link_messages_per_second" in self.values:
                overhead = max(overhead, node * away / self.values["link_messages_per_second"])
        return Duration(latency=self.latency, bandwidth=bandwidth, overhead=overhead)

    def slowest(self, seconds: float) -> float:
        """The longest of all ranks' computing times, which have this mean: about (1 + v sqrt(2 ln P))
        times it for normal ones with a coefficient of variation v."""
        return seconds * (1 + self.values["compute_variation"] * sqrt(2 * log(self.ranks)))
