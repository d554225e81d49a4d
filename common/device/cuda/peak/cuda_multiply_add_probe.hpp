#pragma once

#include <memory>

#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/multiply_add_probe.hpp"

namespace quartet::device {

/// A probe of the current GPU's vector units, without its tensor cores.
std::unique_ptr<MultiplyAddProbe> make_cuda_multiply_add_probe(FloatFormat format,
                                                               CudaMemory& memory);

}  // namespace quartet::device
