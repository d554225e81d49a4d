"""A pretended node of several GPUs, for the programs over the fake GPU: what each has allocated, run
and copied is counted in a file that the ranks share (fake_gpu_node.hpp)."""

import os
import re
import struct
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
MOST_GPUS = 8


@dataclass(frozen=True)
class Counts:
    """Of one GPU: bytes, but for the kernels."""
    allocated: int
    most_allocated: int
    kernels: int
    to_host: int
    from_host: int
    from_peers: int


class GpuNode:
    def __init__(self, gpus, file):
        self.gpus = gpus
        self.file = file

    def counts(self):
        numbers = struct.unpack(f"={6 * MOST_GPUS}q", self.file.read_bytes())
        return [Counts(*numbers[6 * gpu:6 * gpu + 6]) for gpu in range(self.gpus)]


@contextmanager
def gpu_node(gpus, peers="all"):
    """Programs that are run meanwhile see so many GPUs; `peers` is all, none or pairs."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counts"
        with mock.patch.dict(os.environ, QUARTET_STAND_IN_GPUS=str(gpus),
                             QUARTET_STAND_IN_PEERS=peers, QUARTET_STAND_IN_COUNTS=str(file)):
            yield GpuNode(gpus, file)


def bytes_of(text):
    """Of what people read: "1.5 MiB"."""
    number, unit = text.split()
    return float(number) * UNITS[unit]


def moved(plan):
    """What a --dry-run of one case says of its links: {kind: (bytes, bytes on the busiest)}."""
    line, = re.findall(r"^    a run moves (.*)$", plan, re.MULTILINE)
    return {kind: (bytes_of(amount), bytes_of(most) if most else bytes_of(amount))
            for kind, amount, most in re.findall(
                r"([a-zA-Z ,]+?) ([\d.]+ [KMG]?i?B)(?: \(most: [^;]*, ([\d.]+ [KMG]?i?B)\))?(?:; |$)",
                line)}


def planned_memory(plan):
    """GPU memory of the largest rank, and of all ranks on the first GPU, by the --dry-run of one
    case."""
    return [1.005 * bytes_of(text)  # of three digits
            for text in re.search(r"; of GPU memory ([\d.]+ \w+), ([\d.]+ \w+)", plan).groups()]
