"""A pretended node of several GPUs, for the programs over the fake GPU: what each has allocated, run
and copied is counted in a file that the ranks share (fake_gpu_node.hpp)."""

import os
import re
import struct
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from unittest import mock

from quartet_cli import unwrapped

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
MOST_GPUS = 8
MOST_KEPT = 1024


@dataclass(frozen=True)
class Counts:
    """Of one GPU: bytes, but for the kernels, calls that failed, and reads of other GPUs' memory."""
    allocated: int
    most_allocated: int
    kernels: int
    to_host: int
    from_host: int
    from_peers: int
    failed_calls: int
    peers_read: int


COUNTS = len(fields(Counts))


class GpuNode:
    def __init__(self, gpus, file):
        self.gpus = gpus
        self.file = file

    def counts(self):
        numbers = struct.unpack_from(f"={COUNTS * MOST_GPUS}q", self.file.read_bytes())
        return [Counts(*numbers[COUNTS * gpu:COUNTS * (gpu + 1)]) for gpu in range(self.gpus)]

    def peers_read(self):
        """By each GPU: the GPUs whose memory it has read, in that order, as far as it was kept."""
        read = self.file.read_bytes()[8 * COUNTS * MOST_GPUS:]
        return [list(read[MOST_KEPT * gpu:MOST_KEPT * gpu + min(MOST_KEPT, counts.peers_read)])
                for gpu, counts in enumerate(self.counts())]


@contextmanager
def gpu_node(gpus, peers="all"):
    """Programs that are run meanwhile see so many GPUs; `peers` is all, none or pairs."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counts"
        with mock.patch.dict(os.environ, QUARTET_STAND_IN_GPUS=str(gpus),
                             QUARTET_STAND_IN_PEERS=peers, QUARTET_STAND_IN_COUNTS=str(file)):
            yield GpuNode(gpus, file)


def xml_set(numbers):
    """A set of CPUs or NUMA nodes as hwloc has it, the highest word first."""
    mask = sum(1 << number for number in numbers)
    return ",".join(f"0x{mask >> shift & 0xffffffff:08x}" for shift in range(32 * (max(numbers) // 32), -1, -32))


def xml_object(kind, number, cpus, nodes, content="", facts=""):
    sets = "".join(f' {complete}{name}="{xml_set(members)}"' for complete in ("", "complete_")
                   for name, members in (("cpuset", cpus), ("nodeset", nodes)))
    return f'<object type="{kind}" os_index="{number}"{sets}{facts}>{content}</object>'


def machine_of_sockets(cpus, gpus):
    """A machine by hwloc's XML, of one CPU on each socket: `gpus` says of each pretended GPU which socket
    it is attached to."""
    sockets = ""
    for socket, cpu in enumerate(cpus):
        devices = "".join(f'<object type="PCIDev" pci_busid="ffff:ff:{gpu:02x}.0" pci_type="0302 [10de:2330]'
                          ' [10de:2330] a1" pci_link_speed="0"/>'
                          for gpu, place in enumerate(gpus) if place == socket)
        sockets += xml_object("Package", socket, [cpu], [socket], "".join((
            xml_object("NUMANode", socket, [cpu], [socket]),
            xml_object("Core", socket, [cpu], [socket], xml_object("PU", cpu, [cpu], [socket])),
            f'<object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="ffff:[ff-ff]">{devices}</object>')))
    nodes = range(len(cpus))
    allowed = f' allowed_cpuset="{xml_set(cpus)}" allowed_nodeset="{xml_set(nodes)}"'
    return f'<topology version="2.0">{xml_object("Machine", 0, cpus, nodes, sockets, allowed)}</topology>'


def bytes_of(text):
    """Of what people read: "1.5 MiB"."""
    number, unit = text.split()
    return float(number) * UNITS[unit]


def moved(plan):
    """What a --dry-run of one case says of its links: {kind: (bytes, bytes on the busiest)}."""
    line, = re.findall(r"^    a run moves (.*)$", unwrapped(plan), re.MULTILINE)
    return {kind: (bytes_of(amount), bytes_of(most) if most else bytes_of(amount))
            for kind, amount, most in re.findall(
                r"([a-zA-Z ,]+?) ([\d.]+ [KMG]?i?B)(?: \(most: [^;]*, ([\d.]+ [KMG]?i?B)\))?(?:; |$)",
                line)}


def planned_memory(plan):
    """GPU memory of the largest rank, and of all ranks on the first GPU, by the --dry-run of one
    case."""
    return [1.005 * bytes_of(text)  # of three digits
            for text in re.search(r"; of GPU memory ([\d.]+ \w+), ([\d.]+ \w+)", unwrapped(plan)).groups()]
