#include "device/cuda/matrix/vector_kernels.hpp"

#include "device/cuda/gpu_array.hpp"
#include "device/cuda/runtime/grid.hpp"

namespace quartet::device {
namespace {

// None, less and more than a block's pack, warp, block and lanes; aligned, and not.
constexpr std::int64_t sizes[] = {0, 1, 2, 3, 31, 255, 257, 1023, 1025, 5003};
constexpr std::int64_t offsets[] = {0, 1};

class VectorKernelsTest : public KernelTest {
  protected:
    template <typename T>
    void expect_added(std::int64_t size, std::int64_t offset) const {
        const GpuArray<T> source(offset + size, T(1.5));
        const GpuArray<T> target(offset + size, T(2.25));

        launch_add(source.data() + offset, target.data() + offset, size, stream);
        finish();

        const std::vector<T> found = target.values();
        for (std::int64_t i = 0; i < offset + size; ++i)
            EXPECT_EQ(found[at(i)], i < offset ? T(2.25) : T(3.75)) << i << " of " << size;
    }
    template <typename T>
    void expect_filled(std::int64_t size) const {
        const GpuArray<T> target(size + 1, T(1));

        launch_fill(T(7), target.data() + 1, size, stream);
        finish();

        const std::vector<T> found = target.values();
        for (std::int64_t i = 0; i <= size; ++i)
            EXPECT_EQ(found[at(i)], T(i == 0 ? 1 : 7)) << i << " of " << size;
    }
};

TEST_F(VectorKernelsTest, AddsElementsAlignedOrNot) {
    for (const std::int64_t size : sizes)
        for (const std::int64_t offset : offsets) {
            expect_added<float>(size, offset);
            expect_added<double>(size, offset);
        }
}

TEST_F(VectorKernelsTest, FillsAnySize) {
    for (const std::int64_t size : sizes) {
        expect_filled<float>(size);
        expect_filled<double>(size);
    }
}

TEST_F(VectorKernelsTest, AddsMultiplesByFactorsFromEitherSide) {
    const GpuArray<double> factor(1, -0.75);
    for (const std::int64_t size : sizes)
        for (const std::int64_t offset : offsets) {
            const GpuArray<double> x(numbers(offset + size));
            const GpuArray<double> axpy(numbers(offset + size, 5));
            const GpuArray<double> xpay(numbers(offset + size, 5));

            launch_axpy({0.5, nullptr}, x.data() + offset, axpy.data() + offset, size, stream);
            launch_xpay(x.data() + offset, {0, factor.data()}, xpay.data() + offset, size, stream);
            finish();

            const std::vector<double> first = axpy.values();
            const std::vector<double> second = xpay.values();
            for (std::int64_t i = offset; i < offset + size; ++i) {
                EXPECT_NEAR(first[at(i)], number(5 + i) + 0.5 * number(i), 1e-15) << i;
                EXPECT_NEAR(second[at(i)], number(i) - 0.75 * number(5 + i), 1e-15) << i;
            }
        }
}

TEST_F(VectorKernelsTest, GoesThroughMoreThanTheGridAtOnce) {
    const std::int64_t size = 2 * most_blocks * block_threads + 17;
    const GpuArray<double> target(size, 1.0);

    launch_fill(3.0, target.data(), size, stream);
    finish();

    const std::vector<double> found = target.values();
    EXPECT_EQ(std::vector<double>(found.size(), 3.0), found);
}

TEST_F(VectorKernelsTest, DotsAnySizeToTheSameBitsWhereverTheVectorsLie) {
    const GpuArray<double> sum(1, unwritten);
    for (const std::int64_t size : {0, 1, 2, 33, 1023, 1025, 40009}) {
        long double wanted = 0;
        for (std::int64_t i = 0; i < size; ++i)
            wanted += number(i) * number(5 + i);
        std::vector<double> found;
        for (const std::int64_t of_x : offsets)
            for (const std::int64_t of_y : offsets) {
                const GpuArray<double> x(numbers(of_x + size, -of_x));
                const GpuArray<double> y(numbers(of_y + size, 5 - of_y));
                const GpuArray<double> partials(SumGrid{size}.blocks(), unwritten);

                launch_dot(x.data() + of_x, y.data() + of_y, size, partials.data(), sum.data(),
                           stream);
                finish();

                found.push_back(sum.values()[0]);
                expect_sum(found.back(), wanted, size);
            }
        EXPECT_EQ(found, std::vector<double>(found.size(), found.front())) << size;
    }
}

}  // namespace
}  // namespace quartet::device
