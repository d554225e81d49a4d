#include "device/cuda/blas/gemv_kernel.hpp"

#include "device/cuda/gpu_array.hpp"

namespace quartet::device {
namespace {

class GemvKernelTest : public KernelTest {
  protected:
    /// The last row has no padding: nothing lies beyond the last element.
    void expect_product(std::int64_t rows, std::int64_t columns, std::int64_t stride,
                        std::int64_t skipped = 0) const {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + ", stride " +
                     std::to_string(stride) + ", from " + std::to_string(skipped));
        const std::vector<double> elements = numbers(skipped + (rows - 1) * stride + columns);
        const std::vector<double> of_x = numbers(columns, 9);
        const GpuArray<double> matrix(elements);
        const GpuArray<double> x(of_x);
        const GpuArray<double> y(rows, unwritten);

        launch_gemv({matrix.data() + skipped, rows, columns, stride}, x.data(), y.data(), stream);
        finish();

        const std::vector<double> found = y.values();
        for (std::int64_t row = 0; row < rows; ++row) {
            long double wanted = 0;
            for (std::int64_t column = 0; column < columns; ++column)
                wanted += elements[at(skipped + row * stride + column)] * of_x[at(column)];
            expect_sum(found[at(row)], wanted, columns);
        }
    }
};

TEST_F(GemvKernelTest, MultipliesRaggedRowsOfPairs) {
    for (const std::int64_t columns : {1, 2, 31, 510, 511, 512, 513, 1021, 1600})
        for (const std::int64_t rows : {1, 4, 7})
            expect_product(rows, columns, columns + columns % 2);
}

TEST_F(GemvKernelTest, MultipliesRowsThatAreNotAligned) {
    for (const std::int64_t columns : {1, 2, 127, 513, 1025}) {
        expect_product(5, columns, columns + 1 - columns % 2);
        expect_product(3, columns, columns + columns % 2, 1);
    }
}

}  // namespace
}  // namespace quartet::device
