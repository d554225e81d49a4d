#pragma once

#include <memory>

#include "bench/session/case.hpp"
#include "fft/dataflow/dataflow_plan.hpp"
#include "fft/problem/verify.hpp"
#include "flow/queue.hpp"

namespace quartet::fft {

/// The work of one rank in the data flow, as a worker or as the reducer. All members are local, but
/// may wait in the queue for other ranks.
class DataflowRole {
  public:
    virtual ~DataflowRole() = default;
    /// Before each run, outside of the time.
    virtual void prepare() {}
    virtual void run(flow::Queue& queue, bench::Clocks& clocks) = 0;

    /// This rank's tiles, one after another; none on the reducer. Outside of runs.
    [[nodiscard]] virtual ReadPieces input() const = 0;
    /// The input in memory, if runs leave it as it is; empty if they read files.
    [[nodiscard]] virtual device::View<const Point> input_memory() const { return {}; }
    /// X on the reducer, where it computes; empty on a worker.
    [[nodiscard]] virtual device::View<Point> result() = 0;
    /// X as the CPU sees it, outside of runs.
    [[nodiscard]] virtual ReadPieces output() = 0;

    /// Makes ready what measure() needs. Payloads that are under way in the queue: none.
    virtual void prepare_limit(flow::Queue& queue) = 0;
    /// This rank's part of the limit.
    struct Times {
        Seconds transforms;  ///< of a worker's tiles
        Seconds copy;        ///< of all points on the reducer
        Seconds host_link;   ///< of its tiles between its GPU and the host's memory
    };
    [[nodiscard]] virtual Times measure() = 0;
};

/// Files of tiles must exist and have been checked. Throws Failure. Local.
std::unique_ptr<DataflowRole> make_dataflow_role(bench::Session& session, const DataflowPlan& plan);

}  // namespace quartet::fft
