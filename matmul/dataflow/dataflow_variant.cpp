#include <fmt/format.h>

#include "matmul/dataflow/dataflow_product.hpp"
#include "matmul/product_plan.hpp"

namespace quartet::matmul {

namespace {

DataflowSettings settings_of(const PlanContext& context) {
    const bench::CommonOptions& common = context.session.options();
    return {
        .schedule = context.options.schedule,
        .bound = common.queue,
        .lookahead = common.lookahead.value_or(DataflowSettings::default_lookahead),
        .results = results_of(context.options.data),
        .inputs = context.options.data.in_files() ? DataflowInputs::files : DataflowInputs::memory};
}

// What a worker reads: two tiles for each product, whatever was read before.
double bytes_read(const Problem& problem, const comm::Roles& roles) {
    const auto tiles = static_cast<double>(problem.tiles());
    return 2 * tiles * static_cast<double>(problem.matrix_bytes().value) / roles.workers();
}

LimitPlan limit_of(const PlanContext& context, const comm::Roles& roles, OperandCopies copies) {
    const Problem& problem = context.problem;
    const comm::Role role = roles.of(context.rank());
    const bool works = role == comm::Role::worker;
    const bool in_files = context.options.data.in_files();
    const std::int64_t edge = in_files ? problem.extent(0) : host_sgemm_edge(problem);
    const auto tiles = static_cast<double>(problem.tiles());
    LimitPlan limit{
        .sgemm = {.edge = works ? edge : 0,
                  .computing_ranks = roles.workers(),
                  .memory = device::MemoryKind::host},
        .reducers = LimitPlan::Reducers{.role = role,
                                        .partial_tiles = tiles * tiles * tiles / roles.reducers(),
                                        .tile = problem.tile_bytes(),
                                        .link = {}},
        .storage = {}};
    if (copies == OperandCopies::per_rank) {
        limit.reducers->link = {roles.worker_rank(0), roles.reducer_rank(0)};
    }
    if (in_files) {
        limit.storage =
            storage_limit(context, works ? std::optional<std::int64_t>(0) : std::nullopt,
                          bytes_read(problem, roles));
    }
    return limit;
}

void add_factors(const PlanContext& context, const DataflowPlan& plan, bench::RowName& name) {
    add_tile_factors(context, name);
    name.factors.emplace_back("reducers", std::to_string(plan.roles.reducers()));
    name.factors.emplace_back("queue", std::to_string(plan.settings.bound));
    if (plan.settings.schedule == WorkSchedule::dynamic) {
        name.factors.emplace_back("schedule", "dynamic");
    }
    add_memory_factors(context, name);
}

void add_to_plan(const PlanContext& context, const comm::Roles& roles,
                 bench::PlannedCase& planned) {
    const Problem& problem = context.problem;
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

ProductPlan plan_dataflow_product(const PlanContext& context, bench::PlannedCase& planned) {
    const int ranks = context.session.world().size();
    const auto roles =
        comm::Roles::with_reducers(ranks, context.options.reducers.value_or(ranks < 4 ? 1 : 2));
    const OperandCopies copies =
        copies_over(context.session.registry().traits(context.variant.transport));
    const DataflowPlan plan = plan_dataflow(
        context.problem, roles, settings_of(context), context.session.topology(), context.rank(),
        copies, bench::operation_memory(context.session, context.variant.transport));
    add_factors(context, plan, planned.name);
    add_to_plan(context, roles, planned);
    // A reducer has every R-th tile of all of C.
    const Range all{0, context.problem.tiles()};
    const bool reduces = roles.of(context.rank()) == comm::Role::reducer;
    return {.block = reduces ? Block{all, all} : Block{},
            .memory = plan.memory,
            .limit = limit_of(context, roles, copies),
            .make = [context, plan] {
                std::unique_ptr<const TileFiles> files;
                if (plan.settings.inputs == DataflowInputs::files) {
                    files = open_files(context);
                }
                return std::make_unique<DataflowProduct>(
                    context.problem, plan, context.session,
                    context.session.transport(context.variant.transport), std::move(files));
            }};
}

}  // namespace quartet::matmul
