#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "core/block_range.hpp"
#include "device/device_registry.hpp"
#include "device/host/loops/loops.hpp"
#include "device/vector_operations.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

/// The range of part `part` if `size` elements are divided into `parts`: all parts except the last
/// are whole cache lines, even of floats.
inline Range part_of(std::int64_t size, int parts, int part) {
    constexpr std::int64_t line = 16;
    const Range lines = block_range(divide_up(size, line), parts, part);
    return {std::min(lines.begin * line, size), std::min(lines.end * line, size)};
}

/// Calls loop(range) for each thread's part of `size` elements.
template <typename Loop>
void parallel_for_ranges(int threads, std::int64_t size, Loop loop) {
    system::parallel_parts(threads, [=](int part) { loop(part_of(size, threads, part)); });
}

/// The sum of loop(range) over `parts` parts, added in their order: its bits depend on `parts`, not
/// on the number of threads that OpenMP grants.
template <typename Loop>
double sum_of_parts(int parts, std::int64_t size, Loop loop) {
    std::array<double, DeviceSettings::most_threads> sums;
    system::parallel_parts(parts, [&, parts](int part) {
        sums[static_cast<std::size_t>(part)] = loop(part_of(size, parts, part));
    });
    double sum = 0;
    for (int part = 0; part < parts; ++part)
        sum += sums[static_cast<std::size_t>(part)];
    return sum;
}

/// Vectorised loops over `threads` OpenMP threads.
std::unique_ptr<VectorOperations> make_host_vector_operations(int threads, const Loops& loops);

}  // namespace quartet::device
