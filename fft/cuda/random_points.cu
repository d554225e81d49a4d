#include <Random123/philox.h>

#include "device/cuda/runtime/block_sum.cuh"
#include "device/cuda/runtime/loaded_kernels.hpp"
#include "fft/cuda/kernels.hpp"

namespace quartet::fft {

using namespace device;

namespace {

using Generator = r123::Philox4x32_R<10>;

__device__ std::uint32_t low_half(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}
__device__ std::uint32_t high_half(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32);
}

/// Uniform in [-1/2, 1/2), exact.
__device__ double centred(std::uint32_t low, std::uint32_t high) {
    const std::uint64_t bits = static_cast<std::uint64_t>(high) << 32 | low;
    return static_cast<double>(bits >> 11) * 0x1p-53 - 0.5;
}

/// A point is one block of the generator, as DataSource counts and keys them.
__global__ void __launch_bounds__(block_threads)
    random_points(std::uint64_t seed, std::uint64_t name, std::int64_t tiles, std::int64_t length,
                  std::int64_t first, double2* target, std::int64_t size) {
    const Generator::key_type key{{low_half(seed), high_half(seed)}};
    for (std::int64_t i = grid_thread(); i < size; i += grid_threads()) {
        const std::int64_t tile = (first + i) / length;
        const auto point = static_cast<std::uint64_t>(tile + tiles * (first + i - tile * length));
        const Generator::ctr_type words = Generator()(
            {{low_half(point), high_half(point), low_half(name), high_half(name)}}, key);
        target[i] = {centred(words.v[0], words.v[1]), centred(words.v[2], words.v[3])};
    }
}

}  // namespace

void launch_random_points(const RandomTiles& tiles, double2* target, std::int64_t size,
                          cudaStream_t stream) {
    if (size == 0)
        return;
    random_points<<<static_cast<unsigned>(blocks_for(size, 1)), block_threads, 0, stream>>>(
        tiles.source.seed(), tiles.source.name_hash(), tiles.tiles, tiles.length, tiles.first,
        target, size);
}

cudaError_t load_random_kernels() {
    return loaded(random_points);
}

}  // namespace quartet::fft
