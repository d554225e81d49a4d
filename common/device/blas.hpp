#pragma once

#include <cstdint>
#include <string>

#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// C (rows x columns) += or = A (rows x inner) B (inner x columns), all row-major and dense.
struct GemmShape {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t inner = 0;
};

/// Whether a product replaces its target or is added to it.
enum class Update { replace, accumulate };

/// Dense linear algebra on a device's memory, enqueued on a stream. Views must have exactly the
/// sizes of the shapes; otherwise the call throws Failure.
class Blas {
  public:
    virtual ~Blas() = default;

    /// Single-precision product in true float32. GPUs do not record it (Device::record): there it
    /// throws Failure.
    virtual void gemm(const GemmShape& shape, View<const float> a, View<const float> b,
                      View<float> c, Update update, Stream& stream) = 0;

    /// y (rows) = A (rows x columns, row-major) x (columns), in double precision.
    virtual void gemv(std::int64_t rows, std::int64_t columns, View<const double> a,
                      View<const double> x, View<double> y, Stream& stream) = 0;

    /// Memory of the device that products take beside their matrices, on each stream that they run
    /// on.
    [[nodiscard]] virtual Bytes workspace() const = 0;

    /// The library behind it and its version, for the record.
    [[nodiscard]] virtual std::string description() const = 0;
};

}  // namespace quartet::device
