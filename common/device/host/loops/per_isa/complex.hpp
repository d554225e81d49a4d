#pragma once

#include "device/host/loops/per_isa/simd.hpp"

namespace quartet::device::QUARTET_ISA {

/// One complex number in each lane: a vector of real and one of imaginary parts.
struct Complex {
    Vector re;
    Vector im;
};

[[gnu::always_inline]] inline Complex operator+(const Complex& a, const Complex& b) {
    return {a.re + b.re, a.im + b.im};
}
[[gnu::always_inline]] inline Complex operator-(const Complex& a, const Complex& b) {
    return {a.re - b.re, a.im - b.im};
}
[[gnu::always_inline]] inline Complex operator*(const Complex& a, const Complex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
/// Times the complex number (w[0], w[1]).
[[gnu::always_inline]] inline Complex times(const Complex& a, const double* w) {
    return {a.re * w[0] - a.im * w[1], a.re * w[1] + a.im * w[0]};
}
/// Times -i.
[[gnu::always_inline]] inline Complex times_minus_i(const Complex& a) {
    return {a.im, -a.re};
}

/// A SIMD block (four_step_fft.hpp) is [8 re | 8 im], whatever the width of the registers: a
/// narrower vector takes a part of it.
inline constexpr int block_bins = 8;
inline constexpr int block_parts = block_bins / lanes;

[[gnu::always_inline]] inline Complex load_part(const double* block, std::int64_t part) {
    return {load(block + part * lanes), load(block + block_bins + part * lanes)};
}
[[gnu::always_inline]] inline void store_part(double* block, std::int64_t part,
                                              const Complex& value) {
    store(block + part * lanes, value.re);
    store(block + block_bins + part * lanes, value.im);
}
/// Prefetches a SIMD block into the second-level cache; any address is allowed.
[[gnu::always_inline]] inline void prefetch_block(const double* block) {
    prefetch_line(block);
    prefetch_line(block + block_bins);
}

template <int... lane>
[[gnu::always_inline]] inline Complex interleaved(const Complex& a,
                                                  std::integer_sequence<int, lane...>) {
    if constexpr (sizeof...(lane) == 4) {
        const Vector even = __builtin_shufflevector(a.re, a.im, (lane / 2 * 2 + lane % 2 * 4)...);
        const Vector odd =
            __builtin_shufflevector(a.re, a.im, (lane / 2 * 2 + lane % 2 * 4 + 1)...);
        return {__builtin_shufflevector(even, odd, (lane % 2 + lane / 2 * 4)...),
                __builtin_shufflevector(even, odd, (lane % 2 + lane / 2 * 4 + 2)...)};
    } else {
        return {__builtin_shufflevector(a.re, a.im, (lane / 2 + lane % 2 * lanes)...),
                __builtin_shufflevector(a.re, a.im, (lanes / 2 + lane / 2 + lane % 2 * lanes)...)};
    }
}
/// The two vectors that the complex numbers are in memory: re im re im.
[[gnu::always_inline]] inline Complex interleaved(const Complex& a) {
    return interleaved(a, LaneSequence{});
}

template <int step, int... lane>
[[gnu::always_inline]] inline void exchange(Vector& upper, Vector& lower,
                                            std::integer_sequence<int, lane...>) {
    const Vector above = upper;
    upper =
        __builtin_shufflevector(above, lower, ((lane & step) == 0 ? lane : lanes + lane - step)...);
    lower =
        __builtin_shufflevector(above, lower, ((lane & step) == 0 ? lane + step : lanes + lane)...);
}
/// Transposes the square matrix whose rows the vectors are: the blocks of 4, 2 and 1 beside the
/// diagonal change places.
[[gnu::always_inline]] inline void transpose(Vector (&rows)[lanes]) {
    if constexpr (lanes >= 8) {
        unrolled<lanes>([&](auto row) __attribute__((always_inline)) {
            if constexpr ((row & 4) == 0)
                exchange<4>(rows[row], rows[row + 4], LaneSequence{});
        });
    }
    if constexpr (lanes >= 4) {
        unrolled<lanes>([&](auto row) __attribute__((always_inline)) {
            if constexpr ((row & 2) == 0)
                exchange<2>(rows[row], rows[row + 2], LaneSequence{});
        });
    }
    unrolled<lanes>([&](auto row) __attribute__((always_inline)) {
        if constexpr ((row & 1) == 0)
            exchange<1>(rows[row], rows[row + 1], LaneSequence{});
    });
}

/// Complex numbers as they lie in memory, re im re im, are loaded and stored fastest with the
/// lanes out of order: as pair_order() says, lane l holds number l / 2, from the middle on if l is
/// odd. A transposition puts lanes in order at no cost.
[[gnu::always_inline]] inline Complex load_pairs(const double* data) {
    Complex value{load(data), load(data + lanes)};
    exchange<1>(value.re, value.im, LaneSequence{});
    return value;
}
[[gnu::always_inline]] inline void store_pairs(double* data, const Complex& value) {
    Complex pairs = value;
    exchange<1>(pairs.re, pairs.im, LaneSequence{});
    store(data, pairs.re);
    store(data + lanes, pairs.im);
}
/// The number in a lane of load_pairs() and store_pairs().
constexpr int in_pair_order(int lane) {
    return pair_order(lane, lanes);
}

}  // namespace quartet::device::QUARTET_ISA
