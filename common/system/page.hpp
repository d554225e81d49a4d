#pragma once

#include <cstdint>

namespace quartet::system {

/// Bytes of an ordinary page of memory: x86-64 and most of AArch64. Where pages are larger, data
/// that this size keeps apart shares pages: slower, but correct.
inline constexpr std::int64_t page_bytes = 4096;

}  // namespace quartet::system
