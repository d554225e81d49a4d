#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace quartet {

/// The 64-bit XXH3 hash of bytes, without a seed. It finds files that differ, but no forgery.
std::uint64_t checksum(std::span<const std::byte> data);
/// The checksum as manifests write it: 16 hexadecimal digits.
std::string checksum_text(std::span<const std::byte> data);

}  // namespace quartet
