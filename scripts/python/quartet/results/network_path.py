"""Which network path the bytes of a row took: the bytes that each interface of its nodes sent in its runs, beside those
that had to move. Documents hold what was counted alone, so that the reader judges it.

docs/reading-the-numbers.md ("Which path the bytes took") tells what is counted, and what cannot be."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

BY_TCP = {"grpc"}  # transports that go by TCP/IP whatever there is
BY_HOST = {"grpc", "shm", "rma", "staged"}  # that bring a GPU's bytes into the host's memory

LEAST_BYTES = 2**20  # a run: less are barriers, and sums of scalars
LEAST_SHARE = 0.01  # that is shown
UNSEEN = 0.05  # headers and rounding leave less
MOST = 0.5
FASTER = 2

Interface = dict[str, Any]  # as the schema has it


@dataclass(frozen=True)
class NetworkPath:
    """The shares of all bytes that moved; empty where nobody looked, or nothing had to move."""

    parts: tuple[tuple[str, float], ...] = ()  # an interface, or what none of them shows; largest first
    warning: str = ""  # that there was a faster one

    @property
    def text(self) -> str:
        """ "mlx5_0 99%, eth0 1%"; empty if there are no parts."""
        return ", ".join(f"{name} {share:.0%}" for name, share in self.parts)

    @property
    def most(self) -> str:
        """The part that carried most; empty if there is none."""
        return self.parts[0][0] if self.parts else ""


def network_path(nodes: list[dict[str, Any]], transport: str) -> NetworkPath:
    """The path of a row over this transport. Shares are of what had to move or, if more did, of that. What no interface
    shows within a node went through memory."""
    within = len(nodes) == 1
    kinds = ("loopback", "fabric", "gpu") if within else ("network", "fabric")
    used = [one for node in nodes for one in node["interfaces"] if one["kind"] in kinds]
    sent: Counter[str] = Counter()
    for one in used:
        sent[one["name"]] += one.get("sent_bytes", 0)
    planned = sum(node.get(f"planned_{'within_node' if within else 'between_nodes'}_bytes", 0) for node in nodes)
    total = max(planned, sum(sent.values()))
    if not nodes or total < nodes[0]["runs"] * LEAST_BYTES or (within and not planned):
        return NetworkPath()
    shares = {name: bytes_sent / total for name, bytes_sent in sent.items() if bytes_sent >= LEAST_SHARE * total}
    left = 1 - sum(sent.values()) / total
    if left >= (LEAST_SHARE if within else UNSEEN):
        shares["memory" if within and "NVLink" not in sent else "not seen"] = left
    parts = tuple(sorted(shares.items(), key=lambda part: -part[1]))
    return NetworkPath(parts, _warning(used, shares, transport, bool(planned)))


def _warning(used: list[Interface], shares: dict[str, float], transport: str, is_planned: bool) -> str:
    """ "97% by TCP over eth0 (1 Gb/s), though mlx5_0 (100 Gb/s) is up"."""
    nvlink = any(one["name"] == "NVLink" for one in used)
    if nvlink and transport not in BY_HOST and shares.get("NVLink", 0) < MOST:
        return f"{shares.get('NVLink', 0):.0%} over NVLink, though the GPUs have it"
    for one in used if transport not in BY_TCP else []:
        share = shares.get(one["name"], 0)
        if one["kind"] == "loopback" and share > MOST:
            return f"{share:.0%} by TCP over the loopback, though the ranks share memory"
        if one["kind"] == "network" and share > MOST:
            for other in used:
                # What cannot be counted may have carried the rest of what had to move, but not more.
                if other["up"] and (is_planned or "sent_bytes" in other) and _is_faster(other, one):
                    return f"{share:.0%} by TCP over {_named(one)}, though {_named(other)} is up"
    return ""


def _is_faster(other: Interface, one: Interface) -> bool:
    speed, others = (interface.get("gigabits_per_second", 0) for interface in (one, other))
    return others >= FASTER * speed > 0 or (other["kind"] == "fabric" and not 0 < others < speed)


def _named(one: Interface) -> str:
    speed = one.get("gigabits_per_second")
    return f"{one['name']} ({speed:g} Gb/s)" if speed else str(one["name"])
