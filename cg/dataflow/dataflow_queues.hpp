#pragma once

#include "bench/session/arena.hpp"
#include "cg/dataflow/dataflow_reduction.hpp"
#include "cg/problem/problem.hpp"
#include "flow/hub.hpp"

namespace quartet::cg {

/// The queues of the data flow (DataflowLoop), on each rank. Nothing that was sent by them is
/// left on its way when they are destroyed: what an iteration sends last, the next one receives.
struct DataflowQueues {
    /// Counts what they allocate on `rank`. Local.
    static void count(bench::Arena& arena, const comm::OperationMemory& transport,
                      const Problem& problem, const comm::Roles& roles, int bound, int rank);

    /// Collective, as is destroying them, but not while an exception unwinds. Hub and transport
    /// outlive them.
    DataflowQueues(flow::Hub& hub, comm::Transport& transport, const Problem& problem,
                   const comm::Roles& roles, int bound);
    ~DataflowQueues();
    DataflowQueues(const DataflowQueues&) = delete;
    DataflowQueues& operator=(const DataflowQueues&) = delete;

    DataflowReduction curvature;  ///< p.Ap in, alpha out
    DataflowReduction residual;   ///< r.r in, beta out
    flow::Queue blocks;           ///< each worker's rows of p, by worker
    flow::Publication direction;  ///< p

  private:
    int exceptions_;  ///< how many were in flight at construction
};

}  // namespace quartet::cg
