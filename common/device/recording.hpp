#pragma once

#include <functional>

#include "device/stream.hpp"

namespace quartet::device {

/// Operations that are enqueued many times, always the same on the same memory. A GPU runs them as
/// one graph of kernels, at the cost of one launch. Values that differ between runs must be read
/// from memory (Factor).
class Recording {
  public:
    virtual ~Recording() = default;
    /// Enqueues the operations. Two runs must not overlap, nor a run with other uses of what its
    /// operations use, a matrix share or a plan.
    virtual void run(Stream& stream) = 0;
};

/// Enqueues operations of the device, and no work of the host, on the given stream. A recording
/// holds no events.
using Operations = std::function<void(Stream& stream)>;

}  // namespace quartet::device
