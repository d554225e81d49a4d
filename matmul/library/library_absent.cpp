#include "matmul/library/library_product.hpp"
#include "matmul/library/local_product.hpp"

namespace quartet::matmul {

namespace {

[[noreturn]] void refuse() {
    throw Unavailable(
        "not available in this build: formulation library of matmul (no ScaLAPACK was found for "
        "the "
        "MPI in use): install libscalapack-openmpi-dev, or another MPI's, and build again");
}

}  // namespace

std::unique_ptr<Product> make_library_product(bench::Session&, const Problem&, const ProductFiles&,
                                              std::optional<BlockCyclic>) {
    refuse();
}

void count_library(bench::Arena&, const Problem&, int, int, bool) {}

Multiply multiply_by_scalapack() {
    return [](auto&&...) { refuse(); };
}

}  // namespace quartet::matmul
