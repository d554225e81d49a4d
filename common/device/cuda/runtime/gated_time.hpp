#pragma once

#include <functional>

#include "device/cuda/runtime/cuda_stream.hpp"

namespace quartet::device {

/// The time that `enqueue` takes on the GPU, by its clock, on average over `times` calls in a row
/// after one more.
/// Host work holds the stream until what is to be timed has been enqueued, in groups that are short
/// enough for the driver's queue and the stream's ring. Throws what `enqueue` and the work throw.
Seconds gated_time(int times, const std::function<void()>& enqueue, CudaStream& stream);

}  // namespace quartet::device
