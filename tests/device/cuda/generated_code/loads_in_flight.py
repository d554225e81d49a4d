"""KB of global loads that an SM has under way, on average: the bytes of a turn of the loop that loads most,
times the memory's latency, by the cycles of a turn (Little's law). A model says these: a warp issues its
instructions in order, one a cycle, each when the registers that it names are there."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Gpu:
    """The fastest one of an architecture, by its data sheet; the latency of a loaded memory is assumed."""

    name: str
    rate: float  # of memory, in bytes a second
    multiprocessors: int
    latency: float  # in seconds
    clock: float  # in Hz

    @property
    def cycles(self):
        """The latency in them."""
        return self.latency * self.clock

    @property
    def needed(self):
        """KB under way in an SM that keep the memory busy, by Little's law, where all traffic is loads."""
        return self.rate * self.latency / self.multiprocessors / 1000


GPUS = {80: Gpu("A100", 2.04e12, 108, 0.6e-6, 1.41e9),
        90: Gpu("H200", 4.8e12, 132, 0.6e-6, 1.98e9),
        100: Gpu("B200", 8.0e12, 148, 0.75e-6, 1.965e9)}
WARP_THREADS = 32
SCHEDULERS = 4  # of an SM: each issues one instruction a cycle
TURNS = 12  # of which the first ones, until they are all alike, do not count
FIRST = 4
# Cycles until a result is there, by the beginning of the instruction's name; about.
CYCLES = {"D": 8, "SHFL": 24, "LDS": 30, "LDC": 30, "S2R": 30, "": 5}


def load_bytes(text):
    """The bytes of a load from global memory, by the width in its name; 0 for other instructions."""
    load = re.search(r"\bLDG(\.\w+)*", text)
    if not load:
        return 0
    width = re.search(r"\.(128|64|U?S?16|U?S?8)\b", load[0])
    return int(width[1].strip("US")) // 8 if width else 4


def loaded(body):
    return sum(load_bytes(text) for _, text in body)


def main_loop(body):
    """The loop that loads most, of those with no smaller one in them that loads; the whole kernel where no loop
    loads: one block follows another."""
    jumps = [(re.search(r"\bBRA\b.*?0x([0-9a-f]+)", text), address) for address, text in body]
    loops = [(int(jump[1], 16), address) for jump, address in jumps
             if jump and int(jump[1], 16) < address]
    loops = [loop for loop in loops if loaded(_between(body, loop))]
    inner = [loop for loop in loops
             if not any(_contains(loop, other) for other in loops if other != loop)]
    return max((_between(body, loop) for loop in inner), key=loaded, default=body)


def _between(body, loop):
    return [item for item in body if loop[0] <= item[0] <= loop[1]]


def _contains(loop, other):
    return loop[0] <= other[0] and other[1] <= loop[1]


def cycles_of_turn(loop, latency):
    """Of one warp, once all turns are alike."""
    there = {}  # when a register is, by its number
    now = 0
    for turn in range(TURNS):
        if turn == FIRST:
            begin = now
        for _, text in loop:
            now = max([now + 1, *(there.get(number, 0) for number in _registers(text))])
            for number in _written(text):
                there[number] = now + _cycles(text, latency)
    return (now - begin) / (TURNS - FIRST)


def _registers(text):
    return [int(number) for number in re.findall(r"\bR(\d+)\b", text)]


def _operation(text):
    """Its name, without the predicate, and its operands."""
    name, _, operands = re.sub(r"^@!?\w+ ", "", text).partition(" ")
    return name, operands


def _written(text):
    name, operands = _operation(text)
    if name.startswith(("ST", "BRA")):
        return []
    double = re.match(r"D[A-Z]|.*(WIDE|\.64)", name)
    count = max(load_bytes(text) // 4, 2 if double else 1)
    return [first + i for first in _registers(operands.split(",")[0])[:1] for i in range(count)]


def _cycles(text, latency):
    if load_bytes(text):
        return latency
    name, _ = _operation(text)
    return next(cycles for begin, cycles in CYCLES.items() if name.startswith(begin))


def mean_in_flight(body, latency, warps):
    """KB of loads under way in an SM that has that many warps."""
    loop = main_loop(body)
    cycles = max(cycles_of_turn(loop, latency), len(loop) * warps / SCHEDULERS)
    return loaded(loop) * latency / cycles * warps * WARP_THREADS / 1000
