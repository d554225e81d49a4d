#pragma once

#include <memory>

#include "bench/program/session.hpp"
#include "matmul/product.hpp"

namespace quartet::matmul {

/// The library formulation: ScaLAPACK's psgemm over all ranks, A, B and C dealt out in blocks over
/// a grid (BlockCyclic), which the library demands. The block size and the grid are those that were
/// fastest in trials when it was made. collect() brings C to strips of whole tile rows
/// (strip_of()), which result() reads. Collective. Throws Unavailable where ScaLAPACK is not in
/// this build or cannot count so many elements.
std::unique_ptr<Product> make_library_product(bench::Session& session, const Problem& problem);

/// What it needs on a rank at most.
Bytes library_memory(const Problem& problem, int ranks);

}  // namespace quartet::matmul
