#pragma once

#include <cstddef>
#include <cstdint>

namespace quartet::system {

/// The size in bytes of the system's ordinary pages: 4 KiB on x86-64; 4, 16 or 64 KiB on AArch64.
/// Memory is mapped, populated and first touched by whole pages.
std::int64_t page_bytes();

/// The least multiple of `page`, a power of two, that is not below `bytes`.
constexpr std::int64_t whole_pages(std::int64_t bytes, std::int64_t page) {
    return (bytes + page - 1) & -page;
}

/// The distance that keeps data of different writers on different pages, the same everywhere: an
/// ordinary page of x86-64. On larger pages such data shares them: slower, but correct.
inline constexpr std::int64_t page_spacing = 4096;

/// The size and alignment from which large pages pay: a huge page where ordinary pages have 4 KiB.
/// Where they have 16 or 64 KiB (AArch64), huge pages have 32 or 512 MiB, too much for most arrays,
/// but one entry of the TLB covers 2 MiB of adjacent pages.
inline constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Bytes of a cache line on most processors: streaming stores write whole ones.
inline constexpr std::int64_t cache_line = 64;

/// The distance that keeps data of different writers on different cache lines, the same everywhere:
/// the longest line of today's processors (A64FX's; Apple's have 128 bytes, x86 fetches pairs of
/// 64).
inline constexpr std::size_t line_spacing = 256;

}  // namespace quartet::system
