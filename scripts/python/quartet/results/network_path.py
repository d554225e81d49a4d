"""The network path of a row: the bytes that each interface of its nodes sent during its runs. Documents have only the
counts; here they are judged. docs/reading-the-numbers.md ("The network path of the bytes") explains what is counted."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

BY_TCP = {"grpc"}  # transports that always use TCP/IP

LEAST_BYTES = 2**20  # of a run: fewer are barriers, and sums of scalars
LEAST_SHARE = 0.01  # that is shown
MOST = 0.5  # share above which TCP is a reason to warn
FASTER = 2  # factor of a faster interface

Interface = dict[str, Any]  # as the schema has it


@dataclass(frozen=True)
class NetworkPath:
    """The interfaces' shares of the bytes that the nodes sent; empty if they were not counted, or too few."""

    parts: tuple[tuple[str, float], ...] = ()  # by interface; largest first
    warning: str = ""  # if a faster interface was there

    @property
    def text(self) -> str:
        """ "mlx5_0 99%, eth0 1%"; empty if there are no parts."""
        return ", ".join(f"{name} {share:.0%}" for name, share in self.parts)

    @property
    def most(self) -> str:
        """The interface that carried most; empty if there is none."""
        return self.parts[0][0] if self.parts else ""


def network_path(nodes: list[dict[str, Any]], transport: str) -> NetworkPath:
    """The path of a row with this transport, from what was counted on its nodes."""
    used = [one for node in nodes for one in node["interfaces"]]
    sent: Counter[str] = Counter()
    for one in used:
        sent[one["name"]] += one.get("sent_bytes", 0)
    total = sum(sent.values())
    if len(nodes) < 2 or total < nodes[0]["runs"] * LEAST_BYTES:
        return NetworkPath()
    shares = {name: bytes_sent / total for name, bytes_sent in sent.items() if bytes_sent >= LEAST_SHARE * total}
    parts = tuple(sorted(shares.items(), key=lambda part: -part[1]))
    return NetworkPath(parts, "" if transport in BY_TCP else _warning(used, shares))


def _warning(used: list[Interface], shares: dict[str, float]) -> str:
    """ "97% by TCP over eth0 (1 Gb/s), though mlx5_0 (100 Gb/s) is up"."""
    for one in used:
        share = shares.get(one["name"], 0)
        if one["kind"] == "network" and share > MOST:
            for other in used:
                # An interface without a counter may have carried any number of bytes.
                if other["up"] and "sent_bytes" in other and _is_faster(other, one):
                    return f"{share:.0%} by TCP over {_named(one)}, though {_named(other)} is up"
    return ""


def _is_faster(other: Interface, one: Interface) -> bool:
    speed, others = (interface.get("gigabits_per_second", 0) for interface in (one, other))
    return others >= FASTER * speed > 0 or (other["kind"] == "fabric" and not 0 < others < speed)


def _named(one: Interface) -> str:
    speed = one.get("gigabits_per_second")
    return f"{one['name']} ({speed:g} Gb/s)" if speed else str(one["name"])
