#pragma once

#include <optional>
#include <string>

#include "bench/results/row.hpp"
#include "comm/mpi/communicator.hpp"
#include "matmul/native/blocking.hpp"

namespace quartet::matmul {

/// What a rank may take for a product in bounded memory.
struct MemoryBudget {
    Bytes allowed;    ///< in all, by --memory or by what the node has
    Bytes elsewhere;  ///< of it, for the check and the limits
    std::optional<int> lookahead;
    std::int64_t most_held = any_number;  ///< tiles of C at a time
};

/// How one rank multiplies tiles that lie in files, before anything is allocated.
struct FilePlan {
    Blocking blocking;
    Traffic traffic;    ///< of this plan
    Bytes best;         ///< the least that whole tiles allow in this memory, without look-ahead
    Bytes lower_bound;  ///< the least that any order allows
    TileBuffers buffers;
};

/// The plan of `block` on the host. Throws UsageError that says what is needed where the memory
/// does not hold the least plan. Local.
FilePlan plan_files(const Problem& problem, const Block& block, int ranks,
                    const MemoryBudget& budget);

/// What --dry-run says of a plan.
std::string describe(const FilePlan& plan);

/// The figures of a run: bytes moved and planned, of all ranks; the root's blocking. Collective.
void add_details(bench::Details& details, const FilePlan& plan, const Traffic& moved,
                 const comm::Communicator& world);

}  // namespace quartet::matmul
