#include "device/cuda/matrix/cuda_linear_algebra.hpp"

namespace quartet::device {

namespace {

class CudaMatrixFactory final : public MatrixFactory {
  public:
    CudaMatrixFactory(int threads, CudaMemory& memory) : threads_(threads), memory_(memory) {}

    std::unique_ptr<MatrixShare> make_matrix(const RowBlock& block) override {
        return make_cuda_row_block(block, threads_, memory_);
    }
    std::unique_ptr<MatrixShare> make_matrix(const TrianglePart& part) override {
        return make_cuda_triangle_part(part, threads_, memory_);
    }
    [[nodiscard]] Bytes matrix_memory(const RowBlock& block) const override {
        return cuda_row_block_memory(block);
    }
    [[nodiscard]] Bytes matrix_memory(const TrianglePart& part) const override {
        return cuda_triangle_part_memory(part);
    }

  private:
    int threads_;
    CudaMemory& memory_;
};

}  // namespace

std::unique_ptr<MatrixFactory> make_cuda_matrix_factory(int threads, CudaMemory& memory) {
    return std::make_unique<CudaMatrixFactory>(threads, memory);
}

}  // namespace quartet::device
