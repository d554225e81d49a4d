#pragma once

#include <cstdint>

#include "core/block_range.hpp"

namespace quartet::device {

/// How the work of a kernel is laid out, shared by its launch and by the tests on the host. All in
/// 64 bits: vectors outgrow 2^31 elements.

/// Threads of a block of the element-wise kernels and of the sums.
inline constexpr int block_threads = 256;

/// The most blocks of an element-wise kernel: each thread then goes through its elements in steps
/// of the whole grid. Several times what any GPU of today runs at once, so that the last blocks do
/// not leave it idle for long.
inline constexpr std::int64_t most_blocks = 8192;

/// The most blocks of a sum, each of which writes a partial sum for the second stage: as many as
/// 128 multiprocessors run at once, four each. A second wave of a few blocks would not keep the
/// memory busy. Four blocks, with more registers each, have as many loads in flight as eight.
inline constexpr int sum_blocks_at_once = 4;
inline constexpr std::int64_t most_sum_blocks = 512;

/// Elements that a thread of a sum adds independently of each other, with their loads in flight at
/// once.
inline constexpr int sum_lanes = 4;

/// std::clamp by value: in a kernel, a reference to one of the constants above would point to the
/// host's memory (a kernel with std::clamp was seen to be compiled to nothing).
constexpr std::int64_t between(std::int64_t value, std::int64_t least, std::int64_t most) {
    return value < least ? least : (value > most ? most : value);
}

/// Blocks for `count` elements, of which a thread takes `per_thread` at a time: at least one.
constexpr std::int64_t blocks_for(std::int64_t count, int per_thread) {
    return between(divide_up(count, std::int64_t{block_threads} * per_thread), 1, most_blocks);
}

/// How the elements of a sum are shared out: by its size alone, so that the same size gives the
/// same bits wherever the vectors lie and whatever the GPU is.
struct SumGrid {
    std::int64_t size = 0;

    [[nodiscard]] constexpr std::int64_t blocks() const {
        return between(divide_up(size, std::int64_t{block_threads} * sum_lanes), 1,
                       most_sum_blocks);
    }
    [[nodiscard]] constexpr std::int64_t threads() const { return blocks() * block_threads; }
    /// The first element of a thread's lane.
    [[nodiscard]] constexpr std::int64_t first(std::int64_t thread, int lane) const {
        return thread + lane * threads();
    }
    /// The distance from one element of a lane to its next.
    [[nodiscard]] constexpr std::int64_t step() const { return sum_lanes * threads(); }
};

}  // namespace quartet::device
