#include "matmul/context.hpp"

#include <fmt/format.h>

#include "bench/session/variants.hpp"
#include "comm/mpi/agree.hpp"
#include "device/blas.hpp"
#include "matmul/dataflow/dataflow_product.hpp"

namespace quartet::matmul {

namespace {

// One copy of A and B per node, if the ranks' GPUs can copy from shared windows, too.
OperandCopies copies_of(const CaseContext& context, const comm::TransportTraits& transport) {
    if (!context.on_gpu()) {
        return copies_over(transport);
    }
    return transport.reach == comm::Reach::one_node ? OperandCopies::per_node
                                                    : OperandCopies::per_rank;
}

DataflowShape shape_of(const CaseContext& context) {
    bench::Session& session = context.session;
    const int ranks = session.world().size();
    return {.roles = comm::Roles::with_reducers(
                ranks, context.options.reducers.value_or(ranks < 4 ? 1 : 2)),
            .topology = session.topology(),
            .rank = context.rank(),
            .transport = bench::operation_memory(session, context.variant.transport),
            .bound = session.options().queue,
            .in_files = context.options.data.in_files(),
            .copies = copies_of(context, session.registry().traits(context.variant.transport)),
            .workers = session.device().memory_kind()};
}

// Tiles that this rank copies to its GPU and from it in a run.
std::optional<LimitPlan::Copies> copies_to_gpu(const Problem& problem, const DataflowShape& shape) {
    if (!shape.on_gpu()) {
        return std::nullopt;
    }
    const auto edge = static_cast<double>(problem.tiles());
    const double products = shape.works() ? edge * edge * edge / shape.roles.workers() : 0;
    return LimitPlan::Copies{.in = 2 * products, .out = products, .tile = problem.tile_bytes()};
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
                                        .tile = problem.tile_bytes()}};
    if (!works) {
        limit.sgemm.edge = 0;
    }
    if (shape.transport.payloads_travel(comm::PayloadPlace::host)) {
        limit.reducers->link = {roles.worker_rank(0), roles.reducer_rank(0)};
    }
    if (context.options.data.in_files()) {
        limit.storage =
            storage_limit(context, works ? whole(problem) : Block{}, bytes_read(problem, roles));
    }
    return limit;
}

// Throws UsageError, on all ranks alike. Collective.
void require_gpu_memory(const CaseContext& context, const ProductPlan& plan) {
    comm::agree<UsageError>(context.session.world(), [&] {
        bench::Arena besides;
        count_besides(besides, context, plan.block, plan.limit);
        const Bytes needed = plan.memory.device() + besides.device();
        if (context.on_gpu() && needed > allowed_device_memory(context.session)) {
            refuse_tiles(context.problem, needed,
                         {allowed_device_memory(context.session), besides.device()});
        }
    });
}

void add_factors(const CaseContext& context, const DataflowShape& shape, bench::RowName& name) {
    add_tile_factors(context, name);
    name.factors.emplace_back("reducers", std::to_string(shape.roles.reducers()));
    name.factors.emplace_back("queue", std::to_string(shape.bound));
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
    if (context.options.data.in_files()) {  // two tiles a product, to the page cache and from there
        planned.work.bytes = 2 * problem.tiles() * problem.matrix_bytes();
        planned.traffic = 2 * Bytes{planned.work.bytes.value / roles.workers()};
    }
}

}  // namespace

ProductPlan plan_dataflow_product(const CaseContext& context, bench::PlannedCase& planned) {
    const DataflowShape shape = shape_of(context);
    // A reducer has every R-th tile of all of C.
    ProductPlan plan{.block = shape.works() ? Block{} : whole(context.problem),
                     .limit = limit_of(context, shape)};
    if (shape.on_gpu() && shape.works()) {
        plan.memory.count(context.session.device().blas().workspace(), bench::Room::device);
    }
    count_dataflow(plan.memory, context.problem, shape);
    require_gpu_memory(context, plan);
    add_factors(context, shape, planned.name);
    add_to_plan(context, shape, planned);
    plan.make = [context, shape](const ProductFiles& files) {
        return make_dataflow_product(context.problem, shape, context.session,
                                     context.session.transport(context.variant.transport), files);
    };
    return plan;
}

}  // namespace quartet::matmul
