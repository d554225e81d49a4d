#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "bench/session/session.hpp"
#include "matmul/problem/problem.hpp"

namespace quartet::matmul {

/// No bound of the tiles of C that are held at a time but the memory.
inline constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();

/// The memory that a rank may take for a product.
struct MemoryBudget {
    Bytes allowed;    ///< in all, by flags or by what there is
    Bytes elsewhere;  ///< of it, for the check and the limits
    std::optional<int> lookahead;
    std::int64_t most_held = any_number;  ///< tiles of C at a time
};

/// Host memory that a rank may take for tiles from files: --memory, or half of its share of what
/// the node has (the page cache needs some, too).
Bytes allowed_memory(const bench::Session& session);
/// GPU memory that a rank may take: --device-memory, or most of its share of what is free (the
/// driver's own needs grow a little).
Bytes allowed_device_memory(bench::Session& session);

/// Throws UsageError: so much of the GPU's memory is needed at least, and less is allowed.
[[noreturn]] void refuse_tiles(const Problem& problem, Bytes least, const MemoryBudget& budget);

/// The edge of tiles that keeps a GPU busy, if the user has not chosen one: the largest power of
/// two, at most 8192, such that 32 tiles fit in the memory and each of the `ranks` ranks gets
/// several tiles along the edge of its block.
std::int64_t choose_tile(std::int64_t size, int ranks, Bytes device_memory);

/// The edge of the in-core products that the limit is measured with: at most 8192 and `size`, and
/// so that they take at most an eighth of the memory.
std::int64_t device_probe_edge(std::int64_t size, Bytes device_memory);

}  // namespace quartet::matmul
