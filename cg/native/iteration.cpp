#include "cg/native/iteration.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "cg/native/device_resident_cg.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

namespace {

/// A few sums over all rows: what the device adds up on each rank, added in rank order.
class JointSums {
  public:
    static constexpr std::int64_t most = 2;

    /// Sums, and whether any rank has voted for something beside them.
    template <std::size_t count>
    struct Agreed {
        std::array<double, count> sums;
        bool any;
    };

    explicit JointSums(bench::Session& session)
        : world_(session.world()),
          stream_(session.stream()),
          // Where the device can leave them and the CPU read them.
          values_(device::allocate<double>(session.device(), most, device::MemoryKind::pinned)) {
        std::array<double, most + 1> room{};
        world_.sum(room);  // so that later ones allocate nothing
    }

    /// Where this rank's share of sum `index` belongs.
    [[nodiscard]] device::View<double> place(std::int64_t index) {
        return values_.view().part(index, 1);
    }

    /// The first `count` sums, and this rank's vote beside them: one reduction. Collective.
    template <std::size_t count>
    [[nodiscard]] Agreed<count> sum(bool vote = false) {
        stream_.synchronize();
        const Span span(stream_.track(), Phase::reduce, "sum");
        std::array<double, count + 1> sums;
        std::copy_n(values_.span().begin(), count, sums.begin());
        sums.back() = vote ? 1 : 0;
        world_.sum(sums);
        Agreed<count> agreed;
        std::copy_n(sums.begin(), count, agreed.sums.begin());
        agreed.any = sums.back() > 0;
        return agreed;
    }

  private:
    const comm::Communicator& world_;
    device::Stream& stream_;
    device::Buffer<double> values_;
};

/// The paper's iteration (VI.C), after Hestenes and Stiefel (1952): two sums, one after the other.
class Classic final : public Iteration {
  public:
    Classic(bench::Session& session, DistributedMatrix& matrix, const std::string& name)
        : device_(session.device()),
          stream_(session.stream()),
          matrix_(matrix),
          name_(name),
          sums_(session),
          x_(device::allocate<double>(device_, matrix.rows().size())),
          r_(device::allocate<double>(device_, matrix.rows().size())) {
        state_.solution = x_.view();
        state_.residual = r_.view();
        state_.direction = matrix.input();
        matrix.leave_dot_in(sums_.place(0));
        if (session.world().size() == 1) {
            ahead_.emplace(session, enqueue_alone(), DeviceResidentCg::Leaves::after, name);
        }
    }

    void restart(device::View<const double> right_side) override;
    void run(std::span<double> history, Observer& watch) override;

  private:
    bool advance(bool wants_stop);
    DeviceResidentCg::Enqueue enqueue_alone();

    device::Device& device_;
    device::Stream& stream_;
    DistributedMatrix& matrix_;
    std::string name_;
    JointSums sums_;
    device::Buffer<double> x_;
    device::Buffer<double> r_;
    std::optional<DeviceResidentCg> ahead_;  ///< where there is one rank
};

// What advance() does, with the scalars in memory.
DeviceResidentCg::Enqueue Classic::enqueue_alone() {
    return [this](device::View<device::CgScalars> scalars, device::View<double> history,
                  device::Stream& stream) {
        using device::CgScalars;
        device::VectorOperations& vectors = device_.vectors();
        const auto sum = place_of(scalars, &CgScalars::sum);
        const device::View<const double> step = place_of(scalars, &CgScalars::step);
        const device::View<const double> turn = place_of(scalars, &CgScalars::turn);
        matrix_.multiply_alone(stream);
        vectors.dot(state_.direction, matrix_.output(), sum, stream);
        vectors.find_step(scalars, stream);
        vectors.step_and_dot(step,
                             {state_.direction, matrix_.output(), state_.solution, state_.residual},
                             sum, stream);
        vectors.find_turn(scalars, history, stream);
        vectors.xpay(state_.residual, turn, state_.direction, stream);
    };
}

void Classic::restart(device::View<const double> right_side) {
    begin_classic(state_, right_side, device_, stream_);
}

void Classic::run(std::span<double> history, Observer& watch) {
    auto& [x, r, p, unused, residual_dot, step, done] = state_;
    if (done == 0) {
        device_.vectors().dot(r, r, sums_.place(0), stream_);
        residual_dot = sums_.sum<1>().sums[0];
    }
    const auto last = std::ssize(history) - 1;
    history[static_cast<std::size_t>(done)] = residual_dot;
    if (ahead_ && !watch.looks()) {
        ahead_->run(state_, 0, history);
        return;
    }
    for (Next next = Next::go_on; next == Next::go_on && done < last;) {
        const bool stop = advance(watch.wants_stop());
        const auto count = static_cast<std::size_t>(done);
        history[count] = residual_dot;
        next = watch.after(state_, history.first(count), stop);
    }
}

// Whether any rank wants to stop.
bool Classic::advance(bool wants_stop) {
    auto& [x, r, p, unused, residual_dot, step, done] = state_;
    matrix_.multiply_and_dot();
    step = step_length(residual_dot, sums_.sum<1>().sums[0], done, name_);
    device_.vectors().step_and_dot(step, {p, matrix_.output(), x, r}, sums_.place(0), stream_);
    const double before = residual_dot;
    const auto [sums, stop] = sums_.sum<1>(wants_stop);
    residual_dot = sums[0];
    device_.vectors().xpay(r, turn(residual_dot, before, step), p, stream_);
    ++done;
    return stop;
}

/// Chronopoulos and Gear, "s-step iterative methods for symmetric linear systems" (1989), s = 1:
/// s = A p is kept up from w = A r, so that p.Ap follows from r.r and r.Ar, which are summed
/// together.
class SingleReduction final : public Iteration {
  public:
    SingleReduction(bench::Session& session, DistributedMatrix& matrix, const std::string& name)
        : device_(session.device()),
          stream_(session.stream()),
          matrix_(matrix),
          name_(name),
          sums_(session),
          x_(device::allocate<double>(device_, matrix.rows().size())),
          p_(device::allocate<double>(device_, matrix.rows().size())),
          s_(device::allocate<double>(device_, matrix.rows().size())) {
        state_.solution = x_.view();
        state_.residual = matrix.input();
        state_.direction = p_.view();
        state_.direction_product = s_.view();
        matrix.leave_dot_in(sums_.place(1));
        if (session.world().size() == 1) {
            ahead_.emplace(session, enqueue_alone(), DeviceResidentCg::Leaves::before, name);
        }
    }

    void restart(device::View<const double> right_side) override;
    void run(std::span<double> history, Observer& watch) override;

  private:
    bool advance(bool wants_stop);
    DeviceResidentCg::Enqueue enqueue_alone();

    device::Device& device_;
    device::Stream& stream_;
    DistributedMatrix& matrix_;
    std::string name_;
    JointSums sums_;
    device::Buffer<double> x_;
    device::Buffer<double> p_;
    device::Buffer<double> s_;
    std::optional<DeviceResidentCg> ahead_;  ///< where there is one rank
};

// What advance() does, with the scalars in memory.
DeviceResidentCg::Enqueue SingleReduction::enqueue_alone() {
    return [this](device::View<device::CgScalars> scalars, device::View<double> history,
                  device::Stream& stream) {
        using device::CgScalars;
        device::VectorOperations& vectors = device_.vectors();
        const device::View<const double> step = place_of(scalars, &CgScalars::step);
        const device::View<const double> turn = place_of(scalars, &CgScalars::turn);
        matrix_.multiply_alone(stream);
        vectors.dot(state_.residual, matrix_.output(), place_of(scalars, &CgScalars::product_dot),
                    stream);
        vectors.find_turn_and_step(scalars, history, stream);
        vectors.turn_step_and_dot(turn, step,
                                  {state_.direction, state_.direction_product, matrix_.output(),
                                   state_.solution, state_.residual},
                                  place_of(scalars, &CgScalars::sum), stream);
    };
}

void SingleReduction::restart(device::View<const double> right_side) {
    device_.copy(device::as_bytes(right_side), device::as_bytes(state_.residual), stream_);
    for (const auto& vector : {state_.solution, state_.direction, state_.direction_product}) {
        device_.vectors().fill(0.0, vector, stream_);
    }
    state_.residual_dot = 0;
    state_.step = 0;
    state_.done = 0;
}

void SingleReduction::run(std::span<double> history, Observer& watch) {
    auto& [x, r, p, s, residual_dot, step, done] = state_;
    // Of a saved state this is what the last step has left: the same bits.
    device_.vectors().dot(r, r, sums_.place(0), stream_);
    if (ahead_ && !watch.looks()) {
        history.back() = ahead_->run(state_, sums_.sum<1>().sums[0], history);
        return;
    }
    const auto last = std::ssize(history) - 1;
    for (Next next = Next::go_on; next == Next::go_on && done < last;) {
        const bool stop = advance(watch.wants_stop());
        const auto count = static_cast<std::size_t>(done);
        history[count - 1] = residual_dot;
        next = watch.after(state_, history.first(count), stop);
    }
    history[static_cast<std::size_t>(done)] = sums_.sum<1>().sums[0];
}

// This rank's share of r.r is there. Leaves r.r before the step in the state. Whether any rank
// wants to stop.
bool SingleReduction::advance(bool wants_stop) {
    auto& [x, r, p, s, residual_dot, step, done] = state_;
    matrix_.multiply_and_dot();
    const auto [sums, stop] = sums_.sum<2>(wants_stop);
    const auto [dot, product_dot] = sums;
    const auto [kept, curvature] =
        device::curvature_of(turn(dot, residual_dot, step), dot, product_dot, step);
    step = step_length(dot, curvature, done, name_);
    device_.vectors().turn_step_and_dot(kept, step, {p, s, matrix_.output(), x, r}, sums_.place(0),
                                        stream_);
    residual_dot = dot;
    ++done;
    return stop;
}

}  // namespace

void begin_classic(IterationState& state, device::View<const double> right_side,
                   device::Device& device, device::Stream& stream) {
    device.vectors().fill(0.0, state.solution, stream);
    device.copy(device::as_bytes(right_side), device::as_bytes(state.residual), stream);
    device.copy(device::as_bytes(right_side), device::as_bytes(state.direction), stream);
    state.step = 0;
    state.done = 0;
}

double step_length(double residual_dot, double curvature, std::int64_t iteration,
                   const std::string& matrix) {
    if (!device::are_of_positive_definite(residual_dot, curvature)) {
        throw Failure(fmt::format(
            "{} is not positive definite (p.Ap = {:.3g}, r.r = {:.3g} in iteration {}): conjugate "
            "gradients need a symmetric positive definite matrix",
            matrix, curvature, residual_dot, iteration + 1));
    }
    return device::step_length(residual_dot, curvature);
}

double turn(double residual_dot, double before, double last_step) {
    return device::turn_of(residual_dot, before, last_step);
}

std::unique_ptr<Iteration> Iteration::make(Algorithm algorithm, bench::Session& session,
                                           DistributedMatrix& matrix, const std::string& name) {
    if (algorithm == Algorithm::classic) {
        return std::make_unique<Classic>(session, matrix, name);
    }
    return std::make_unique<SingleReduction>(session, matrix, name);
}

Bytes Iteration::memory(const Problem& problem, std::int64_t rows) {
    return bytes_of<double>((problem.algorithm == Algorithm::classic ? 2 : 3) * rows +
                            JointSums::most) +
           DeviceResidentCg::memory();
}

}  // namespace quartet::cg
