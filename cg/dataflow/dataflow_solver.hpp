#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "cg/dataflow/dataflow_limit.hpp"
#include "cg/dataflow/dataflow_reducer.hpp"
#include "cg/dataflow/dataflow_worker.hpp"
#include "cg/solver.hpp"

namespace quartet::cg {

/// The paper's data flow (VI.C, Fig. 5). The first rank reduces; each other rank has a block of
/// rows. In an iteration p.Ap goes to the reducer by one queue, and alpha comes back by another;
/// r.r goes by a third, and beta comes back by a fourth. The workers' rows of p go to a queue
/// ordered by worker; the reducer assembles p and sends it whole to each worker: 8 N bytes in, and
/// 8 N out for each worker. The reducer sums in the workers' order, so the order of arrival changes
/// no bit.
class DataflowSolver final : public Solver {
  public:
    /// Without those of the queues.
    struct Buffers {
        Buffers(bench::BufferPlan& plan, const device::Device& device, const Problem& problem,
                const comm::Roles& roles, int rank);

        std::variant<DataflowWorker::Buffers, DataflowReducer::Buffers> iteration;
        DataflowLimit::Buffers limit;
    };

    /// As make_solver.
    DataflowSolver(const RankContext& context, const Buffers& buffers, comm::Transport& transport,
                   const Problem& problem, const comm::Roles& roles);

    device::MatrixShare* share() override { return iteration_->share(); }
    Iteration& iteration() override { return *iteration_; }
    std::vector<double> gather(device::View<const double> rows) override;
    std::unique_ptr<Limit> make_limit(const RankContext& context, const Problem& problem) override;

  private:
    RankContext context_;
    comm::Transport& transport_;
    comm::Roles roles_;
    DataflowLimit::Buffers limit_buffers_;
    std::vector<std::int64_t> bytes_;  ///< of a vector, by rank
    std::int64_t size_;
    flow::Hub hub_;
    std::unique_ptr<DataflowIteration> iteration_;
};

}  // namespace quartet::cg
