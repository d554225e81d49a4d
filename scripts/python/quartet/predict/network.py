"""What it costs that ranks send: the time by what it is spent on, ranks on nodes, collectives, queues of data flows.
And what a kernel's model is: formulas for the time of a run, and what they take from measurements.

Ranks fill nodes one after the other, and share their node's link. Work that goes on at once takes as long as the
longest part; other times add up. Sizes are in bytes."""

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
MOST = 10**12  # of an option that is a number
Options = dict[str, Any]  # by the names that flags and rows' names share


@dataclass(frozen=True)
class Duration:
    """Seconds."""

    compute: float = 0.0
    latency: float = 0.0  # waiting for messages, however small
    bandwidth: float = 0.0  # bytes through the narrowest link
    overhead: float = 0.0  # the processor's work for messages, launches and sums of scalars

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
    """The longer of what goes on at the same time."""
    return max(durations, key=lambda duration: duration.total)


@dataclass(frozen=True)
class Cluster:
    values: Values
    ranks: int
    most_per_node: int  # ranks
    has_gpus: bool = False  # which then compute

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
        """True where ranks read one another's memory in place: GPUs over the link between them."""
        return self.nodes == 1 and not self.is_staged

    @property
    def host_memory(self) -> float:
        """Bytes per second that a rank reads and writes on the CPU."""
        name = "host_memory_bytes_per_second"
        return self.values[name if self.has_gpus or name in self.values else "memory_bytes_per_second"]

    @property
    def launch(self) -> float:
        """Seconds of a kernel's launch; none on a CPU."""
        return self.values["launch_seconds"] if "launch_seconds" in self.values else 0.0

    @property
    def latency(self) -> float:
        return self.values["latency_seconds" if self.nodes > 1 else "node_latency_seconds"]

    def within(self, size: float) -> float:
        """Seconds for bytes of each rank to another one of its node, if there is one."""
        return size / self.values["node_bytes_per_second"] if size and self.per_node > 1 else 0.0

    def copied(self, size: float) -> float:
        """Seconds for bytes of each rank from its GPU to the host, or back."""
        return size / self.values["host_link_bytes_per_second"] if self.has_gpus and size else 0.0

    def barrier(self) -> Duration:
        """As an all-reduce of something small: recursive doubling."""
        return Duration(latency=ceil(log2(self.ranks)) * self.latency if self.ranks > 1 else 0.0)

    def _step(self, size: float, distance: int, leaving: int) -> Duration:
        """Each rank sends bytes to a rank at that distance; `leaving` ranks of a node send to another node."""
        if not leaving:
            return Duration(latency=self.values["node_latency_seconds"], bandwidth=self.within(size))
        spanned = min(self.nodes, 2 * -(-distance // self.per_node))
        inside = self.within(size) if leaving < self.per_node else 0.0
        return Duration(latency=self.latency, bandwidth=max(leaving * size / self.values.link(spanned), inside))

    def _doubling(self, size: float) -> Duration:
        """ceil(log2 P) steps: in each, a rank sends all that it has, or all that is left. Where ranks and a node's
        ranks are powers of two, the first steps stay within nodes."""
        are_powers = all(count & (count - 1) == 0 for count in (self.ranks, self.per_node))
        have, whole = 1, Duration()
        while have < self.ranks:
            is_inside = self.nodes == 1 or are_powers and have < self.per_node
            part = size / self.ranks * min(have, self.ranks - have)
            whole += self._step(part, have, 0 if is_inside else min(have, self.per_node))
            have *= 2
        return whole

    def all_gather(self, size: float) -> Duration:
        """`size` is of the whole that each rank has in the end. MPI takes the faster of recursive doubling and a ring
        of P - 1 steps. In shared memory each rank copies from the others, between two barriers."""
        if self.ranks == 1:
            return Duration()
        if self.shares_memory:
            return 2 * self.barrier() + Duration(bandwidth=self.within(size * (self.ranks - 1) / self.ranks))
        if self.is_staged:
            return self.to_all(size)
        ring = (self.ranks - 1) * self._step(size / self.ranks, 1, int(self.nodes > 1))
        return min(self._doubling(size), ring, key=lambda one: one.total)

    def reduce_scatter(self, size: float) -> Duration:
        """`size` is of each rank's contribution. Parts travel as those of an all-gather, backwards."""
        others = size * (self.ranks - 1) / self.ranks
        return self.all_gather(size) + Duration(compute=ADDED * others / self.values["memory_bytes_per_second"])

    def ordered_sums(self, count: int) -> Duration:
        """Sums in the order of ranks: all numbers of all ranks are gathered, and each rank adds them up. In shared
        memory ranks read one another's."""
        if self.ranks == 1:
            return Duration()
        added = Duration(overhead=count * self.ranks * ADDITION)
        return added + (Duration(latency=self.latency) if self.shares_memory else
                        self.all_gather(8.0 * count * self.ranks))

    def exchange(self, size: float) -> Duration:
        """An all-to-all of ours: in shared memory the next step reads in place, a GPU over the link."""
        if not self.shares_memory:
            return self.to_all(size)
        linked = self.within(size * (self.ranks - 1) / self.ranks) if self.has_gpus else 0.0
        return 2 * self.barrier() + Duration(bandwidth=linked)

    def to_all(self, size: float) -> Duration:
        """Each rank sends its bytes in equal parts to all ranks, itself included, all messages at once. Staged ones
        cross the host's link both ways, at the same time."""
        if self.ranks == 1:
            return Duration()
        others, part, away = self.ranks - 1, size / self.ranks, self.ranks - self.per_node
        bandwidth = max(self.within(part * (self.per_node - 1)), self.copied(part * others) if self.is_staged else 0.0)
        if away:
            bandwidth = max(bandwidth, self.per_node * part * away / self.values.link(self.nodes))
        return Duration(latency=self.latency, bandwidth=bandwidth, overhead=others * self.values["overhead_seconds"])


@dataclass(frozen=True)
class DataFlow:
    """Workers push items to reducers, which lie on the first nodes. An item is a header, its payload where that does
    not travel in it, and the word that it was taken. Where a queue has fewer places than pushers, a pusher first asks
    for one. In shared memory payloads are read in place."""

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
        """Seconds for bytes between the reducers' nodes and all workers, in equal parts. Half of the nodes cross the
        bisection, whose links all nodes share."""
        cluster = self.cluster
        near = size * min(self.workers, self.homes * cluster.per_node - self.reducers) / self.workers / self.homes**2
        if cluster.nodes == 1:
            return cluster.within(near)
        link = min(cluster.values[LINK], cluster.values.link(cluster.nodes) * cluster.nodes / self.homes)
        return max(cluster.within(near), (size / self.homes - near) / link)

    def payloads(self, size: float) -> float:
        return 0.0 if self.cluster.shares_memory else self.crossing(size)

    def handled(self, items: float, size: float, messages: int = 0) -> float:
        """Seconds of a reducer's processor for the messages of so many items; of all messages, unless told."""
        all_messages = 2 + (size > LARGEST_INLINE and not self.cluster.shares_memory) + 2 * self.asks
        return items * (messages or all_messages) * self.cluster.values["overhead_seconds"]

    def collected(self, size: float) -> Duration:
        """Each worker pushes an item of so many bytes, and the reducer takes all of them. Payloads travel while
        headers of others are handled."""
        return Duration(latency=(3 if self.asks else 1) * self.cluster.latency) + longer(
            Duration(bandwidth=self.payloads(size * self.workers)), Duration(overhead=self.handled(self.workers, size)))

    def published(self, size: float) -> Duration:
        """The reducer gives each worker a copy: a processor copies and sends while others' copies travel."""
        copied = 2 * size * self.workers / self.cluster.host_memory
        sent = self.handled(self.workers, size, 1 + (size > LARGEST_INLINE and not self.cluster.shares_memory))
        return Duration(latency=self.cluster.latency, overhead=self.handled(self.workers, 0, 1)) + longer(
            Duration(bandwidth=self.payloads(size * self.workers)), Duration(bandwidth=copied, overhead=sent))

    def under_way(self, outgoing: int) -> int:
        """Items at most, of pushers that have memory for so many each."""
        return QUEUE if self.asks else min(QUEUE // self.workers, outgoing) * self.workers

    def taken(self, items: float, arrives: Duration, work: Duration, outgoing: int) -> Duration:
        """A reducer takes out all tiles that are under way, and works on each. Then it asks for the next ones: a place
        is free, a header comes, its payload does."""
        waits = 2 if self.cluster.shares_memory else 3
        return arrives + work + Duration(latency=items / self.under_way(outgoing) * waits * self.cluster.latency)


@dataclass(frozen=True)
class Run:
    """What is to be predicted. A data flow's reducers are ranks of the cluster, too."""

    cluster: Cluster
    size: int
    options: Options
    reducers: int

    @property
    def ranks(self) -> int:
        return self.cluster.ranks

    def count(self, name: str) -> int:
        """An option that is a number."""
        return int(self.options[name])

    @property
    def flow(self) -> DataFlow:
        return DataFlow(self.cluster, max(1, self.reducers))

    def computed(self, work: float, rate: str, launches: float = 0) -> Duration:
        """So much work of a rank, in operations or bytes."""
        return Duration(compute=work / self.cluster.values[rate], overhead=launches * self.cluster.launch)


@dataclass(frozen=True)
class Model:
    """`options` has each option's default, or its choices, the first being the default."""

    work: Callable[[Run], float]  # operations, or bytes, that the kernel's rate counts
    formulations: dict[str, Callable[[Run], Duration]]
    options: dict[str, Union[int, tuple[str, ...]]] = field(default_factory=dict)
    # Ranks of a data flow that collect: of all ranks and the options.
    reducers: Callable[[int, Options], int] = lambda ranks, options: 1
    size_of: Callable[[str], int] = points  # as a flag has it; raises ValueError
    rate: str = ""  # that rows of one node show
    # The work of a native row, in operations or bytes, and the seconds of it.
    shows: Callable[[Row, Options], tuple[float, float]] = lambda row, options: (0.0, 0.0)
    # Rates and their uncertainties that rows of two ranks on two nodes show.
    shows_link: Callable[[list[tuple[Row, Options]]], dict[str, tuple[float, float]]] = lambda rows: {}

    def chosen(self, given: dict[str, str], is_strict: bool = True) -> Options:
        """Options with their defaults. Raises ScriptError if one has a wrong value, or with `is_strict` is not
        known."""
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
