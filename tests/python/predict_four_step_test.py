"""Tests of how predictions deal the Fourier transform's points to ranks: as the program does."""

import itertools
import unittest
from collections import Counter

from predicted_machine import FREE, machine, work
from quartet.predict.four_step import Shape, divisors, points_of_ranks, shape_of

NO_NETWORK = {"link_bytes_per_second": FREE, "node_bytes_per_second": FREE, "latency_seconds": 1e-15,
              "node_latency_seconds": 1e-15, "overhead_seconds": 1e-15}


def messages(tiles, length, ranks):
    """From each rank to each other one: points with the empty ones of the receiver's last block. Ranks own
    what common/core/block_range.hpp gives them."""
    owned = [[count * (rank + 1) // ranks - count * rank // ranks for rank in range(ranks)]
             for count in (tiles, length)]
    return {(source, target): owned[0][source] * -(-owned[1][target] // 8) * 8
            for source in range(ranks) for target in range(ranks) if source != target}


class Shapes(unittest.TestCase):
    def test_tiles_are_those_that_the_program_chooses(self):
        # As in tests/fft/problem/default_tiles_test.cpp.
        for points, ranks, tiles in ((2**24, 2, 2**11), (2**30, 2, 2**15), (2**32, 2, 2**16), (2**14 * 9, 2, 18),
                                     (2 * 1000003, 2, 2), (1000003, 4, 1), (2**17, 3, 32), (2**20, 33, 128), (2**24, 3, 2048),
                                     (2**26, 1000, 2**14), (48 * 25 * 49 * 81, 2, 588), (3000000, 3, 375), (7, 3, 1)):
            self.assertEqual(shape_of(points, ranks).tiles, tiles, (points, ranks))

    def test_divisors_are_all_of_them(self):
        for number in (1, 2, 36, 97, 1000, 2**10 * 81):
            self.assertEqual(divisors(number), [one for one in range(1, number + 1) if number % one == 0])

    def test_divisors_of_huge_numbers_are_found_at_once(self):
        prime = 2**61 - 1
        self.assertEqual(divisors(prime), [1, prime])
        self.assertEqual(divisors(6 * prime), sorted(one * other for one in (1, 2, 3, 6) for other in (1, prime)))

    def test_the_largest_part_and_what_leaves_the_busiest_node_are_those_of_the_messages(self):
        for (tiles, length), (ranks, node) in itertools.product(
                ((16, 8192), (128, 1024), (8192, 8192), (9, 100)), ((3, 1), (9, 3), (24, 8), (48, 8), (100, 1))):
            sent = messages(tiles, length, ranks)
            sums = Counter()
            for (source, target), points in sent.items():
                if source // node != target // node:
                    sums["from", source // node] += points
                    sums["to", target // node] += points
            shape = Shape(tiles, length, ranks)
            self.assertEqual(shape.largest_part, max(sent.values()))
            self.assertAlmostEqual(points_of_ranks(shape, node) * node * (ranks - node) / ranks, max(sums.values()))

    def test_all_wait_for_the_rank_that_has_the_most(self):
        free = machine(**NO_NETWORK)
        even, odd = (free.predict(work("fft", 4, 2**20, tiles=tiles)).duration.compute for tiles in (128, 2))
        # Of 2 tiles two ranks have one each, the others none: twice the mean.
        self.assertAlmostEqual(odd / even, (2 * 19 + 1) / 20, places=6)

    def test_the_slowest_part_decides_how_long_an_exchange_takes(self):
        slow = machine(per_node=1, latency_seconds=1e-15, overhead_seconds=1e-15, fft_flops_per_second=FREE)
        for tiles, points in ((16, 6 * 2736), (128, 43 * 344)):
            spent = slow.predict(work("fft", 3, 2**17, tiles=tiles)).duration
            self.assertAlmostEqual(spent.bandwidth / (2 * 16 * points / 1e9), 1, places=6)
