#pragma once

#include <cstdint>

#include "core/units.hpp"

namespace quartet::device {

/// How fast cores multiply and add float32 numbers in registers: what no product of matrices
/// exceeds. Of the instruction sets of this processor, and several numbers of registers, the
/// fastest counts.
class MultiplyAddProbe {
  public:
    /// A probe of `threads` threads of this process at once. Takes some milliseconds.
    explicit MultiplyAddProbe(int threads);

    /// Operations per second of all threads together, two for a multiplication with its addition,
    /// for about `time`. Local.
    [[nodiscard]] double measure(Seconds time) const;

  private:
    int threads_;
    /// Does `steps` steps on one thread; returns their operations.
    double (*loop_)(std::int64_t steps) = nullptr;
    double steps_per_second_ = 1;
};

}  // namespace quartet::device
