#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/session/arena.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "matmul/options.hpp"
#include "matmul/problem/limit.hpp"
#include "matmul/problem/matrix_files.hpp"
#include "matmul/problem/verify.hpp"

namespace quartet::matmul {

/// The memory that a rank may take for a product.
struct MemoryBudget {
    Bytes allowed;    ///< in all, by flags or by what there is
    Bytes elsewhere;  ///< of it, for the check and the limits
};

/// Host memory that a rank may take for tiles from files: --memory, or half of its share of what
/// the node has (the page cache needs some, too).
Bytes allowed_memory(const bench::Session& session);
/// GPU memory that a rank may take: --device-memory, or most of its share of what is free (the
/// driver's own needs grow a little).
Bytes allowed_device_memory(bench::Session& session);

/// Throws UsageError: so much of the GPU's memory is needed at least, and less is allowed.
[[noreturn]] void refuse_tiles(const Problem& problem, Bytes least, const MemoryBudget& budget);

/// The edge of tiles that keeps a GPU busy, if the user has not chosen one: the largest power of
/// two, at most 8192, such that 32 tiles fit in the memory and each of the `ranks` ranks gets
/// several tiles along the edge of its block.
std::int64_t choose_tile(std::int64_t size, int ranks, Bytes device_memory);

/// The edge of the in-core products that the limit is measured with: at most 8192 and `size`, and
/// so that they take at most an eighth of the memory.
std::int64_t device_probe_edge(std::int64_t size, Bytes device_memory);

/// The facts from which a formulation is planned.
struct CaseContext {
    bench::Session& session;
    Options options;
    bench::Variant variant{};
    Problem problem{};
    std::vector<Block> blocks{};  ///< of C, by rank

    [[nodiscard]] int rank() const { return session.world().rank(); }
    [[nodiscard]] Block block() const { return blocks[static_cast<std::size_t>(rank())]; }
    [[nodiscard]] bool on_gpu() const {
        return session.device().memory_kind() == device::MemoryKind::device;
    }
};

/// How one formulation will be measured; nothing is allocated yet.
struct ProductPlan {
    Block block;            ///< of C: the tiles that this rank's check asks for
    bench::Arena memory{};  ///< counts
    LimitPlan limit{};
    std::function<std::unique_ptr<Product>(const ProductFiles& files)> make{};  ///< collective
    Multiply multiply{};  ///< as make()'s product does; the device's BLAS unless given
};

/// Plan a formulation, and add its own to `planned`. Throw UsageError, on all ranks alike.
/// Collective.
ProductPlan plan_native_product(const CaseContext& context, bench::PlannedCase& planned);
ProductPlan plan_dataflow_product(const CaseContext& context, bench::PlannedCase& planned);
ProductPlan plan_library_product(const CaseContext& context, bench::PlannedCase& planned);

/// Counts what check and limit take of this rank's memory beside the product.
void count_besides(bench::Arena& arena, const CaseContext& context, const Block& block,
                   const LimitPlan& limit);

/// Factors of a row's name: tiles and where they lie; the memory that is allowed.
void add_tile_factors(const CaseContext& context, bench::RowName& name);
void add_memory_factors(const CaseContext& context, bench::RowName& name);

/// The limit that products set, with `computing_ranks` ranks computing.
LimitPlan::Sgemm sgemm_limit(const CaseContext& context, int computing_ranks);
/// The limit that storage sets, measured by reading a tile of A in the first tile row of `block`;
/// nothing if the block is empty. A run moves `bytes` bytes on this rank.
LimitPlan::Storage storage_limit(const CaseContext& context, const Block& block, double bytes);

/// The tiles of A and B as files, and the manifest that they should have. Local.
bench::TileFolder<float> tile_folder(const CaseContext& context);

/// The files of a case, generated with --generate, and verified. Collective. Throws Failure.
ProductFiles open_files(const CaseContext& context);

}  // namespace quartet::matmul
