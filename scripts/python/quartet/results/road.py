"""Which road the bytes of a row took: what the interfaces and GPUs of each node sent in its runs, beside what its plan
says that had to move. Documents hold what was counted alone, so that a document is judged as well as its reader can.

docs/reading-the-numbers.md ("Which way the bytes took") tells what is counted, and what cannot be."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quartet.text import counted, rate

BY_TCP = {"grpc"}  # transports that go by TCP/IP whatever there is
BY_HOST = {"grpc", "shm", "rma", "staged"}  # that bring a GPU's bytes into the host's memory

LEAST_BYTES = 2**20  # a run: less says nothing
LEAST_SHARE = 0.01  # that is shown
UNSEEN = 0.05  # headers and rounding leave less
MOST = 0.5
FASTER = 2  # a fabric on Ethernet, or another network: nothing tells whether it reaches the other nodes

Node = dict[str, Any]  # as the schema has them
Interface = dict[str, Any]


@dataclass(frozen=True)
class Road:
    """The parts of all that moved; empty where nobody looked, or nothing had to move."""

    parts: tuple[tuple[str, float], ...] = ()  # an interface, NVLink, PCI Express, memory, or not seen; largest first
    beside: tuple[str, ...] = ()  # what cannot be counted, and what others sent
    warning: str = ""  # that there was a faster one

    @property
    def text(self) -> str:
        """ "mlx5_0 99%, eth0 1%"; empty if there are no parts."""
        return ", ".join(f"{name} {share:.0%}" for name, share in self.parts)

    @property
    def most(self) -> str:
        """The part that carried most; empty if there is none."""
        return self.parts[0][0] if self.parts else ""


def road(nodes: list[Node], transport: str) -> Road:
    """The road of a row over this transport. Between nodes, shares are of what had to move or, if more did, of that.
    Within a node what no interface shows went through memory."""
    if not nodes:
        return Road()
    if len(nodes) == 1:
        return _within(nodes[0], transport)
    sent: defaultdict[str, float] = defaultdict(float)
    for node in nodes:
        for one in _of(node, "network", "fabric"):
            sent[one["name"]] += _own(node, one)
    planned = sum(node.get("planned_between_nodes_bytes", 0) for node in nodes)
    if not planned and sum(sent.values()) < nodes[0]["runs"] * LEAST_BYTES:
        return Road()  # barriers, and sums of scalars
    total = max(planned, sum(sent.values()))
    return Road(_parts(sent, total, "not seen", UNSEEN), tuple(_beside(nodes, total)),
                "" if transport in BY_TCP else _warning(nodes))


def _within(node: Node, transport: str) -> Road:
    planned = node.get("planned_within_node_bytes", 0)
    if not planned:
        return Road()
    sent: defaultdict[str, float] = defaultdict(float)
    for one in _of(node, "loopback", "fabric"):
        sent[one["name"]] += _own(node, one)
    by_tcp = sum(_own(node, one) for one in _of(node, "loopback"))
    if "nvlink_sent_bytes" in node:
        sent["NVLink"] = node["nvlink_sent_bytes"]
    if "pcie_sent_bytes" in node:  # by GPUs, to anywhere: what a kernel itself copies out is no message
        sent["PCI Express"] = max(node["pcie_sent_bytes"] - node.get("planned_copied_out_bytes", 0), 0)
    total, least = max(planned, sum(sent.values())), node["runs"] * LEAST_BYTES
    warning = ""
    if transport not in BY_HOST and "NVLink" in sent and sent["PCI Express"] > max(MOST * planned, least):
        warning = (f"{min(sent['PCI Express'] / planned, 1):.0%} over PCI Express, "
                   f"though the GPUs of {node['host']} have NVLink")
    if transport not in BY_TCP and by_tcp > max(MOST * planned, least):
        warning = (f"{min(by_tcp / planned, 1):.0%} by TCP over the loopback, "
                   f"though the ranks share the memory of {node['host']}")
    return Road(_parts(sent, total, "memory", LEAST_SHARE), tuple(_beside([node], total)), warning)


def _of(node: Node, *kinds: str) -> list[Interface]:
    return [one for one in node["interfaces"] if one["kind"] in kinds]


def _sent(node: Node, one: Interface) -> float:
    """What the job sent over it, since what others send does not stop meanwhile."""
    return float(max(one.get("sent_bytes", 0) - one.get("others_bytes_per_second", 0) * node["seconds"], 0))


def _own(node: Node, one: Interface) -> float:
    """The same without what networks count as well that pass this adapter."""
    inside = sum(_sent(node, other) for other in node["interfaces"] if other.get("inside") == one["name"])
    return max(_sent(node, one) - inside, 0)


def _parts(sent: dict[str, float], total: float, rest: str, least_rest: float) -> tuple[tuple[str, float], ...]:
    shares = {name: bytes_sent / total for name, bytes_sent in sent.items() if bytes_sent >= LEAST_SHARE * total}
    left = 1 - sum(sent.values()) / total
    if left >= least_rest:
        shares[rest] = left
    return tuple(sorted(shares.items(), key=lambda part: -part[1]))


def _warning(nodes: list[Node]) -> str:
    slow = list(filter(None, map(_slow_node, nodes)))
    others = f", likewise on {len(slow)} of {counted(len(nodes), 'node')}" if len(slow) > 1 else ""
    return slow[0] + others if slow else ""


def _slow_node(node: Node) -> str:
    """ "97% by TCP over eth0 (1 Gb/s) on n1, though mlx5_0 (100 Gb/s) is up"."""
    networks = _of(node, "network")
    by_tcp = sum(_own(node, one) for one in networks)
    planned = node.get("planned_between_nodes_bytes", 0)
    total = max(planned, by_tcp + sum(_own(node, one) for one in _of(node, "fabric")))
    if by_tcp <= max(MOST * total, node["runs"] * LEAST_BYTES):
        return ""
    carrier = max(networks, key=lambda one: _own(node, one))
    for one in node["interfaces"]:
        # A fabric that cannot be counted may have taken the rest of what had to move, but not more.
        if one["up"] and one is not carrier and (planned or "sent_bytes" in one) and _is_better(one, carrier):
            return (f"{by_tcp / total:.0%} by TCP over {carrier['name']}{_speed(carrier)} on {node['host']}, "
                    f"though {one['name']}{_speed(one)} is up")
    return ""


def _is_better(one: Interface, carrier: Interface) -> bool:
    if one["kind"] == "loopback":
        return False
    if one["kind"] == "fabric" and not one.get("on_ethernet"):
        return True
    slow, fast = (interface.get("gigabits_per_second", 0) for interface in (carrier, one))
    return bool(slow and fast >= FASTER * slow)


def _speed(one: Interface) -> str:
    return f" ({one['gigabits_per_second']:g} Gb/s)" if "gigabits_per_second" in one else ""


def _beside(nodes: list[Node], total: float) -> Iterator[str]:
    uncounted: dict[str, list[str]] = {}
    for node in nodes:
        for one in node["interfaces"]:
            if one["up"] and "counter" in one:
                uncounted.setdefault(f"{one['name']}: {one['counter']}", []).append(node["host"])
            others = one.get("others_bytes_per_second", 0)
            if others * node["seconds"] > LEAST_SHARE * total:
                yield f"others sent {rate(others / 2**20)} MiB/s over {one['name']} on {node['host']}"
    for what, hosts in uncounted.items():
        yield f"{what} on {hosts[0]}" + (f" and {counted(len(hosts) - 1, 'more node')}" if hosts[1:] else "")
