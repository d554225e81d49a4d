#include "matmul/library/library_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "matmul/library/block_cyclic.hpp"
#include "matmul/library/library_product.hpp"
#include "matmul/library/local_product.hpp"

namespace quartet::matmul {

namespace {

// The user's, if any.
std::optional<BlockCyclic> chosen_distribution(const CaseContext& context) {
    if (!context.options.distribution) {
        return std::nullopt;
    }
    const int ranks = context.session.world().size();
    const std::vector<BlockCyclic> all = distributions(context.problem.size, ranks);
    const auto [rows, columns, block] = *context.options.distribution;
    const BlockCyclic wanted{context.problem.size, block, {rows, columns}};
    if (std::ranges::find(all, wanted) == all.end()) {
        throw UsageError(
            fmt::format("--distribution {}x{}x{} is none of those that are tried for matrices of "
                        "{} on {} ranks: "
                        "take grids of that many ranks, and blocks of {} to {} in powers of two",
                        rows, columns, block, context.problem.size, ranks, all.front().block,
                        all.back().block));
    }
    return wanted;
}

}  // namespace

// A row's name has no tile unless tiles are files: in memory they are the check's alone.
ProductPlan plan_library_product(const CaseContext& context, bench::PlannedCase& planned) {
    const int ranks = context.session.world().size();
    const bool in_files = context.options.data.in_files();
    ProductPlan plan{
        .block = strip_of(context.problem, ranks, context.rank()),
        .limit = {.sgemm = {.edge = host_sgemm_edge(context.problem), .computing_ranks = ranks}}};
    count_library(plan.memory, context.problem, ranks, context.rank(), in_files);
    if (in_files) {
        add_tile_factors(context, planned.name);
        // A rank reads its strips of A and B, and writes that of C, once.
        const Bytes strip = bytes_of<float>(elements_in(context.problem, plan.block));
        plan.limit.storage =
            storage_limit(context, plan.block, 3 * static_cast<double>(strip.value));
    }
    plan.multiply = multiply_by_scalapack();
    plan.make = [context, chosen = chosen_distribution(context)](const ProductFiles& files) {
        return make_library_product(context.session, context.problem, files, chosen);
    };
    return plan;
}

}  // namespace quartet::matmul
