#include "device/cuda/matrix/rows_kernel.hpp"

#include "device/cuda/gpu_array.hpp"

namespace quartet::device {
namespace {

constexpr std::int64_t padding = 16;

class RowsKernelTest : public KernelTest {
  protected:
    /// The product of rows [2, 2 + rows) of a matrix with p, and its p.Ap, by that many blocks.
    void expect_product(std::int64_t rows, std::int64_t columns, std::int64_t blocks) const {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " by " +
                     std::to_string(blocks));
        const std::int64_t first_row = std::min<std::int64_t>(2, columns - rows);
        const std::int64_t stride = (columns + padding - 1) / padding * padding;
        std::vector<double> elements(at(rows * stride), 0.0);
        for (std::int64_t i = 0; i < rows * columns; ++i)
            elements[at(i / columns * stride + i % columns)] = number(i);
        const GpuArray<double> matrix(elements);
        const GpuArray<double> p(numbers(columns, 9));
        const GpuArray<double> sums(rows * rows_chunks(columns), unwritten);
        const GpuArray<double> curvature(blocks, unwritten);
        const GpuArray<double> y(rows, unwritten);
        const GpuArray<double> result(1, unwritten);
        const RowsOnGpu on_gpu{{matrix.data(), rows, columns, stride},
                               first_row,
                               24,
                               blocks,
                               sums.data(),
                               curvature.data()};

        launch_rows_product(on_gpu, {p.data(), p.data(), {}, nullptr, nullptr}, stream);
        launch_rows_sums(on_gpu, y.data(), result.data(), stream);
        finish();

        const std::vector<double> found = y.values();
        long double dot = 0;
        for (std::int64_t row = 0; row < rows; ++row) {
            long double wanted = 0;
            for (std::int64_t column = 0; column < columns; ++column)
                wanted += number(row * columns + column) * number(9 + column);
            expect_sum(found[at(row)], wanted, columns);
            dot += wanted * number(9 + first_row + row);
        }
        expect_sum(result.values()[0], dot, rows * columns);
    }
};

TEST_F(RowsKernelTest, MultipliesRaggedSizes) {
    for (const std::int64_t size : {1, 2, 3, 15, 16, 17, 31})
        for (const std::int64_t blocks : {1, 2})
            expect_product(size, size, blocks);
    expect_product(5, 511, 3);
    expect_product(3, 513, 2);
}

TEST_F(RowsKernelTest, MultipliesChunkByChunk) {
    expect_product(3, 4096, 5);
    expect_product(19, 4097, 3);  // blocks have rows of both chunks
    expect_product(2, 8713, 7);
}

}  // namespace
}  // namespace quartet::device
