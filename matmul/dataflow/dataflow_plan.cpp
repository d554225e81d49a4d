#include "matmul/dataflow/dataflow_plan.hpp"

#include <fmt/format.h>

#include "bench/session/variants.hpp"
#include "comm/mpi/agree.hpp"
#include "device/blas.hpp"
#include "matmul/dataflow/dataflow_product.hpp"
#include "matmul/problem/budget.hpp"

namespace quartet::matmul {

namespace {

// One copy of A and B per node, if the ranks' GPUs can copy from shared windows, too.
OperandCopies copies_of(const CaseContext& context, const comm::TransportTraits& transport) {
    if (context.on_gpu()) {
        return transport.reach == comm::Reach::one_node ? OperandCopies::per_node
                                                        : OperandCopies::per_rank;
    }
    return copies_over(transport);
}

DataflowShape shape_of(const CaseContext& context) {
    bench::Session& session = context.session;
    const bench::CommonOptions& common = session.options();
    const int ranks = session.world().size();
    const device::MemoryKind reducers = session.reducer_device().memory_kind();
    const comm::TransportTraits& transport = session.registry().traits(context.variant.transport);
    DataflowShape shape{.roles = comm::Roles::with_reducers(
                            ranks, context.options.reducers.value_or(ranks < 4 ? 1 : 2)),
                        .topology = session.topology(),
                        .rank = context.rank(),
                        .transport = bench::operation_memory(session, context.variant.transport),
                        .schedule = context.options.schedule,
                        .bound = common.queue,
                        .copies = copies_of(context, transport),
                        .workers = session.device().memory_kind(),
                        .reducers = reducers,
                        .partials = transport.payload_place(reducers)};
    shape.lookahead = common.lookahead.value_or(shape.lookahead);
    if (context.options.data.in_files()) {
        shape.inputs = DataflowInputs::files;
    }
    return shape;
}

// Tiles that this rank copies to its GPU and from it in a run.
std::optional<LimitPlan::Copies> copies_to_gpu(const Problem& problem, const DataflowShape& shape) {
    if (!shape.workers_on_gpu()) {
        return std::nullopt;
    }
    const auto edge = static_cast<double>(problem.tiles());
    LimitPlan::Copies copies{.tile = problem.tile_bytes()};
    if (shape.works()) {
        const double products = edge * edge * edge / shape.roles.workers();
        copies.in = 2 * products;
        copies.out = shape.through_host() ? products : 0;
    } else if (shape.reducers_on_gpu()) {
        const double results = edge * edge / shape.roles.reducers();
        copies.in = shape.through_host() ? edge * results : 0;
        copies.out = results;
    }
    return copies;
}

// A worker reads two tiles for each product, even if it has read them before.
double bytes_read(const Problem& problem, const comm::Roles& roles) {
    const auto tiles = static_cast<double>(problem.tiles());
    return 2 * tiles * static_cast<double>(problem.matrix_bytes().value) / roles.workers();
}

LimitPlan limit_of(const CaseContext& context, const DataflowShape& shape) {
    const Problem& problem = context.problem;
    const comm::Roles& roles = shape.roles;
    const bool works = shape.works();
    const auto tiles = static_cast<double>(problem.tiles());
    LimitPlan limit{
        .sgemm = sgemm_limit(context, roles.workers()),
        .copies = copies_to_gpu(problem, shape),
        .reducers = LimitPlan::Reducers{.role = roles.of(shape.rank),
                                        .partial_tiles = tiles * tiles * tiles / roles.reducers(),
                                        .tile = problem.tile_bytes(),
                                        .memory = shape.reducers}};
    if (!works) {
        limit.sgemm.edge = 0;
    }
    if (shape.transport.payloads_travel(shape.partials)) {
        limit.reducers->link = {roles.worker_rank(0), roles.reducer_rank(0), shape.partials};
    }
    if (context.options.data.in_files()) {
        limit.storage =
            storage_limit(context, works ? whole(problem) : Block{}, bytes_read(problem, roles));
    }
    return limit;
}

// How many products ahead a worker copies tiles to its GPU: as many as asked for, else up to
// the default if the memory allows it.
int device_lookahead(const Problem& problem, DataflowShape shape, const MemoryBudget& budget) {
    const int least = budget.lookahead.value_or(0);
    Bytes needed;
    for (; shape.lookahead >= least; --shape.lookahead) {
        bench::Arena arena;
        count_dataflow(arena, problem, shape);
        needed = arena.device() + budget.elsewhere;
        if (needed <= budget.allowed) {
            return shape.lookahead;
        }
    }
    refuse_tiles(problem, needed, budget);
}

// The least of what the ranks' GPUs have room for: one for all. Collective.
int agreed_lookahead(const CaseContext& context, const DataflowShape& shape, Bytes elsewhere) {
    int lookahead = 0;
    comm::agree<UsageError>(context.session.world(), [&] {
        lookahead = device_lookahead(context.problem, shape,
                                     {.allowed = allowed_device_memory(context.session),
                                      .elsewhere = elsewhere,
                                      .lookahead = context.session.options().lookahead});
    });
    lookahead = static_cast<int>(context.session.world().minimum(lookahead));
    context.session.resolve("lookahead", std::to_string(lookahead));
    return lookahead;
}

void add_factors(const CaseContext& context, const DataflowShape& shape, bench::RowName& name) {
    add_tile_factors(context, name);
    name.factors.emplace_back("reducers", std::to_string(shape.roles.reducers()));
    name.factors.emplace_back("queue", std::to_string(shape.bound));
    if (shape.schedule == WorkSchedule::dynamic) {
        name.factors.emplace_back("schedule", "dynamic");
    }
    bench::add_reducer_device(context.session, name);
    add_memory_factors(context, name);
}

void add_to_plan(const CaseContext& context, const DataflowShape& shape,
                 bench::PlannedCase& planned) {
    const Problem& problem = context.problem;
    const comm::Roles& roles = shape.roles;
    planned.roles = roles;
    planned.work.workers = roles.workers();
    planned.products = Flops{problem.flops().value / roles.workers()};
    planned.plan_note = fmt::format("the first {} of {} ranks reduce, the others work",
                                    roles.reducers(), roles.ranks());
    if (shape.workers_on_gpu()) {
        planned.plan_note += fmt::format("; {} products copied ahead to the GPU", shape.lookahead);
    }
    if (context.options.data.in_files()) {  // two tiles a product, to the page cache and from there
        planned.work.bytes = 2 * problem.tiles() * problem.matrix_bytes();
        planned.traffic = 2 * Bytes{planned.work.bytes.value / roles.workers()};
    }
}

}  // namespace

ProductPlan plan_dataflow_product(const CaseContext& context, bench::PlannedCase& planned) {
    DataflowShape shape = shape_of(context);
    if (context.options.checkpoint.wanted() && shape.schedule == WorkSchedule::fixed) {
        throw UsageError(
            "--checkpoint: formulation dataflow stops after whole tiles, where products are dealt "
            "as they are asked for: add --schedule dynamic");
    }
    // A reducer has every R-th tile of all of C.
    ProductPlan plan{.block = shape.works() ? Block{} : whole(context.problem),
                     .limit = limit_of(context, shape)};
    if (shape.workers_on_gpu()) {
        if (shape.works()) {
            plan.memory.count(context.session.device().blas().workspace(), bench::Room::device);
        }
        bench::Arena elsewhere = plan.memory;
        count_besides(elsewhere, context, plan.block, plan.limit);
        shape.lookahead = agreed_lookahead(context, shape, elsewhere.device());
    }
    count_dataflow(plan.memory, context.problem, shape);
    add_factors(context, shape, planned.name);
    add_to_plan(context, shape, planned);
    plan.make = [context, shape](const ProductFiles& files) {
        return make_dataflow_product(context.problem, shape, context.session,
                                     context.session.transport(context.variant.transport), files);
    };
    return plan;
}

}  // namespace quartet::matmul
