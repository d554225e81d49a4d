#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "comm/transport/transport.hpp"
#include "device/host_access.hpp"
#include "fft/formulations.hpp"

namespace quartet::fft {

namespace {

/// An exchange of numbers: this rank sends a part to each rank, and finds the parts that come.
template <typename T>
class Parts {
  public:
    /// `count(from, to)` says how many numbers go from one rank to another. The part that a rank
    /// sends to itself is read where it is. Collective; local while the arena plans.
    template <typename Count>
    Parts(device::Arena& arena, comm::Transport& transport, device::View<const T> sent,
          Count count) {
        const comm::Communicator& world = transport.comm();
        if (world.size() == 1) {
            received_ = {sent};
            return;
        }
        std::vector<std::int64_t> sizes;
        std::vector<std::int64_t> received;
        for (int other = 0; other < world.size(); ++other) {
            sizes.push_back(bytes_of<T>(count(world.rank(), other)).value);
            received.push_back(bytes_of<T>(count(other, world.rank())).value);
        }
        exchange_ = transport.prepare_exchange(
            arena, {comm::consecutive(device::as_bytes(sent), sizes), std::move(received)});
        for (const device::View<const std::byte>& part : exchange_->parts()) {
            received_.push_back(device::view_as<T>(part));
        }
    }

    void run(device::Stream& stream) {
        if (exchange_) {
            exchange_->run(stream);
        }
    }
    /// To be called after the last use of received().
    void release(device::Stream& stream) {
        if (exchange_) {
            exchange_->release(stream);
        }
    }
    /// The parts that have come, by sender.
    [[nodiscard]] std::span<const device::View<const T>> received() const { return received_; }

  private:
    std::unique_ptr<comm::Exchange> exchange_;  ///< with several ranks
    std::vector<device::View<const T>> received_;
};

/// The whole transform by the one rank that has all tiles, or column FFTs with twiddles, one
/// exchange, row FFTs (four_step.hpp), and a second exchange into natural order. Where the
/// transport reads in place, the row FFTs read what other ranks have written.
class NativeCase final : public TransformCase {
  public:
    /// Makes and checks files. Collective; local while the arena plans. Throws Unavailable; Failure
    /// where files are not what the manifest says.
    NativeCase(device::Arena& arena, bench::Session& session, const NativePlan& plan)
        : TransformCase(arena, session, plan.problem, plan.data),
          plan_(plan),
          transport_(session.transport(plan.transport)),
          input_(arena.make<Point>(plan.shape.input_points())),
          tiles_(arena, session, plan.problem, plan.shape.my_tiles(), plan.data) {
        const FourStepFft& shape = plan.shape;
        if (!plan.in_place()) {
            result_ = arena.make<Point>(
                plan.algorithm == Algorithm::transposed
                    ? shape.output_points()
                    : block_range(shape.points(), shape.ranks, shape.rank).size());
        }
        arena.reserve(device::HostAccess::memory(std::max(input_.view().bytes(), result().bytes()),
                                                 session.device().memory_kind()));
        if (plan.algorithm != Algorithm::transposed && plan.algorithm != Algorithm::natural) {
            whole_ = plan.algorithm == Algorithm::library
                         ? plan.ffts->vendors_fft(arena, shape.points())
                         : plan.ffts->single_rank_fft(arena, shape);
            return;
        }
        parts_ = comm::allocate<double>(arena, transport_, shape.parts_size());
        column_ffts_ = plan.ffts->column_ffts(arena, shape);
        row_ffts_ = plan.ffts->row_ffts(arena, shape);
        exchange_.emplace(arena, transport_, parts_.view(),
                          [&](int from, int to) { return shape.part_size(from, to); });
        if (plan.algorithm == Algorithm::natural) {
            bins_ = comm::allocate<Point>(arena, transport_, shape.output_points());
            transpose_ = plan.ffts->transpose(shape);
            second_exchange_.emplace(arena, transport_, bins_.view(), [&](int from, int to) {
                return natural_part_points(shape, from, to);
            });
        }
    }

    void set_up() override {
        tiles_.load(input_.view());
        const int ranks = plan_.shape.ranks;
        const int rank = plan_.shape.rank;
        expect(problem_.input_order(ranks, rank), problem_.output_order(ranks, rank), input_.view(),
               data_.in_files() || plan_.in_place() ? KeepsInput::no : KeepsInput::yes);
    }
    void prepare() override {
        tiles_.prepare();
        if (plan_.in_place() && !data_.in_files()) {
            tiles_.load(input_.view());
        }
    }
    void run() override {
        if (data_.in_files()) {
            tiles_.load(input_.view());
        }
        device::Stream& stream = session_.stream();
        if (whole_) {
            whole_->run(input_.view(), result(), stream);
            return;
        }
        column_ffts_->run(input_.view(), parts_.view(), stream);
        exchange_->run(stream);
        row_ffts_->run(exchange_->received(), transpose_ ? bins_.view() : result(), stream);
        exchange_->release(stream);
        if (transpose_) {
            second_exchange_->run(stream);
            transpose_->run(second_exchange_->received(), result(), stream);
            second_exchange_->release(stream);
        }
    }
    void prepare_limit(device::Arena& arena) override {
        device::View<const Point> source = input_.view();
        device::View<Point> target = result();
        if (plan_.in_place()) {  // one half to the other
            const std::int64_t half = source.size() / 2;
            source = source.part(0, half);
            target = target.part(half, half);
        }
        limit_.emplace(arena, session_, transport_, plan_.problem, source, target);
    }
    std::vector<bench::LimitComponent> limit() override { return limit_->measure(); }
    [[nodiscard]] std::string note() const override {
        const std::string how =
            !whole_
                ? fmt::format("tiles by {}; sums by {}", column_ffts_->description(),
                              row_ffts_->description())
                : whole_->description() + (plan_.algorithm == Algorithm::library
                                               ? ", out of place, in natural order"
                                           : plan_.in_place() ? "; in place, made anew for each run"
                                                              : "");
        const std::string transport = transport_.description();
        return how + (transport.empty() ? "" : "; " + transport);
    }
    [[nodiscard]] device::View<Point> result() override {
        return plan_.in_place() ? input_.view() : result_.view();
    }

  private:
    NativePlan plan_;
    comm::Transport& transport_;
    device::Buffer<Point> input_;  ///< this rank's tiles
    TileLoader tiles_;
    device::Buffer<Point> result_;  ///< none in place
    std::unique_ptr<SingleRankFft> whole_;

    device::Buffer<double> parts_;  ///< sent by the first exchange
    device::Buffer<Point> bins_;    ///< sent by the second exchange
    std::unique_ptr<ColumnFfts> column_ffts_;
    std::unique_ptr<RowFfts> row_ffts_;
    std::optional<Parts<double>> exchange_;

    std::unique_ptr<Transpose> transpose_;  ///< where the order is natural
    std::optional<Parts<Point>> second_exchange_;
    std::optional<TransformLimit> limit_;
};

Algorithm algorithm_of(bench::Session& session, const NativePlan& plan) {
    device::Arena arena(session.device(), device::Arena::Mode::plan);
    if (plan.ffts->single_rank_fft(arena, plan.shape) == nullptr) {
        // On one rank the transposed bins are in natural order.
        return plan.problem.order == ResultOrder::natural && plan.shape.ranks > 1
                   ? Algorithm::natural
                   : Algorithm::transposed;
    }
    if (session.gpus().empty()) {
        return Algorithm::single_rank;
    }
    const Bytes beside = 2 * bytes_of<Point>(plan.shape.points()) + arena.needs().device;
    const Bytes free = session.gpus().memory_share();
    const Bytes allowed = session.options().device_memory.value_or(free);
    return beside <= std::min(free, allowed) ? Algorithm::single_rank
                                             : Algorithm::single_rank_in_place;
}

}  // namespace

NativePlan plan_native(bench::Session& session, const std::string& transport,
                       const Problem& problem, const bench::DataOptions& data) {
    NativePlan plan{transport,
                    problem,
                    data,
                    problem.shape(session.world().size(), session.world().rank()),
                    make_fft_factory(session.device()),
                    Algorithm::transposed};
    plan.algorithm = algorithm_of(session, plan);
    return plan;
}

std::unique_ptr<TransformCase> make_native_case(device::Arena& arena, bench::Session& session,
                                                const NativePlan& plan) {
    return std::make_unique<NativeCase>(arena, session, plan);
}

}  // namespace quartet::fft
