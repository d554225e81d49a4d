#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "matmul/limit.hpp"
#include "matmul/native/file_plan.hpp"
#include "matmul/options.hpp"
#include "matmul/tiles/result_files.hpp"

namespace quartet::matmul {

/// What is known of a case before its variant is planned.
struct PlanContext {
    bench::Session& session;
    Options options;
    bench::Variant variant;
    Problem problem;
    std::vector<Block> blocks;  ///< of C, by rank

    [[nodiscard]] int rank() const { return session.world().rank(); }
    [[nodiscard]] Block block() const { return blocks[static_cast<std::size_t>(rank())]; }
    [[nodiscard]] bool on_gpu() const {
        return session.device().memory_kind() == device::MemoryKind::device;
    }
};

/// How one variant will be measured; nothing is allocated yet.
struct ProductPlan {
    Block block;  ///< of C: the tiles that this rank's check asks for
    bench::BufferPlan memory;
    LimitPlan limit;
    std::function<std::unique_ptr<Product>(ProductFiles files)> make;  ///< collective
    /// What decides about bits beside problem and formulation, as a user would say it.
    std::map<std::string, std::string> layout{};
};

/// Each plans one formulation: adds its own to `planned`. Throw UsageError, on all ranks alike.
/// Collective.
ProductPlan plan_native_product(const PlanContext& context, bench::PlannedCase& planned);
ProductPlan plan_dataflow_product(const PlanContext& context, bench::PlannedCase& planned);
ProductPlan plan_library_product(const PlanContext& context, bench::PlannedCase& planned);

/// What check and limit take of this rank's memory beside the product.
bench::BufferPlan memory_besides(const PlanContext& context, const Block& block,
                                 const LimitPlan& limit);

/// Factors of a row's name: tiles and where they lie; the memory that is allowed.
void add_tile_factors(const PlanContext& context, bench::RowName& name);
void add_memory_factors(const PlanContext& context, bench::RowName& name);

/// GPU memory that a rank may take: --device-memory, or most of its share of what is free (the
/// driver's own needs grow a little).
Bytes allowed_device_memory(bench::Session& session);

/// The limit that storage sets, measured by reading the tile of A in tile row `row`; nothing where
/// this rank reads none.
LimitPlan::Storage storage_limit(const PlanContext& context, std::optional<std::int64_t> row,
                                 double bytes);

/// Whether results in files stay when a case ends.
Results results_of(const bench::DataOptions& data);

/// The tiles of A and B as files, and the manifest that they should have. Local.
bench::TileFolder<float> tile_folder(const PlanContext& context);

/// The files of a case, generated with --generate, and verified; null where A and B are in memory.
/// Collective. Throws Failure.
std::unique_ptr<const TileFiles> open_files(const PlanContext& context);

/// Where tiles of C are kept, with those that are taken over; null without --checkpoint. The files
/// of A and B are there. Collective. Throws UsageError.
std::unique_ptr<bench::TileCheckpoint> open_checkpoint(const PlanContext& context,
                                                       const ProductPlan& plan);

}  // namespace quartet::matmul
