#pragma once

#include <memory>
#include <vector>

#include "cg/dataflow/dataflow_queues.hpp"
#include "cg/problem/loop.hpp"

namespace quartet::cg {

/// The paper's data flow (VI.C, Fig. 5), in one of two roles: DataflowWorker, DataflowReducer. The
/// first rank reduces; each other rank has a block of rows. In an iteration p.Ap goes to the
/// reducer by one queue, and alpha comes back by another; r.r goes by a third, and beta comes back
/// by a fourth. The workers' rows of p go to a queue ordered by worker; the reducer assembles p and
/// sends it whole to each worker: 8 N bytes in, and 8 N out for each worker. The reducer sums in
/// the workers' order, so the order of arrival changes no bit. All ranks have all scalars.
class DataflowLoop : public ClassicLoop {
  public:
    [[nodiscard]] device::MatrixShare* share() override { return nullptr; }
    std::vector<double> gather(device::View<const double> rows) override;
    std::unique_ptr<Limit> make_limit() override;

  protected:
    /// Throws Unavailable if the transport lacks a capability. Collective.
    DataflowLoop(const RankContext& context, comm::Transport& transport, const Problem& problem);

    comm::Transport& transport_;
    comm::Roles roles_;
    flow::Hub hub_;
    DataflowQueues queues_;
};

}  // namespace quartet::cg
