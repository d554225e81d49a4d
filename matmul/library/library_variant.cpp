#include "matmul/library/block_cyclic.hpp"
#include "matmul/library/library_product.hpp"
#include "matmul/product_plan.hpp"

namespace quartet::matmul {

// A row's name has no tile: tiles are the check's alone.
ProductPlan plan_library_product(const PlanContext& context, bench::PlannedCase&) {
    const int ranks = context.session.world().size();
    return {.block = strip_of(context.problem, ranks, context.rank()),
            .memory = plan_library(context.problem, ranks, context.rank()).memory(),
            .limit = {.sgemm = {.edge = host_sgemm_edge(context.problem),
                                .computing_ranks = ranks,
                                .memory = device::MemoryKind::host},
                      .copies = {},
                      .reducers = {},
                      .storage = {}},
            .make = [&session = context.session, problem = context.problem] {
                return make_library_product(session, problem);
            }};
}

}  // namespace quartet::matmul
