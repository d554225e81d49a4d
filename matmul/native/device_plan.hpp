#pragma once

#include <optional>
#include <string>

#include "matmul/native/blocking.hpp"
#include "matmul/native/file_plan.hpp"

namespace quartet::matmul {

/// How one rank multiplies through the memory of its GPU, before anything is allocated.
struct DevicePlan {
    Blocking blocking;
    Traffic copies;       ///< in to the GPU, and out
    TileBuffers buffers;  ///< on the GPU
};

/// Throws UsageError: so much of the GPU's memory is needed at least, and less is allowed.
[[noreturn]] void refuse_tiles(const Problem& problem, Bytes least, const MemoryBudget& budget);

/// The plan of `block` in what is allowed of the GPU's memory. Throws UsageError with the
/// arithmetic where not even one tile of C and what it needs fit. Local.
DevicePlan plan_device(const Problem& problem, const Block& block, const MemoryBudget& budget);

/// How tiles in files are staged on the host for that plan: the same C tiles at a time, and as many
/// slots as the host's memory holds. Throws UsageError where it does not hold the fewest. Local.
FilePlan plan_staging(const Problem& problem, const Block& block, int ranks,
                      const MemoryBudget& host, const Blocking& on_device);

/// The edge of tiles that keeps a GPU busy in that memory, where the user has not chosen one: the
/// largest power of two, at most 8192, of which the memory holds 32 tiles and the edge of a matrix
/// of `size` elements that is shared out to `ranks` ranks several.
std::int64_t choose_tile(std::int64_t size, int ranks, Bytes device_memory);

/// The edge of the in-core products that the limit is measured with: at most 8192 and `size`, and
/// so that they take at most an eighth of the memory.
std::int64_t device_probe_edge(std::int64_t size, Bytes device_memory);

/// What --dry-run says of a plan.
std::string describe(const DevicePlan& plan);

}  // namespace quartet::matmul
