#include <fmt/format.h>

#include <set>
#include <utility>

#include "comm/mpi/agree.hpp"
#include "device/blas.hpp"
#include "matmul/native/device_plan.hpp"
#include "matmul/native/file_product.hpp"
#include "matmul/native/resident_product.hpp"
#include "matmul/native/streamed_product.hpp"
#include "matmul/product_plan.hpp"
#include "matmul/tiles/memory_tiles.hpp"
#include "matmul/tiles/staged_tiles.hpp"

namespace quartet::matmul {

namespace {

// Without --memory, half of what the node has: the page cache needs some, too.
Bytes allowed_memory(const bench::Session& session) {
    const comm::Topology& topology = session.topology();
    return session.options().memory.value_or(
        Bytes{topology.resources().memory_available.value / 2 / topology.mine().local_size});
}

LimitPlan limit_on_host(const PlanContext& context) {
    return {.sgemm = {.edge = host_sgemm_edge(context.problem),
                      .computing_ranks = context.session.world().size(),
                      .memory = device::MemoryKind::host},
            .copies = {},
            .reducers = {},
            .storage = {}};
}

LimitPlan limit_on_gpu(const PlanContext& context) {
    const Bytes memory = allowed_device_memory(context.session);
    return {.sgemm = {.edge = device_probe_edge(context.problem.size, memory),
                      .computing_ranks = context.session.world().size(),
                      .memory = device::MemoryKind::device},
            .copies = {},
            .reducers = {},
            .storage = {}};
}

// With more ranks than tiles some have none to read. The bytes follow from the plan of the tiles,
// which needs to know what the probe takes.
LimitPlan::Storage storage_of_block(const PlanContext& context) {
    const Block block = context.block();
    return storage_limit(context, block.empty() ? std::nullopt : std::optional(block.rows.begin),
                         0);
}

// What is lost of a run with checkpoints at most.
std::int64_t most_held(const PlanContext& context) {
    const bench::CheckpointOptions& checkpoint = context.options.checkpoint;
    return checkpoint.wanted() ? checkpoint.every : any_number;
}

MemoryBudget host_budget(const PlanContext& context, const LimitPlan& limit) {
    return {.allowed = allowed_memory(context.session),
            .elsewhere = memory_besides(context, context.block(), limit).host(),
            .lookahead = context.session.options().lookahead,
            .most_held = most_held(context)};
}

// The sums of a tile are made up and down in turn, part by part. Collective.
std::map<std::string, std::string> layout_of(const PlanContext& context, const Blocking& blocking) {
    const comm::Communicator& world = context.session.world();
    std::string parts;
    const auto of_all = world.gather(fmt::format("{} x {}", blocking.rows, blocking.columns));
    for (const std::string& part : std::set<std::string>(of_all.begin(), of_all.end())) {
        parts += (parts.empty() ? "" : ",") + part;
    }
    return {{"ranks", std::to_string(world.size())}, {"parts of", parts}};
}

bench::BufferPlan memory_of(const FilePlan& files) {
    bench::BufferPlan plan;
    plan.add(files.buffers.sum(), bench::Room::host);
    return plan;
}

void describe_files(const PlanContext& context, const FilePlan& files,
                    bench::PlannedCase& planned) {
    const double bytes =
        context.session.world().sum(static_cast<double>(files.traffic.sum().value));
    planned.work.bytes = {static_cast<std::int64_t>(bytes)};
    planned.traffic = 2 * files.traffic.sum();  // to the page cache and from there
    planned.plan_note = describe(files);
}

ProductPlan plan_resident(const PlanContext& context) {
    const ResidentLayout layout = lay_out_matrices(
        context.problem, context.blocks, context.rank(), context.session.topology(),
        copies_over(context.session.registry().traits(context.variant.transport)));
    return {.block = context.block(),
            .memory = layout.memory(),
            .limit = limit_on_host(context),
            .make = [&session = context.session, problem = context.problem,
                     layout](const ProductFiles&) {
                return std::make_unique<ResidentProduct>(problem, layout, session.topology().node(),
                                                         session.device(), session.threads());
            }};
}

ProductPlan plan_from_files(const PlanContext& context, bench::PlannedCase& planned) {
    LimitPlan limit = limit_on_host(context);
    limit.sgemm.edge = context.problem.extent(0);  // a tile's: memory is bounded
    limit.storage = storage_of_block(context);
    FilePlan files;
    comm::agree<UsageError>(context.session.world(), [&] {
        files = plan_files(context.problem, context.block(), context.session.world().size(),
                           host_budget(context, limit));
    });
    limit.storage->bytes = static_cast<double>(files.best.value);
    context.session.resolve("lookahead", std::to_string(files.blocking.lookahead));
    describe_files(context, files, planned);
    return {.block = context.block(),
            .memory = memory_of(files),
            .limit = limit,
            .make =
                [context, files](ProductFiles opened) {
                    return std::make_unique<FileProduct>(
                        context.problem, context.block(), files, std::move(opened),
                        results_of(context.options.data), context.session.device());
                },
            .layout = layout_of(context, files.blocking)};
}

/// A plan on the GPU, whose host side is to be added.
struct GpuPlan {
    DevicePlan device;
    LimitPlan limit;
    Bytes workspace;  ///< of the BLAS

    /// What a run moves over the host's link.
    [[nodiscard]] comm::RankTraffic moved() const {
        return {.sent = {},
                .payloads = {},
                .copied_out = device.copies.written.value,
                .copied_in = device.copies.read.value};
    }

    void add_to(bench::BufferPlan& plan) const {
        plan.add(device.buffers.sum() + workspace, bench::Room::device);
    }
};

GpuPlan plan_gpu(const PlanContext& context) {
    GpuPlan plan{.device = {},
                 .limit = limit_on_gpu(context),
                 .workspace = context.session.device().blas().workspace()};
    const Bytes elsewhere =
        plan.workspace + memory_besides(context, context.block(), plan.limit).device();
    comm::agree<UsageError>(context.session.world(), [&] {
        plan.device = plan_device(context.problem, context.block(),
                                  {.allowed = allowed_device_memory(context.session),
                                   .elsewhere = elsewhere,
                                   .lookahead = context.session.options().lookahead,
                                   .most_held = most_held(context)});
    });
    context.session.resolve("lookahead", std::to_string(plan.device.blocking.lookahead));
    return plan;
}

ProductPlan plan_streamed(const PlanContext& context, bench::PlannedCase& planned) {
    const GpuPlan gpu = plan_gpu(context);
    const ResidentLayout layout =
        lay_out_matrices(context.problem, context.blocks, context.rank(),
                         context.session.topology(), OperandCopies::per_rank);
    planned.plan_note = describe(gpu.device);
    planned.moved = gpu.moved();
    bench::BufferPlan memory = layout.memory();
    gpu.add_to(memory);
    return {.block = context.block(),
            .memory = memory,
            .limit = gpu.limit,
            .make = [context, layout, blocking = gpu.device.blocking](const ProductFiles&) {
                bench::Session& session = context.session;
                auto tiles = std::make_unique<MemoryTiles>(context.problem, layout,
                                                           session.topology().node(),
                                                           session.device(), session.threads());
                return std::make_unique<StreamedProduct>(context.problem, context.block(), blocking,
                                                         std::move(tiles), session.device());
            }};
}

ProductPlan plan_streamed_from_files(const PlanContext& context, bench::PlannedCase& planned) {
    const GpuPlan gpu = plan_gpu(context);
    LimitPlan limit = gpu.limit;
    limit.storage = storage_of_block(context);
    FilePlan files;
    comm::agree<UsageError>(context.session.world(), [&] {
        files = plan_staging(context.problem, context.block(), context.session.world().size(),
                             host_budget(context, limit), gpu.device.blocking);
    });
    limit.storage->bytes = static_cast<double>(files.best.value);
    describe_files(context, files, planned);
    planned.plan_note += "; " + describe(gpu.device);
    planned.moved = gpu.moved();
    bench::BufferPlan memory = memory_of(files);
    gpu.add_to(memory);
    return {.block = context.block(),
            .memory = memory,
            .limit = limit,
            .make =
                [context, files, blocking = gpu.device.blocking](ProductFiles opened) {
                    bench::Session& session = context.session;
                    auto tiles = std::make_unique<StagedTiles>(
                        context.problem, context.block(), files, std::move(opened),
                        results_of(context.options.data), session.device());
                    return std::make_unique<StreamedProduct>(context.problem, context.block(),
                                                             blocking, std::move(tiles),
                                                             session.device());
                },
            .layout = layout_of(context, gpu.device.blocking)};
}

}  // namespace

ProductPlan plan_native_product(const PlanContext& context, bench::PlannedCase& planned) {
    add_tile_factors(context, planned.name);
    add_memory_factors(context, planned.name);
    const bool in_files = context.options.data.in_files();
    if (context.on_gpu()) {
        return in_files ? plan_streamed_from_files(context, planned)
                        : plan_streamed(context, planned);
    }
    return in_files ? plan_from_files(context, planned) : plan_resident(context);
}

}  // namespace quartet::matmul
