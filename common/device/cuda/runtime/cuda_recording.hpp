#pragma once

#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// The operations as a CUDA graph, which is captured and made ready at once.
Operations cuda_recording(const Operations& operations, CudaMemory& memory);

}  // namespace quartet::device
