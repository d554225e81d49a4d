#include "device/cuda/matrix/cuda_linear_algebra.hpp"

#include <algorithm>

#include "device/cuda/matrix/cuda_classic_iteration.hpp"
#include "device/cuda/matrix/rows_kernel.hpp"
#include "device/cuda/matrix/stored_rows.hpp"
#include "device/matrix_layout.hpp"
#include "device/require_views.hpp"

namespace quartet::device {

namespace {

constexpr std::int64_t padding = 16;

std::int64_t row_stride(const RowBlock& block) {
    check(block.first_row >= 0 && block.rows >= 0 && block.columns >= 0,
          "a row block of a negative size");
    return divide_up(block.columns, padding) * padding;
}

Bytes elements_memory(const RowBlock& block) {
    return bytes_of<double>(matrix_elements(block.rows, row_stride(block)));
}

/// Of a product: at most one block of threads for each row of a chunk.
std::int64_t product_blocks(const RowBlock& block) {
    return std::min(block.rows * rows_chunks(block.columns),
                    resident_blocks(rows_blocks_of_multiprocessor));
}

Bytes sums_memory(const RowBlock& block) {
    return bytes_of<double>(block.rows * rows_chunks(block.columns));
}

class CudaRowBlock final : public CudaMatrixShare {
  public:
    CudaRowBlock(const RowBlock& block, int threads, CudaMemory& memory)
        : CudaMatrixShare(block.rows, block.columns, memory),
          block_(block),
          stride_(row_stride(block)),
          kept_(parts_kept_in_l2(elements_memory(block))),
          threads_(threads),
          memory_(memory),
          elements_(memory.allocate(elements_memory(block), MemoryKind::device),
                    matrix_elements(block.rows, stride_)),
          sums_(memory.allocate(sums_memory(block), MemoryKind::device),
                block.rows * rows_chunks(block.columns)),
          curvature_(memory.allocate(bytes_of<double>(product_blocks(block)), MemoryKind::device),
                     product_blocks(block)) {}

    void fill(const ReadRow& read_row) override {
        fill_rows(rows(), read_row, elements_.view(), memory_, threads_);
    }
    void visit(const VisitRow& visit_row) const override {
        visit_rows(rows(), visit_row, elements_.view(), memory_);
    }
    [[nodiscard]] View<const double> storage() const override { return elements_.view(); }
    using CudaMatrixShare::memory;

  private:
    void launch_product(const DirectionOnGpu& direction, cudaStream_t stream) override {
        launch_rows_product(on_gpu(), direction, stream);
    }
    void launch_sums(double* y, double* result, cudaStream_t stream) override {
        launch_rows_sums(on_gpu(), y, result, stream);
    }
    void launch_update(const UpdateOnGpu& update, cudaStream_t stream) override {
        launch_rows_update(on_gpu(), update, stream);
    }
    [[nodiscard]] PartialSums curvature() override {
        return {curvature_.view().data(), curvature_.size()};
    }
    [[nodiscard]] RowsOnGpu on_gpu() {
        return {{elements_.view().data(), block_.rows, block_.columns, stride_},
                block_.first_row,
                kept_,
                curvature_.size(),
                sums_.view().data(),
                curvature_.view().data()};
    }
    [[nodiscard]] StoredRows rows() const {
        return {block_.rows, [block = block_, stride = stride_](std::int64_t row) {
                    return StoredRow{block.first_row + row, 0, block.columns, row * stride, stride};
                }};
    }

    RowBlock block_;
    std::int64_t stride_;
    int kept_;  ///< in the L2 cache
    int threads_;
    CudaMemory& memory_;
    Buffer<double> elements_;
    Buffer<double> sums_;
    Buffer<double> curvature_;
};

}  // namespace

std::unique_ptr<MatrixShare> make_cuda_row_block(const RowBlock& block, int threads,
                                                 CudaMemory& memory) {
    return std::make_unique<CudaRowBlock>(block, threads, memory);
}

Bytes cuda_row_block_memory(const RowBlock& block) {
    return CudaRowBlock::memory() + elements_memory(block) + sums_memory(block) +
           bytes_of<double>(product_blocks(block));
}

}  // namespace quartet::device
