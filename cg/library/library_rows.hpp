#pragma once

#include "bench/session/buffer_plan.hpp"
#include "cg/rank_context.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// A row-major block of rows without padding: element (i, j) of the block at i * columns + j. The
/// product is one call of the device's BLAS, gemv.
class LibraryRows final : public device::MatrixShare {
  public:
    struct Buffers {
        /// Counts also what filling the rows takes of the CPU's memory.
        Buffers(bench::BufferPlan& plan, const device::Device& device,
                const device::RowBlock& block);

        bench::PlannedBuffer<double> elements;
    };

    /// Zeros. Borrows what the context borrows. Local.
    LibraryRows(const RankContext& context, const Buffers& buffers, const device::RowBlock& block);

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
