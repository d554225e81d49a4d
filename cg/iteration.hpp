#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "device/device.hpp"

namespace quartet::cg {

/// All that the iterations need to go on. Vectors are this rank's rows; scalars are the same on all
/// ranks.
struct IterationState {
    device::View<double> solution;           ///< x
    device::View<double> residual;           ///< r, by recurrence
    device::View<double> direction;          ///< p
    device::View<double> direction_product;  ///< A p where the algorithm keeps it, else empty
    double residual_dot = 0;                 ///< r . r
    double alpha = 0;                        ///< of the last iteration; 0: the next p is r
    std::int64_t done = 0;                   ///< iterations so far
};

/// alpha = r.r / p.Ap, or 0 where either is below the smallest normal number: x has converged, and
/// nothing becomes NaN. Throws Failure where p.Ap is negative or either is not finite: then
/// `matrix`, as failures call it, is not positive definite.
double alpha_of(double residual_dot, double curvature, std::int64_t iteration,
                const std::string& matrix);

enum class Next { go_on, stop };

/// Is told of every iteration: may save the state, and end the iterations early.
class Observer {
  public:
    virtual ~Observer() = default;
    /// False: one rank alone need not wait for its device between iterations.
    [[nodiscard]] virtual bool looks() const { return true; }
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

/// Times the iterations of a run. A rank that need not wait for its device between them is told of
/// none.
class IterationClock final : public Observer {
  public:
    explicit IterationClock(std::int64_t iterations) {
        seconds_.reserve(static_cast<std::size_t>(iterations));
    }
    void begin() {
        seconds_.clear();
        last_ = now();
    }
    [[nodiscard]] bool looks() const override { return false; }
    Next after(const IterationState& state, std::span<const double> history, bool stop) override;
    /// Of each iteration since begin().
    [[nodiscard]] std::span<const double> seconds() const { return seconds_; }

  private:
    std::vector<double> seconds_;
    Seconds last_;
};

/// Conjugate gradients for a distributed matrix, from x = 0 or from a saved state. All members are
/// collective.
class Iteration {
  public:
    virtual ~Iteration() = default;

    /// x = 0, r = b: this rank's rows of the right side.
    virtual void restart(device::View<const double> right_side) = 0;
    /// From state() on until `history` is full: r.r before the first iteration and after each, one
    /// more element than iterations. Elements before state().done are kept. Neither prints nor
    /// allocates. To continue from a saved state, set vectors and scalars of state() first.
    virtual void run(std::span<double> history, Observer& observer) = 0;
    [[nodiscard]] IterationState& state() { return state_; }
    [[nodiscard]] const IterationState& state() const { return state_; }

  protected:
    IterationState state_;
};

/// The loop of the classic algorithm, whose iterations each formulation makes in its own way.
class ClassicLoop : public Iteration {
  public:
    void restart(device::View<const double> right_side) override;
    void run(std::span<double> history, Observer& observer) override;

  protected:
    /// Borrows both.
    ClassicLoop(device::Device& device, device::Stream& stream)
        : device_(device), stream_(stream) {}

    /// Sets r.r of the state.
    virtual void find_first_residual() = 0;
    /// One iteration, but for the count of those done. Whether any rank wants to stop.
    virtual bool iterate(bool wants_stop) = 0;

    device::Device& device_;
    device::Stream& stream_;
};

}  // namespace quartet::cg
