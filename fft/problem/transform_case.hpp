#pragma once

#include "bench/session/case.hpp"
#include "device/memory.hpp"
#include "fft/problem/problem.hpp"

namespace quartet::fft {

/// A case whose result can be seen.
class TransformCase : public bench::Case {
  public:
    /// This rank's part of the last run's result, in the order that the case has it.
    [[nodiscard]] virtual device::View<Point> result() = 0;
};

}  // namespace quartet::fft
