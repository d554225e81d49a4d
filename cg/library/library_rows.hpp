#pragma once

#include "bench/program/session.hpp"
#include "device/matrix.hpp"

namespace quartet::cg {

/// A block of rows as it is written down first: element (i, j) of the block at i * columns + j, no
/// padding. The product is one call of the device's BLAS, gemv.
class LibraryRows final : public device::MatrixShare {
  public:
    /// Zeros. Borrows the session. Local.
    LibraryRows(const device::RowBlock& block, bench::Session& session);

    void fill(const device::ReadRow& read_row) override;
    void multiply(device::View<const double> x, device::View<double> y,
                  device::Stream& stream) override;
    void visit(const device::VisitRow& visit_row) const override;
    [[nodiscard]] device::View<const double> storage() const override { return elements_.view(); }
    [[nodiscard]] std::string description() const override;

    /// Of the device, and what filling it takes of the CPU's.
    static Bytes memory(const device::RowBlock& block);
    static Bytes host_memory(const device::RowBlock& block, const device::Device& device);

  private:
    bench::Session& session_;
    device::RowBlock block_;
    device::Buffer<double> elements_;
};

}  // namespace quartet::cg
