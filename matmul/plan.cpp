#include "matmul/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/session/variants.hpp"
#include "comm/mpi/communicator.hpp"
#include "core/data_source.hpp"
#include "core/files/tiles.hpp"

namespace quartet::matmul {

namespace {

// The largest edge, a power of two up to 8192, of so many square matrices in a GPU's memory.
std::int64_t edge_in(Bytes memory, std::int64_t matrices) {
    constexpr std::int64_t least = 64;
    std::int64_t edge = 8192;
    while (edge > least && matrices * bytes_of<float>(edge * edge) > memory) {
        edge /= 2;
    }
    return edge;
}

}  // namespace

Bytes allowed_memory(const bench::Session& session) {
    const comm::Topology& topology = session.topology();
    return session.options().memory.value_or(
        Bytes{topology.resources().memory_available.value / 2 / topology.mine().local_size});
}

Bytes allowed_device_memory(bench::Session& session) {
    return session.options().device_memory.value_or(session.gpus().memory_share());
}

void require_tile_memory(const Problem& problem, Bytes least, const MemoryBudget& budget) {
    if (least + budget.elsewhere > budget.allowed) {
        throw UsageError(fmt::format(
            "tiles of {} x {} take at least {} of GPU memory per rank ({} are allowed; a tile is "
            "{}, products and limits take {}): give more --device-memory, or a smaller --tile",
            problem.extent(0), problem.extent(0), to_string(least + budget.elsewhere),
            to_string(budget.allowed), to_string(problem.tile_bytes()),
            to_string(budget.elsewhere)));
    }
}

device::MemoryNeeds needs_besides(const CaseContext& context, const Block& block,
                                  const LimitPlan& limit) {
    bench::Session& session = context.session;
    device::Arena arena(session.device(), device::Arena::Mode::plan);
    if (session.options().verify == bench::Switch::on) {
        const Freivalds check(arena, context.problem, block, session.threads());
    }
    if (session.options().limits == bench::Switch::on) {
        const ProductLimit probes(arena, session, context.problem, limit);
    }
    return arena.needs();
}

void add_tile_factors(const CaseContext& context, bench::RowName& name) {
    name.factors.emplace_back("tile", std::to_string(context.problem.tile));
    if (context.options.data.in_files()) {
        name.factors.emplace_back("data", "files");
        name.factors.emplace_back("cache", quartet::name(context.options.data.cache));
    }
}

void add_memory_factors(const CaseContext& context, bench::RowName& name) {
    const bench::CommonOptions& options = context.session.options();
    if (options.memory) {
        name.factors.emplace_back("memory", to_exact_string(*options.memory));
    }
    if (context.on_gpu() && options.device_memory) {
        name.factors.emplace_back("device-memory", to_exact_string(*options.device_memory));
    }
}

// If tiles come from files, the host measures the product of one tile, since memory is bounded.
LimitPlan::Sgemm sgemm_limit(const CaseContext& context, int computing_ranks) {
    const Problem& problem = context.problem;
    LimitPlan::Sgemm sgemm{.edge = host_sgemm_edge(problem), .computing_ranks = computing_ranks};
    if (context.on_gpu()) {  // an eighth of the memory
        sgemm.edge = std::min(edge_in(allowed_device_memory(context.session), 24), problem.size);
    } else if (context.options.data.in_files()) {
        sgemm.edge = problem.extent(0);
    }
    return sgemm;
}

LimitPlan::Storage storage_limit(const CaseContext& context, const Block& block, double bytes) {
    const bench::DataOptions& data = context.options.data;
    LimitPlan::Storage storage{.cache = data.cache, .bytes = bytes};
    if (!block.empty()) {
        storage.file = *data.folder / tile_file("A", block.rows.begin, 0);
    }
    return storage;
}

namespace {

// The tiles of A and B as files ("A_0_3.npy"), and the manifest that they should have.
bench::TileFolder<float> tile_folder(const CaseContext& context) {
    const Problem& problem = context.problem;
    Manifest manifest;
    manifest.kernel = context.session.description().name;
    manifest.seed = problem.seed;
    manifest.shape = {problem.size, problem.size};
    manifest.tile = problem.extent(0);
    manifest.generator_version = DataSource::generator_version;
    manifest.order = "row-major";
    std::vector<bench::TileFile> files;
    for (const Operand operand : {Operand::a, Operand::b}) {
        for_each_tile(whole(problem), [&](TileIndex tile) {
            files.push_back({tile_file(name(operand), tile.row, tile.column),
                             {problem.extent(tile.row), problem.extent(tile.column)}});
        });
    }
    return {*context.options.data.folder, manifest, files};
}

// The files of a case, generated with --generate, and verified. Collective. Throws Failure.
ProductFiles open_files(const CaseContext& context) {
    const Problem& problem = context.problem;
    const bench::DataOptions& data = context.options.data;
    if (!data.in_files()) {
        return {};
    }
    const comm::Communicator& world = context.session.world();
    const comm::Topology& topology = context.session.topology();
    const bench::TileFolder<float> folder = tile_folder(context);
    if (data.generate == bench::Switch::on) {
        folder.generate(world, topology,
                        [&](const bench::TileFile& file, std::span<float> elements) {
                            const std::int64_t number = &file - folder.files().data();
                            const std::int64_t tiles = problem.tiles();
                            const bool of_a = number < tiles * tiles;
                            fill_tile(problem, name(of_a ? Operand::a : Operand::b),
                                      {number / tiles % tiles, number % tiles}, elements);
                        });
    }
    folder.verify(world, topology);
    return {.matrices = std::make_shared<MatrixFiles>(*data.folder, problem, data.cache),
            .keep = data.keep};
}

}  // namespace

MultiplyCase::MultiplyCase(device::Arena& arena, const CaseContext& context,
                           const ProductPlan& plan)
    : session_(context.session),
      problem_(context.problem),
      plan_(plan),
      math_(context.options.math),
      product_(plan.make(arena, arena.plans() ? ProductFiles{} : open_files(context))),
      guard_(session_.threads()) {
    if (session_.options().verify == bench::Switch::on) {
        check_.emplace(arena, problem_, plan.block, session_.threads(), math_);
    }
}

void MultiplyCase::set_up() {
    product_->set_up();
    if (check_) {
        find_arithmetic();
        guard_.remember(product_->input_memory());
        comm::agree(session_.world(), [&] { check_->set_up(*product_); });  // ranks read files
    }
}

// Takes 0.75 MiB at most on the device, which is not planned. Ranks that only add do not multiply.
void MultiplyCase::find_arithmetic() {
    std::string found;
    comm::agree(session_.world(), [&] {
        if (plan_.limit.sgemm.edge > 0) {
            found =
                arithmetic_of(session_.device(), problem_.extent(0),
                              plan_.multiply ? plan_.multiply
                                             : multiply_on(session_.device(), session_.stream()));
        }
    });
    // Report the first rank whose arithmetic differs from the requested one.
    for (const std::string& of_rank : session_.world().gather(found)) {
        if (!of_rank.empty() && (precision_.empty() || precision_ == arithmetic_wanted(math_))) {
            precision_ = of_rank;
        }
    }
}

void MultiplyCase::prepare() {
    product_->prepare();
    session_.world().barrier();  // all ranks have dropped their files before any reads one
}

bench::Check MultiplyCase::verify() {
    product_->collect();
    const double deviation = session_.world().maximum(check_->deviation(*product_));
    // In units of the bound.
    bench::Check check{
        .passed = deviation <= 1, .error = deviation, .tolerance = 1, .precision = precision_};
    if (precision_ != arithmetic_wanted(math_)) {
        check.passed = false;
        check.why =
            fmt::format("products are {} where {} was asked for", precision_, device::name(math_));
    }
    return guard_.judge(std::move(check), session_.world());
}

namespace {

// The edge of tiles, if the user has not chosen one. On a GPU one that keeps it busy: such that
// 4 x 4 tiles of C and their panels fit in the memory of any rank's GPU, and each rank gets several
// tiles along the edge of its block, since the first copies have no product beside them.
std::int64_t default_tile(const CaseContext& context, std::int64_t size) {
    constexpr std::int64_t least_full = 1024;  // smaller products no longer fill a large GPU
    const comm::Communicator& world = context.session.world();
    if (!context.on_gpu()) {
        return even_tile(size, world.size());
    }
    const double memory =
        world.minimum(static_cast<double>(allowed_device_memory(context.session).value));
    const double share = static_cast<double>(size) / std::sqrt(static_cast<double>(world.size()));
    std::int64_t tile = edge_in({static_cast<std::int64_t>(memory)}, 32);
    while (tile > least_full && static_cast<double>(4 * tile) > share) {
        tile /= 2;
    }
    return tile;
}

CaseContext context_of(bench::Session& session, const Options& options, std::int64_t size) {
    CaseContext context{.session = session, .options = options};
    const std::int64_t tile = options.tile.value_or(default_tile(context, size));
    context.problem = {size, std::min(tile, size), session.options().seed};
    bench::check_tile_count(saturated_product(context.problem.tiles(), context.problem.tiles()),
                            fmt::format("--tile: {}, with --size {},", context.problem.tile, size),
                            "ask for larger tiles or a smaller size");
    context.blocks = partition(context.problem, session.world().size());
    return context;
}

// Throws Unavailable for combinations that do not exist, on all ranks alike.
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
    if (context.options.data.in_files()) {
        planned.repetition = bench::Repetition::alone;
    }
    planned.make = [context, plan = plan_product(context, planned)](device::Arena& arena) {
        require_available(context);
        auto made = std::make_unique<MultiplyCase>(arena, context, plan);
        // Ranks may have different GPUs, of which one refuses: only once all have their transports.
        context.session.device().blas().use(context.options.math);
        return made;
    };
    return planned;
}

}  // namespace

void plan_cases(bench::Session& session, const Options& options) {
    bench::require_consistent(options.data, options.sizes.size());
    std::vector<CaseContext> contexts;
    std::vector<std::int64_t> tiles;
    for (const std::int64_t size : options.sizes) {
        contexts.push_back(context_of(session, options, size));
        if (std::ranges::find(tiles, contexts.back().problem.tile) == tiles.end()) {
            tiles.push_back(contexts.back().problem.tile);
        }
    }
    session.resolve("size", bench::join_sizes(options.sizes));
    session.resolve("tile", bench::join_sizes(tiles));
    if (options.data.in_files()) {
        comm::agree<UsageError>(session.world(), [&] {
            tile_folder(contexts.front()).require_usable(options.data.generate);
        });
    }
    for (const bench::Variant& variant : bench::variants(session)) {
        for (CaseContext& context : contexts) {
            context.variant = variant;
            session.add(plan_case(context));
        }
    }
}

}  // namespace quartet::matmul
