#pragma once

#include <cstdint>
#include <vector>

namespace quartet::fft {

/// All divisors of `number`, ascending. Takes about sqrt(number) steps.
std::vector<std::int64_t> divisors(std::int64_t number);

/// The most points of a tile that fit the cache. The FFTs work on a tile, or on eight rows over
/// all tiles, at a time, and are fastest where both fit a second-level cache: at 2^24 points tiles
/// of 2^13 were the fastest of 2^11 to 2^14 (docs/notes/fft.md). From 2^26 points on tiles grow
/// with the root of N, so that the sums over the tiles do not outgrow the cache first.
std::int64_t longest_tile(std::int64_t points);

/// How many tiles a transform of `points` is dealt to unless the user says: the least multiple of
/// `ranks` that divides the points and whose tiles fit the cache, first of all among those that
/// give each rank whole SIMD blocks. Where there is none, the most even tiles: the fewest whose
/// largest part of the exchange is within 5% of the smallest possible. For a prime, 1.
std::int64_t default_tiles(std::int64_t points, int ranks);

/// The divisor of `points` nearest to `wanted` by ratio: what to suggest.
std::int64_t nearest_divisor(std::int64_t points, std::int64_t wanted);

}  // namespace quartet::fft
