#include "device/cuda/matrix/cuda_linear_algebra.hpp"

#include "device/cuda/blas/cuda_gemv.hpp"
#include "device/cuda/matrix/stored_rows.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/require_device.hpp"
#include "device/matrix_layout.hpp"

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

class CudaRowBlock final : public MatrixShare {
  public:
    CudaRowBlock(const RowBlock& block, int threads, CudaMemory& memory)
        : block_(block),
          stride_(row_stride(block)),
          threads_(threads),
          memory_(memory),
          elements_(memory.allocate(elements_memory(block), MemoryKind::device),
                    matrix_elements(block.rows, stride_)),
          gemv_(faster_gemv(matrix(), memory)) {}

    void fill(const ReadRow& read_row) override {
        fill_rows(rows(), read_row, elements_.view(), memory_, threads_);
    }
    void visit(const VisitRow& visit_row) const override {
        visit_rows(rows(), visit_row, elements_.view(), memory_);
    }
    void multiply(View<const double> x, View<double> y, Stream& stream) override;
    [[nodiscard]] View<const double> storage() const override { return elements_.view(); }
    [[nodiscard]] std::string description() const override {
        return gemv_.by() == GemvBy::cublas ? "rows by cuBLAS" : "rows by our kernel";
    }

  private:
    [[nodiscard]] RowMajorMatrix matrix() const {
        return {elements_.view().data(), block_.rows, block_.columns, stride_};
    }
    [[nodiscard]] StoredRows rows() const {
        return {block_.rows, [block = block_, stride = stride_](std::int64_t row) {
                    return StoredRow{block.first_row + row, 0, block.columns, row * stride, stride};
                }};
    }

    RowBlock block_;
    std::int64_t stride_;
    int threads_;
    CudaMemory& memory_;
    Buffer<double> elements_;
    CudaGemv gemv_;
};

void CudaRowBlock::multiply(View<const double> x, View<double> y, Stream& stream) {
    require_device(x, block_.columns, "multiply: x does not have as many elements as A columns");
    require_device(y, block_.rows, "multiply: y does not have as many elements as the block rows");
    require_apart(x, y);
    if (y.empty())
        return;
    as_cuda(stream).launch(Phase::compute, "row block product",
                           [&](cudaStream_t handle) { gemv_.launch(x.data(), y.data(), handle); });
}

}  // namespace

std::unique_ptr<MatrixShare> make_cuda_row_block(const RowBlock& block, int threads,
                                                 CudaMemory& memory) {
    return std::make_unique<CudaRowBlock>(block, threads, memory);
}

Bytes cuda_row_block_memory(const RowBlock& block) {
    // And the vectors that the choice is measured with.
    return elements_memory(block) + CudaGemv::memory() +
           bytes_of<double>(block.rows + block.columns);
}

}  // namespace quartet::device
