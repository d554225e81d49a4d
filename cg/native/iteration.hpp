#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bench/program/session.hpp"
#include "cg/system/distributed_matrix.hpp"

namespace quartet::cg {

/// Where the iterations stand: all that going on from there takes. Vectors are this rank's rows,
/// scalars the same on all ranks.
struct IterationState {
    device::View<double> solution;           ///< x
    device::View<double> residual;           ///< r, by recurrence
    device::View<double> direction;          ///< p
    device::View<double> direction_product;  ///< A p where the algorithm keeps it, else empty
    double residual_dot = 0;                 ///< r . r
    double step = 0;                         ///< length of the last step; 0: the next begins anew
    std::int64_t done = 0;                   ///< iterations so far
};

/// The classic algorithm's state before its first iteration: x = 0, r = p = `right_side`, this
/// rank's rows of it. Enqueued on `stream`; local.
void begin_classic(IterationState& state, device::View<const double> right_side,
                   device::Device& device, device::Stream& stream);

/// The step r.r / p.Ap. 0, so that nothing changes any more and nothing becomes NaN, where one of
/// them is below the smallest normal number: all that there is to gain has been gained. Throws
/// Failure where p.Ap is negative or one of them is no number, which says that `matrix` is not
/// positive definite.
double step_length(double residual_dot, double curvature, std::int64_t iteration,
                   const std::string& matrix);

/// How much of the old direction the new one keeps: r.r of now over that of before; 0, so that it
/// begins anew, after a step of 0.
double turn(double residual_dot, double before, double last_step);

enum class Next { go_on, stop };

/// Looks on between the iterations: may save where they stand, and end them early.
class Observer {
  public:
    virtual ~Observer() = default;
    /// Whether it looks at all: else a rank alone need not stop between iterations.
    [[nodiscard]] virtual bool looks() const { return true; }
    /// Whether this rank would rather stop; the ranks agree within a sum that the iteration makes
    /// anyway. Local.
    [[nodiscard]] virtual bool wants_stop() const { return false; }
    /// After each iteration: `history` is r.r before each of those done, `stop` whether any rank
    /// wanted to. The same answer on all ranks. Collective.
    virtual Next after(const IterationState& /*state*/, std::span<const double> /*history*/,
                       bool /*stop*/) {
        return Next::go_on;
    }
};

/// Looks at nothing.
class NoObserver final : public Observer {
  public:
    [[nodiscard]] bool looks() const override { return false; }
};

/// Conjugate gradients for a distributed matrix, from x = 0 or from a saved state. All members are
/// collective.
class Iteration {
  public:
    /// Borrows session and matrix; `name` is what failures call the matrix.
    static std::unique_ptr<Iteration> make(Algorithm algorithm, bench::Session& session,
                                           DistributedMatrix& matrix, const std::string& name);
    /// What a rank needs beside the matrix.
    static Bytes memory(const Problem& problem, std::int64_t rows);

    virtual ~Iteration() = default;

    /// x = 0, r = b: this rank's rows of the right side.
    virtual void restart(device::View<const double> right_side) = 0;
    /// From state() on until as many iterations are done as `history` has elements but one: r.r
    /// before the first and after each; those before state().done are left alone. Neither prints
    /// nor allocates. To go on from a saved state, vectors and scalars of state() are set before.
    virtual void run(std::span<double> history, Observer& watch) = 0;
    [[nodiscard]] IterationState& state() { return state_; }
    [[nodiscard]] const IterationState& state() const { return state_; }

  protected:
    IterationState state_;
};

}  // namespace quartet::cg
