#include "fakes/emulator/launch.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "fakes/emulator/block.hpp"
#include "fakes/emulator/refuse.hpp"

namespace quartet::emulator {

namespace {

constexpr std::uint64_t most_threads = 1024;

std::atomic<std::size_t> allowed_shared_bytes = most_shared_bytes;

std::string text_of(const dim3& size) {
    return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

bool within(const dim3& size, const dim3& most) {
    return size.x >= 1 && size.y >= 1 && size.z >= 1 && size.x <= most.x && size.y <= most.y &&
           size.z <= most.z;
}

}  // namespace

void allow_shared_bytes(std::size_t bytes) {
    allowed_shared_bytes = std::max(allowed_shared_bytes.load(), bytes);
}

// Compute capability 3.0 to 12.1 (CUDA C++ Programming Guide, table of technical specifications).
std::optional<std::string> why_no_launch(const LaunchShape& shape) {
    const dim3& block = shape.block;
    if (!within(shape.grid, {0x7fffffff, 0xffff, 0xffff}))
        return "a grid of " + text_of(shape.grid) + " blocks";
    if (!within(block, {1024, 1024, 64}) ||
        std::uint64_t{block.x} * block.y * block.z > most_threads)
        return "a block of " + text_of(block) + " threads";
    if (shape.shared_bytes > allowed_shared_bytes)
        return std::to_string(shape.shared_bytes) + " bytes of shared memory";
    return std::nullopt;
}

void run_grid(const LaunchShape& shape, Order order, const std::function<void()>& thread) {
    static std::mutex one_grid_at_a_time;
    const std::lock_guard alone(one_grid_at_a_time);
    if (const auto reason = why_no_launch(shape))
        refuse(*reason);
    ThreadOrder turns(order);
    position = {{}, 0, {}, shape.block, shape.grid, shape.shared_bytes};
    for (unsigned z = 0; z < shape.grid.z; ++z)
        for (unsigned y = 0; y < shape.grid.y; ++y)
            for (unsigned x = 0; x < shape.grid.x; ++x) {
                position.block = {x, y, z};
                Block::running().run(shape.block.x * shape.block.y * shape.block.z, turns, thread);
            }
}

}  // namespace quartet::emulator
