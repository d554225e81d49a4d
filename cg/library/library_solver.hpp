#pragma once

#include "cg/library/library_iteration.hpp"
#include "cg/library/library_rows.hpp"
#include "cg/solver.hpp"

namespace quartet::cg {

/// What a good programmer has after an afternoon: a block of rows on each rank, gemv and plain MPI.
/// The column beside ours.
class LibrarySolver final : public Solver {
  public:
    static SolverMemory memory(const device::Device& device, const Problem& problem, int ranks,
                               int rank);

    /// As make_solver; Unavailable over any transport but MPI.
    LibrarySolver(bench::Session& session, comm::Transport& transport, const Problem& problem);

    device::MatrixShare* share() override { return &rows_; }
    Iteration& iteration() override { return iteration_; }
    std::vector<double> whole(device::View<const double> rows) override;

  private:
    device::Device& device_;
    device::Stream& stream_;
    LibraryRows rows_;
    LibraryIteration iteration_;
};

}  // namespace quartet::cg
