#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "bench/session/buffer_plan.hpp"
#include "cg/iteration.hpp"
#include "cg/rank_context.hpp"
#include "device/cg_scalars.hpp"

namespace quartet::cg {

/// Iterations of one rank without an observer. Their scalars stay with the vectors in the device's
/// memory, so the CPU enqueues many iterations at once and waits for none. On a GPU one iteration
/// is one graph, launched again for each.
class DeviceResidentCg {
  public:
    struct Buffers {
        explicit Buffers(bench::BufferPlan& plan);

        bench::PlannedBuffer<device::CgScalars> scalars;
        bench::PlannedBuffer<double> history;
        bench::PlannedBuffer<device::CgScalars> seen_scalars;
        bench::PlannedBuffer<double> seen_history;
    };

    /// Enqueues one iteration: reads the scalars, writes those of the next, and writes r.r to
    /// `history` as cg_scalars.hpp says.
    using Enqueue = std::function<void(device::View<device::CgScalars> scalars,
                                       device::View<double> history, device::Stream& stream)>;
    /// Which r.r an iteration writes to the history: update_beta writes that after it,
    /// update_alpha_beta that before it.
    enum class Leaves { after, before };

    /// Borrows what the context borrows; `matrix` is what failures call the matrix.
    DeviceResidentCg(const RankContext& context, const Buffers& buffers, const Enqueue& iteration,
                     Leaves leaves, std::string matrix);

    /// From the state on until `history` is full; writes the elements that the iterations leave.
    /// `sum` is CgScalars::sum before; returns what it is afterwards. Throws Failure as alpha_of
    /// does. Neither prints nor allocates.
    double run(IterationState& state, double sum, std::span<double> history);

  private:
    /// Iterations that the CPU enqueues before it waits and looks for a failure: even the shortest
    /// then take far longer than the wait.
    static constexpr std::int64_t most = 64;

    void run_some(IterationState& state, std::int64_t count, std::span<double> history);
    template <typename T>
    void copy(device::View<T> from, device::View<T> to);

    RankContext context_;
    std::int64_t first_element_;  ///< of history_
    std::string matrix_;
    device::Buffer<device::CgScalars> scalars_;
    device::Buffer<double> history_;  ///< of some iterations, and the one before them
    // The CPU's copies.
    device::Buffer<device::CgScalars> seen_scalars_;
    device::Buffer<double> seen_history_;
    std::unique_ptr<device::Recording> iteration_;
};

}  // namespace quartet::cg
