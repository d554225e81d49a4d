#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "comm/mpi/agree.hpp"
#include "device/blas.hpp"
#include "matmul/context.hpp"
#include "matmul/native/in_core_product.hpp"
#include "matmul/native/scheduled_product.hpp"

namespace quartet::matmul {

namespace {

// In pieces of a tile, or of 64 MiB, which have the link's full rate.
LimitPlan::Copies copies_of(const Problem& problem, const Traffic& traffic) {
    const Bytes piece = std::min(problem.tile_bytes(), mebibytes(64));
    const auto pieces = [&](Bytes bytes) {
        return static_cast<double>(bytes.value) / static_cast<double>(piece.value);
    };
    return {.in = pieces(traffic.read), .out = pieces(traffic.written), .tile = piece};
}

// The bytes of a bounded plan follow from the plan, which needs to know what the probes take.
LimitPlan limit_of(const CaseContext& context) {
    LimitPlan limit{.sgemm = sgemm_limit(context, context.session.world().size())};
    if (context.on_gpu()) {
        limit.copies = copies_of(context.problem, least_traffic(context.problem, context.block()));
    }
    if (context.options.data.in_files()) {
        limit.storage = storage_limit(context, context.block(), 0);
    }
    return limit;
}

// Each level's plan, on all ranks or none. Collective.
BoundedPlan plan_levels(const CaseContext& context, const LimitPlan& limit, Bytes workspace) {
    bench::Session& session = context.session;
    bench::Arena besides;
    count_besides(besides, context, context.block(), limit);
    const MemoryBudget on_host{allowed_memory(session), besides.host()};
    BoundedPlan plan;
    comm::agree<UsageError>(session.world(), [&] {
        if (!context.on_gpu()) {
            plan = plan_host(context.problem, context.block(), on_host);
            return;
        }
        const MemoryBudget on_gpu{allowed_device_memory(session), workspace + besides.device()};
        plan = plan_device(context.problem, context.block(), on_gpu,
                           context.options.data.in_files() ? std::optional(on_host) : std::nullopt);
    });
    return plan;
}

OperandLayout layout_in_memory(const CaseContext& context) {
    const comm::TransportTraits& transport =
        context.session.registry().traits(context.variant.transport);
    return lay_out_operands(context.problem, context.blocks, context.rank(),
                            context.session.topology(),
                            context.on_gpu() ? OperandCopies::per_rank : copies_over(transport));
}

void count_matrices(bench::Arena& arena, const Problem& problem, const OperandLayout& layout) {
    layout.count(arena);
    MemorySink::memory(arena, problem, layout.block);
}

void add_to_plan(const CaseContext& context, const BoundedPlan& plan, bench::PlannedCase& planned) {
    planned.plan_note = describe(plan);
    if (plan.in_files) {
        const Bytes moved = plan.traffic.sum();
        planned.work.bytes = {static_cast<std::int64_t>(
            context.session.world().sum(static_cast<double>(moved.value)))};
        planned.traffic = 2 * moved;  // to the page cache and from there
    }
    if (plan.on_gpu) {
        planned.moved.copied_in = plan.traffic.read.value;
        planned.moved.copied_out = plan.traffic.written.value;
    }
}

ProductPlan plan_resident(const CaseContext& context) {
    const OperandLayout layout = layout_in_memory(context);
    ProductPlan plan{.block = context.block(), .limit = limit_of(context)};
    count_matrices(plan.memory, context.problem, layout);
    plan.make = [&session = context.session, problem = context.problem,
                 layout](const ProductFiles&) {
        return std::make_unique<ResidentProduct>(problem, layout, session.topology().node(),
                                                 session.device(), session.threads());
    };
    return plan;
}

// Nothing if the memory of any rank's GPU does not hold A, B and C. Collective.
std::optional<ProductPlan> plan_in_core(const CaseContext& context, bench::PlannedCase& planned) {
    bench::Session& session = context.session;
    const Problem& problem = context.problem;
    ProductPlan plan{.block = context.block(), .limit = limit_of(context)};
    plan.memory.count(session.device().blas().workspace(), bench::Room::device);
    const InCoreProduct::Buffers counted(plan.memory, problem, plan.block);
    bench::Arena all = plan.memory;
    count_besides(all, context, plan.block, plan.limit);
    if (!session.world().all(all.device() <= allowed_device_memory(session))) {
        return std::nullopt;
    }
    const Traffic traffic = least_traffic(problem, plan.block);
    planned.plan_note = fmt::format("A, B and C on the GPU; a rank copies {} in and {} out",
                                    to_string(traffic.read), to_string(traffic.written));
    planned.moved.copied_in = traffic.read.value;
    planned.moved.copied_out = traffic.written.value;
    const OperandLayout layout = layout_in_memory(context);
    count_matrices(plan.memory, problem, layout);
    plan.make = [&session, problem, layout](const ProductFiles&) {
        return std::make_unique<InCoreProduct>(problem, layout, strip_height(problem),
                                               session.topology().node(), session.device(),
                                               session.threads());
    };
    return plan;
}

ProductPlan plan_bounded(const CaseContext& context, bench::PlannedCase& planned) {
    bench::Session& session = context.session;
    ProductPlan plan{.block = context.block(), .limit = limit_of(context)};
    const Bytes workspace = session.device().blas().workspace();
    const BoundedPlan bounded = plan_levels(context, plan.limit, workspace);
    add_to_plan(context, bounded, planned);
    if (bounded.on_gpu) {
        plan.limit.copies = copies_of(context.problem, bounded.traffic);
    }
    plan.memory.count(workspace, bench::Room::device);
    const ScheduledProduct::Buffers counted(plan.memory, context.problem, bounded);
    if (bounded.in_files) {
        plan.limit.storage->bytes = static_cast<double>(bounded.best.value);
        plan.make = [context, bounded](const ProductFiles& files) {
            return std::make_unique<ScheduledProduct>(context.problem, context.block(), bounded,
                                                      files, context.session.device());
        };
        return plan;
    }
    const OperandLayout layout = layout_in_memory(context);
    count_matrices(plan.memory, context.problem, layout);
    plan.make = [context, bounded, layout](const ProductFiles&) {
        bench::Session& used = context.session;
        return std::make_unique<ScheduledProduct>(context.problem, bounded, layout,
                                                  used.topology().node(), used.device(),
                                                  used.threads());
    };
    return plan;
}

}  // namespace

ProductPlan plan_native_product(const CaseContext& context, bench::PlannedCase& planned) {
    add_tile_factors(context, planned.name);
    add_memory_factors(context, planned.name);
    const bool in_files = context.options.data.in_files();
    if (context.on_gpu() && !in_files) {
        if (auto plan = plan_in_core(context, planned)) {
            return *plan;
        }
    }
    return context.on_gpu() || in_files ? plan_bounded(context, planned) : plan_resident(context);
}

}  // namespace quartet::matmul
