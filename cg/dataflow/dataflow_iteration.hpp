#pragma once

#include "cg/dataflow/dataflow_queues.hpp"
#include "cg/iteration.hpp"
#include "cg/rank_context.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// The classic iteration by queues (DataflowSolver), in one of two roles: DataflowWorker,
/// DataflowReducer. All ranks have all scalars.
class DataflowIteration : public ClassicLoop {
  public:
    /// As Solver::share().
    [[nodiscard]] virtual device::MatrixShare* share() { return nullptr; }

  protected:
    /// Borrows the transport, the hub and what the context borrows. Collective.
    DataflowIteration(const RankContext& context, comm::Transport& transport, flow::Hub& hub,
                      const Problem& problem, const comm::Roles& roles)
        : ClassicLoop(context.device, context.stream),
          queues_(hub, transport, problem, roles, context.queue) {}

    DataflowQueues queues_;
};

}  // namespace quartet::cg
