#include <fftw3-mpi.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <type_traits>

#include "fft/formulations.hpp"
#include "fft/host_fft.hpp"

namespace quartet::fft {

namespace {

struct DestroyPlan {
    void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
};
using Plan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, DestroyPlan>;

/// The layout that FFTW gives a rank: points to allocate for each array, and its part of them.
struct Layout {
    ptrdiff_t allocated = 0;
    ptrdiff_t input_count = 0;
    ptrdiff_t input_begin = 0;
    ptrdiff_t output_count = 0;
    ptrdiff_t output_begin = 0;
};

unsigned flags(const Problem& problem, const Options& options, int ranks) {
    const unsigned effort = options.planning == Planning::patient   ? FFTW_PATIENT
                            : options.planning == Planning::measure ? FFTW_MEASURE
                                                                    : FFTW_ESTIMATE;
    // One rank has no scrambled order, and no plan for it.
    const bool scrambled = problem.order == ResultOrder::transposed && ranks > 1;
    return scrambled ? effort | FFTW_MPI_SCRAMBLED_OUT : effort;
}

// Initialises FFTW and FFTW-MPI; again it does nothing. Returns whether FFTW has threads.
bool start_fftw() {
    static const bool has_threads = fftw_init_threads() != 0;  // before MPI, says its manual
    fftw_mpi_init();
    return has_threads;
}

std::string no_plan(const Problem& problem, std::int64_t ranks) {
    return fmt::format("FFTW-MPI has no plan for {} points on {} ranks", problem.points, ranks);
}

// Throws Unavailable unless FFTW-MPI can transform the problem.
void require_possible(const Problem& problem, std::int64_t ranks) {
    // Counts of its exchanges, in doubles, are ints.
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (problem.points < 2) {  // it divides by zero
        throw Unavailable("FFTW-MPI cannot transform a single point: use the native formulation");
    }
    if (problem.points > most || 2 * ((problem.points + ranks - 1) / ranks) > most) {
        throw Unavailable(fmt::format(
            "FFTW-MPI cannot transform {} points on {} ranks (its counts are 32-bit integers): use "
            "the native formulation",
            problem.points, ranks));
    }
    // Its six-step algorithm wants two factors.
    if (ranks > 1 && divisors(problem.points).size() == 2) {
        throw Unavailable(no_plan(problem, ranks));
    }
}

// Throws Unavailable. Local.
Layout layout_of(const Problem& problem, const Options& options, const comm::Communicator& world) {
    require_possible(problem, world.size());
    static_cast<void>(start_fftw());
    Layout layout;
    layout.allocated = fftw_mpi_local_size_1d(
        problem.points, world.handle(), FFTW_FORWARD, flags(problem, options, world.size()),
        &layout.input_count, &layout.input_begin, &layout.output_count, &layout.output_begin);
    layout.allocated = std::max<ptrdiff_t>(layout.allocated, 1);
    return layout;
}

// The order of an array whose element i has index indices[i]; nothing if it is no IndexOrder: it is
// guessed from the first steps, and then compared.
std::optional<IndexOrder> order_of(std::span<const std::int64_t> indices) {
    const auto at = [&](std::int64_t i) { return indices[static_cast<std::size_t>(i)]; };
    const auto size = std::ssize(indices);
    if (size == 0) {
        return IndexOrder{};
    }
    IndexOrder order{.first = at(0), .rows = 1, .columns = 1, .row_step = 1, .column_step = 1};
    if (size > 1) {
        order.column_step = at(1) - at(0);
    }
    while (order.columns < size && at(order.columns) == order.index(0, order.columns)) {
        ++order.columns;
    }
    order.rows = size / order.columns;
    if (order.rows > 1) {
        order.row_step = at(order.columns) - order.first;
    }
    bool is_right = order.size() == size && order.column_step >= 0 && order.row_step >= 0;
    for (std::int64_t i = 0; is_right && i < size; ++i) {
        is_right = at(i) == order.index(i / order.columns, i % order.columns);
    }
    return is_right ? std::optional(order) : std::nullopt;
}

class LibraryCase final : public TransformCase {
  public:
    LibraryCase(device::Arena& arena, bench::Session& session, const Problem& problem,
                const Options& options)
        : TransformCase(arena, session, problem, options.data),
          options_(options),
          layout_(layout_of(problem, options, session.world())),
          input_(arena.make<Point>(layout_.allocated)),
          output_(arena.make<Point>(layout_.allocated)) {
        arena.reserve(bytes_of<Point>(layout_.allocated));  // of FFTW's exchanges
        // The impulse's indices, in a vector that grows.
        arena.reserve_for_set_up(bytes_of<std::int64_t>(2 * layout_.output_count));
        if (!options.data.in_files()) {
            pristine_ = arena.make<Point>(layout_.input_count);
            return;
        }
        files_.emplace(arena, problem, Range{0, problem.tiles}, options.data);
        part_ = arena.make<Point>(layout_.input_count / problem.tiles + 1);
    }

    void set_up() override {
        make_plan();
        order_ = find_order();
        if (files_) {
            read_files();
        } else {
            fill_points(pristine_.span(), session_.options().seed, layout_.input_begin, 1);
        }
        expect(IndexOrder::block(layout_.input_begin, layout_.input_count), order_,
               files_ ? points() : pristine_.view(), files_ ? KeepsInput::no : KeepsInput::yes);
    }
    // FFTW may have overwritten its input.
    void prepare() override {
        if (files_) {
            files_->prepare();
        } else {
            std::ranges::copy(pristine_.span(), points().span().begin());
        }
    }
    void run() override {
        if (files_) {
            const Span span(session_.stream().track(), Phase::read, "tiles");
            read_files();
        }
        const Span span(session_.stream().track(), Phase::compute, "fftw");
        fftw_execute(plan_.get());
    }
    void prepare_limit(device::Arena& arena) override {
        limit_.emplace(arena, session_, session_.transport(comm::TransportRegistry::plain_mpi()),
                       problem_, points(), result());
    }
    std::vector<bench::LimitComponent> limit() override { return limit_->measure(); }
    [[nodiscard]] std::string note() const override {
        return fmt::format(
            "{}, {} plan; input in natural order; output {}; {} a rank", fftw_description(),
            name(options_.planning),
            is_natural() ? "in natural order" : "as its algorithm leaves it (scrambled)",
            threads_ == 1 ? "one thread" : fmt::format("{} threads", threads_));
    }
    [[nodiscard]] device::View<Point> result() override {
        return output_.view().part(0, layout_.output_count);
    }

  private:
    // Sets the number of threads back to one, which other plans by FFTW have.
    void make_plan() {
        threads_ = start_fftw() ? session_.threads() : 1;
        const auto fftws = [](device::Buffer<Point>& buffer) {
            return reinterpret_cast<fftw_complex*>(buffer.view().data());
        };
        fftw_plan_with_nthreads(threads_);
        plan_ = Plan(fftw_mpi_plan_dft_1d(problem_.points, fftws(input_), fftws(output_),
                                          session_.world().handle(), FFTW_FORWARD,
                                          flags(problem_, options_, session_.world().size())));
        fftw_plan_with_nthreads(1);
        if (!session_.world().all(plan_ != nullptr)) {
            throw Failure(no_plan(problem_, session_.world().size()));
        }
    }
    IndexOrder find_order() {
        if (is_natural()) {
            return IndexOrder::block(layout_.output_begin, layout_.output_count);
        }
        const auto order = order_of_impulse();
        if (!session_.world().all(order.has_value())) {
            throw Failure("FFTW-MPI transforms an impulse to bins in none of its orders");
        }
        return *order;
    }
    // The transform of an impulse at n = 1 is exp(-2 pi i k / N): each output's phase says its k.
    // Collective.
    std::optional<IndexOrder> order_of_impulse() {
        std::ranges::fill(points().span(), Point{});
        if (layout_.input_begin <= 1 && 1 < layout_.input_begin + layout_.input_count) {
            points().span()[static_cast<std::size_t>(1 - layout_.input_begin)] = 1;
        }
        fftw_execute(plan_.get());
        const auto n = static_cast<double>(problem_.points);
        std::vector<std::int64_t> indices;
        for (const std::span bins = result().span(); const Point value : bins) {
            const double circles = -std::arg(value) / (2 * std::numbers::pi);
            if (!std::isfinite(circles)) {
                return std::nullopt;
            }
            const auto k = static_cast<std::int64_t>(std::llround(circles * n));
            indices.push_back((k + problem_.points) % problem_.points);
        }
        return order_of(indices);
    }
    // Reads this rank's block of x from the files of tiles x[t::T], each of which has every T-th of
    // its points; allocates nothing.
    void read_files() {
        const std::span<Point> block = points().span();
        const std::int64_t tiles = files_->tiles();
        for (std::int64_t tile = 0; tile < tiles; ++tile) {
            // The smallest m for which n = tile + T m is in the block or after it.
            const std::int64_t first = (layout_.input_begin - tile + tiles - 1) / tiles;
            const std::int64_t begin = tile + tiles * first - layout_.input_begin;
            if (begin >= layout_.input_count) {
                continue;
            }
            const std::int64_t count = divide_up(layout_.input_count - begin, tiles);
            const auto part = part_.span().first(static_cast<std::size_t>(count));
            files_->read(tile, first, part);
            for (std::int64_t index = 0; index < count; ++index) {
                block[static_cast<std::size_t>(begin + tiles * index)] =
                    part[static_cast<std::size_t>(index)];
            }
        }
    }
    [[nodiscard]] bool is_natural() const {
        return problem_.order == ResultOrder::natural || session_.world().size() == 1;
    }
    // Scrambled parts are matrices, too, each with its own steps. Collective.
    ResultLayout layout_of_result() override {
        if (is_natural()) {
            return result_layout({problem_.points, 1, ResultOrder::natural}, layout_.output_count);
        }
        std::string order = "scrambled: X-r[i][j] holds";
        for (const std::string& of_rank : session_.world().gather(fmt::format(
                 "k = {} + {} i + {} j", order_.first, order_.row_step, order_.column_step))) {
            order += fmt::format("{} {}", order.back() == 's' ? "" : ";", of_rank);
        }
        return {{order_.rows, order_.columns}, order};
    }
    [[nodiscard]] device::View<Point> points() {
        return input_.view().part(0, layout_.input_count);
    }

    Options options_;
    Layout layout_;
    // On huge pages, as native's: FFTW's own memory would have none.
    device::Buffer<Point> input_;
    device::Buffer<Point> output_;
    Plan plan_;
    int threads_ = 1;                  ///< of the plan, a rank
    IndexOrder order_;                 ///< of the output
    device::Buffer<Point> pristine_;   ///< where the input is not in files
    std::optional<TileReader> files_;  ///< where it is
    device::Buffer<Point> part_;       ///< what this rank's input has of one tile
    std::optional<TransformLimit> limit_;
};

}  // namespace

std::unique_ptr<TransformCase> make_library_case(device::Arena& arena, bench::Session& session,
                                                 const Problem& problem, const Options& options) {
    return std::make_unique<LibraryCase>(arena, session, problem, options);
}

}  // namespace quartet::fft
