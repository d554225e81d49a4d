#include "device/cuda/gpu_array.hpp"
#include "device/cuda/runtime/grid.hpp"
#include "fft/cuda/kernels.hpp"

namespace quartet::fft {

using namespace device;

namespace {

using RandomPointsKernelTest = KernelTest;

/// Whether the kernel's points, `size` from number `first` on, are those of the host.
void expect_same_bits(const RandomTiles& tiles, std::int64_t size, cudaStream_t stream) {
    const GpuArray<double2> found(size, {unwritten, unwritten});
    launch_random_points(tiles, found.data(), size, stream);
    cuda_check(cudaStreamSynchronize(stream), "a kernel");
    const std::vector<double2> points = found.values();
    for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t number = tiles.first + i;
        const std::int64_t n = number / tiles.length + tiles.tiles * (number % tiles.length);
        ASSERT_EQ(points[at(i)].x, tiles.source.uniform_double(2 * n) - 0.5) << i;
        ASSERT_EQ(points[at(i)].y, tiles.source.uniform_double(2 * n + 1) - 0.5) << i;
    }
}

TEST_F(RandomPointsKernelTest, MakesTheNumbersOfTheHost) {
    const DataSource source(0x123456789abcdef, "fft/x");
    expect_same_bits({source, 1, 1000, 0}, 1000, stream);
    expect_same_bits({source, 7, 33, 0}, 7 * 33, stream);
    expect_same_bits({source, 7, 33, 40}, 100, stream);  // the second tile's end, and others
    expect_same_bits({source, 1, 1, 0}, 1, stream);
    expect_same_bits({source, 1, 1, 0}, 0, stream);
}

TEST_F(RandomPointsKernelTest, CountsBeyond32Bits) {
    const DataSource source(1, "another name");
    constexpr std::int64_t most = std::int64_t{1} << 33;
    expect_same_bits({source, 1, most, most - 300}, 300, stream);
    expect_same_bits({source, most / 8, 8, most - 20}, 20, stream);
}

TEST_F(RandomPointsKernelTest, GoesThroughMoreThanAGrid) {
    const DataSource source(3, "fft/x");
    constexpr std::int64_t grid = most_blocks * block_threads;
    expect_same_bits({source, 2, grid, 0}, grid + 5, stream);
}

}  // namespace
}  // namespace quartet::fft
