#include "matmul/library/library_product.hpp"

namespace quartet::matmul {

std::unique_ptr<Product> make_library_product(bench::Session&, const Problem&, const ProductFiles&,
                                              std::optional<BlockCyclic>) {
    throw Unavailable(
        "not available in this build: formulation library of matmul (no ScaLAPACK was found for "
        "the "
        "MPI in use): install libscalapack-openmpi-dev, or another MPI's, and build again");
}

void count_library(bench::Arena&, const Problem&, int, int, bool) {}

}  // namespace quartet::matmul
