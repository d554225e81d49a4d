#pragma once

#include <cstdint>

namespace quartet::system {

/// Bytes of an ordinary page of memory: x86-64 and most of AArch64. Where pages are larger, what is
/// laid out by it shares pages, which costs speed and nothing else.
inline constexpr std::int64_t page_bytes = 4096;

}  // namespace quartet::system
