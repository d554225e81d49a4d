#pragma once

#include <memory>

#include "device/blas.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"

namespace quartet::device {

/// cuBLAS for products, in true float32 (its default math takes TF32 and emulation only if the
/// environment asks for them: description() says so); an own kernel for matrix times vector. The
/// first product on a stream allocates cuBLAS's workspace for it. Throws Unavailable if cuBLAS
/// cannot be loaded.
std::unique_ptr<Blas> make_cuda_blas(CudaMemory& memory);

}  // namespace quartet::device
