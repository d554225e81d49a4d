#include "matmul/product_plan.hpp"

#include "matmul/verify.hpp"

namespace quartet::matmul {

bench::BufferPlan memory_besides(const PlanContext& context, const Block& block,
                                 const LimitPlan& limit) {
    bench::BufferPlan plan;
    if (context.session.options().verify == bench::Switch::on) {
        plan.add(plan_freivalds(context.problem, block).memory(), bench::Room::host);
    }
    if (context.session.options().limits == bench::Switch::on) {
        plan.add(limit.memory(context.rank()));
    }
    if (context.options.checkpoint.wanted()) {  // a tile that is taken over
        plan.add(context.problem.tile_bytes(), bench::Room::host);
    }
    return plan;
}

void add_tile_factors(const PlanContext& context, bench::RowName& name) {
    name.factors.emplace_back("tile", std::to_string(context.problem.tile));
    if (context.options.data.in_files()) {
        name.factors.emplace_back("data", context.options.data.word());
        name.factors.emplace_back("cache", quartet::name(context.options.data.cache));
    }
    if (const auto lookahead = context.session.options().lookahead) {
        name.factors.emplace_back("lookahead", std::to_string(*lookahead));
    }
}

void add_memory_factors(const PlanContext& context, bench::RowName& name) {
    const bench::CommonOptions& options = context.session.options();
    if (options.memory) {
        name.factors.emplace_back("memory", to_exact_string(*options.memory));
    }
    if (context.on_gpu() && options.device_memory) {
        name.factors.emplace_back("device-memory", to_exact_string(*options.device_memory));
    }
}

Bytes allowed_device_memory(bench::Session& session) {
    return session.options().device_memory.value_or(session.gpus().memory_share());
}

LimitPlan::Storage storage_limit(const PlanContext& context, std::optional<std::int64_t> row,
                                 double bytes) {
    const bench::DataOptions& data = context.options.data;
    LimitPlan::Storage storage{.file = {}, .cache = data.cache, .bytes = bytes};
    if (row) {
        storage.file = *data.folder / tile_file("A", *row, 0);
    }
    return storage;
}

Results results_of(const bench::DataOptions& data) {
    return data.keep == bench::Switch::on ? Results::kept : Results::removed;
}

bench::TileFolder<float> tile_folder(const PlanContext& context) {
    const Manifest manifest = manifest_of(context.problem);
    const bench::DataOptions& data = context.options.data;
    return {*data.folder, data.is_own() ? manifest.of_own_data() : manifest,
            input_files(context.problem)};
}

std::unique_ptr<const TileFiles> open_files(const PlanContext& context) {
    const Problem& problem = context.problem;
    const bench::DataOptions& data = context.options.data;
    if (!data.in_files()) {
        return nullptr;
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
    return std::make_unique<TileFiles>(*data.folder, problem, data.cache);
}

std::unique_ptr<bench::TileCheckpoint> open_checkpoint(const PlanContext& context,
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
    now.tiles = context.problem.tiles() * context.problem.tiles();
    return std::make_unique<bench::TileCheckpoint>(session, options, std::move(now));
}

}  // namespace quartet::matmul
