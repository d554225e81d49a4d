#include "matmul/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/data/own_data.hpp"
#include "bench/data/tile_limits.hpp"
#include "bench/session/variants.hpp"
#include "comm/mpi/agree.hpp"
#include "device/blas.hpp"
#include "matmul/dataflow/dataflow_plan.hpp"
#include "matmul/library/library_plan.hpp"
#include "matmul/multiply_case.hpp"
#include "matmul/native/native_plan.hpp"
#include "matmul/problem/budget.hpp"
#include "matmul/problem/own_tiles.hpp"

namespace quartet::matmul {

namespace {

void require_consistent(const CaseContext& context) {
    const Options& options = context.options;
    const bench::CommonOptions& common = context.session.options();
    bench::require_consistent_tiles(options.checkpoint, checkpoint_kind(), options.data,
                                    common.runs);
    if (options.distribution && !common.has(bench::Formulation::library)) {
        throw UsageError("--distribution needs --formulation library");
    }
    if (!options.data.in_files() && !context.on_gpu() && common.lookahead) {
        throw UsageError(
            "--lookahead needs --data DIR or a GPU: tiles in memory are not read ahead");
    }
    if (options.data.keep == bench::Switch::on && common.verify == bench::Switch::off) {
        throw UsageError(
            "--keep needs the check, which makes the checksums of what is kept: leave out --verify "
            "off");
    }
}

// Ranks of one GPU, or of GPUs of different sizes, have one tile.
std::int64_t tile_of(const CaseContext& context, std::int64_t size) {
    constexpr std::int64_t on_host = 1024;
    std::int64_t tile = on_host;
    if (context.on_gpu()) {
        const comm::Communicator& world = context.session.world();
        const double least =
            world.minimum(static_cast<double>(allowed_device_memory(context.session).value));
        tile = choose_tile(size, world.size(), {static_cast<std::int64_t>(least)});
    }
    return std::min(context.options.tile.value_or(tile), size);
}

CaseContext context_of(bench::Session& session, const Options& options, std::int64_t size) {
    CaseContext context{.session = session, .options = options};
    require_consistent(context);
    context.problem = {size, tile_of(context, size), session.options().seed};
    bench::require_few_tiles(saturated_product(context.problem.tiles(), context.problem.tiles()),
                             fmt::format("--tile: {}, with --size {},", context.problem.tile, size),
                             "ask for larger tiles or a smaller size");
    context.blocks = partition(context.problem, session.world().size());
    return context;
}

void require_usable_folder(const CaseContext& context) {
    const bench::DataOptions& data = context.options.data;
    comm::agree<UsageError>(context.session.world(), [&] {
        bench::require_usable_tiles(context.options.checkpoint);
        tile_folder(context).require_usable(data.generate);
        if (data.is_own() && data.keep == bench::Switch::off) {
            require_no_results(*data.folder);
        }
    });
}

// Size and tile are what a user's files say, if there are such. Collective.
Options with_own_data(bench::Session& session, Options options) {
    options.data.own = bench::read_own(session, options.data, read_own_tiles);
    if (!options.data.is_own()) {
        return options;
    }
    const std::int64_t size = options.data.own.at(0);
    const std::int64_t tile = options.data.own.at(1);
    if (options.sizes_given == bench::Switch::on) {
        bench::require_own("--size", options.sizes.front(), size, options.data);
    }
    if (options.tile) {
        bench::require_own("--tile", std::min(*options.tile, size), tile, options.data);
    }
    options.sizes = {size};
    options.tile = tile;
    return options;
}

// Throws Unavailable for combinations that do not exist, on all ranks alike. Collective.
void require_available(const CaseContext& context) {
    const bench::Variant& variant = context.variant;
    bench::Session& session = context.session;
    bench::require_formulation(session, variant.formulation);
    const comm::Transport& transport = session.transport(variant.transport);
    if (variant.formulation == bench::Formulation::library) {
        comm::require_plain_mpi(transport, "formulation library");
        if (context.on_gpu()) {
            throw Unavailable(
                "not available in this build: matmul's formulation library on a GPU (ScaLAPACK "
                "computes in the host's memory): add --device host");
        }
    }
    if (!context.on_gpu() && !transport.can(comm::Capability::payload_channel)) {
        throw Unavailable(fmt::format(
            "matmul sends nothing over {} (native keeps tiles in shared windows or in each rank's "
            "memory): use --transport {}",
            variant.transport, comm::TransportRegistry::plain_mpi()));
    }
}

// GPUs may differ by rank. Collective.
void use_math(const CaseContext& context) {
    std::optional<std::string> refusal;
    try {
        context.session.device().blas().use(context.options.math);
    } catch (const Unavailable& reason) {
        refusal = reason.what();
    }
    if (const auto first = context.session.world().first(refusal)) {
        throw Unavailable(*first);
    }
}

// Operations of the rank whose block has most elements.
Flops busiest_flops(const CaseContext& context) {
    std::int64_t most = 0;
    for (const Block& block : context.blocks) {
        most = std::max(most, elements_in(context.problem, block));
    }
    return {2 * static_cast<double>(most) * static_cast<double>(context.problem.size)};
}

ProductPlan plan_product(const CaseContext& context, bench::PlannedCase& planned) {
    switch (context.variant.formulation) {
        case bench::Formulation::native:
            return plan_native_product(context, planned);
        case bench::Formulation::dataflow:
            return plan_dataflow_product(context, planned);
        case bench::Formulation::library:
            return plan_library_product(context, planned);
    }
    throw Failure("a formulation that does not exist");
}

bench::PlannedCase plan_case(const CaseContext& context) {
    bench::Session& session = context.session;
    const Problem& problem = context.problem;
    bench::PlannedCase planned;
    planned.name = bench::row_name(session, context.variant, std::to_string(problem.size));
    planned.name.size_key = "n";
    if (context.options.math != device::Math::fp32) {
        planned.name.factors.emplace_back("math", device::name(context.options.math));
    }
    planned.work.unit = bench::RateUnit::gflops;
    planned.work.flops = problem.flops();
    planned.work.workers = session.world().size();
    planned.work.bytes = 3 * problem.matrix_bytes();
    planned.traffic = planned.work.bytes;
    planned.products = busiest_flops(context);
    planned.uses_files = context.options.data.in_files();

    const ProductPlan plan = plan_product(context, planned);
    bench::Arena memory = plan.memory;
    count_besides(memory, context, plan.block, plan.limit);
    bench::announce(memory, session, planned);
    bench::plan_checkpoints(session, context.options.checkpoint, checkpoint_kind(), planned);
    planned.make = [context, plan]() -> std::unique_ptr<bench::Case> {
        require_available(context);
        use_math(context);
        return std::make_unique<MultiplyCase>(context, plan);
    };
    return planned;
}

}  // namespace

void plan_cases(bench::Session& session, const Options& given) {
    bench::require_consistent(given.data, given.sizes.size());
    const Options options = with_own_data(session, given);
    std::vector<CaseContext> contexts;
    std::vector<std::int64_t> tiles;
    for (const std::int64_t size : options.sizes) {
        contexts.push_back(context_of(session, options, size));
        if (std::ranges::find(tiles, contexts.back().problem.tile) == tiles.end()) {
            tiles.push_back(contexts.back().problem.tile);
        }
    }
    bench::add_used(options.data, session.files());
    bench::add_used(options.checkpoint, checkpoint_kind(), session.files());
    session.resolve("size", bench::join_sizes(options.sizes));
    session.resolve("tile", bench::join_sizes(tiles));
    if (options.data.in_files()) {
        require_usable_folder(contexts.front());
    }
    for (const bench::Variant& variant : bench::variants(session)) {
        bench::require_formulation(options.checkpoint, checkpoint_kind(), variant);
        for (CaseContext& context : contexts) {
            context.variant = variant;
            session.add(plan_case(context));
        }
    }
    bench::require_one_case(session, options.checkpoint, "size, formulation and transport");
}

}  // namespace quartet::matmul
