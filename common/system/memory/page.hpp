#pragma once

#include <cstddef>
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

/// The size and alignment from which large pages pay: a huge page where ordinary ones have 4 KiB.
/// With 16 and 64 KiB, AArch64's huge pages have 32 and 512 MiB, too many for most arrays, and 2
/// MiB is what one entry of the TLB holds of pages that lie one after the other.
inline constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Bytes of a cache line on most processors: streaming stores write whole ones.
inline constexpr std::int64_t cache_line = 64;

/// The distance that keeps data of different writers on different cache lines, the same everywhere:
/// the longest line of today's processors (A64FX's; Apple's have 128 bytes, x86 fetches pairs of
/// 64).
inline constexpr std::size_t line_spacing = 256;

}  // namespace quartet::system
