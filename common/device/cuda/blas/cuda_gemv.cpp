#include "device/cuda/blas/cuda_gemv.hpp"

#include <algorithm>
#include <utility>

#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/gated_time.hpp"

namespace quartet::device {

namespace {

constexpr int rounds = 3;    // the best counts
constexpr int products = 4;  // of a round

}  // namespace

CudaGemv::CudaGemv(const RowMajorMatrix& matrix, GemvBy by, CudaMemory& memory) : matrix_(matrix) {
    if (by == GemvBy::cublas) {
        library_ = std::make_unique<CublasHandle>();
        workspace_ = memory.allocate(workspace_size, MemoryKind::device);
    }
}

// cuBLAS stores by columns: it sees our rows as columns.
void CudaGemv::launch(const double* x, double* y, cudaStream_t stream) const {
    if (!library_) {
        launch_gemv(matrix_, x, y, stream);
        return;
    }
    const double one = 1;
    const double zero = 0;
    library_->check_status(
        library_->library().dgemv(library_->on(stream, workspace_), CUBLAS_OP_T, matrix_.columns,
                                  matrix_.rows, &one, matrix_.elements, matrix_.stride, x, 1, &zero,
                                  y, 1),
        "cublasDgemv");
}

CudaGemv faster_gemv(const RowMajorMatrix& matrix, CudaMemory& memory, double most) {
    if (matrix.rows == 0 || matrix.columns == 0)
        return {matrix, GemvBy::kernel, memory};
    const Allocation x = memory.allocate(bytes_of<double>(matrix.columns), MemoryKind::device);
    const Allocation y = memory.allocate(bytes_of<double>(matrix.rows), MemoryKind::device);
    Track track("gemv", 0);
    CudaStream stream(track, memory);
    const auto time = [&](const CudaGemv& gemv) {
        const auto multiply = [&] {
            stream.launch(Phase::compute, "gemv", [&](cudaStream_t handle) {
                gemv.launch(reinterpret_cast<const double*>(x.data.get()),
                            reinterpret_cast<double*>(y.data.get()), handle);
            });
        };
        return gated_time(products, multiply, stream);
    };
    CudaGemv ours(matrix, GemvBy::kernel, memory);
    CudaGemv theirs(matrix, GemvBy::cublas, memory);
    Seconds of_ours = time(ours);
    Seconds of_theirs = time(theirs);
    for (int round = 1; round < rounds; ++round) {
        of_ours = std::min(of_ours, time(ours));
        of_theirs = std::min(of_theirs, time(theirs));
    }
    return of_theirs.value < most * of_ours.value ? std::move(theirs) : std::move(ours);
}

}  // namespace quartet::device
