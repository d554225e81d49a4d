#pragma once

#include <optional>
#include <string>

#include "bench/results/row.hpp"
#include "comm/mpi/communicator.hpp"
#include "matmul/native/blocking.hpp"
#include "matmul/problem/budget.hpp"

namespace quartet::matmul {

/// How one rank goes through one level of bounded memory, and what it moves to and from it.
struct LevelPlan {
    Blocking blocking;
    Traffic traffic;
};

/// The host's memory before files.
struct HostPlan : LevelPlan {
    Bytes best;         ///< the least that whole tiles allow in this memory, without look-ahead
    Bytes lower_bound;  ///< the least that any order allows
};

/// How one rank multiplies in bounded memory, before anything is allocated: on the host from files,
/// or on a GPU from the host's memory, or from files through it.
struct BoundedPlan {
    std::optional<HostPlan> host;     ///< nothing if A, B and C are in the host's memory
    std::optional<LevelPlan> device;  ///< nothing if the host multiplies

    /// The blocking of the level on which products are made.
    [[nodiscard]] const Blocking& blocking() const {
        return device ? device->blocking : host->blocking;
    }
};

/// The memory of one tile: from files on the host, and on a GPU.
TileMemory host_tile(const Problem& problem);
TileMemory device_tile(const Problem& problem);

/// The plan of `block` for products on the host. Throws UsageError that says what is needed where
/// the memory does not hold the least plan. Local.
HostPlan plan_host(const Problem& problem, const Block& block, int ranks,
                   const MemoryBudget& budget);

/// The plan of `block` in what is allowed of the GPU's memory. Throws UsageError with the
/// arithmetic where not even one tile of C and what it needs fit. Local.
LevelPlan plan_device(const Problem& problem, const Block& block, const MemoryBudget& budget);

/// How tiles in files are staged on the host for that plan: the same C tiles at a time, and as many
/// slots as the host's memory holds. Throws UsageError if it does not hold the fewest. Local.
HostPlan plan_staging(const Problem& problem, const Block& block, int ranks,
                      const MemoryBudget& budget, const Blocking& on_device);

/// A plan in words, for --dry-run.
std::string describe(const BoundedPlan& plan);

}  // namespace quartet::matmul
