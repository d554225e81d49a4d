#pragma once

#include "cg/library/library_iteration.hpp"
#include "cg/library/library_rows.hpp"
#include "cg/solver.hpp"

namespace quartet::cg {

/// A row-major block of rows on each rank, gemv, and plain MPI.
class LibrarySolver final : public Solver {
  public:
    struct Buffers {
        Buffers(bench::BufferPlan& plan, const device::Device& device, const Problem& problem,
                int ranks, int rank);

        device::RowBlock block;
        LibraryRows::Buffers rows;
        LibraryIteration::Buffers iteration;
    };

    /// As make_solver; Unavailable over any transport but MPI.
    LibrarySolver(const RankContext& context, const Buffers& buffers, comm::Transport& transport,
                  const Problem& problem);

    device::MatrixShare* share() override { return &rows_; }
    Iteration& iteration() override { return iteration_; }
    std::vector<double> gather(device::View<const double> rows) override;

  private:
    device::Device& device_;
    device::Stream& stream_;
    LibraryRows rows_;
    LibraryIteration iteration_;
};

}  // namespace quartet::cg
