"""A described machine as SimGrid takes it: a tree of its nodes, and which node each rank is on."""

from dataclasses import dataclass
from pathlib import Path

from quartet.exit_codes import ScriptError
from quartet.predict.machine import Machine
from quartet.predict.rates import STAGED, Values

LEAF = 16  # nodes of a leaf switch
SPEED = 1e9  # operations a second; common/device/model/emulation_simulated.cpp makes time of them


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
    """Ranks fill nodes one after the other. A leaf switch has up to 16 nodes, and to the switch above one link, as
    fast as the bisection leaves of theirs together: on several links messages could meet, by routes that no machine
    file describes. Whoever is farther away is not later, as machine files have one latency: SimGrid gives messages
    with a longer one a smaller part of a link. Raises ScriptError if a rate is missing."""
    values = machine.rates.values()
    if values[STAGED]:
        raise ScriptError(f"{machine.name} stages through the host (the model device has no second "
                          "memory): simulate a machine whose MPI reads what it computes on")
    per_node = min(ranks, machine.per_node)
    nodes = -(-ranks // per_node)
    leaves = [range(first, min(nodes, first + LEAF)) for first in range(0, nodes, LEAF)]
    share = _share(values, nodes)
    rate, latency = ((values["link_bytes_per_second"], _wire(values, "latency_seconds") / 2) if nodes > 1
                     else (1.0, 0.0))
    link = _link(rate * (share if len(leaves) == 1 else 1), latency, "SPLITDUPLEX")
    copies = _copies(values, per_node)
    zones = [line for number, leaf in enumerate(leaves) for line in _leaf(number, leaf, per_node, link, copies)]
    if len(leaves) > 1:
        zones += _above(len(leaves), _link(rate * LEAF * share, 0.0, "SPLITDUPLEX"))
    description = "\n".join(("<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
                             '<platform version="4.1">', '<zone id="machine" routing="Floyd">', *zones, "</zone>",
                             "</platform>", ""))
    return Platform(nodes, description, "".join(f"n{rank // per_node}\n" for rank in range(ranks)))


def _link(rate: float, latency: float, sharing: str) -> str:
    """Writes a link's attributes."""
    return f'bandwidth="{rate:.6g}Bps" latency="{latency:.6g}s" sharing_policy="{sharing}"'


def _copies(values: Values, per_node: int) -> dict[str, str]:
    """Within a node: the links that each message crosses. It has the rate of a rank at most, and all of them together
    that of all ranks. What one rank receives at once from several is not shared."""
    rate = values["node_bytes_per_second"]
    return {"message": _link(rate, _wire(values, "node_latency_seconds"), "FATPIPE"),
            "memory": _link(rate * per_node, 0.0, "SHARED")}


def _leaf(number: int, nodes: range, per_node: int, link: str, copies: dict[str, str]) -> list[str]:
    """A switch, and its nodes with their links."""
    lines = [f'<zone id="leaf{number}" routing="Full"><router id="switch{number}"/>']
    for node in nodes:
        lines += [f'<host id="n{node}" speed="{SPEED:.0f}f" core="{per_node}"/>', f'<link id="n{node}" {link}/>',
                  *(f'<link id="n{node}-{name}" {attributes}/>' for name, attributes in copies.items())]
    for node in nodes:
        up = _crossed(f"n{node}", "UP")
        lines += [_route(f"n{node}", f"n{node}", *(_crossed(f"n{node}-{name}", "NONE") for name in copies)),
                  _route(f"n{node}", f"switch{number}", up),
                  *(_route(f"n{node}", f"n{other}", up, _crossed(f"n{other}", "DOWN"))
                    for other in range(node + 1, nodes.stop))]
    return [*lines, "</zone>"]


def _crossed(link: str, direction: str) -> str:
    return f'<link_ctn id="{link}" direction="{direction}"/>'


def _route(source: str, target: str, *crossed: str) -> str:
    """Both ways."""
    return f'<route src="{source}" dst="{target}">{"".join(crossed)}</route>'


def _above(leaves: int, link: str) -> list[str]:
    """The switch above them, and the link of each."""
    return ['<zone id="above" routing="Full"><router id="switch"/></zone>',
            *(f'<link id="up{leaf}" {link}/>' for leaf in range(leaves)),
            *(f'<zoneRoute src="leaf{leaf}" dst="above" gw_src="switch{leaf}" gw_dst="switch">'
              f'{_crossed(f"up{leaf}", "UP")}</zoneRoute>' for leaf in range(leaves))]


def _wire(values: Values, name: str) -> float:
    """The part of a latency that is neither the sender's nor the receiver's overhead."""
    return max(0.0, values[name] - 2 * values["overhead_seconds"])


def _share(values: Values, nodes: int) -> float:
    """The share of a node's link that is left when all send across so many."""
    shares = values.shares
    return next((share for most, share in shares if nodes <= most), shares[-1][1] if shares else 1.0)
