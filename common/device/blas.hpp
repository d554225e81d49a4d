#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

/// The arithmetic of float32 products.
enum class Math {
    fp32,    ///< float32's own
    tf32,    ///< inputs rounded to 11 significant bits, sums in float32
    bf16x9,  ///< each input split into three bfloat16, nine products: as exact as float32
};

constexpr std::string_view name(Math math) {
    return math == Math::tf32 ? "tf32" : math == Math::bf16x9 ? "bf16x9" : "fp32";
}

/// Dense linear algebra on a device's memory, enqueued on a stream. Views must have exactly the
/// sizes of the shapes; otherwise the call throws Failure.
class Blas {
  public:
    virtual ~Blas() = default;

    /// Sets the arithmetic of later products; it is float32 at first. Throws Unavailable if this
    /// library or this device lacks it: CPUs have float32 only.
    virtual void use(Math math) {
        if (math != Math::fp32) {
            throw Unavailable("--math " + std::string(name(math)) +
                              ": not available here (products on the CPU are in float32): leave it "
                              "out, or add --device cuda");
        }
    }

    /// Product of float32 matrices. On GPUs it cannot be recorded (Device::record): it then throws
    /// Failure.
    virtual void gemm(const GemmShape& shape, View<const float> a, View<const float> b,
                      View<float> c, Update update, Stream& stream) = 0;

    /// y (rows) = A (rows x columns, row-major) x (columns), in double precision.
    virtual void gemv(std::int64_t rows, std::int64_t columns, View<const double> a,
                      View<const double> x, View<double> y, Stream& stream) = 0;

    /// Memory of the device that products need beside their matrices, once for each stream with
    /// products.
    [[nodiscard]] virtual Bytes workspace() const = 0;

    /// The library behind it and its version, for the record.
    [[nodiscard]] virtual std::string description() const = 0;
};

}  // namespace quartet::device
