"""How the Fourier transform deals its points to ranks, as fft/problem/default_tiles.cpp and
common/device/four_step_fft.hpp have it: tiles, then bins in blocks of eight. Where they are not even,
all ranks wait for the one that has the most."""

from dataclasses import dataclass
from functools import cache

USUAL = 2**13  # points of a tile that fit the cache
BLOCK = 8  # bins that lie side by side; the last block of a rank may be filled in part
AS_EVEN = 1.05  # as the most even tiles, if the largest part is so much longer
LARGEST_FACTOR = 10**6  # that is looked for


def divide_up(number: int, divisor: int) -> int:
    return -(-number // divisor)


@dataclass(frozen=True)
class Shape:
    """The points are tiles of one length; each bin of a tile is transformed over all tiles."""

    tiles: int
    length: int
    ranks: int

    @property
    def most_tiles(self) -> int:
        """The most tiles of a rank."""
        return divide_up(self.tiles, self.ranks)

    @property
    def most_bins(self) -> int:
        """The most bins of a rank, with the empty ones of its last block."""
        return blocks(divide_up(self.length, self.ranks))

    @property
    def largest_part(self) -> int:
        """Points that a rank sends to another."""
        return self.most_tiles * self.most_bins


@cache
def points_of_ranks(shape: Shape, group: int) -> float:
    """The points of each rank if all had as many as those of so many adjacent ones that send or receive
    the most together. There are others."""
    tiles, bins = (_dealt(count, shape.ranks) for count in (shape.tiles, shape.length))
    bins = [blocks(count) for count in bins]
    everything, most = sum(bins), 0
    for first in range(0, shape.ranks, group):
        sent, received = (sum(counts[first:first + group]) for counts in (tiles, bins))
        most = max(most, sent * (everything - received), (shape.tiles - sent) * received)
    return most * shape.ranks / (group * (shape.ranks - group))


def _dealt(count: int, ranks: int) -> list[int]:
    """To each of them, adjacent ones together."""
    ends = [count * rank // ranks for rank in range(ranks + 1)]
    return [end - begin for begin, end in zip(ends, ends[1:])]


def blocks(bins: int) -> int:
    """Bins of whole blocks."""
    return BLOCK * divide_up(bins, BLOCK)


@cache
def shape_of(points: int, ranks: int, tiles: int = 0) -> Shape:
    """Returns the shape with the tiles that the program chooses, unless they are given."""
    chosen = tiles or _default_tiles(points, ranks)
    return Shape(chosen, max(1, points // chosen), ranks)


def longest_tile(points: int) -> int:
    length = USUAL
    while length < points // length:
        length *= 2
    return length


def divisors(number: int) -> list[int]:
    """Ascending. What is left without the prime factors up to a million is taken for one."""
    found, rest, factor = [1], number, 2
    while rest > 1:
        if factor * factor > rest or factor > LARGEST_FACTOR:
            factor = rest
        powers = [1]
        while rest % factor == 0:
            rest //= factor
            powers.append(powers[-1] * factor)
        found = [one * power for one in found for power in powers]
        factor += 1
    return sorted(found)


def _default_tiles(points: int, ranks: int) -> int:
    """The fewest tiles that fit the cache and are dealt evenly, in whole blocks of bins where that can
    be; else tiles too long for the cache; else those that are the most even."""
    usable = [tiles for tiles in divisors(points) if points // tiles >= BLOCK]
    fitting = [tiles for tiles in usable if points // tiles <= longest_tile(points)]
    even = [tiles for tiles in fitting if tiles % ranks == 0]
    whole = [tiles for tiles in even if points // tiles % (BLOCK * ranks) == 0]
    too_long = [tiles for tiles in usable if tiles % ranks == 0]
    if whole or even or too_long:
        return (whole or even or too_long[-1:])[0]
    parts = {tiles: Shape(tiles, points // tiles, ranks).largest_part for tiles in fitting}
    return next((tiles for tiles, part in parts.items() if part <= AS_EVEN * min(parts.values())), 1)
