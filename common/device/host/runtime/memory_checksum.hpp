#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quartet::device {

/// Tells memory that has changed by any number of bits, at the rate of reading it. The same for any
/// number of threads: the sum of the checksums of blocks of 1 MiB, each times an odd number of its
/// own. Does not allocate.
std::uint64_t memory_checksum(std::span<const std::byte> memory, int threads);

}  // namespace quartet::device
