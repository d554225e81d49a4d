#include "matmul/library/library_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "bench/measure/disturbance.hpp"
#include "bench/measure/machine_watch.hpp"
#include "device/device.hpp"
#include "matmul/library/blas_in_use.hpp"
#include "matmul/library/block_cyclic.hpp"
#include "matmul/library/library_strips.hpp"
#include "matmul/library/scalapack.hpp"
#include "matmul/library/trials.hpp"
#include "matmul/tiles/file_slots.hpp"
#include "matmul/tiles/tile_sink.hpp"

namespace quartet::matmul {

namespace {

// All distributions are tried within trial_time, with fewer inner elements if they would take
// longer; then whole products of the best ones within final_time. Trying disturbed attempts again
// ends after `trials_patience`, in each of both.
constexpr Seconds trial_time{8};
constexpr Seconds final_time{15};
constexpr Seconds trials_patience{15};
constexpr std::size_t finalists = 3;
constexpr std::int64_t least_trial_inner = 256;

// Elements of one matrix on the rank that has most of it, in any distribution that is tried.
std::int64_t most_elements(const Problem& problem, int ranks) {
    std::int64_t most = 1;
    for (const BlockCyclic& distribution : distributions(problem.size, ranks)) {
        most = std::max(most, distribution.most_elements());
    }
    return most;
}

struct Buffers {
    Buffers(bench::Arena& arena, const Problem& problem, int ranks, int rank, bool in_files)
        : a(arena.make<float>(most_elements(problem, ranks), bench::Room::host)),
          b(arena.make<float>(most_elements(problem, ranks), bench::Room::host)),
          c(arena.make<float>(most_elements(problem, ranks), bench::Room::host)),
          strip(arena.make<float>(
              std::max<std::int64_t>(elements_in(problem, strip_of(problem, ranks, rank)), 1),
              bench::Room::host)),
          slot(arena, problem, in_files ? 1 : 0) {}

    device::Buffer<float> a;  ///< these in the distribution that needs most
    device::Buffer<float> b;
    device::Buffer<float> c;
    device::Buffer<float> strip;  ///< of C for the check, of A and B from files
    FileSlots slot;
};

/// Matrices are row-major to us and column-major to ScaLAPACK, which therefore sees their
/// transposes, in a transposed grid: it computes C^T = B^T A^T.
class LibraryProduct final : public Product {
  public:
    LibraryProduct(bench::Session& session, const Problem& problem, const ProductFiles& files,
                   const std::optional<BlockCyclic>& chosen);

    void prepare() override;
    void run(device::Stream& stream) override;
    void collect() override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details(const comm::Communicator&) const override;

  private:
    [[nodiscard]] BlockCyclic find_fastest(const std::vector<BlockCyclic>& candidates);
    [[nodiscard]] std::vector<Ranked> try_all(std::span<const BlockCyclic> candidates,
                                              std::int64_t inner);
    [[nodiscard]] Attempt time_product(const BlockCyclic& distribution, std::int64_t inner);
    void use(const BlockCyclic& distribution);
    void multiply(std::int64_t inner);
    void read(Operand operand, std::span<float> out);
    void write();
    [[nodiscard]] LibraryBlocks blocks(std::span<float> elements) const {
        return {elements, descriptor_, grid_->context()};
    }
    [[nodiscard]] std::span<const float> from_file(std::string_view matrix, TileIndex tile) {
        return files_->read(matrix, tile, buffers_.slot.slot(0).span());
    }

    bench::Session& session_;
    Problem problem_;
    int rank_;
    bench::MachineProbes machine_ = bench::this_machine();
    std::shared_ptr<const MatrixFiles> files_;  ///< null if A and B are in memory
    bench::Arena arena_;
    Buffers buffers_;
    BlacsSystem system_;
    LibraryStrips strips_;
    BlockCyclic distribution_;
    std::unique_ptr<BlacsGrid> grid_;  // GCC 14 takes an optional's for uninitialised
    Descriptor descriptor_{};
    std::vector<float> tile_;  ///< of the check
    std::size_t tried_ = 0;
    std::int64_t tried_inner_ = 0;
    std::size_t tried_whole_ = 0;  ///< of them again, in whole
    std::optional<FileSink> sink_;
};

LibraryProduct::LibraryProduct(bench::Session& session, const Problem& problem,
                               const ProductFiles& files, const std::optional<BlockCyclic>& chosen)
    : session_(session),
      problem_(problem),
      rank_(session.world().rank()),
      files_(files.matrices),
      arena_(session.device()),
      buffers_(arena_, problem, session.world().size(), rank_, files_ != nullptr),
      system_(session.world().handle()),
      strips_(problem, session.world().size(), rank_, system_, std::move(buffers_.strip)) {
    for (device::Buffer<float>* matrix : {&buffers_.a, &buffers_.b, &buffers_.c}) {
        std::ranges::fill(matrix->span(), 0.5F);
    }
    use(chosen ? *chosen : find_fastest(distributions(problem.size, session.world().size())));
    if (files_) {
        sink_.emplace(problem, strips_.mine(), files);
    } else {
        const int threads = session.threads();
        fill_blocks(problem, distribution_, rank_, "A", threads, buffers_.a.span());
        fill_blocks(problem, distribution_, rank_, "B", threads, buffers_.b.span());
    }
}

void LibraryProduct::prepare() {
    if (files_) {
        sink_->prepare();
        forget_inputs(*files_, problem_, strips_.mine());
    }
}

// All ranks choose the same: times are the slowest rank's.
BlockCyclic LibraryProduct::find_fastest(const std::vector<BlockCyclic>& candidates) {
    if (candidates.size() == 1) {
        return candidates.front();
    }
    const std::int64_t probe = std::min(problem_.size, least_trial_inner);
    const Seconds warm_up = time_product(candidates.front(), probe).time;
    const double affordable = trial_time.value * static_cast<double>(probe) /
                              (warm_up.value * static_cast<double>(candidates.size()));
    tried_inner_ = affordable >= static_cast<double>(problem_.size)
                       ? problem_.size
                       : std::max(static_cast<std::int64_t>(affordable), probe);
    tried_ = candidates.size();
    const std::vector<Ranked> trials = try_all(candidates, tried_inner_);
    const double whole = trials.front().best.time.value * static_cast<double>(problem_.size) /
                         static_cast<double>(tried_inner_);
    if (tried_inner_ == problem_.size || finalists * whole > final_time.value) {
        return candidates[trials.front().candidate];
    }
    std::vector<BlockCyclic> best;
    for (const Ranked& trial : trials) {
        best.push_back(candidates[trial.candidate]);
    }
    best.resize(std::min(finalists, best.size()), best.front());
    tried_whole_ = best.size();
    return best[try_all(best, problem_.size).front().candidate];
}

std::vector<Ranked> LibraryProduct::try_all(std::span<const BlockCyclic> candidates,
                                            std::int64_t inner) {
    return fastest_first(candidates.size(), trials_patience, [&](std::size_t candidate) {
        return time_product(candidates[candidate], inner);
    });
}

Attempt LibraryProduct::time_product(const BlockCyclic& distribution, std::int64_t inner) {
    use(distribution);
    session_.world().barrier();
    bench::MachineWatch watch(session_, machine_);
    const Seconds begin = now();
    multiply(inner);
    const Seconds time{session_.world().maximum((now() - begin).value)};
    return {time, !bench::causes_of(watch.end(), std::nullopt).empty()};
}

void LibraryProduct::use(const BlockCyclic& distribution) {
    distribution_ = distribution;
    grid_.reset();
    grid_ = std::make_unique<BlacsGrid>(system_, distribution.grid.columns, distribution.grid.rows);
    descriptor_ = describe(distribution.size, distribution.block, distribution.block, *grid_,
                           distribution.columns().extent(distribution.grid.column_of(rank_)));
}

void LibraryProduct::multiply(std::int64_t inner) {
    const auto n = static_cast<int>(problem_.size);
    const auto k = static_cast<int>(inner);
    const int first = 1;
    const float one = 1;
    const float zero = 0;
    psgemm_("N", "N", &n, &n, &k, &one, buffers_.b.span().data(), &first, &first,
            descriptor_.data(), buffers_.a.span().data(), &first, &first, descriptor_.data(), &zero,
            buffers_.c.span().data(), &first, &first, descriptor_.data());
}

void LibraryProduct::run(device::Stream& stream) {
    if (files_) {
        const Span span(stream.track(), Phase::read, "strips of A and B");
        read(Operand::a, buffers_.a.span());
        read(Operand::b, buffers_.b.span());
    }
    {
        const Span span(stream.track(), Phase::compute, "psgemm");
        multiply(problem_.size);
    }
    if (files_) {
        const Span span(stream.track(), Phase::copy_out, "strip of C");
        write();
    }
}

// This rank's strip from files, then all strips to blocks.
void LibraryProduct::read(Operand operand, std::span<float> out) {
    for_each_tile(strips_.mine(),
                  [&](TileIndex tile) { strips_.put(tile, from_file(name(operand), tile)); });
    strips_.distribute(blocks(out));
}

// The blocks of C to strips, then this rank's to files.
void LibraryProduct::write() {
    strips_.collect(blocks(buffers_.c.span()));
    for_each_tile(strips_.mine(), [&](TileIndex tile) { files_->write(tile, strips_.tile(tile)); });
}

void LibraryProduct::collect() {
    if (!files_) {  // else the files have the result
        strips_.collect(blocks(buffers_.c.span()));
    }
}

std::span<const float> LibraryProduct::input(Operand operand, TileIndex tile) {
    if (files_) {
        return from_file(name(operand), tile);
    }
    tile_.resize(static_cast<std::size_t>(problem_.elements(tile)));
    fill_tile(problem_, name(operand), tile, tile_);
    return tile_;
}

std::span<const float> LibraryProduct::result(TileIndex tile) {
    return files_ ? from_file("C", tile) : strips_.tile(tile);
}

std::string LibraryProduct::note() const {
    const std::string finals =
        tried_whole_ == 0 ? "" : fmt::format(", then the best {} in whole", tried_whole_);
    const std::string tried = tried_ == 0 ? "nothing tried"
                                          : fmt::format("fastest of {} tried, inner dimension {}{}",
                                                        tried_, tried_inner_, finals);
    return fmt::format(
        "ScaLAPACK psgemm ({}); block-cyclic, blocks of {}, {} x {} process grid ({}); {}",
        scalapack_in_use(), distribution_.block, distribution_.grid.rows,
        distribution_.grid.columns, tried, describe_blas_in_use());
}

bench::Details LibraryProduct::details(const comm::Communicator&) const {
    return {.numbers = {{"block_size", static_cast<double>(distribution_.block)},
                        {"grid_rows", distribution_.grid.rows},
                        {"grid_columns", distribution_.grid.columns},
                        {"distributions_tried", static_cast<double>(tried_)}},
            .series = {}};
}

}  // namespace

std::unique_ptr<Product> make_library_product(bench::Session& session, const Problem& problem,
                                              const ProductFiles& files,
                                              std::optional<BlockCyclic> chosen) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    const int ranks = session.world().size();
    if (std::max(most_elements(problem, ranks), LibraryStrips::most_elements(problem, ranks)) >
        most) {
        throw Unavailable(fmt::format(
            "ScaLAPACK cannot multiply matrices of {} x {} on {} ranks (it counts a rank's "
            "elements in 32 bits): use more ranks or the native formulation",
            problem.size, problem.size, ranks));
    }
    return std::make_unique<LibraryProduct>(session, problem, files, chosen);
}

void count_library(bench::Arena& arena, const Problem& problem, int ranks, int rank,
                   bool in_files) {
    const Buffers counted(arena, problem, ranks, rank, in_files);
    arena.count(problem.tile_bytes(), bench::Room::host);  // for the check
    const std::int64_t redistributed =
        std::min(problem.size * problem.size, std::max(redistributed_at_a_time, problem.size));
    arena.count(bytes_of<float>(most_elements(problem, ranks) + 2 * redistributed),
                bench::Room::host);
}

}  // namespace quartet::matmul
