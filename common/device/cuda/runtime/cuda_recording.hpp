#pragma once

#include <memory>

#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/recording.hpp"

namespace quartet::device {

/// A recording as a CUDA graph, which is captured and made ready at once.
std::unique_ptr<Recording> make_cuda_recording(const Operations& operations, CudaMemory& memory);

}  // namespace quartet::device
