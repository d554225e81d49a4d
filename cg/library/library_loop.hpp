#pragma once

#include <memory>
#include <vector>

#include "cg/library/library_rows.hpp"
#include "cg/problem/loop.hpp"

namespace quartet::cg {

/// The classic iteration as a user of plain MPI and BLAS would write it first: a row-major block of
/// rows on each rank, all of p by MPI_Allgatherv, one gemv, sums by MPI_Allreduce, and a pass over
/// the vectors for each operation on them. It has no checkpoints.
class LibraryLoop final : public ClassicLoop {
  public:
    /// Beside those of the rows.
    struct Buffers {
        /// Collective where the arena allocates.
        Buffers(bench::Arena& arena, const RankContext& context, const Problem& problem);

        device::Buffer<double> x;
        device::Buffer<double> r;
        device::Buffer<double> p;
        device::Buffer<double> product;  ///< A p
        device::Buffer<double> whole;    ///< p of all ranks
        device::Buffer<double> sum;      ///< one element, for the CPU to read
    };

    /// See make_loop(). Throws Unavailable over any transport but MPI.
    LibraryLoop(const RankContext& context, comm::Transport& transport, const Problem& problem);

    [[nodiscard]] device::MatrixShare* share() override { return &rows_; }
    std::vector<double> gather(device::View<const double> rows) override;

  private:
    void find_first_residual() override;
    bool iterate(bool wants_stop) override;
    double sum_of_products(device::View<const double> a, device::View<const double> b);

    LibraryRows rows_;
    Buffers buffers_;
    std::unique_ptr<comm::Collective> gather_;
};

}  // namespace quartet::cg
