"""The queues of a data flow as a cost: workers push to reducers, which lie on the first node.

An item is a header, its payload where that does not travel in it, and the word that it was taken. Where a
queue has fewer places than pushers, a pusher first asks for one and is told that it has it."""

from dataclasses import dataclass

from quartet.predict.cluster import Cluster
from quartet.predict.duration import Duration

LARGEST_INLINE = 1024  # bytes of a payload that travels in its header's message


@dataclass(frozen=True)
class DataFlow:
    cluster: Cluster
    reducers: int
    queue: int  # places

    @property
    def workers(self) -> int:
        return self.cluster.ranks - self.reducers

    @property
    def near(self) -> int:
        """Workers on the reducers' node."""
        return min(self.workers, max(0, self.cluster.per_node - self.reducers))

    @property
    def asks(self) -> bool:
        """Whether a push asks for a place first."""
        return self.queue < self.workers

    def messages(self, size: float, asks: bool) -> int:
        """Of an item of so many bytes, in both directions."""
        travels = size > LARGEST_INLINE and not self.cluster.shares_memory
        return 2 + travels + 2 * asks

    def crossing(self, size: float) -> float:
        """Seconds for bytes between a reducer's node and all workers, in equal parts."""
        near, away = (size * count / self.workers for count in (self.near, self.workers - self.near))
        seconds = self.cluster.within(near)
        return max(seconds, away / self.cluster.link(self.cluster.nodes)) if away else seconds

    def collected(self, size: float) -> Duration:
        """Each worker pushes an item of so many bytes, and the reducer takes all of them."""
        handling = self.workers * self.messages(size, self.asks) * self.cluster.overhead
        return Duration(latency=(3 if self.asks else 1) * self.cluster.latency, overhead=handling,
                        bandwidth=self.crossing(size * self.workers))

    def published(self, size: float) -> Duration:
        """The reducer gives each worker a copy, by a queue of its own."""
        handling = self.workers * self.messages(size, asks=False) * self.cluster.overhead
        copied = 2 * size * self.workers / self.cluster.host_memory  # read and written
        return Duration(latency=self.cluster.latency, overhead=handling,
                        bandwidth=max(copied, self.crossing(size * self.workers)))

    def handled(self, items: float, size: float) -> float:
        """Seconds of a reducer's processor for the messages of so many items."""
        return items * self.messages(size, self.asks) * self.cluster.overhead
