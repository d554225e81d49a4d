#include "matmul/dataflow/dataflow_plan.hpp"

#include <fmt/format.h>

#include "bench/session/variants.hpp"
#include "comm/mpi/agree.hpp"
#include "device/blas.hpp"
#include "matmul/dataflow/dataflow_product.hpp"
#include "matmul/problem/budget.hpp"

namespace quartet::matmul {

namespace {

DataflowSettings settings_of(const CaseContext& context) {
    const bench::CommonOptions& common = context.session.options();
    return {
        .schedule = context.options.schedule,
        .bound = common.queue,
        .lookahead = common.lookahead.value_or(DataflowSettings::default_lookahead),
        .inputs = context.options.data.in_files() ? DataflowInputs::files : DataflowInputs::memory};
}

DataflowPlaces places_of(const CaseContext& context) {
    bench::Session& session = context.session;
    const device::MemoryKind reducers = session.reducer_device().memory_kind();
    const comm::TransportTraits& transport = session.registry().traits(context.variant.transport);
    return {.workers = session.device().memory_kind(),
            .reducers = reducers,
            .partials = transport.payload_place(reducers)};
}

// One copy of A and B per node, where the ranks' GPUs can copy from shared windows, too.
OperandCopies copies_of(const CaseContext& context) {
    const comm::TransportTraits& transport =
        context.session.registry().traits(context.variant.transport);
    if (context.on_gpu()) {
        return transport.reach == comm::Reach::one_node ? OperandCopies::per_node
                                                        : OperandCopies::per_rank;
    }
    return copies_over(transport);
}

DataflowRanks ranks_of(const CaseContext& context) {
    bench::Session& session = context.session;
    const int ranks = session.world().size();
    return {.roles = comm::Roles::with_reducers(
                ranks, context.options.reducers.value_or(ranks < 4 ? 1 : 2)),
            .topology = session.topology(),
            .rank = context.rank(),
            .copies = copies_of(context),
            .transport = bench::operation_memory(session, context.variant.transport)};
}

// Tiles that this rank copies to its GPU and from it in a run.
std::optional<LimitPlan::Copies> copies_to_gpu(const Problem& problem, const DataflowRanks& ranks,
                                               const DataflowPlaces& places) {
    if (!places.workers_on_gpu()) {
        return std::nullopt;
    }
    const auto edge = static_cast<double>(problem.tiles());
    LimitPlan::Copies copies{.tile = problem.tile_bytes()};
    if (ranks.works()) {
        const double products = edge * edge * edge / ranks.roles.workers();
        copies.in = 2 * products;
        copies.out = places.through_host() ? products : 0;
    } else if (places.reducers_on_gpu()) {
        const double results = edge * edge / ranks.roles.reducers();
        copies.in = places.through_host() ? edge * results : 0;
        copies.out = results;
    }
    return copies;
}

// What a worker reads: two tiles for each product, whatever was read before.
double bytes_read(const Problem& problem, const comm::Roles& roles) {
    const auto tiles = static_cast<double>(problem.tiles());
    return 2 * tiles * static_cast<double>(problem.matrix_bytes().value) / roles.workers();
}

std::int64_t sgemm_edge(const CaseContext& context) {
    if (context.on_gpu()) {
        return device_probe_edge(context.problem.size, allowed_device_memory(context.session));
    }
    return context.options.data.in_files() ? context.problem.extent(0)
                                           : host_sgemm_edge(context.problem);
}

LimitPlan limit_of(const CaseContext& context, const DataflowRanks& ranks,
                   const DataflowPlaces& places) {
    const Problem& problem = context.problem;
    const comm::Roles& roles = ranks.roles;
    const bool works = ranks.works();
    const auto tiles = static_cast<double>(problem.tiles());
    LimitPlan limit{
        .sgemm = {.edge = works ? sgemm_edge(context) : 0,
                  .computing_ranks = roles.workers(),
                  .memory = places.workers},
        .copies = copies_to_gpu(problem, ranks, places),
        .reducers = LimitPlan::Reducers{.role = roles.of(ranks.rank),
                                        .partial_tiles = tiles * tiles * tiles / roles.reducers(),
                                        .tile = problem.tile_bytes(),
                                        .memory = places.reducers,
                                        .link = {}},
        .storage = {}};
    if (ranks.transport.payloads_travel(places.partials)) {
        limit.reducers->link = {roles.worker_rank(0), roles.reducer_rank(0), places.partials};
    }
    if (context.options.data.in_files()) {
        limit.storage =
            storage_limit(context, works ? std::optional<std::int64_t>(0) : std::nullopt,
                          bytes_read(problem, roles));
    }
    return limit;
}

// How many products ahead a worker copies tiles to its GPU: what is asked for, else up to
// default_lookahead as the memory allows.
int device_lookahead(const Problem& problem, const DataflowRanks& ranks, DataflowSettings settings,
                     const DataflowPlaces& places, const MemoryBudget& budget) {
    const int least = budget.lookahead.value_or(0);
    Bytes needed;
    for (; settings.lookahead >= least; --settings.lookahead) {
        bench::Arena arena;
        DataflowProduct::count(arena, problem, lay_out_dataflow(problem, ranks, settings, places),
                               ranks);
        needed = arena.counted().device() + budget.elsewhere;
        if (needed <= budget.allowed) {
            return settings.lookahead;
        }
    }
    refuse_tiles(problem, needed, budget);
}

// The least of what the ranks' GPUs have room for: one for all. Collective.
int agreed_lookahead(const CaseContext& context, const DataflowRanks& ranks,
                     const DataflowSettings& settings, const DataflowPlaces& places,
                     Bytes elsewhere) {
    int lookahead = 0;
    comm::agree<UsageError>(context.session.world(), [&] {
        lookahead = device_lookahead(context.problem, ranks, settings, places,
                                     {.allowed = allowed_device_memory(context.session),
                                      .elsewhere = elsewhere,
                                      .lookahead = context.session.options().lookahead});
    });
    lookahead = static_cast<int>(context.session.world().minimum(lookahead));
    context.session.resolve("lookahead", std::to_string(lookahead));
    return lookahead;
}

void add_factors(const CaseContext& context, const DataflowLayout& layout, bench::RowName& name) {
    add_tile_factors(context, name);
    name.factors.emplace_back("reducers", std::to_string(layout.roles.reducers()));
    name.factors.emplace_back("queue", std::to_string(layout.settings.bound));
    if (layout.settings.schedule == WorkSchedule::dynamic) {
        name.factors.emplace_back("schedule", "dynamic");
    }
    bench::add_reducer_device(context.session, name);
    add_memory_factors(context, name);
}

void add_to_plan(const CaseContext& context, const DataflowLayout& layout,
                 bench::PlannedCase& planned) {
    const Problem& problem = context.problem;
    const comm::Roles& roles = layout.roles;
    planned.roles = roles;
    planned.work.workers = roles.workers();
    planned.products = Flops{problem.flops().value / roles.workers()};
    planned.plan_note = fmt::format("the first {} of {} ranks reduce, the others work",
                                    roles.reducers(), roles.ranks());
    if (layout.places.workers_on_gpu()) {
        planned.plan_note +=
            fmt::format("; {} products copied ahead to the GPU", layout.settings.lookahead);
    }
    if (context.options.data.in_files()) {  // two tiles a product, to the page cache and from there
        planned.work.bytes = 2 * problem.tiles() * problem.matrix_bytes();
        planned.traffic = 2 * Bytes{planned.work.bytes.value / roles.workers()};
    }
}

}  // namespace

ProductPlan plan_dataflow_product(const CaseContext& context, bench::PlannedCase& planned) {
    const DataflowRanks ranks = ranks_of(context);
    const DataflowPlaces places = places_of(context);
    if (context.options.checkpoint.wanted() && context.options.schedule == WorkSchedule::fixed) {
        throw UsageError(
            "--checkpoint: formulation dataflow stops after whole tiles, where products are dealt "
            "as they are asked for: add --schedule dynamic");
    }
    // A reducer has every R-th tile of all of C.
    ProductPlan plan{.block = ranks.works() ? Block{} : whole(context.problem),
                     .memory = {},
                     .limit = limit_of(context, ranks, places),
                     .make = {}};
    DataflowSettings settings = settings_of(context);
    if (places.workers_on_gpu()) {
        if (ranks.works()) {
            plan.memory.count(context.session.device().blas().workspace(), bench::Room::device);
        }
        bench::Arena elsewhere = plan.memory;
        count_besides(elsewhere, context, plan.block, plan.limit);
        settings.lookahead =
            agreed_lookahead(context, ranks, settings, places, elsewhere.counted().device());
    }
    const DataflowLayout layout = lay_out_dataflow(context.problem, ranks, settings, places);
    DataflowProduct::count(plan.memory, context.problem, layout, ranks);
    add_factors(context, layout, planned.name);
    add_to_plan(context, layout, planned);
    plan.make = [context, layout](ProductFiles files) {
        return std::make_unique<DataflowProduct>(
            context.problem, layout, context.session,
            context.session.transport(context.variant.transport), std::move(files));
    };
    return plan;
}

}  // namespace quartet::matmul
