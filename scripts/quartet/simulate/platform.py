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
    """Ranks fill nodes one after the other. A leaf switch has up to 16 nodes, and to switches above it as
    many links as the bisection leaves of theirs. Within a node each message has the rate of a rank: what one
    rank receives at once from several is not shared (SimGrid's loopback is not). Raises ScriptError where a rate is missing."""
    values = machine.rates.values()
    if values[STAGED]:
        raise ScriptError(f"{machine.name} stages through the host (the model device has no second "
                          "memory): simulate a machine whose MPI reads what it computes on")
    per_node = min(ranks, machine.per_node)
    nodes = -(-ranks // per_node)
    leaves = -(-nodes // LEAF)
    share = _share(values, nodes)
    if leaves == 1:
        tree, hosts, links, narrowed = f"1;{nodes};1;1", nodes, 2, share
    else:
        tree = f"2;{LEAF},{leaves};1,{max(1, round(LEAF * share))};1,1"
        hosts, links, narrowed = LEAF * leaves, 4, 1.0
    latency = _wire(values, "latency_seconds") if nodes > 1 else 0.0
    bandwidth = values["link_bytes_per_second"] * narrowed if nodes > 1 else 1.0
    description = f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="machine" prefix="n" suffix="" radical="0-{hosts - 1}" speed="{SPEED:.0f}f" core="{per_node}"
           bw="{bandwidth:.6g}Bps" lat="{latency / links:.6g}s"
           loopback_bw="{values['node_bytes_per_second']:.6g}Bps"
           loopback_lat="{_wire(values, 'node_latency_seconds'):.6g}s"
           sharing_policy="SPLITDUPLEX" topology="FAT_TREE" topo_parameters="{tree}"/>
</platform>
"""
    return Platform(nodes, description, "".join(f"n{rank // per_node}\n" for rank in range(ranks)))


def _wire(values: Values, name: str) -> float:
    """Of a latency, which the sender's and the receiver's overhead are parts of: what is left."""
    return max(0.0, values[name] - 2 * values["overhead_seconds"])


def _share(values: Values, nodes: int) -> float:
    """Of a node's link that is left when all send across so many."""
    shares = values[BISECTION]
    return next((share for most, share in shares if nodes <= most), shares[-1][1] if shares else 1.0)
