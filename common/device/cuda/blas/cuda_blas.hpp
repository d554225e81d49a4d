#pragma once

#include <memory>

#include "device/blas.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"

namespace quartet::device {

/// cuBLAS for products, in true float32 (its default uses TF32 or emulation only if environment
/// variables ask for them, which description() then names); a kernel of ours for matrix times
/// vector. The first product on a stream allocates cuBLAS's workspace for the stream. Throws
/// Unavailable if cuBLAS cannot be loaded.
std::unique_ptr<Blas> make_cuda_blas(CudaMemory& memory);

}  // namespace quartet::device
