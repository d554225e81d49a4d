#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "bench/session/arena.hpp"
#include "cg/problem/loop.hpp"
#include "device/cg_scalars.hpp"

namespace quartet::cg {

/// Iterations of one rank without an observer. Their scalars stay with the vectors in the device's
/// memory, so the CPU enqueues many iterations at once and waits for none. On a GPU several
/// iterations are one graph.
class DeviceResidentCg {
  public:
    struct Buffers {
        explicit Buffers(bench::Arena& arena);

        device::Buffer<device::CgScalars> scalars;
        device::Buffer<double> history;  ///< of some iterations, and the one before them
        // The CPU's copies.
        device::Buffer<device::CgScalars> seen_scalars;
        device::Buffer<double> seen_history;
    };

    /// What enqueues iterations: each reads the scalars, writes those of the next, and writes r.r
    /// to `history` as cg_scalars.hpp says.
    struct Iterations {
        /// All alike.
        Iterations(const device::Operations& each) : first(each), next(each) {}
        /// The state is whole before `first` and after `last`.
        Iterations(device::Operations first_one, device::Operations next_one,
                   device::Operations after_last)
            : first(std::move(first_one)), next(std::move(next_one)), last(std::move(after_last)) {}

        device::Operations first;
        device::Operations next;
        device::Operations last = [](device::Stream&) {};
    };
    using MakeIterations = std::function<Iterations(device::View<device::CgScalars> scalars,
                                                    device::View<double> history)>;
    /// Which r.r an iteration writes to the history: update_beta writes that after it,
    /// update_alpha_beta that before it.
    enum class Leaves { after, before };

    /// Borrows what the context borrows; `matrix` is what failures call the matrix.
    DeviceResidentCg(const RankContext& context, Buffers buffers, const MakeIterations& make,
                     Leaves leaves, std::string matrix);

    /// Iterates from the state until `history` is full, and writes the elements that the iterations
    /// leave there. `sum` is CgScalars::sum before; returns the sum afterwards. Throws Failure as
    /// alpha_of does. Neither prints nor allocates.
    double run(IterationState& state, double sum, std::span<double> history);

  private:
    /// Iterations of a graph: within it one kernel may begin while the one before it ends.
    static constexpr std::int64_t of_graph = 16;
    /// Iterations that the CPU enqueues before it waits and looks for a failure: even the shortest
    /// then take far longer than the wait.
    static constexpr std::int64_t most = 1 + 8 * of_graph;

    void take_over(IterationState& state, std::int64_t count, std::span<double> history);
    template <typename T>
    void copy(device::View<T> from, device::View<T> to);

    RankContext context_;
    Buffers buffers_;
    std::int64_t first_element_;  ///< of the buffer's history
    std::string matrix_;
    Iterations iterations_;
    device::Operations next_;
    device::Operations several_;  ///< next ones
};

}  // namespace quartet::cg
