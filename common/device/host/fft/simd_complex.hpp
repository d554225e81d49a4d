#pragma once

#include <cstring>

#include "device/host/simd/simd.hpp"

namespace quartet::device {

/// Eight complex numbers, one in each SIMD lane: a vector of real and one of imaginary parts. In
/// memory this is a SIMD block (four_step_fft.hpp): [8 re | 8 im], two cache lines.
struct SimdComplex {
    Vector re;
    Vector im;
};
static_assert(sizeof(SimdComplex) == sizeof(double[2][simd_width]));

[[gnu::always_inline]] inline SimdComplex operator+(const SimdComplex& a, const SimdComplex& b) {
    return {a.re + b.re, a.im + b.im};
}
[[gnu::always_inline]] inline SimdComplex operator-(const SimdComplex& a, const SimdComplex& b) {
    return {a.re - b.re, a.im - b.im};
}
[[gnu::always_inline]] inline SimdComplex operator*(const SimdComplex& a, const SimdComplex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// Times the complex number (w[0], w[1]).
[[gnu::always_inline]] inline SimdComplex times(const SimdComplex& a, const double* w) {
    return {a.re * w[0] - a.im * w[1], a.re * w[1] + a.im * w[0]};
}
/// Times -i.
[[gnu::always_inline]] inline SimdComplex times_minus_i(const SimdComplex& a) {
    return {a.im, -a.re};
}

/// Eight complex numbers as they lie in memory, re im re im, from any address.
[[gnu::always_inline]] inline SimdComplex load_interleaved(const double* data) {
    Vector low;
    Vector high;
    std::memcpy(&low, data, sizeof low);
    std::memcpy(&high, data + simd_width, sizeof high);
    return {__builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14),
            __builtin_shufflevector(low, high, 1, 3, 5, 7, 9, 11, 13, 15)};
}

/// The two vectors that eight complex numbers are in memory: re im re im.
[[gnu::always_inline]] inline SimdComplex interleaved(const SimdComplex& a) {
    return {__builtin_shufflevector(a.re, a.im, 0, 8, 1, 9, 2, 10, 3, 11),
            __builtin_shufflevector(a.re, a.im, 4, 12, 5, 13, 6, 14, 7, 15)};
}

/// Transposes the 8 x 8 matrix whose rows the vectors are.
[[gnu::always_inline]] inline void transpose(Vector (&m)[simd_width]) {
    Vector t[simd_width];
    Vector u[simd_width];
    unrolled<4>([&](auto i) __attribute__((always_inline)) {
        t[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    });
    unrolled<4>([&](auto i) __attribute__((always_inline)) {
        constexpr int first = (i / 2) * 4 + i % 2;
        u[first] = __builtin_shufflevector(t[first], t[first + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        u[first + 2] = __builtin_shufflevector(t[first], t[first + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    });
    unrolled<4>([&](auto i) __attribute__((always_inline)) {
        m[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        m[i + 4] = __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    });
}

/// Prefetches a cache line into the second-level cache; any address is allowed.
[[gnu::always_inline]] inline void prefetch_line(const void* line) {
    __builtin_prefetch(line, 0, 2);
}

/// Prefetches a SIMD block into the second-level cache; any address is allowed.
[[gnu::always_inline]] inline void prefetch_block(const void* block) {
    prefetch_line(block);
    prefetch_line(static_cast<const char*>(block) + 64);
}

}  // namespace quartet::device
