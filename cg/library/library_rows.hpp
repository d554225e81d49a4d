#pragma once

#include "bench/session/arena.hpp"
#include "cg/problem/problem.hpp"
#include "cg/problem/rank_context.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// The rank's rows of the matrix.
device::RowBlock row_block(const RankContext& context, const Problem& problem);

/// A row-major block of rows without padding: element (i, j) of the block at i * columns + j. The
/// product is one call of the device's BLAS, gemv.
class LibraryRows final : public device::MatrixShare {
  public:
    /// Zeros. Borrows what the context borrows. Local.
    LibraryRows(const RankContext& context, bench::Arena& arena, const device::RowBlock& block);

    /// Counts the rows, and what filling them takes of the CPU's memory. Local.
    static void count(bench::Arena& arena, const device::Device& device,
                      const device::RowBlock& block);

    void fill(const device::ReadRow& read_row) override;
    void multiply(device::View<const double> x, device::View<double> y,
                  device::Stream& stream) override;
    void visit(const device::VisitRow& visit_row) const override;
    [[nodiscard]] device::View<const double> storage() const override { return elements_.view(); }
    [[nodiscard]] std::string description() const override;

  private:
    RankContext context_;
    device::RowBlock block_;
    device::Buffer<double> elements_;
};

}  // namespace quartet::cg
