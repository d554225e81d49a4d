#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace quartet {

/// 64-bit XXH3 of some bytes, without a seed: tells files that differ, does not resist forgery.
std::uint64_t checksum(std::span<const std::byte> data);
/// The same as manifests have it: 16 hexadecimal digits.
std::string checksum_text(std::span<const std::byte> data);

}  // namespace quartet
