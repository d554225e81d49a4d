#pragma once

#include <optional>
#include <string>

#include "matmul/native/blocking.hpp"

namespace quartet::matmul {

/// What a rank may take for the product of tiles in files.
struct MemoryBudget {
    Bytes allowed;    ///< in all, by --memory or by what the node has
    Bytes elsewhere;  ///< of it, for the check and the limits
    std::optional<int> lookahead;
};

/// How one rank multiplies tiles that lie in files, and what it moves, before anything is done.
struct FilePlan {
    Blocking blocking;
    Traffic traffic;     ///< of this plan
    Bytes best;          ///< the least that whole tiles allow in this memory, without look-ahead
    Bytes lower_bound;   ///< the least that any order allows
    Bytes tiles_memory;  ///< for tiles and events
};

/// The plan of `block`. Throws UsageError, naming what is needed, where the memory does not hold
/// the least one. Local.
FilePlan plan_files(const Problem& problem, const Block& block, int ranks,
                    const MemoryBudget& budget);

/// What --dry-run says of a plan.
std::string describe(const FilePlan& plan);

}  // namespace quartet::matmul
