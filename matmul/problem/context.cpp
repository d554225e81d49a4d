#include "matmul/problem/context.hpp"

#include "matmul/problem/budget.hpp"
#include "matmul/problem/verify.hpp"

namespace quartet::matmul {

void count_besides(bench::Arena& arena, const CaseContext& context, const Block& block,
                   const LimitPlan& limit) {
    if (context.session.options().verify == bench::Switch::on) {
        Freivalds::count(arena, context.problem, block,
                         context.options.data.is_own() ? Numbers::own : Numbers::uniform);
    }
    if (context.session.options().limits == bench::Switch::on) {
        limit.count(arena, context.rank());
    }
    if (context.options.checkpoint.wanted()) {  // a tile that is taken over
        arena.count(context.problem.tile_bytes(), bench::Room::host);
    }
}

void add_tile_factors(const CaseContext& context, bench::RowName& name) {
    name.factors.emplace_back("tile", std::to_string(context.problem.tile));
    if (context.options.data.in_files()) {
        name.factors.emplace_back("data", context.options.data.word());
        name.factors.emplace_back("cache", quartet::name(context.options.data.cache));
    }
    if (const auto lookahead = context.session.options().lookahead) {
        name.factors.emplace_back("lookahead", std::to_string(*lookahead));
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
    const Manifest manifest = manifest_of(context.problem);
    const bench::DataOptions& data = context.options.data;
    return {*data.folder, data.is_own() ? manifest.of_own_data() : manifest,
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

std::unique_ptr<bench::TileCheckpoint> open_checkpoint(const CaseContext& context,
                                                       const ProductPlan& plan) {
    const bench::CheckpointOptions& options = context.options.checkpoint;
    if (!options.wanted()) {
        return nullptr;
    }
    bench::Session& session = context.session;
    bench::TileList now = bench::tile_list(session, context.variant, context.options.data,
                                           tile_folder(context).files());
    now.job.insert(plan.layout.begin(), plan.layout.end());
    now.job["--size"] = std::to_string(context.problem.size);
    now.job["--tile"] = std::to_string(context.problem.tile);
    if (context.options.math != device::Math::fp32) {
        now.job["--math"] = device::name(context.options.math);
    }
    now.tiles = context.problem.tiles() * context.problem.tiles();
    return std::make_unique<bench::TileCheckpoint>(session, options, std::move(now));
}

}  // namespace quartet::matmul
