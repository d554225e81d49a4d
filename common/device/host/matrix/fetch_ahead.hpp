#pragma once

#include <cstdint>

namespace quartet::device {

/// Prefetches the cache line that a loop over consecutive elements reads 3 KiB later, into the
/// second cache. The first cache has too few buffers for lines in flight: prefetching into it gains
/// little beside the processor's own prefetcher, or loses (docs/notes/cg.md). Past the end of an
/// array it does nothing.
[[gnu::always_inline]] inline void fetch_ahead(const double* element) {
    constexpr std::int64_t distance = 3072 / sizeof(double);
    constexpr int read = 0;
    constexpr int second_cache = 2;
    __builtin_prefetch(element + distance, read, second_cache);
}

}  // namespace quartet::device
