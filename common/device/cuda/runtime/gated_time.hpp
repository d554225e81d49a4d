#pragma once

#include <functional>

#include "device/cuda/runtime/cuda_stream.hpp"

namespace quartet::device {

/// The mean time of `times` calls of `enqueue` in a row, by the GPU's clock, after one call that is
/// not timed. Host work holds the stream until all timed work is enqueued, in groups that fit the
/// stream's ring and the driver's queue. If an operation launches more than 14 kernels, a group may
/// not fit: it then holds the stream for 0.25 s, and the time contains launches. Throws what
/// `enqueue` and the work throw.
Seconds gated_time(int times, const std::function<void()>& enqueue, CudaStream& stream);

}  // namespace quartet::device
