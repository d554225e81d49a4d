"""The time of a run, by what it is spent on."""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Duration:
    """Seconds."""

    compute: float = 0.0
    latency: float = 0.0  # waiting for messages, however small
    bandwidth: float = 0.0  # bytes through the narrowest link
    overhead: float = 0.0  # the processor's work for messages, launches and sums of scalars

    @property
    def total(self) -> float:
        return self.compute + self.communication

    @property
    def communication(self) -> float:
        return self.latency + self.bandwidth + self.overhead

    def __add__(self, other: "Duration") -> "Duration":
        return Duration(*(getattr(self, part) + getattr(other, part) for part in PARTS))

    def __mul__(self, times: float) -> "Duration":
        return Duration(*(getattr(self, part) * times for part in PARTS))

    __rmul__ = __mul__

    @property
    def largest_part(self) -> str:
        return max(PARTS, key=lambda part: getattr(self, part))


PARTS = tuple(field.name for field in fields(Duration))


def shorter(*durations: Duration) -> Duration:
    return min(durations, key=lambda duration: duration.total)


def longer(*durations: Duration) -> Duration:
    """The longer of what goes on at the same time."""
    return max(durations, key=lambda duration: duration.total)
