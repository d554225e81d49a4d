"""A described machine as SimGrid takes it: a tree of its nodes, and which node each rank is on."""

from dataclasses import dataclass
from pathlib import Path

from quartet.exit_codes import ScriptError
from quartet.predict.machine import Machine
from quartet.predict.rates import BISECTION, STAGED, Values

LEAF = 16  # nodes of a leaf switch
SPEED = 1e9  # operations a second; common/device/model/simulated_stand_in.cpp makes time of them


@dataclass(frozen=True)
class Platform:
    nodes: int
    description: str  # XML
    hosts: str  # each rank's node a line: of "NODE:RANKS" smpirun makes such a list in a file of its own

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Both as files."""
        files = folder / "platform.xml", folder / "hosts"
        for file, text in zip(files, (self.description, self.hosts)):
            file.write_text(text, encoding="utf-8")
        return files


def platform_of(machine: Machine, ranks: int) -> Platform:
    """Ranks fill nodes one after the other. A leaf switch has up to 16 nodes, and to the switches above one link, as
    fast as the bisection leaves of theirs together: on several links messages could meet, by routes that no machine
    file describes. Within a node each message has the rate of a rank: what one rank receives at once from several is
    not shared (SimGrid's loopback is not). Raises ScriptError where a rate is missing."""
    values = machine.rates.values()
    if values[STAGED]:
        raise ScriptError(f"{machine.name} stages through the host (the model device has no second "
                          "memory): simulate a machine whose MPI reads what it computes on")
    per_node = min(ranks, machine.per_node)
    nodes = -(-ranks // per_node)
    leaves = -(-nodes // LEAF)
    share = _share(values, nodes)
    latency = _wire(values, "latency_seconds") / (2 if leaves == 1 else 4) if nodes > 1 else 0.0
    rate = values["link_bytes_per_second"] if nodes > 1 else 1.0
    node = (f'speed="{SPEED:.0f}f" core="{per_node}" bw="{rate * (share if leaves == 1 else 1):.6g}Bps" '
            f'lat="{latency:.6g}s" sharing_policy="SPLITDUPLEX" '
            f'loopback_bw="{values["node_bytes_per_second"]:.6g}Bps" '
            f'loopback_lat="{_wire(values, "node_latency_seconds"):.6g}s"')
    zones = [f'<cluster id="leaf{leaf}" prefix="n" suffix="" radical="{leaf * LEAF}-{min(nodes, (leaf + 1) * LEAF) - 1}" '
             f'router_id="switch{leaf}" {node}/>' for leaf in range(leaves)]
    if leaves > 1:
        zones += _above(leaves, f'bandwidth="{rate * LEAF * share:.6g}Bps" latency="{latency:.6g}s"')
    description = "\n".join(("<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
                             '<platform version="4.1">', '<zone id="machine" routing="Floyd">', *zones, "</zone>",
                             "</platform>", ""))
    return Platform(nodes, description, "".join(f"n{rank // per_node}\n" for rank in range(ranks)))


def _above(leaves: int, link: str) -> list[str]:
    """The switch above them, and the link of each."""
    return ['<zone id="above" routing="Full"><router id="switch"/></zone>',
            *(f'<link id="up{leaf}" sharing_policy="SPLITDUPLEX" {link}/>' for leaf in range(leaves)),
            *(f'<zoneRoute src="leaf{leaf}" dst="above" gw_src="switch{leaf}" gw_dst="switch">'
              f'<link_ctn id="up{leaf}" direction="UP"/></zoneRoute>' for leaf in range(leaves))]


def _wire(values: Values, name: str) -> float:
    """Of a latency, which the sender's and the receiver's overhead are parts of: what is left."""
    return max(0.0, values[name] - 2 * values["overhead_seconds"])


def _share(values: Values, nodes: int) -> float:
    """Of a node's link that is left when all send across so many."""
    shares = values[BISECTION]
    return next((share for most, share in shares if nodes <= most), shares[-1][1] if shares else 1.0)
