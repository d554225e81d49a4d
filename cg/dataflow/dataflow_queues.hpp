#pragma once

#include "bench/program/buffer_plan.hpp"
#include "cg/dataflow/dataflow_reduction.hpp"
#include "cg/problem.hpp"
#include "flow/hub.hpp"

namespace quartet::cg {

/// The queues of the data flow (DataflowSolver), on each rank.
struct DataflowQueues {
    /// Counts what they allocate on `rank`. Local.
    static void plan(bench::BufferPlan& plan, const comm::OperationMemory& transport,
                     const Problem& problem, const comm::Roles& roles, int bound, int rank);

    /// Collective. Hub and transport outlive them.
    DataflowQueues(flow::Hub& hub, comm::Transport& transport, const Problem& problem,
                   const comm::Roles& roles, int bound);

    DataflowReduction curvature;  ///< p.Ap in, alpha out
    DataflowReduction residual;   ///< r.r in, beta out
    flow::Queue blocks;           ///< each worker's rows of p, by worker
    flow::Publication direction;  ///< p
};

}  // namespace quartet::cg
