#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/memory.hpp"

namespace quartet::device {

/// Zeroed memory of the CPU. From one huge page (2 MiB) on it is mapped on huge page boundaries
/// with advice to use huge pages, and each of the `threads` touches its share of the pages, so that
/// no timed step meets a page fault; smaller memory is aligned to cache lines. No memory for size
/// 0. Throws Failure for negative sizes, and if there is not enough memory.
Allocation allocate_host_memory(Bytes size, MemoryKind kind, int threads);

/// A checksum by which to find changes of any number of bits, at the rate of reading the memory. It
/// is the same for any number of threads: the sum of the checksums of blocks of 1 MiB, each times
/// an odd number of its own. Does not allocate.
std::uint64_t memory_checksum(std::span<const std::byte> memory, int threads);

}  // namespace quartet::device
