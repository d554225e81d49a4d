#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "fakes/emulator/thread_order.hpp"

/// Runs kernels on the CPU: the threads of a block are fibers of one thread of the CPU, each of
/// which runs until it waits for others; a warp runs as far as it can before the next one begins,
/// so that what a barrier should have kept it from doing is done. Blocks run one after another.
namespace quartet::emulator {

/// Of a block, where a kernel does not ask for more.
inline constexpr std::size_t most_shared_bytes = std::size_t{48} << 10;

/// Of a block of a Hopper GPU, where a kernel is allowed more (cudaFuncSetAttribute).
inline constexpr std::size_t most_allowed_shared_bytes = std::size_t{227} << 10;

/// What stands between <<< and >>>, but for the stream.
struct LaunchShape {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes = 0;
};

/// Why every GPU refuses to launch that, or nothing.
[[nodiscard]] std::optional<std::string> why_no_launch(const LaunchShape& shape);

/// Kernels may ask for as much; for all of them, once it is said for one.
void allow_shared_bytes(std::size_t bytes);

/// Calls `thread` for each thread of each block, one grid at a time. Throws std::logic_error where
/// threads wait for one another in vain or at different places, where lanes of a warp's exchange do
/// not come, where shared memory is overrun, and for what why_no_launch() refuses.
void run_grid(const LaunchShape& shape, Order order, const std::function<void()>& thread);

}  // namespace quartet::emulator
