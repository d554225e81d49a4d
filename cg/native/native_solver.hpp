#pragma once

#include "cg/solver.hpp"
#include "cg/system/distributed_matrix.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// Every rank works; the ranks meet in collective operations.
class NativeSolver final : public Solver {
  public:
    static SolverMemory memory(const device::Device& device, const Problem& problem, int ranks,
                               int rank);

    /// As make_solver.
    NativeSolver(bench::Session& session, comm::Transport& transport, const Problem& problem);

    device::MatrixShare* share() override { return &matrix_.share(); }
    Iteration& iteration() override { return *iteration_; }
    std::vector<double> whole(device::View<const double> rows) override;

  private:
    device::Device& device_;
    device::Stream& stream_;
    DistributedMatrix matrix_;
    std::unique_ptr<Iteration> iteration_;
};

}  // namespace quartet::cg
