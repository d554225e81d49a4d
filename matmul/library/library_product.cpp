#include "matmul/library/library_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "device/device.hpp"
#include "matmul/library/blas_in_use.hpp"
#include "matmul/library/block_cyclic.hpp"
#include "matmul/library/scalapack.hpp"
#include "system/parallel_for.hpp"

namespace quartet::matmul {

namespace {

// What is spent on trials of all distributions, with fewer inner elements where all would take
// longer, and then on whole products of the best.
constexpr Seconds trial_time{8};
constexpr Seconds final_time{15};
constexpr std::size_t finalists = 3;
constexpr std::int64_t least_trial_inner = 256;
constexpr std::int64_t collected_at_a_time = std::int64_t{1} << 26;  // elements of all ranks

struct Trial {
    BlockCyclic distribution;
    Seconds time;
};

// Elements of one matrix on the rank that has most of it, in any distribution that is tried.
std::int64_t most_elements(const Problem& problem, int ranks) {
    std::int64_t most = 1;
    for (const BlockCyclic& distribution : distributions(problem.size, ranks)) {
        most = std::max(most, distribution.most_elements());
    }
    return most;
}

// Of the strips in which C is checked the first one is the largest.
std::int64_t most_collected(const Problem& problem, int ranks) {
    return elements_in(problem, strip_of(problem, ranks, 0));
}

/// Matrices are row-major to us and column-major to ScaLAPACK, which therefore sees their
/// transposes, in a transposed grid: it computes C^T = B^T A^T.
class LibraryProduct final : public Product {
  public:
    LibraryProduct(bench::Session& session, const Problem& problem);

    void prepare() override {}
    void run(device::Stream& stream) override;
    void collect() override;
    std::span<const float> input(Operand operand, TileIndex tile) override;
    std::span<const float> result(TileIndex tile) override;
    [[nodiscard]] std::string note() const override;
    [[nodiscard]] bench::Details details(const comm::Communicator&) const override;

  private:
    void allocate();
    [[nodiscard]] BlockCyclic find_fastest(const std::vector<BlockCyclic>& candidates);
    void try_all(std::vector<Trial>& trials, std::size_t count, std::int64_t inner);
    [[nodiscard]] Seconds time_product(const BlockCyclic& distribution, std::int64_t inner);
    void use(const BlockCyclic& distribution);
    void multiply(std::int64_t inner);
    void fill(std::string_view matrix, std::span<float> out) const;
    void fill_block_row(std::string_view matrix, std::int64_t number, std::span<float> out) const;
    [[nodiscard]] int row() const { return rank_ / distribution_.grid.columns; }
    [[nodiscard]] int column() const { return rank_ % distribution_.grid.columns; }

    bench::Session& session_;
    Problem problem_;
    int rank_;
    Block strip_;
    BlacsSystem system_;
    BlockCyclic distribution_;
    std::optional<BlacsGrid> grid_;
    Descriptor descriptor_{};
    device::Buffer<float> a_;
    device::Buffer<float> b_;
    device::Buffer<float> c_;
    device::Buffer<float> collected_;  ///< the strip, row-major
    std::vector<float> tile_;          ///< of the check
    std::size_t tried_ = 0;
    std::int64_t tried_inner_ = 0;
    std::size_t tried_whole_ = 0;  ///< of them again, in whole
};

LibraryProduct::LibraryProduct(bench::Session& session, const Problem& problem)
    : session_(session),
      problem_(problem),
      rank_(session.world().rank()),
      strip_(strip_of(problem, session.world().size(), rank_)),
      system_(session.world()) {
    const auto candidates = distributions(problem.size, session.world().size());
    allocate();
    use(find_fastest(candidates));
    fill("A", a_.span());
    fill("B", b_.span());
}

void LibraryProduct::allocate() {
    const LibraryPlan plan = plan_library(problem_, session_.world().size(), rank_);
    device::Device& device = session_.device();
    for (device::Buffer<float>* matrix : {&a_, &b_, &c_}) {
        *matrix = device::allocate<float>(device, floats_in(plan.matrix));
        std::ranges::fill(matrix->span(), 0.5F);
    }
    collected_ = device::allocate<float>(device, floats_in(plan.collected));
    tile_.reserve(static_cast<std::size_t>(floats_in(plan.tile)));
}

// All ranks choose the same: times are the slowest rank's.
BlockCyclic LibraryProduct::find_fastest(const std::vector<BlockCyclic>& candidates) {
    if (candidates.size() == 1) {
        return candidates.front();
    }
    const std::int64_t probe = std::min(problem_.size, least_trial_inner);
    const Seconds warm_up = time_product(candidates.front(), probe);
    const double affordable = trial_time.value * static_cast<double>(probe) /
                              (warm_up.value * static_cast<double>(candidates.size()));
    tried_inner_ = affordable >= static_cast<double>(problem_.size)
                       ? problem_.size
                       : std::max(static_cast<std::int64_t>(affordable), probe);
    tried_ = candidates.size();
    std::vector<Trial> trials;
    for (const BlockCyclic& candidate : candidates) {
        trials.push_back({candidate, {}});
    }
    try_all(trials, trials.size(), tried_inner_);
    const double whole = trials.front().time.value * static_cast<double>(problem_.size) /
                         static_cast<double>(tried_inner_);
    if (tried_inner_ < problem_.size && finalists * whole <= final_time.value) {
        try_all(trials, finalists, problem_.size);
        tried_whole_ = std::min(finalists, trials.size());
    }
    return trials.front().distribution;
}

// Times the first `count` and sorts them by time.
void LibraryProduct::try_all(std::vector<Trial>& trials, std::size_t count, std::int64_t inner) {
    const auto end = trials.begin() + static_cast<std::ptrdiff_t>(std::min(count, trials.size()));
    for (auto trial = trials.begin(); trial != end; ++trial) {
        trial->time = time_product(trial->distribution, inner);
    }
    std::stable_sort(trials.begin(), end, [](const Trial& first, const Trial& second) {
        return first.time < second.time;
    });
}

Seconds LibraryProduct::time_product(const BlockCyclic& distribution, std::int64_t inner) {
    use(distribution);
    session_.world().barrier();
    const Seconds begin = now();
    multiply(inner);
    return {session_.world().maximum((now() - begin).value)};
}

void LibraryProduct::use(const BlockCyclic& distribution) {
    distribution_ = distribution;
    grid_.reset();
    grid_.emplace(system_, distribution.grid.columns, distribution.grid.rows);
    descriptor_ = describe(distribution.size, distribution.block, distribution.block, *grid_,
                           distribution.columns().extent(column()));
}

void LibraryProduct::multiply(std::int64_t inner) {
    const auto n = static_cast<int>(problem_.size);
    const auto k = static_cast<int>(inner);
    const int first = 1;
    const float one = 1;
    const float zero = 0;
    psgemm_("N", "N", &n, &n, &k, &one, b_.span().data(), &first, &first, descriptor_.data(),
            a_.span().data(), &first, &first, descriptor_.data(), &zero, c_.span().data(), &first,
            &first, descriptor_.data());
}

void LibraryProduct::run(device::Stream& stream) {
    const Span span(stream.track(), Phase::compute, "psgemm");
    multiply(problem_.size);
}

void LibraryProduct::fill(std::string_view matrix, std::span<float> out) const {
    const int threads = session_.threads();
    system::parallel_parts(threads, [&](int part) {
        const std::int64_t blocks = distribution_.rows().blocks(row());
        for (std::int64_t number = part; number < blocks; number += threads) {
            fill_block_row(matrix, number, out);
        }
    });
}

// A row of this rank's blocks, by its number among them.
void LibraryProduct::fill_block_row(std::string_view matrix, std::int64_t number,
                                    std::span<float> out) const {
    const Problem blocks{problem_.size, distribution_.block, problem_.seed};
    const std::int64_t width = distribution_.columns().extent(column());
    const std::int64_t block_row = number * distribution_.grid.rows + row();
    const std::int64_t count = distribution_.columns().blocks(column());
    for (std::int64_t line = 0; line < blocks.extent(block_row); ++line) {
        for (std::int64_t block = 0; block < count; ++block) {
            const std::int64_t block_column = block * distribution_.grid.columns + column();
            const std::int64_t begin =
                (number * distribution_.block + line) * width + block * distribution_.block;
            fill_rows(blocks, matrix, blocks.begin(block_row) + line, 1, block_column,
                      out.subspan(static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(blocks.extent(block_column))));
        }
    }
}

// Some rows at a time, which bounds what the library takes for it.
void LibraryProduct::collect() {
    const int ranks = session_.world().size();
    const BlacsGrid strips(system_, 1, ranks);
    const std::int64_t height = elements_of(problem_, strip_of(problem_, ranks, 0).rows).size();
    Descriptor to = describe(problem_.size, problem_.size, height, strips, problem_.size);
    const std::int64_t most = std::max<std::int64_t>(collected_at_a_time / problem_.size, 1);
    for (std::int64_t first = 0; first < problem_.size; first += most) {
        const auto rows = static_cast<int>(std::min(most, problem_.size - first));
        const auto begin = static_cast<int>(first + 1);
        Cpsgemr2d(static_cast<int>(problem_.size), rows, c_.span().data(), 1, begin,
                  descriptor_.data(), collected_.span().data(), 1, begin, to.data(),
                  grid_->context());
    }
}

std::span<const float> LibraryProduct::input(Operand operand, TileIndex tile) {
    tile_.resize(static_cast<std::size_t>(problem_.elements(tile)));
    fill_tile(problem_, name(operand), tile, tile_);
    return tile_;
}

std::span<const float> LibraryProduct::result(TileIndex tile) {
    const std::int64_t width = problem_.extent(tile.column);
    const std::int64_t above = elements_of(problem_, {strip_.rows.begin, tile.row}).size();
    tile_.resize(static_cast<std::size_t>(problem_.elements(tile)));
    for (std::int64_t line = 0; line < problem_.extent(tile.row); ++line) {
        const std::int64_t begin = (above + line) * problem_.size + problem_.begin(tile.column);
        std::ranges::copy(collected_.span().subspan(static_cast<std::size_t>(begin),
                                                    static_cast<std::size_t>(width)),
                          tile_.begin() + line * width);
    }
    return tile_;
}

std::string LibraryProduct::note() const {
    const std::string finals =
        tried_whole_ == 0 ? "" : fmt::format(", then the best {} in whole", tried_whole_);
    const std::string tried = tried_ == 0 ? "no other to try"
                                          : fmt::format("fastest of {} tried, inner dimension {}{}",
                                                        tried_, tried_inner_, finals);
    return fmt::format(
        "ScaLAPACK psgemm; block-cyclic, blocks of {}, {} x {} process grid ({}); {}",
        distribution_.block, distribution_.grid.rows, distribution_.grid.columns, tried,
        describe_blas_in_use());
}

bench::Details LibraryProduct::details(const comm::Communicator&) const {
    return {.numbers = {{"block_size", static_cast<double>(distribution_.block)},
                        {"grid_rows", distribution_.grid.rows},
                        {"grid_columns", distribution_.grid.columns},
                        {"distributions_tried", static_cast<double>(tried_)}},
            .series = {}};
}

}  // namespace

std::unique_ptr<Product> make_library_product(bench::Session& session, const Problem& problem) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    const int ranks = session.world().size();
    if (std::max(most_elements(problem, ranks), most_collected(problem, ranks)) > most) {
        throw Unavailable(fmt::format(
            "ScaLAPACK cannot multiply matrices of {} x {} on {} ranks (it counts a rank's "
            "elements in 32 bits): use more ranks or the native formulation",
            problem.size, problem.size, ranks));
    }
    return std::make_unique<LibraryProduct>(session, problem);
}

LibraryPlan plan_library(const Problem& problem, int ranks, int rank) {
    const Bytes matrix = bytes_of<float>(most_elements(problem, ranks));
    const std::int64_t strip = elements_in(problem, strip_of(problem, ranks, rank));
    const std::int64_t redistributed =
        std::min(problem.size * problem.size, std::max(collected_at_a_time, problem.size));
    return {.matrix = matrix,
            .collected = bytes_of<float>(std::max<std::int64_t>(strip, 1)),
            .tile = problem.tile_bytes(),
            .workspace = matrix + 2 * bytes_of<float>(redistributed)};
}

}  // namespace quartet::matmul
