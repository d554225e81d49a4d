#pragma once

#include <memory>

#include "core/units.hpp"
#include "device/matrix.hpp"

namespace quartet::device {

/// Makes shares of dense matrices in a device's memory. They must not outlive the device.
class MatrixFactory {
  public:
    virtual ~MatrixFactory() = default;

    /// A share of zeros. Throws Failure if memory is short, or for an invalid shape.
    virtual std::unique_ptr<MatrixShare> make_matrix(const RowBlock& block) = 0;
    virtual std::unique_ptr<MatrixShare> make_matrix(const TrianglePart& part) = 0;

    /// Memory that such a share takes, with what its products need.
    [[nodiscard]] virtual Bytes matrix_memory(const RowBlock& block) const = 0;
    [[nodiscard]] virtual Bytes matrix_memory(const TrianglePart& part) const = 0;
};

}  // namespace quartet::device
