#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "bench/data/input_guard.hpp"
#include "bench/session/variants.hpp"
#include "comm/transport/transport.hpp"
#include "device/host_access.hpp"
#include "fft/formulations.hpp"
#include "fft/limit.hpp"
#include "fft/tiles.hpp"
#include "fft/verify.hpp"

namespace quartet::fft {

namespace {

/// The buffers to which a transform writes on one rank.
struct NativeBuffers {
    /// Collective where the arena allocates.
    NativeBuffers(bench::Arena& arena, const NativePlan& plan);

    device::Buffer<double> parts;  ///< sent by the first exchange
    device::Buffer<Point> bins;    ///< sent by the second exchange
    device::Buffer<Point> result;  ///< empty in place
};

NativeBuffers::NativeBuffers(bench::Arena& arena, const NativePlan& plan) {
    const FourStepFft& shape = plan.shape;
    if (plan.algorithm == Algorithm::transposed) {
        result = arena.make<Point>(shape.output_points());
    } else if (!plan.in_place()) {
        result = arena.make<Point>(block_range(shape.points(), shape.ranks, shape.rank).size());
    }
    if (plan.has_four_steps()) {
        parts = arena.make<double>(shape.parts_size(), bench::Room::device_window);
    }
    if (plan.algorithm == Algorithm::natural) {
        bins = arena.make<Point>(shape.output_points(), bench::Room::device_window);
    }
}

Algorithm single_rank_algorithm(bench::Session& session, const FourStepFft& shape,
                                Bytes workspace) {
    if (session.gpus().empty()) {
        return Algorithm::single_rank;
    }
    const Bytes beside = 2 * bytes_of<Point>(shape.points()) + workspace;
    const Bytes free = session.gpus().memory_share();
    const Bytes allowed = session.options().device_memory.value_or(free);
    return beside <= std::min(free, allowed) ? Algorithm::single_rank
                                             : Algorithm::single_rank_in_place;
}

// The bytes that the two exchanges bring this rank from others.
Bytes received_bytes(const NativePlan& plan) {
    const FourStepFft& shape = plan.shape;
    Bytes received;
    for (int from = 0; from < shape.ranks; ++from) {
        if (from == shape.rank) {
            continue;
        }
        received = received + bytes_of<double>(shape.part_size(from, shape.rank));
        if (plan.algorithm == Algorithm::natural) {
            received = received + bytes_of<Point>(natural_part_points(shape, from, shape.rank));
        }
    }
    return received;
}

/// This rank's tiles where they are transformed, from the seed or from files.
class Input {
  public:
    /// When this returns, the tiles are in place on the session's stream. Makes and checks files.
    /// Collective. Throws Failure.
    Input(bench::Session& session, const NativePlan& plan, device::View<Point> points)
        : session_(session),
          problem_(plan.problem),
          first_(plan.shape.my_tiles().begin * plan.shape.length),
          is_overwritten_(plan.in_place()),
          points_(points) {
        if (!plan.data.in_files()) {
            make_tiles(session_, problem_, first_, points_);
            return;
        }
        prepared_tiles(session, problem_, plan.data);
        loader_.emplace(session, problem_, plan.shape.my_tiles(), plan.data);
        load();
    }

    /// Before each run, outside of the time.
    void prepare() {
        if (loader_) {
            loader_->prepare();
        } else if (is_overwritten_) {
            make_tiles(session_, problem_, first_, points_);
        }
    }
    /// At the beginning of each run: what counts as input. Throws Failure if a file cannot be read.
    void load() {
        if (loader_) {
            loader_->load(points_);
        }
    }

  private:
    bench::Session& session_;
    Problem problem_;
    std::int64_t first_;  ///< this rank's first point, counted over all tiles
    bool is_overwritten_;
    device::View<Point> points_;
    std::optional<TileLoader> loader_;  ///< where they are in files
};

/// An exchange of numbers: what this rank sends, by receiver, and where it finds what has come.
template <typename T>
class Parts {
  public:
    /// What one rank sends itself is read where it is. Collective.
    Parts(comm::Transport& transport, device::View<const T> sent,
          const std::vector<std::int64_t>& counts) {
        if (counts.size() == 1) {
            received_ = {sent};
            return;
        }
        std::vector<std::int64_t> sizes;
        for (const std::int64_t count : counts) {
            sizes.push_back(bytes_of<T>(count).value);
        }
        exchange_ = transport.prepare_exchange({comm::consecutive(device::as_bytes(sent), sizes)});
        for (const device::View<const std::byte>& part : exchange_->parts()) {
            received_.push_back(device::view_as<T>(part));
        }
    }

    void run(device::Stream& stream) {
        if (exchange_) {
            exchange_->run(stream);
        }
    }
    /// After the last use of what has come.
    void release(device::Stream& stream) {
        if (exchange_) {
            exchange_->release(stream);
        }
    }
    /// By sender.
    [[nodiscard]] std::span<const device::View<const T>> received() const { return received_; }

  private:
    std::unique_ptr<comm::Exchange> exchange_;  ///< with several ranks
    std::vector<device::View<const T>> received_;
};

/// The whole transform by the one rank that has all tiles, or column FFTs with twiddles, one
/// exchange, row FFTs (four_step.hpp), and a second exchange into natural order. Where the
/// transport reads in place, the row FFTs read what other ranks have written.
class NativeTransform {
  public:
    /// Transport, input and buffers outlive it. Collective.
    NativeTransform(const NativePlan& plan, comm::Transport& transport, device::View<Point> input,
                    NativeBuffers& buffers);

    /// Enqueues the transform; allocates nothing. Collective.
    void run(device::Stream& stream);
    /// This rank's part of the result.
    [[nodiscard]] device::View<Point> result() const { return result_; }
    /// The algorithms, for the record.
    [[nodiscard]] std::string description() const;

  private:
    Algorithm algorithm_;
    device::View<const Point> input_;
    device::View<Point> result_;
    std::unique_ptr<SingleRankFft> whole_;

    device::View<double> parts_;
    device::View<Point> bins_;  ///< of the row FFTs
    std::unique_ptr<ColumnFfts> column_ffts_;
    std::unique_ptr<RowFfts> row_ffts_;
    std::optional<Parts<double>> exchange_;

    std::unique_ptr<Transpose> transpose_;  ///< where the order is natural
    std::optional<Parts<Point>> second_exchange_;
};

NativeTransform::NativeTransform(const NativePlan& plan, comm::Transport& transport,
                                 device::View<Point> input, NativeBuffers& buffers)
    : algorithm_(plan.algorithm),
      input_(input),
      result_(plan.in_place() ? input : buffers.result.view()) {
    const FourStepFft& shape = plan.shape;
    if (!plan.has_four_steps()) {
        whole_ = algorithm_ == Algorithm::library ? plan.ffts->vendors_fft(shape.points())
                                                  : plan.ffts->single_rank_fft(shape);
        return;
    }
    parts_ = buffers.parts.view();
    bins_ = algorithm_ == Algorithm::natural ? buffers.bins.view() : result_;
    column_ffts_ = plan.ffts->column_ffts(shape);
    row_ffts_ = plan.ffts->row_ffts(shape);
    std::vector<std::int64_t> part_sizes;
    std::vector<std::int64_t> natural_parts;
    for (int to = 0; to < shape.ranks; ++to) {
        part_sizes.push_back(shape.part_size(shape.rank, to));
        natural_parts.push_back(natural_part_points(shape, shape.rank, to));
    }
    exchange_.emplace(transport, parts_, part_sizes);
    if (algorithm_ == Algorithm::natural) {
        transpose_ = plan.ffts->transpose(shape);
        second_exchange_.emplace(transport, bins_, natural_parts);
    }
}

void NativeTransform::run(device::Stream& stream) {
    if (whole_) {
        whole_->run(input_, result_, stream);
        return;
    }
    column_ffts_->run(input_, parts_, stream);
    exchange_->run(stream);
    row_ffts_->run(exchange_->received(), bins_, stream);
    exchange_->release(stream);
    if (transpose_) {
        second_exchange_->run(stream);
        transpose_->run(second_exchange_->received(), result_, stream);
        second_exchange_->release(stream);
    }
}

std::string NativeTransform::description() const {
    if (!whole_) {
        return fmt::format("tiles by {}; sums by {}", column_ffts_->description(),
                           row_ffts_->description());
    }
    return whole_->description() +
           (algorithm_ == Algorithm::library                ? ", out of place, in natural order"
            : algorithm_ == Algorithm::single_rank_in_place ? "; in place, made anew for each run"
                                                            : "");
}

/// The native formulation: input, one of the native transforms, check and limit.
class NativeCase final : public TransformCase {
  public:
    /// Collective. Throws Unavailable; Failure where files are not what the manifest says.
    NativeCase(bench::Session& session, const NativePlan& plan);

    void prepare() override { tiles_->prepare(); }
    void run(bench::Clocks&) override {
        tiles_->load();
        transform_->run(session_.stream());
    }
    bench::Check verify() override {
        return guard_.judge(check_.verify(pieces_of(result())), session_.world());
    }
    void prepare_limit() override;
    std::vector<bench::LimitComponent> limit() override { return limit_->measure(); }
    [[nodiscard]] std::string note() const override {
        const std::string transport = transport_.description();
        return transform_->description() + (transport.empty() ? "" : "; " + transport);
    }
    void finish() override {
        keep_result(session_, plan_.data, plan_.problem, pieces_of(result()),
                    result_layout(plan_.problem, result().size()));
    }

    [[nodiscard]] device::View<Point> result() override { return transform_->result(); }

  private:
    /// How the CPU sees an array that may be a GPU's.
    [[nodiscard]] ReadPieces pieces_of(device::View<const Point> array) {
        return [this, array](const UsePiece& use) {
            device::HostAccess(session_.device(), session_.stream()).read(array, use);
        };
    }

    bench::Session& session_;
    NativePlan plan_;
    comm::Transport& transport_;
    bench::Arena arena_;
    device::Buffer<Point> input_;
    std::optional<Input> tiles_;
    bench::InputGuard guard_;  ///< of tiles that are made once
    TransformCheck check_;
    std::optional<NativeBuffers> buffers_;  ///< made after all that may fail on one rank
    std::optional<NativeTransform> transform_;
    std::optional<TransformLimit> limit_;
};

comm::Transport& usable_transport(bench::Session& session, const NativePlan& plan) {
    bench::require_formulation(session, bench::Formulation::native);
    return session.transport(plan.transport);
}

NativeCase::NativeCase(bench::Session& session, const NativePlan& plan)
    : session_(session),
      plan_(plan),
      transport_(usable_transport(session, plan)),
      arena_(session.device(), transport_),
      input_(arena_.make<Point>(plan.shape.input_points())),
      guard_(session.threads()),
      check_(plan.problem.points, session.options().seed,
             plan.problem.input_order(plan.shape.ranks, plan.shape.rank),
             plan.problem.output_order(plan.shape.ranks, plan.shape.rank), session.threads(),
             session.world()) {
    tiles_.emplace(session, plan, input_.view());
    if (session.options().verify == bench::Switch::on) {
        if (!plan.data.in_files() && !plan.in_place()) {
            guard_.remember(device::View<const Point>(input_.view()));
        }
        check_.expect(pieces_of(input_.view()));
    }
    buffers_.emplace(arena_, plan);
    transform_.emplace(plan, transport_, input_.view(), *buffers_);
}

void NativeCase::prepare_limit() {
    device::View<const Point> source = input_.view();
    device::View<Point> target = result();
    if (plan_.in_place()) {  // one half to the other
        const std::int64_t half = source.size() / 2;
        source = source.part(0, half);
        target = target.part(half, half);
    }
    limit_.emplace(session_, transport_, plan_.problem, source, target);
}

}  // namespace

bench::Arena memory_of(bench::Session& session, const NativePlan& plan) {
    const device::MemoryKind kind = session.device().memory_kind();
    bench::Arena arena;
    const auto input = arena.make<Point>(plan.shape.input_points());
    const NativeBuffers buffers(arena, plan);
    const Bytes result = bytes_of<Point>(buffers.result.size());
    if (plan.has_four_steps()) {
        arena.count(plan.ffts->four_step_memory(plan.shape), bench::Room::device);
        if (plan.shape.ranks > 1) {
            arena.count(
                bench::operation_memory(session, plan.transport).exchange(received_bytes(plan)),
                bench::Room::device);
        }
        TransformLimit::count(arena, plan.problem, plan.shape.ranks);
    } else {
        arena.count(plan.ffts->single_rank_memory(plan.shape).value(), bench::Room::device);
    }
    if (plan.data.in_files()) {
        TileLoader::staging(arena, plan.shape.length, kind);
    }
    arena.count(TransformCheck::memory(plan.problem.points, session.threads()), bench::Room::host);
    const Bytes largest = std::max(bytes_of<Point>(input.size()), result);
    arena.count(device::HostAccess::memory(largest, kind), bench::Room::host);
    return arena;
}

NativePlan plan_native(bench::Session& session, const std::string& transport,
                       const Problem& problem, const bench::DataOptions& data) {
    NativePlan plan{transport,
                    problem,
                    data,
                    problem.shape(session.world().size(), session.world().rank()),
                    make_fft_factory(session.device()),
                    Algorithm::transposed};
    if (const auto workspace = plan.ffts->single_rank_memory(plan.shape)) {
        plan.algorithm = single_rank_algorithm(session, plan.shape, *workspace);
    } else if (problem.order == ResultOrder::natural && plan.shape.ranks > 1) {
        // On one rank the transposed bins are in natural order.
        plan.algorithm = Algorithm::natural;
    }
    return plan;
}

NativePlan plan_vendors_library(bench::Session& session, const std::string& transport,
                                const Problem& problem) {
    Problem whole = problem;
    whole.tiles = 1;
    NativePlan plan = plan_native(session, transport, whole, {});
    if (plan.algorithm == Algorithm::single_rank) {
        plan.algorithm = Algorithm::library;
    }
    return plan;
}

bool transforms_one_tile(bench::Session& session, const Problem& problem) {
    Problem whole = problem;
    whole.tiles = 1;
    return plan_native(session, "", whole, {}).algorithm == Algorithm::single_rank;
}

std::unique_ptr<TransformCase> make_native_case(bench::Session& session, const NativePlan& plan) {
    return std::make_unique<NativeCase>(session, plan);
}

}  // namespace quartet::fft
