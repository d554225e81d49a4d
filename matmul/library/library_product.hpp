#pragma once

#include <memory>
#include <optional>

#include "bench/session/arena.hpp"
#include "matmul/library/block_cyclic.hpp"
#include "matmul/problem/matrix_files.hpp"
#include "matmul/problem/product.hpp"

namespace quartet::matmul {

/// Counts what the product of `rank` takes, ScaLAPACK's own included at most (panels of psgemm,
/// buffers of redistribution). Nothing if ScaLAPACK is not in this build. Local.
void count_library(bench::Arena& arena, const Problem& problem, int ranks, int rank, bool in_files);

/// The library formulation: ScaLAPACK's psgemm over all ranks. A, B and C are in ScaLAPACK's
/// block-cyclic distribution (BlockCyclic): the one `chosen`, of distributions(), or the fastest of
/// all by trials in the constructor. collect() redistributes C to strips of whole tile rows
/// (strip_of()), which result() reads.
///
/// From files a run also reads its strips of A and B, which are redistributed to the blocks, and
/// writes its strip of C.
///
/// Collective. Throws Unavailable if ScaLAPACK is not in this build or cannot count so many
/// elements.
std::unique_ptr<Product> make_library_product(bench::Session& session, const Problem& problem,
                                              const ProductFiles& files = {},
                                              std::optional<BlockCyclic> chosen = {});

}  // namespace quartet::matmul
