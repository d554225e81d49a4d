#pragma once

// The one header that asks the preprocessor what the processor has.
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "device/host/simd/simd.hpp"

namespace quartet::device {

/// Writes a vector past the caches, if the processor can: what will not be read soon must not
/// drive out what will be, and a line that is written whole need not be read first. `data` is
/// aligned to 64 bytes.
[[gnu::always_inline]] inline void store_streaming(const Vector& value, double* data) {
#if defined(__AVX512F__)
    _mm512_stream_pd(data, reinterpret_cast<__m512d>(value));
#elif defined(__SSE2__)
    unrolled<4>([&](auto pair) __attribute__((always_inline)) {
        _mm_stream_pd(data + 2 * pair, __m128d{value[2 * pair], value[2 * pair + 1]});
    });
#else
    vector_at(data) = value;
#endif
}

/// Orders what was written so before what is written later. At the end of a thread's work.
inline void finish_streaming() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

}  // namespace quartet::device
