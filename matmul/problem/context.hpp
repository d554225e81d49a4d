#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/session/arena.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "matmul/problem/arithmetic.hpp"
#include "matmul/problem/limit.hpp"
#include "matmul/problem/matrix_files.hpp"
#include "matmul/problem/options.hpp"

namespace quartet::matmul {

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
    /// Facts beside problem and formulation that decide the bits of C, in a user's words.
    std::map<std::string, std::string> layout{};
};

/// Counts what check, limit and checkpoints take of this rank's memory beside the product.
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

/// The files of a case, generated with --generate, and verified; as yet without a checkpoint.
/// Collective. Throws Failure.
ProductFiles open_files(const CaseContext& context);

/// The checkpoint that keeps tiles of C, with those that are taken over; null without --checkpoint.
/// The files of A and B must exist. Collective. Throws UsageError.
std::unique_ptr<bench::TileCheckpoint> open_checkpoint(const CaseContext& context,
                                                       const ProductPlan& plan);

}  // namespace quartet::matmul
