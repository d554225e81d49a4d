#pragma once

#include <cstdint>

namespace quartet::system {

/// Bytes of the system's ordinary pages: 4 KiB on x86-64, 4, 16 or 64 KiB on AArch64. What is
/// mapped, populated or touched first is so by whole pages.
std::int64_t page_bytes();

/// The least multiple of a page's size that is not below `bytes`. A page has a power of two of
/// bytes.
constexpr std::int64_t whole_pages(std::int64_t bytes, std::int64_t page) {
    return (bytes + page - 1) & -page;
}

/// The distance that keeps data of different writers on different pages, the same everywhere: an
/// ordinary page of x86-64. On larger pages such data shares them: slower, but correct.
inline constexpr std::int64_t page_spacing = 4096;

}  // namespace quartet::system
