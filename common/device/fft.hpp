#pragma once

#include <complex>
#include <cstdint>

#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// `batch` transforms of `length` points each, stored one after another.
struct FftShape {
    std::int64_t length = 0;
    std::int64_t batch = 1;
};

/// A prepared complex-to-complex forward transform, X_k = sum_n x_n exp(-2 pi i n k / length),
/// unnormalised, double precision. Planning may take long; executing allocates nothing.
class FftPlan {
  public:
    virtual ~FftPlan() = default;

    /// Both views hold batch x length points, are aligned to whole points (16 bytes) and do not
    /// overlap; otherwise throws Failure. `input` keeps its values. The plan must live until the
    /// work is synchronised.
    virtual void forward(View<const std::complex<double>> input, View<std::complex<double>> output,
                         Stream& stream) = 0;
};

}  // namespace quartet::device
