#pragma once

#include "device/memory.hpp"

namespace quartet::device {

/// Zeroed memory of the CPU. From one huge page (2 MiB) on it is mapped on huge page boundaries
/// with advice to use huge pages, and each of the `threads` touches its share of the pages, so that
/// no timed step meets a page fault; smaller memory is aligned to cache lines. No memory for size
/// 0. Throws Failure for negative sizes, and if there is not enough memory.
Allocation allocate_host_memory(Bytes size, MemoryKind kind, int threads);

}  // namespace quartet::device
