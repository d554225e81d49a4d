#pragma once

#include <memory>
#include <optional>

#include "bench/session/buffer_plan.hpp"
#include "matmul/library/block_cyclic.hpp"
#include "matmul/product.hpp"
#include "matmul/tiles/result_files.hpp"

namespace quartet::matmul {

/// What ScaLAPACK's product takes on one rank.
struct LibraryPlan {
    Bytes matrix;     ///< each of A, B and C, in the distribution that needs most
    Bytes collected;  ///< the strip of C for the check, of A and B from files
    Bytes tile;       ///< for the check
    Bytes workspace;  ///< ScaLAPACK's own, at most: panels of psgemm, buffers of redistribution

    [[nodiscard]] bench::BufferPlan memory() const {
        bench::BufferPlan plan;
        plan.add(3 * matrix + collected + tile + workspace, bench::Room::host);
        return plan;
    }
};

/// The plan of `rank`; zeros where ScaLAPACK is not in this build. Local.
LibraryPlan plan_library(const Problem& problem, int ranks, int rank);

/// The library formulation: ScaLAPACK's psgemm over all ranks. A, B and C are in ScaLAPACK's
/// block-cyclic distribution (BlockCyclic): the one `chosen`, of distributions(), or the fastest of
/// all by trials in the constructor. collect() redistributes C to strips of whole tile rows
/// (strip_of()), which result() reads.
///
/// From files a run also reads its strips of A and B, which are redistributed to the blocks, and
/// writes its strip of C.
///
/// Collective. Throws Unavailable where ScaLAPACK is not in this build or cannot
/// count so many elements.
std::unique_ptr<Product> make_library_product(bench::Session& session, const Problem& problem,
                                              std::unique_ptr<const TileFiles> files = nullptr,
                                              Results results = Results::removed,
                                              std::optional<BlockCyclic> chosen = {});

}  // namespace quartet::matmul
