#include "matmul/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quartet::matmul {

namespace {

constexpr std::int64_t largest_tile = 8192;
constexpr std::int64_t smallest_tile = 64;
// Below this a product no longer fills a large GPU: smaller tiles are chosen for want of memory
// only.
constexpr std::int64_t least_full_tile = 1024;
constexpr std::int64_t tiles_held = 32;     // tiles of C, and room to look ahead
constexpr std::int64_t tiles_per_edge = 4;  // of a rank's block: the first copies are a small part

}  // namespace

Bytes allowed_memory(const bench::Session& session) {
    const comm::Topology& topology = session.topology();
    return session.options().memory.value_or(
        Bytes{topology.resources().memory_available.value / 2 / topology.mine().local_size});
}

Bytes allowed_device_memory(bench::Session& session) {
    return session.options().device_memory.value_or(session.gpus().memory_share());
}

void refuse_tiles(const Problem& problem, Bytes least, const MemoryBudget& budget) {
    throw UsageError(fmt::format(
        "tiles of {} x {} take at least {} of GPU memory per rank ({} are allowed; a tile is {}, "
        "products and limits take {}): give more --device-memory, or a smaller --tile",
        problem.extent(0), problem.extent(0), to_string(least), to_string(budget.allowed),
        to_string(problem.tile_bytes()), to_string(budget.elsewhere)));
}

std::int64_t choose_tile(std::int64_t size, int ranks, Bytes device_memory) {
    const double share = static_cast<double>(size) / std::sqrt(static_cast<double>(ranks));
    std::int64_t tile = largest_tile;
    while (tile > smallest_tile && tiles_held * bytes_of<float>(tile * tile) > device_memory) {
        tile /= 2;
    }
    while (tile > least_full_tile && static_cast<double>(tiles_per_edge * tile) > share) {
        tile /= 2;
    }
    return std::min(tile, size);
}

std::int64_t device_probe_edge(std::int64_t size, Bytes device_memory) {
    std::int64_t edge = largest_tile;
    while (edge > smallest_tile &&
           std::int64_t{8} * 3 * bytes_of<float>(edge * edge) > device_memory) {
        edge /= 2;
    }
    return std::min(edge, size);
}

void count_besides(bench::Arena& arena, const CaseContext& context, const Block& block,
                   const LimitPlan& limit) {
    if (context.session.options().verify == bench::Switch::on) {
        Freivalds::count(arena, context.problem, block);
    }
    if (context.session.options().limits == bench::Switch::on) {
        limit.count(arena, context.rank());
    }
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
    if (context.on_gpu()) {
        sgemm.edge = device_probe_edge(problem.size, allowed_device_memory(context.session));
        sgemm.memory = device::MemoryKind::device;
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

bench::TileFolder<float> tile_folder(const CaseContext& context) {
    return {*context.options.data.folder, manifest_of(context.problem),
            input_files(context.problem)};
}

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
                            const auto number = &file - folder.files().data();
                            const auto [matrix, index] = input_tile(problem, number);
                            fill_tile(problem, matrix, index, elements);
                        });
    }
    folder.verify(world, topology);
    return {.matrices = std::make_shared<MatrixFiles>(*data.folder, problem, data.cache),
            .keep = data.keep};
}

}  // namespace quartet::matmul
