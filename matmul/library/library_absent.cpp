#include "matmul/library/library_product.hpp"

namespace quartet::matmul {

std::unique_ptr<Product> make_library_product(bench::Session&, const Problem&,
                                              std::unique_ptr<const TileFiles>, Results,
                                              std::optional<BlockCyclic>) {
    throw Unavailable(
        "not available in this build: formulation library of matmul (no ScaLAPACK was found for "
        "the "
        "MPI in use): install libscalapack-openmpi-dev, or another MPI's, and build again");
}

LibraryPlan plan_library(const Problem&, int, int) {
    return {};
}

}  // namespace quartet::matmul
