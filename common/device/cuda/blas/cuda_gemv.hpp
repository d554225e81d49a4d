#pragma once

#include <memory>
#include <string>

#include "device/cuda/blas/cublas_handle.hpp"
#include "device/cuda/blas/gemv_kernel.hpp"
#include "device/cuda/runtime/cuda_memory.hpp"

namespace quartet::device {

/// Who multiplies a matrix by a vector.
enum class GemvBy { kernel, cublas };

/// y = A x for one matrix, with what that takes made ready. Uses follow one another.
class CudaGemv {
  public:
    CudaGemv(const RowMajorMatrix& matrix, GemvBy by, CudaMemory& memory);

    void launch(const double* x, double* y, cudaStream_t stream) const;
    [[nodiscard]] GemvBy by() const { return library_ ? GemvBy::cublas : GemvBy::kernel; }

    /// The memory that it takes.
    static Bytes memory() { return workspace_size; }

  private:
    // The default of cuBLAS on GPUs before Hopper; products with one vector need little.
    static constexpr Bytes workspace_size = mebibytes(4);

    RowMajorMatrix matrix_;
    std::unique_ptr<CublasHandle> library_;
    Allocation workspace_;
};

/// The most of our kernel's time that cuBLAS may take: it must win by more than measurements vary,
/// so that the choice and the order of the additions are the same each time.
inline constexpr double worthwhile = 0.95;

/// The faster of the two, measured on the matrix as it is, and so ready to be recorded: cuBLAS
/// makes its first call on a handle here. Uses its own stream, and waits for it.
CudaGemv faster_gemv(const RowMajorMatrix& matrix, CudaMemory& memory, double most = worthwhile);

}  // namespace quartet::device
