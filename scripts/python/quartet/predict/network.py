"""The cost of communication: durations by cause, ranks on nodes, collectives, queues of data flows. And the model of a
kernel: formulas for the time of a run, and the rates that measured rows show.

Ranks fill nodes one after the other, and share their node's link. Simultaneous work takes as long as its longest part;
other times add up. Sizes are in bytes."""

from dataclasses import dataclass, field, fields
from math import ceil, log2
from typing import Any, Callable, Optional, Union

from quartet.exit_codes import ScriptError
from quartet.predict.machine import LINK, Values
from quartet.results import Row, whole_number
from quartet.sizes import points
from quartet.text import one_of

ADDED = 3  # bytes read and written for each byte that is added to others
ADDITION = 1e-9  # seconds of adding up a scalar: a few cycles
QUEUE = 16  # places of a queue (--queue)
LARGEST_INLINE = 1024  # bytes of a payload that travels in its header's message
MOST = 10**12  # largest value of an option
Options = dict[str, Any]  # by the names that flags and names of rows have


@dataclass(frozen=True)
class Duration:
    """Seconds."""

    compute: float = 0.0
    latency: float = 0.0  # waiting for messages, however small
    bandwidth: float = 0.0  # bytes through the narrowest link
    overhead: float = 0.0  # processor time for messages, launches and sums of scalars

    @property
    def total(self) -> float:
        return self.compute + self.latency + self.bandwidth + self.overhead

    def __add__(self, other: "Duration") -> "Duration":
        return Duration(*(getattr(self, part) + getattr(other, part) for part in PARTS))

    def __mul__(self, times: float) -> "Duration":
        return Duration(*(getattr(self, part) * times for part in PARTS))

    __rmul__ = __mul__


PARTS = tuple(part.name for part in fields(Duration))


def longer(*durations: Duration) -> Duration:
    """The longest of simultaneous durations."""
    return max(durations, key=lambda duration: duration.total)


@dataclass(frozen=True)
class Cluster:
    values: Values
    ranks: int
    most_per_node: int  # ranks
    has_gpus: bool = False  # then the GPUs compute

    @property
    def per_node(self) -> int:
        return min(self.ranks, self.most_per_node)

    @property
    def nodes(self) -> int:
        return -(-self.ranks // self.per_node)

    @property
    def is_staged(self) -> bool:
        return self.has_gpus and self.values.is_staged

    @property
    def shares_memory(self) -> bool:
        """True if ranks read each other's memory directly (GPUs: over the link between them)."""
        return self.nodes == 1 and not self.is_staged

    @property
    def host_memory(self) -> float:
        """Bytes per second that a rank reads and writes on the CPU."""
        name = "host_memory_bytes_per_second"
        return self.values[name if self.has_gpus or name in self.values else "memory_bytes_per_second"]

    @property
    def launch(self) -> float:
        """Seconds to launch a GPU's kernel; 0 on a CPU."""
        return self.values["launch_seconds"] if "launch_seconds" in self.values else 0.0

    @property
    def latency(self) -> float:
        return self.values["latency_seconds" if self.nodes > 1 else "node_latency_seconds"]

    def within(self, size: float) -> float:
        """Seconds in which each rank sends so many bytes to another rank of its node, if there is one."""
        return size / self.values["node_bytes_per_second"] if size and self.per_node > 1 else 0.0

    def copied(self, size: float) -> float:
        """Seconds in which each rank copies so many bytes from its GPU to the host, or back."""
        return size / self.values["host_link_bytes_per_second"] if self.has_gpus and size else 0.0

    def barrier(self) -> Duration:
        """The time of a small all-reduce by recursive doubling."""
        return Duration(latency=ceil(log2(self.ranks)) * self.latency if self.ranks > 1 else 0.0)

    def _step(self, size: float, distance: int, leaving: int) -> Duration:
        """Each rank sends so many bytes to the rank at that distance; `leaving` ranks of a node send to other nodes."""
        if not leaving:
            return Duration(latency=self.values["node_latency_seconds"], bandwidth=self.within(size))
        spanned = min(self.nodes, 2 * -(-distance // self.per_node))
        inside = self.within(size) if leaving < self.per_node else 0.0
        return Duration(latency=self.latency, bandwidth=max(leaving * size / self.values.link(spanned), inside))

    def _doubling(self, size: float) -> Duration:
        """ceil(log2 P) steps, in each of which a rank sends all that it has, or what is still missing. The first steps
        stay within nodes if the numbers of ranks and of ranks per node are powers of two."""
        are_powers = all(count & (count - 1) == 0 for count in (self.ranks, self.per_node))
        have, whole = 1, Duration()
        while have < self.ranks:
            is_inside = self.nodes == 1 or are_powers and have < self.per_node
            part = size / self.ranks * min(have, self.ranks - have)
            whole += self._step(part, have, 0 if is_inside else min(have, self.per_node))
            have *= 2
        return whole

    def all_gather(self, size: float) -> Duration:
        """`size`: bytes that each rank has in the end. MPI uses the faster of recursive doubling and a ring of P - 1
        steps. In shared memory each rank copies from the others, between two barriers."""
        if self.ranks == 1:
            return Duration()
        if self.shares_memory:
            return 2 * self.barrier() + Duration(bandwidth=self.within(size * (self.ranks - 1) / self.ranks))
        if self.is_staged:
            return self.to_all(size)
        ring = (self.ranks - 1) * self._step(size / self.ranks, 1, int(self.nodes > 1))
        return min(self._doubling(size), ring, key=lambda one: one.total)

    def reduce_scatter(self, size: float) -> Duration:
        """`size`: bytes that each rank contributes. Parts are sent as in an all-gather, in reverse order."""
        others = size * (self.ranks - 1) / self.ranks
        return self.all_gather(size) + Duration(compute=ADDED * others / self.values["memory_bytes_per_second"])

    def ordered_sums(self, count: int) -> Duration:
        """Sums in the order of ranks: each rank gathers the numbers of all ranks and adds them up. In shared memory
        ranks read each other's numbers."""
        if self.ranks == 1:
            return Duration()
        added = Duration(overhead=count * self.ranks * ADDITION)
        return added + (Duration(latency=self.latency) if self.shares_memory else
                        self.all_gather(8.0 * count * self.ranks))

    def exchange(self, size: float) -> Duration:
        """Our all-to-all: in shared memory the next step reads other ranks' memory directly, GPUs over their link."""
        if not self.shares_memory:
            return self.to_all(size)
        linked = self.within(size * (self.ranks - 1) / self.ranks) if self.has_gpus else 0.0
        return 2 * self.barrier() + Duration(bandwidth=linked)

    def to_all(self, size: float) -> Duration:
        """Each rank sends its bytes in equal parts to all ranks, itself included, all messages at once. Staged messages
        cross the host's link in both directions at the same time."""
        if self.ranks == 1:
            return Duration()
        others, part, away = self.ranks - 1, size / self.ranks, self.ranks - self.per_node
        bandwidth = max(self.within(part * (self.per_node - 1)), self.copied(part * others) if self.is_staged else 0.0)
        if away:
            bandwidth = max(bandwidth, self.per_node * part * away / self.values.link(self.nodes))
        return Duration(latency=self.latency, bandwidth=bandwidth, overhead=others * self.values["overhead_seconds"])


@dataclass(frozen=True)
class DataFlow:
    """Workers push items to reducers, which are on the first nodes. An item takes a header, a payload unless it fits in
    the header's message, and a reply that it was taken. If a queue has fewer places than workers, a worker first asks
    for a place. In shared memory payloads are read directly."""

    cluster: Cluster
    reducers: int = 1

    @property
    def workers(self) -> int:
        return self.cluster.ranks - self.reducers

    @property
    def homes(self) -> int:
        """Nodes that have reducers."""
        return -(-self.reducers // self.cluster.per_node)

    @property
    def asks(self) -> bool:
        return QUEUE < self.workers

    def crossing(self, size: float) -> float:
        """Seconds for so many bytes, in equal parts, between all workers and the reducers' nodes. All nodes share the
        links of the bisection, which half of the nodes cross."""
        cluster = self.cluster
        near = size * min(self.workers, self.homes * cluster.per_node - self.reducers) / self.workers / self.homes**2
        if cluster.nodes == 1:
            return cluster.within(near)
        link = min(cluster.values[LINK], cluster.values.link(cluster.nodes) * cluster.nodes / self.homes)
        return max(cluster.within(near), (size / self.homes - near) / link)

    def payloads(self, size: float) -> float:
        return 0.0 if self.cluster.shares_memory else self.crossing(size)

    def handled(self, items: float, size: float, messages: int = 0) -> float:
        """Seconds of a reducer's processor for so many items with `messages` each (0: all that an item takes)."""
        all_messages = 2 + (size > LARGEST_INLINE and not self.cluster.shares_memory) + 2 * self.asks
        return items * (messages or all_messages) * self.cluster.values["overhead_seconds"]

    def collected(self, size: float) -> Duration:
        """Each worker pushes an item of so many bytes, and the reducer takes all of them. Payloads are sent while
        headers of other items are handled."""
        return Duration(latency=(3 if self.asks else 1) * self.cluster.latency) + longer(
            Duration(bandwidth=self.payloads(size * self.workers)), Duration(overhead=self.handled(self.workers, size)))

    def published(self, size: float) -> Duration:
        """The reducer sends each worker a copy: it makes the next copy while earlier ones are sent."""
        copied = 2 * size * self.workers / self.cluster.host_memory
        sent = self.handled(self.workers, size, 1 + (size > LARGEST_INLINE and not self.cluster.shares_memory))
        return Duration(latency=self.cluster.latency, overhead=self.handled(self.workers, 0, 1)) + longer(
            Duration(bandwidth=self.payloads(size * self.workers)), Duration(bandwidth=copied, overhead=sent))

    def under_way(self, outgoing: int) -> int:
        """The most items that can be on their way, if each worker has memory for `outgoing`."""
        return QUEUE if self.asks else min(QUEUE // self.workers, outgoing) * self.workers

    def taken(self, items: float, arrives: Duration, work: Duration, outgoing: int) -> Duration:
        """A reducer takes all items that are on their way and works on each. Then it waits for the next ones: the
        message that a place is free, a header, and a payload."""
        waits = 2 if self.cluster.shares_memory else 3
        return arrives + work + Duration(latency=items / self.under_way(outgoing) * waits * self.cluster.latency)


@dataclass(frozen=True)
class Run:
    """The run to be predicted. The ranks of the cluster include the reducers of a data flow."""

    cluster: Cluster
    size: int
    options: Options
    reducers: int

    @property
    def ranks(self) -> int:
        return self.cluster.ranks

    @property
    def flow(self) -> DataFlow:
        return DataFlow(self.cluster, max(1, self.reducers))

    def computed(self, work: float, rate: str, launches: float = 0) -> Duration:
        """The time of so much work of a rank, in operations or bytes."""
        return Duration(compute=work / self.cluster.values[rate], overhead=launches * self.cluster.launch)


@dataclass(frozen=True)
class Model:
    """`options` has the default of each option, or its choices, of which the first is the default."""

    work: Callable[[Run], float]  # operations, or bytes, that the kernel's rate counts
    formulations: dict[str, Callable[[Run], Duration]]
    options: dict[str, Union[int, tuple[str, ...]]] = field(default_factory=dict)
    size_of: Callable[[str], int] = points  # reads the size flag; raises ValueError
    rate: str = ""  # the name of the rate that rows of one node show
    # The work of a native row, in operations or bytes, and the seconds that it took.
    shows: Callable[[Row, Options], tuple[float, float]] = lambda row, options: (0.0, 0.0)
    # The rates, with their uncertainties, that rows of two ranks on two nodes show.
    shows_link: Callable[[list[tuple[Row, Options]]], dict[str, tuple[float, float]]] = lambda rows: {}

    def chosen(self, given: dict[str, str], is_strict: bool = True) -> Options:
        """The given options, and other defaults. Raises ScriptError for a wrong value and, if `is_strict`, name."""
        unknown = sorted(given.keys() - self.options.keys())
        if unknown and is_strict:
            known = ", ".join(f"--{name}" for name in self.options) or "none"
            raise ScriptError(f"--{unknown[0]:.40} (no option that changes this prediction): known are {known}")
        return {name: _value(name, given.get(name), default) for name, default in self.options.items()}


def _value(name: str, text: Optional[str], default: Union[int, tuple[str, ...]]) -> Union[int, str]:
    if isinstance(default, tuple):
        if text is not None and text not in default:
            raise ScriptError(f"--{name} '{text:.40}': give {one_of(text, default)}")
        return text or default[0]
    number = default if text is None else whole_number(text)
    if number is None or not 0 <= number <= MOST or text == "0":
        raise ScriptError(f"--{name} '{text:.40}': give a whole number from 1 to {MOST}")
    return number
