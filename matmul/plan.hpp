#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/data/input_guard.hpp"
#include "bench/data/tile_folder.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "matmul/arithmetic.hpp"
#include "matmul/files.hpp"
#include "matmul/limit.hpp"
#include "matmul/verify.hpp"

namespace quartet::matmul {

/// The flags that only matmul has, and those of the kernels that can have their data in files.
struct Options {
    std::vector<std::int64_t> sizes{8192};  ///< edges of the matrices, each run in turn
    /// Edge of a tile; those at the matrices' edges may be smaller. 1024 unless given, on a GPU
    /// what its memory suggests.
    std::optional<std::int64_t> tile;
    bench::DataOptions data;
    std::optional<int> reducers;  ///< of the data flow: 2 if that leaves two workers, else 1
    device::Math math = device::Math::fp32;  ///< of products
};

/// The longest edge: far beyond what machines hold; the bytes of a few matrices are counted in 63
/// bits.
inline constexpr std::int64_t largest_edge = std::int64_t{1} << 28;

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
    Block block;  ///< of C: the tiles that this rank's check asks for
    LimitPlan limit{};
    /// Collective; local while the arena plans. Throws Unavailable, and while the arena plans
    /// UsageError.
    std::function<std::unique_ptr<Product>(device::Arena& arena, const ProductFiles& files)> make{};
    Multiply multiply{};  ///< as make()'s product does; the device's BLAS unless given
};

/// Plan a formulation, and add its own to `planned`. Throw UsageError, on all ranks alike.
/// Collective.
ProductPlan plan_native_product(const CaseContext& context, bench::PlannedCase& planned);
ProductPlan plan_dataflow_product(const CaseContext& context, bench::PlannedCase& planned);
ProductPlan plan_library_product(const CaseContext& context, bench::PlannedCase& planned);

/// What check and limit take of this rank's memory beside the product. Local.
device::MemoryNeeds needs_besides(const CaseContext& context, const Block& block,
                                  const LimitPlan& limit);

/// Factors of a row's name: tiles and where they lie; the memory that is allowed.
void add_tile_factors(const CaseContext& context, bench::RowName& name);
void add_memory_factors(const CaseContext& context, bench::RowName& name);

/// The limit that products set, with `computing_ranks` ranks computing.
LimitPlan::Sgemm sgemm_limit(const CaseContext& context, int computing_ranks);
/// The limit that storage sets, measured by reading a tile of A in the first tile row of `block`;
/// nothing if the block is empty. A run moves `bytes` bytes on this rank.
LimitPlan::Storage storage_limit(const CaseContext& context, const Block& block, double bytes);

/// C = A B over the ranks, in any way: what is timed, checked and compared with the limit. The
/// Product decides how.
class MultiplyCase final : public bench::Case {
  public:
    /// Collective; local while the arena plans. Throws what plan.make() throws.
    MultiplyCase(device::Arena& arena, const CaseContext& context, const ProductPlan& plan);

    void set_up() override;
    void prepare() override;
    void run() override { product_->run(session_.stream()); }
    bench::Check verify() override;
    void prepare_limit(device::Arena& arena) override {
        limit_.emplace(arena, session_, problem_, plan_.limit);
    }
    std::vector<bench::LimitComponent> limit() override { return limit_->measure(); }
    [[nodiscard]] std::string note() const override { return product_->note(); }
    [[nodiscard]] bench::Details details() const override {
        return product_->details(session_.world());
    }

    /// For tests, which put wrong results there.
    [[nodiscard]] Product& product() { return *product_; }

  private:
    void find_arithmetic();

    bench::Session& session_;
    Problem problem_;
    ProductPlan plan_;
    device::Math math_;
    std::string precision_;  ///< that the products have: arithmetic_of()
    std::unique_ptr<Product> product_;
    bench::InputGuard guard_;
    std::optional<Freivalds> check_;
    std::optional<ProductLimit> limit_;
};

/// Adds a case for each variant of the session. Throws UsageError, on all ranks alike. Collective.
void plan_cases(bench::Session& session, const Options& options);

}  // namespace quartet::matmul
