#pragma once

#include <memory>
#include <vector>

#include "cg/dataflow/dataflow_reduction.hpp"
#include "cg/solver.hpp"
#include "device/matrix.hpp"
#include "flow/hub.hpp"

namespace quartet::cg {

/// The paper's data flow (VI.C, Fig. 5). The first rank reduces, the others have a block of rows
/// each. In an iteration p.Ap goes to the reducer by one queue and the step comes back by another,
/// r.r by a third and the turn back by a fourth; the workers' pieces of p go to a queue that is
/// ordered by worker, are merged, and p comes back to each worker whole: 8 N bytes into the
/// reducer, and 8 N for each worker out of it. Scalars are computed by the reducer, of sums in the
/// workers' order: the same bits whatever the order in which they come.
class DataflowSolver final : public Solver {
  public:
    static SolverMemory memory(const device::Device& device, const Problem& problem,
                               const comm::Roles& roles, int rank, int bound);

    /// As make_solver.
    DataflowSolver(bench::Session& session, comm::Transport& transport, const Problem& problem,
                   const comm::Roles& roles);

    device::MatrixShare* share() override { return share_.get(); }
    Iteration& iteration() override { return *iteration_; }
    std::vector<double> whole(device::View<const double> rows) override;

  private:
    const comm::Communicator& world_;
    device::Device& device_;
    device::Stream& stream_;
    std::vector<std::int64_t> bytes_;  ///< of a vector, by rank
    std::int64_t size_;
    std::unique_ptr<device::MatrixShare> share_;  ///< on workers
    flow::Hub hub_;
    std::unique_ptr<Iteration> iteration_;
};

}  // namespace quartet::cg
