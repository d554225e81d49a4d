#pragma once

#include <functional>

#include "device/stream.hpp"

namespace quartet::device {

/// Operations that are enqueued again and again, each time the same on the same memory: a GPU takes
/// them as one graph of kernels, for the price of one launch. What differs from time to time has to
/// be found in memory (Factor).
class Recording {
  public:
    virtual ~Recording() = default;
    /// Enqueues the operations. Two runs must not overlap, nor a run with other uses of what its
    /// operations use, a matrix share or a plan.
    virtual void run(Stream& stream) = 0;
};

/// Enqueues operations of the device, and no work of the host, on the stream that it is given.
/// Events are no part of a recording.
using Operations = std::function<void(Stream& stream)>;

}  // namespace quartet::device
