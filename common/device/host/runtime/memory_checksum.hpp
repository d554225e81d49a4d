#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quartet::device {

/// A checksum by which to find changes of any number of bits, at the rate of reading the memory. It
/// is the same for any number of threads: the sum of the checksums of blocks of 1 MiB, each times
/// an odd number of its own. Does not allocate.
std::uint64_t memory_checksum(std::span<const std::byte> memory, int threads);

}  // namespace quartet::device
