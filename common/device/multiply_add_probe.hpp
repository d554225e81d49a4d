#pragma once

#include "core/units.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// The formats that kernels compute with.
enum class FloatFormat { float32, float64 };

/// Measures how fast a device's vector units multiply and add numbers of a format in registers: a
/// bound for all loops over such numbers.
class MultiplyAddProbe {
  public:
    virtual ~MultiplyAddProbe() = default;

    /// Operations per second, two for a multiplication with its addition, over about `time` on an
    /// idle stream. Local.
    [[nodiscard]] virtual double measure(Seconds time, Stream& stream) = 0;
};

}  // namespace quartet::device
