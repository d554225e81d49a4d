#include "matmul/plan.hpp"

namespace quartet::matmul {

// Refused when the case is made, as everything that is unavailable.
ProductPlan plan_library_product(const CaseContext&, bench::PlannedCase&) {
    const auto refuse = [](auto&&...) -> std::unique_ptr<Product> {
        throw Unavailable(
            "not available in this build: formulation library of matmul (no ScaLAPACK was found "
            "for the MPI in use): install libscalapack-openmpi-dev, or another MPI's, and build "
            "again");
    };
    ProductPlan plan;
    plan.make = refuse;
    plan.multiply = [refuse](auto&&...) { static_cast<void>(refuse()); };
    return plan;
}

}  // namespace quartet::matmul
