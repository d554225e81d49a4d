#include <fmt/format.h>

#include <algorithm>

#include "device/cuda/blas/cublas_workspace.hpp"
#include "matmul/library/block_cyclic.hpp"
#include "matmul/library/library_product.hpp"
#include "matmul/multiply_case.hpp"
#include "matmul/native/resident_product.hpp"
#include "matmul/tiles/operands.hpp"

namespace quartet::matmul {

namespace {

constexpr Bytes storage_probe_memory = mebibytes(4) + kibibytes(4);

// What the check takes, and what the limits take.
Bytes memory_besides(const bench::Session& session, const CasePlan& plan) {
    Bytes memory;
    if (session.options().verify == bench::Switch::on) {
        memory = memory + Freivalds::memory(plan.problem, plan.block);
    }
    if (session.options().limits == bench::Switch::on) {
        const std::int64_t edge = probe_edge(plan);  // on a GPU one matrix at a time is made here
        memory = memory + (plan.on_device ? 1 : 3) * bytes_of<float>(edge * edge);
        if (plan.data.in_files()) {
            memory = memory + storage_probe_memory;
        }
    }
    return memory;
}

// Without --memory, half of what the node has: the page cache wants some, too.
Bytes allowed_memory(const bench::Session& session) {
    const comm::Topology& topology = session.topology();
    return session.options().memory.value_or(
        Bytes{topology.resources().memory_available.value / 2 / topology.mine().local_size});
}

bench::TileFolder<float> folder_of(const CasePlan& plan) {
    return {*plan.data.folder, manifest_of(plan.problem), input_files(plan.problem)};
}

// What only this rank can find fault with, all ranks learn before any goes on.
template <typename Plan>
void plan_together(const bench::Session& session, Plan plan_locally) {
    std::optional<std::string> problem;
    try {
        plan_locally();
    } catch (const Error& error) {  // of a folder that was given: bad input
        problem = error.what();
    }
    if (const auto first = session.world().first(problem)) {
        throw UsageError(*first);
    }
}

// How this rank's block goes through its memory.
void plan_storage(const bench::Session& session, CasePlan& plan) {
    const MemoryBudget budget{.allowed = allowed_memory(session),
                              .elsewhere = memory_besides(session, plan),
                              .lookahead = session.options().lookahead};
    plan_together(session, [&] {
        const int ranks = session.world().size();
        plan.files = plan.on_device ? plan_staging(plan.problem, plan.block, ranks, budget,
                                                   plan.on_device->blocking)
                                    : plan_files(plan.problem, plan.block, ranks, budget);
    });
}

// Without --device-memory, most of what is free: the driver's own needs grow a little.
Bytes allowed_device_memory(const bench::Session& session) {
    const std::int64_t share = session.gpus().memory_share().value;
    return session.options().device_memory.value_or(Bytes{share - share / 10});
}

// Of the GPU's memory, what products and the limit take.
Bytes device_memory_besides(bench::Session& session, const CasePlan& plan) {
    const bool limits = session.options().limits == bench::Switch::on;
    const std::int64_t edge = limits ? plan.device_probe_edge : 0;
    return device::cublas_workspace + 3 * bytes_of<float>(edge * edge);
}

void plan_on_device(bench::Session& session, CasePlan& plan) {
    const Bytes allowed = allowed_device_memory(session);
    plan.device_probe_edge = device_probe_edge(plan.problem.size, allowed);
    const MemoryBudget budget{.allowed = allowed,
                              .elsewhere = device_memory_besides(session, plan),
                              .lookahead = session.options().lookahead};
    plan_together(session, [&] { plan.on_device = plan_device(plan.problem, plan.block, budget); });
}

bool computes_on_gpu(bench::Session& session) {
    return session.device().memory_kind() == device::MemoryKind::device;
}

// Ranks of one GPU, or of GPUs of different sizes, have one tile.
std::int64_t tile_of(bench::Session& session, const Options& options) {
    constexpr std::int64_t on_host = 1024;
    std::int64_t tile = on_host;
    if (computes_on_gpu(session)) {
        const comm::Communicator& world = session.world();
        const double least =
            world.minimum(static_cast<double>(allowed_device_memory(session).value));
        tile = choose_tile(options.size, world.size(), {static_cast<std::int64_t>(least)});
    }
    return std::min(options.tile.value_or(tile), options.size);
}

bench::RowName row_name(const bench::Session& session, const CasePlan& plan) {
    bench::RowName name = session.row_name(plan.variant, std::to_string(plan.problem.size));
    name.size_key = "n";
    if (plan.uses_library()) {  // tiles are the check's alone
        return name;
    }
    name.factors = {{"tile", std::to_string(plan.problem.tile)}};
    if (plan.data.in_files()) {
        name.factors.emplace_back("data", "files");
        name.factors.emplace_back("cache", quartet::name(plan.data.cache));
    }
    if (session.options().lookahead) {
        name.factors.emplace_back("lookahead", std::to_string(*session.options().lookahead));
    }
    if (plan.roles) {
        name.factors.emplace_back("reducers", std::to_string(plan.roles->reducers()));
        name.factors.emplace_back("queue", std::to_string(plan.flow.bound));
        if (plan.flow.shares == Shares::dynamic) {
            name.factors.emplace_back("schedule", "dynamic");
        }
    }
    if (session.options().memory) {
        name.factors.emplace_back("memory", to_exact_string(*session.options().memory));
    }
    if (plan.on_device && session.options().device_memory) {
        name.factors.emplace_back("device-memory",
                                  to_exact_string(*session.options().device_memory));
    }
    return name;
}

// Elements of C of the rank that has most, times 2 N: what the slowest rank computes.
Flops busiest_flops(const CasePlan& plan) {
    double most = 0;
    for (const Block& block : plan.blocks) {
        most = std::max(most,
                        static_cast<double>(elements_of(plan.problem, block.rows).size()) *
                            static_cast<double>(elements_of(plan.problem, block.columns).size()));
    }
    return {2 * most * static_cast<double>(plan.problem.size)};
}

void plan_memory(bench::Session& session, const CasePlan& plan, bench::PlannedCase& planned) {
    planned.memory = memory_besides(session, plan);
    if (plan.uses_library()) {
        planned.memory = planned.memory + library_memory(plan.problem, session.world().size());
        return;
    }
    if (plan.on_device) {
        planned.device_memory = plan.on_device->memory + device_memory_besides(session, plan);
    }
    if (plan.files) {
        planned.memory = planned.memory + plan.files->tiles_memory;
        return;
    }
    const Sharing sharing =
        plan.on_device ? Sharing::own_copy : sharing_over(plan.variant.transport);
    if (plan.roles) {
        const OperandMemory flow =
            DataflowProduct::memory(plan.problem, *plan.roles, session.topology(),
                                    session.world().rank(), sharing, plan.flow,
                                    plan.data.in_files() ? DataflowProduct::Inputs::files
                                                         : DataflowProduct::Inputs::memory);
        planned.memory = planned.memory + flow.all;
        planned.shared_memory = flow.shared;
        return;
    }
    const OperandMemory operands =
        Operands::memory(plan.problem, plan.blocks, session.topology(), sharing);
    planned.memory =
        planned.memory + operands.all + ResidentProduct::result_memory(plan.problem, plan.block);
    planned.shared_memory = operands.shared;
}

bench::PlannedCase planned_case(bench::Session& session, const CasePlan& plan) {
    bench::PlannedCase planned;
    planned.name = row_name(session, plan);
    planned.work.unit = bench::RateUnit::gflops;
    planned.work.flops = plan.problem.flops();
    planned.roles = plan.roles;
    planned.work.workers = plan.roles ? plan.roles->workers() : session.world().size();
    planned.work.bytes = 3 * plan.problem.matrix_bytes();
    planned.traffic = planned.work.bytes;
    planned.products =
        plan.roles ? Flops{plan.problem.flops().value / planned.work.workers} : busiest_flops(plan);
    if (plan.roles) {
        planned.plan_note = fmt::format("the first {} of {} ranks reduce, the others work",
                                        plan.roles->reducers(), plan.roles->ranks());
        if (plan.data.in_files()) {  // two tiles a product, to the page cache and from there
            const Bytes tiles = 2 * plan.problem.tiles() * plan.problem.matrix_bytes();
            planned.work.bytes = tiles;
            planned.traffic = 2 * Bytes{tiles.value / planned.work.workers};
        }
    }
    if (plan.files) {
        const double bytes =
            session.world().sum(static_cast<double>(plan.files->traffic.sum().value));
        planned.work.bytes = {static_cast<std::int64_t>(bytes)};
        planned.traffic = 2 * plan.files->traffic.sum();  // to the page cache and from there
        planned.plan_note = describe(*plan.files);
    }
    if (plan.on_device) {
        planned.plan_note += (planned.plan_note.empty() ? "" : "; ") + describe(*plan.on_device);
    }
    plan_memory(session, plan, planned);
    planned.conditions = {{"device", plan.variant.device},
                          {"transport", plan.variant.transport},
                          {"n", std::to_string(plan.problem.size)},
                          {"workers", std::to_string(planned.work.workers)}};
    planned.make = [&session, plan]() -> std::unique_ptr<bench::Case> {
        return std::make_unique<MultiplyCase>(session, plan);
    };
    return planned;
}

void require_consistent(bench::Session& session, const Options& options) {
    bench::require_consistent(options.data);
    const bool copies = session.device().memory_kind() == device::MemoryKind::device;
    if (!options.data.in_files() && !copies && session.options().lookahead) {
        throw UsageError("--lookahead: nothing is read ahead in memory: add --data DIR");
    }
    if (options.data.keep == bench::Switch::on && session.options().verify == bench::Switch::off) {
        throw UsageError(
            "--keep: what is kept has its checksums from the check: leave out --verify off");
    }
}

CasePlan native_plan(bench::Session& session, CasePlan plan) {
    if (plan.data.in_files()) {
        plan_storage(session, plan);
        if (!plan.on_device) {
            session.resolve("lookahead", std::to_string(plan.files->blocking.lookahead));
        }
    }
    return plan;
}

// The same case in the paper's formulation.
CasePlan flow_plan(const bench::Session& session, CasePlan plan, const Options& options) {
    const int ranks = session.world().size();
    plan.roles = comm::Roles::with_reducers(ranks, options.reducers.value_or(ranks < 4 ? 1 : 2));
    plan.flow = {
        .shares = options.shares,
        .bound = session.options().queue,
        .lookahead = session.options().lookahead.value_or(DataflowReader::default_lookahead),
        .results = plan.data.keep == bench::Switch::on ? Results::kept : Results::removed};
    const bool reduces = plan.roles->of(session.world().rank()) == comm::Role::reducer;
    const Range all{0, plan.problem.tiles()};
    plan.block = reduces ? Block{all, all} : Block{};
    return plan;
}

// The same case by ScaLAPACK: the block is what the check reads.
CasePlan library_plan(const bench::Session& session, CasePlan plan) {
    plan.block = strip_of(plan.problem, session.world().size(), session.world().rank());
    return plan;
}

CasePlan plan_of(bench::Session& session, const CasePlan& plan, const Options& options) {
    return plan.uses_library() ? library_plan(session, plan)
           : plan.variant.formulation == bench::Formulation::dataflow
               ? flow_plan(session, plan, options)
               : native_plan(session, plan);
}

}  // namespace

void plan_cases(bench::Session& session, const Options& options) {
    require_consistent(session, options);
    CasePlan plan;
    plan.problem = {options.size, tile_of(session, options), session.options().seed};
    plan.data = options.data;
    plan.blocks = partition(plan.problem, session.world().size());
    plan.block = plan.blocks[static_cast<std::size_t>(session.world().rank())];
    session.resolve("tile", std::to_string(plan.problem.tile));
    if (computes_on_gpu(session)) {
        plan_on_device(session, plan);
        session.resolve("lookahead", std::to_string(plan.on_device->blocking.lookahead));
    }
    if (plan.data.in_files()) {
        plan_together(session, [&] { folder_of(plan).require_usable(plan.data.generate); });
    }
    for (const bench::Variant& variant : session.variants()) {
        plan.variant = variant;
        session.add(planned_case(session, plan_of(session, plan, options)));
    }
}

}  // namespace quartet::matmul
