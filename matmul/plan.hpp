#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/data/data_options.hpp"
#include "bench/data/input_guard.hpp"
#include "bench/data/tile_folder.hpp"
#include "bench/measure/probes.hpp"
#include "bench/session/case.hpp"
#include "bench/session/session.hpp"
#include "matmul/tiles.hpp"
#include "matmul/verify.hpp"

namespace quartet::matmul {

/// The flags that only matmul has, and the flags of all kernels that can have their data in files.
struct Options {
    std::vector<std::int64_t> sizes{8192};  ///< edges of the matrices, each run in turn
    /// Edge of a tile; tiles at the matrices' edges may be smaller. Default: even_tile(), on a GPU
    /// chosen by its memory.
    std::optional<std::int64_t> tile;
    bench::DataOptions data;
    std::optional<int> reducers;  ///< of the data flow: 2 if that leaves two workers, else 1
    device::Math math = device::Math::fp32;  ///< of products
};

/// The longest edge: far beyond what machines hold, and the bytes of a few matrices still fit 63
/// bits.
inline constexpr std::int64_t largest_edge = std::int64_t{1} << 28;

/// The components of a product's limit; the slowest decides. All ranks have the same components;
/// each measures its own part.
struct LimitPlan {
    /// Products of square matrices in the device's memory.
    struct Sgemm {
        std::int64_t edge = 0;  ///< 0 if this rank computes nothing
        int computing_ranks = 1;
    };
    /// Bytes that a run copies from the host's memory to this rank's GPU, and from the GPU.
    struct Copies {
        double in = 0;
        double out = 0;
    };
    /// Tiles that are read from files and written to files.
    struct Storage {
        std::optional<std::filesystem::path> file{};  ///< a tile that this rank reads, if any
        FileCache cache = FileCache::warm;
        double bytes = 0;  ///< that this rank reads and writes in a run
    };
    /// Partial tiles that reducers receive and add.
    struct Reducers {
        comm::Role role = comm::Role::worker;  ///< of this rank
        double partial_tiles = 0;              ///< of each reducer in a run
        Bytes tile;
        /// If it copies payloads to the receiver, the link from the first worker is measured, too.
        std::string transport{};
        int worker = 0;  ///< the rank of the first worker; the first reducer is rank 0
    };
    Sgemm sgemm;
    std::optional<Copies> copies{};
    std::optional<Reducers> reducers{};
    std::optional<Storage> storage{};
};

/// Edge of the SGEMM that a product on the host is compared with: at least 2048 if N is that large,
/// since smaller products do not show what the processor can do.
std::int64_t host_sgemm_edge(const Problem& problem);

/// Measures the limit of a product.
class ProductLimit {
  public:
    /// Collective; local while the arena plans.
    ProductLimit(device::Arena& arena, bench::Session& session, const Problem& problem,
                 const LimitPlan& plan);

    /// Measures all components, all ranks at the same time, as in a run. Same answer on all ranks.
    /// Collective.
    std::vector<bench::LimitComponent> measure();

  private:
    void add_sgemm(device::Arena& arena, const LimitPlan::Sgemm& sgemm);
    void add_copies(device::Arena& arena, const LimitPlan::Copies& copies);
    void add_reducers(device::Arena& arena, const LimitPlan::Reducers& reducers);
    void add_storage(device::Arena& arena, const LimitPlan::Storage& storage);
    /// How many products one measurement makes. Local.
    int products_of(bench::SgemmProbe& probe, int computing_ranks);
    /// Adds a component whose time is that of the slowest rank.
    void add(const char* name, const std::function<Seconds()>& measure);

    bench::Session& session_;
    Problem problem_;
    std::vector<std::function<bench::LimitComponent()>> components_;  ///< each collective
};

/// The memory that a rank may take for a product.
struct MemoryBudget {
    Bytes allowed;    ///< in all, by flags or by what there is
    Bytes elsewhere;  ///< the part of it for the check, the limits and a GPU's BLAS
};

/// Host memory that a rank may take for tiles from files: --memory, or half of its share of the
/// node's available memory (the page cache needs some, too).
Bytes allowed_memory(const bench::Session& session);
/// GPU memory that a rank may take: --device-memory, or most of its share of the free memory (the
/// driver's own needs grow a little).
Bytes allowed_device_memory(bench::Session& session);

/// Throws UsageError unless the budget has `least` of the GPU's memory for tiles.
void require_tile_memory(const Problem& problem, Bytes least, const MemoryBudget& budget);

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
    Block block;  ///< of C: the tiles among which this rank checks its own
    LimitPlan limit{};
    /// Collective; local while the arena plans. Throws Unavailable, and while the arena plans
    /// UsageError.
    std::function<std::unique_ptr<Product>(device::Arena& arena, const ProductFiles& files)> make{};
    Multiply multiply{};  ///< multiplies as make()'s product does; by default the device's BLAS
};

/// Plan a formulation, and complete its case in `planned`. Throw UsageError, on all ranks alike.
/// Collective.
ProductPlan plan_native_product(const CaseContext& context, bench::PlannedCase& planned);
ProductPlan plan_dataflow_product(const CaseContext& context, bench::PlannedCase& planned);
ProductPlan plan_library_product(const CaseContext& context, bench::PlannedCase& planned);

/// The memory that check and limit take on this rank beside the product. Local.
device::MemoryNeeds needs_besides(const CaseContext& context, const Block& block,
                                  const LimitPlan& limit);

/// Add factors to a row's name: the tile and where tiles lie; the memory that is allowed.
void add_tile_factors(const CaseContext& context, bench::RowName& name);
void add_memory_factors(const CaseContext& context, bench::RowName& name);

/// The limit that products set, with `computing_ranks` ranks computing.
LimitPlan::Sgemm sgemm_limit(const CaseContext& context, int computing_ranks);
/// The limit that storage sets, measured by reading a tile of A in the first tile row of `block`;
/// nothing if the block is empty. A run moves `bytes` bytes on this rank.
LimitPlan::Storage storage_limit(const CaseContext& context, const Block& block, double bytes);

/// C = A B over the ranks, which is timed, checked and compared with the limit. The Product decides
/// how it is computed.
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
    std::string precision_;  ///< of the products: arithmetic_of()
    std::unique_ptr<Product> product_;
    bench::InputGuard guard_;
    std::optional<Freivalds> check_;
    std::optional<ProductLimit> limit_;
};

/// Adds a case for each variant of the session. Throws UsageError, on all ranks alike. Collective.
void plan_cases(bench::Session& session, const Options& options);

}  // namespace quartet::matmul
