#pragma once

#include <optional>

#include "matmul/native/tile_schedule.hpp"
#include "matmul/problem/budget.hpp"
#include "matmul/problem/product.hpp"

namespace quartet::matmul {

/// The traffic of a whole schedule. Elements only: files have headers, too. Of schedules that take
/// more than a second to go through (2^24 products) it is what is moved at most: successive parts
/// share some tiles.
Traffic planned_traffic(const Problem& problem, const Block& block, const Blocking& blocking);

/// Memory of one tile.
struct TileMemory {
    Bytes slot;         ///< of A or B, as it is read
    Bytes result;       ///< of C
    Bytes alignment{};  ///< once, so that the first slot can be aligned
};

/// The memory of `slots` tiles of A and B and `held` tiles of C.
Bytes buffers_of(std::int64_t slots, std::int64_t held, const TileMemory& tiles);
inline Bytes buffers_of(const Blocking& blocking, const TileMemory& tiles) {
    return buffers_of(blocking.slots, blocking.held(), tiles);
}

/// The blocking of `block` with the least traffic in `memory`, with at least `lookahead` products
/// of look-ahead; memory that is left brings the look-ahead up to two rows of the held C tiles, and
/// then more slots. Holds at most `most_held` tiles of C. Nothing if even one tile of C and what
/// it needs do not fit.
std::optional<Blocking> choose_blocking(const Problem& problem, const Block& block,
                                        const TileMemory& tiles, Bytes memory,
                                        std::optional<int> lookahead,
                                        std::int64_t most_held = any_number);
/// The same without looking ahead: the least traffic that whole tiles allow in this memory.
std::optional<Blocking> best_blocking(const Problem& problem, const Block& block,
                                      const TileMemory& tiles, Bytes memory);

/// The least memory in which choose_blocking finds a blocking.
Bytes least_memory(const TileMemory& tiles, std::optional<int> lookahead);

/// The least bytes that each of `ranks` ranks must move on average, each with `memory`
/// (Irony, Toledo and Tiskin 2004; Smith et al. 2019): 4 (2 N^3 / (P sqrt S) + N^2 / P), S the
/// floats that the memory holds.
Bytes lower_bound(const Problem& problem, int ranks, Bytes memory);

}  // namespace quartet::matmul
