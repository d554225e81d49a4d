"""The queues of a data flow as a cost: workers push to reducers, which lie on the first nodes.

An item is a header, its payload where that does not travel in it, and the word that it was taken. Where a
queue has fewer places than pushers, a pusher first asks for one and is told that it has it. Who takes items
out asks for their payloads when it sees the headers, and sees none while it works on an item."""

from dataclasses import dataclass

from quartet.predict.cluster import Cluster
from quartet.predict.duration import Duration, longer

LARGEST_INLINE = 1024  # bytes of a payload that travels in its header's message
BATCH = 16  # items that reducers of tiles take out at a time


@dataclass(frozen=True)
class DataFlow:
    cluster: Cluster
    reducers: int
    queue: int  # places

    @property
    def workers(self) -> int:
        return self.cluster.ranks - self.reducers

    @property
    def homes(self) -> int:
        """Nodes that have reducers."""
        return -(-self.reducers // self.cluster.per_node)

    @property
    def near(self) -> int:
        """Workers on these nodes."""
        return min(self.workers, self.homes * self.cluster.per_node - self.reducers)

    @property
    def asks(self) -> bool:
        """True if a push asks for a place first."""
        return self.queue < self.workers

    def messages(self, size: float, asks: bool) -> int:
        """The messages of an item of so many bytes, in both directions."""
        travels = size > LARGEST_INLINE and not self.cluster.shares_memory
        return 2 + travels + 2 * asks

    def crossing(self, size: float) -> float:
        """Seconds for bytes between the reducers' nodes and all workers, in equal parts: through each node's
        link, and within it."""
        near = size * self.near / self.workers / self.homes**2
        seconds = self.cluster.within(near)
        if self.cluster.nodes == 1:
            return seconds
        return max(seconds, (size / self.homes - near) / self.cluster.link_into(self.homes))

    def payloads(self, size: float) -> float:
        """Seconds of so many bytes of them, in equal parts of all workers. In memory that ranks share they
        are read in place."""
        return 0.0 if self.cluster.shares_memory else self.crossing(size)

    def collected(self, size: float) -> Duration:
        """Each worker pushes an item of so many bytes, and the reducer takes all of them. Payloads travel
        while headers of others are handled."""
        return Duration(latency=(3 if self.asks else 1) * self.cluster.latency) + longer(
            Duration(bandwidth=self.payloads(size * self.workers)),
            Duration(overhead=self.handled(self.workers, size)))

    def published(self, size: float) -> Duration:
        """The reducer gives each worker a copy, by a queue of its own: a processor copies and sends while
        others' copies travel. Then it is told that they were taken."""
        cluster = self.cluster
        sent = self.workers * (self.messages(size, asks=False) - 1) * cluster.overhead
        copied = 2 * size * self.workers / cluster.host_memory  # read and written
        return Duration(latency=cluster.latency, overhead=self.workers * cluster.overhead) + longer(
            Duration(bandwidth=self.payloads(size * self.workers)),
            Duration(bandwidth=copied, overhead=sent))

    def under_way(self, outgoing: int) -> int:
        """Items at most, of pushers that have memory for so many each."""
        return self.queue if self.asks else min(self.queue // self.workers, outgoing) * self.workers

    def taken(self, items: float, arrives: Duration, work: Duration, outgoing: int) -> Duration:
        """A reducer takes out so many tiles, a batch at a time, and works on each. Where all that may be
        under way are in one batch, the next ones are asked for when it is done."""
        at_a_time = min(BATCH, self.under_way(outgoing))
        if self.under_way(outgoing) > BATCH:
            return longer(arrives, work)
        # A place becomes free, a header comes, its payload does.
        waits = 2 if self.cluster.shares_memory else 3
        return arrives + work + Duration(latency=items / at_a_time * waits * self.cluster.latency)

    def handled(self, items: float, size: float) -> float:
        """Seconds of a reducer's processor for the messages of so many items."""
        return items * self.messages(size, self.asks) * self.cluster.overhead
