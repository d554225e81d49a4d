#include "matmul/plan.hpp"

namespace quartet::matmul {

// Refused when the case is made, as everything that is unavailable.
ProductPlan plan_library_product(const CaseContext&, bench::PlannedCase&) {
    ProductPlan plan;
    plan.make = [](device::Arena&, const ProductFiles&) -> std::unique_ptr<Product> {
        throw Unavailable(
            "not available in this build: formulation library of matmul (no ScaLAPACK was found "
            "for the MPI in use): install libscalapack-openmpi-dev, or another MPI's, and build "
            "again");
    };
    return plan;
}

}  // namespace quartet::matmul
