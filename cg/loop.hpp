#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bench/session/session.hpp"
#include "cg/matrix.hpp"
#include "cg/problem.hpp"
#include "device/vector_operations.hpp"

namespace quartet::cg {

/// alpha = r.r / p.Ap of the next iteration. 0 if either is below the smallest normal number: x has
/// converged, and nothing becomes NaN. 0 also after a breakdown, which it notes.
double next_alpha(IterationState& state, double curvature);

/// r and p before and after some iterations of a run, as the verification of alpha and beta needs
/// them. The seed and the number of the run choose the iterations.
class Samples {
  public:
    static constexpr int most = 3;  ///< iterations

    /// For `rows` rows of a vector. Borrows the session.
    Samples(device::Arena& arena, bench::Session& session, std::int64_t rows);

    /// Chooses among the iterations from `first` on for the next run. Local.
    void choose(std::int64_t first, std::int64_t iterations);
    /// Copies r and p if the sample needs this state. To be called before the first iteration and
    /// after each. Enqueued.
    void note(const IterationState& state);
    /// The least number of iterations, above `done`, after which a state is wanted; `otherwise` if
    /// there is none. Local.
    [[nodiscard]] std::int64_t next(std::int64_t done, std::int64_t otherwise) const;

    /// An iteration, and this rank's rows of the vectors around it.
    struct Sample {
        std::int64_t iteration;                                   ///< how many were done before it
        std::array<device::View<double>, 2> residual, direction;  ///< before it and after it
    };
    [[nodiscard]] std::span<const Sample> chosen() const { return {samples_.data(), count_}; }

  private:
    bench::Session& session_;
    device::Buffer<double> vectors_;
    std::array<Sample, most> samples_;
    std::size_t count_ = 0;  ///< chosen
    std::int64_t runs_ = 0;
};

enum class Next { go_on, stop };

/// Is told of every iteration: may save the state, and end the iterations early.
class Observer {
  public:
    virtual ~Observer() = default;
    /// Whether this rank asks to stop. The ranks agree within a sum that the iteration makes
    /// anyway. Local.
    [[nodiscard]] virtual bool wants_stop() const { return false; }
    /// After each iteration: `history` is r.r before each of those done, `stop` whether any rank
    /// asked to stop. The same answer on all ranks. Collective.
    virtual Next after(const IterationState& /*state*/, std::span<const double> /*history*/,
                       bool /*stop*/) {
        return Next::go_on;
    }
};

/// Conjugate gradients in one formulation: a matrix over the ranks, and the loop of iterations that
/// solves its system from x = 0 or from a saved state. Members are collective unless they say
/// otherwise.
class CgLoop {
  public:
    virtual ~CgLoop() = default;
    CgLoop(const CgLoop&) = delete;
    CgLoop& operator=(const CgLoop&) = delete;

    /// This rank's share of the matrix, to be filled; null on a reducer. Local.
    [[nodiscard]] virtual MatrixShare* share() = 0;
    /// x = 0, r = b: this rank's rows of the right side.
    void restart(device::View<const double> right_side);
    /// Iterates from state() until `history` is full. It holds r.r before the first iteration and
    /// after each, one more element than iterations. Elements before state().done are kept. Neither
    /// prints nor allocates. To continue from a saved state, set vectors and scalars of state()
    /// first. Without an observer a GPU of one rank need not wait between iterations. `samples`, if
    /// there are any, get their states.
    void run(std::span<double> history, Observer* observer = nullptr, Samples* samples = nullptr);
    /// All rows of a vector of the state, on all ranks. The residual may be lost.
    virtual std::vector<double> gather(device::View<const double> rows) = 0;

    [[nodiscard]] IterationState& state() { return state_; }
    [[nodiscard]] const IterationState& state() const { return state_; }

  protected:
    /// Borrows the session. Local.
    CgLoop(device::Arena& arena, bench::Session& session, const Problem& problem,
           bench::Formulation formulation);

    /// r.r of the state.
    virtual double first_residual_dot() = 0;
    /// Iterates without an observer until `end` iterations are done, if the formulation has a
    /// faster way for that; else does nothing and returns false.
    virtual bool run_unobserved(std::span<double> /*history*/, std::int64_t /*end*/) {
        return false;
    }
    /// Before the first iteration of a run.
    virtual void begin() {}
    /// Makes one iteration, which the caller counts. Returns whether any rank wants to stop.
    virtual bool iterate(bool wants_stop) = 0;

    /// A vector of the device's, copied to the CPU. Local.
    std::vector<double> on_host(device::View<const double> vector);
    /// Enqueues sum_ = a . b of this rank's rows.
    void dot(device::View<const double> a, device::View<const double> b) {
        device_.vectors().dot(a, b, sum_.view(), stream_);
    }
    /// Waits for the device, and reads sum_.
    double local_sum() {
        stream_.synchronize();
        return sum_.span()[0];
    }
    /// This rank's rows of the matrix.
    [[nodiscard]] RowBlock row_block() const { return {rows_.begin, rows_.size(), problem_.size}; }

    bench::Session& session_;
    const comm::Communicator& world_;
    device::Device& device_;
    device::Stream& stream_;
    Problem problem_;
    comm::Roles roles_;
    Range rows_;                       ///< of the vectors that this rank has
    device::Buffer<double> solution_;  ///< x
    device::Buffer<double> product_;   ///< A p
    device::Buffer<double> sum_;       ///< this rank's share of a sum, for the CPU to read
    IterationState state_;
};

/// The loop of a formulation, with a matrix to be filled. Borrows session and transport.
/// Collective; local while the arena plans. Throws Unavailable if the transport lacks a capability.
std::unique_ptr<CgLoop> make_loop(device::Arena& arena, bench::Session& session,
                                  comm::Transport& transport, const Problem& problem,
                                  bench::Formulation formulation);
std::unique_ptr<CgLoop> make_dataflow_loop(device::Arena& arena, bench::Session& session,
                                           comm::Transport& transport, const Problem& problem);
std::unique_ptr<CgLoop> make_library_loop(device::Arena& arena, bench::Session& session,
                                          comm::Transport& transport, const Problem& problem);

}  // namespace quartet::cg
