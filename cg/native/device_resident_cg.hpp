#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "bench/program/session.hpp"
#include "cg/native/iteration.hpp"

namespace quartet::cg {

/// The iterations of one rank, of which nobody looks at each: their scalars stay with the vectors
/// in the device's memory, so that the CPU enqueues many at once and waits for none. On a GPU one
/// iteration is one graph, launched anew for each.
class DeviceResidentCg {
  public:
    /// Enqueues one iteration on a stream: from the scalars to those of the next, with r.r into
    /// `history` as cg_scalars.hpp has it.
    using Enqueue = std::function<void(device::View<device::CgScalars> scalars,
                                       device::View<double> history, device::Stream& stream)>;
    /// The r.r that an iteration leaves in the history: find_turn that after it, find_turn_and_step
    /// that before it.
    enum class Leaves { after, before };
    /// Borrows the session; `matrix` is what failures call the matrix.
    DeviceResidentCg(bench::Session& session, const Enqueue& iteration, Leaves leaves,
                     std::string matrix);

    /// From the state on until as many iterations are done as `history` has elements but one; those
    /// elements are written that the iterations leave. `sum` is what CgScalars::sum holds before;
    /// what it holds afterwards is returned. Throws Failure as step_length does. Neither prints nor
    /// allocates.
    double run(IterationState& state, double sum, std::span<double> history);

    /// What it takes.
    static Bytes memory();

  private:
    /// So many are enqueued before the CPU waits, and sees whether they have failed: by then the
    /// shortest take far longer than the waiting.
    static constexpr std::int64_t most = 64;

    void run_some(IterationState& state, std::int64_t count, std::span<double> history);
    template <typename T>
    void copy(device::View<T> from, device::View<T> to);

    bench::Session& session_;
    std::int64_t first_place_;  ///< in history_
    std::string matrix_;
    device::Buffer<device::CgScalars> scalars_;
    device::Buffer<double> history_;  ///< of some iterations, and the one before them
    // What the CPU sees of them.
    device::Buffer<device::CgScalars> seen_scalars_;
    device::Buffer<double> seen_history_;
    std::unique_ptr<device::Recording> iteration_;
};

}  // namespace quartet::cg
