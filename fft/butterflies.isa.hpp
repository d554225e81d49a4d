#pragma once

#include <numbers>

#include "device/host/loops/per_isa/simd.hpp"
#include "fft/loops.hpp"

namespace quartet::fft::QUARTET_ISA {

using namespace device::QUARTET_ISA;

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

/// A SIMD block (four_step.hpp) is [8 re | 8 im], whatever the width of the registers: a
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

/// Discrete Fourier transforms of a few points, in registers: x[k] becomes
/// sum_j x[j] exp(-2 pi i j k / R), one in each lane.

namespace constants {

/// cos and sin of 2 pi numerator / denominator, for the compiler to work out: by their series,
/// after the angle has been brought below pi / 4.
struct CosSin {
    double cos;
    double sin;
};

constexpr CosSin on_circle(int numerator, int denominator) {
    constexpr long double pi = std::numbers::pi_v<long double>;
    const int eightfold = 8 * (numerator % denominator);
    const int eighth = eightfold / denominator;
    const int rest =
        eighth % 2 != 0 ? denominator - eightfold % denominator : eightfold % denominator;
    const long double angle = pi / 4 * rest / denominator;
    long double near = 0;
    long double off = 0;
    long double term = 1;
    for (int order = 0; order < 24; order += 4) {
        near += term;
        term *= angle / (order + 1);
        off += term;
        term *= angle / (order + 2);
        near -= term;
        term *= angle / (order + 3);
        off -= term;
        term *= angle / (order + 4);
    }
    const bool steep = eighth % 4 == 1 || eighth % 4 == 2;
    const long double cos = steep ? off : near;
    const long double sin = steep ? near : off;
    return {static_cast<double>(eighth >= 2 && eighth < 6 ? -cos : cos),
            static_cast<double>(eighth >= 4 ? -sin : sin)};
}

/// exp(-2 pi i numerator / denominator), as times() takes it.
template <int numerator, int denominator>
inline constexpr double root[2] = {on_circle(numerator, denominator).cos,
                                   -on_circle(numerator, denominator).sin};

}  // namespace constants

/// The transform of R points; x has R elements. Composite lengths are A x B by Cooley and Tukey.
template <int R>
struct Butterfly;

template <>
struct Butterfly<1> {
    [[gnu::always_inline]] static void apply(Complex*) {}
};

template <>
struct Butterfly<2> {
    [[gnu::always_inline]] static void apply(Complex* x) {
        const Complex sum = x[0] + x[1];
        x[1] = x[0] - x[1];
        x[0] = sum;
    }
};

template <>
struct Butterfly<4> {
    [[gnu::always_inline]] static void apply(Complex* x) {
        const Complex even = x[0] + x[2];
        const Complex even_difference = x[0] - x[2];
        const Complex odd = x[1] + x[3];
        const Complex odd_difference = times_minus_i(x[1] - x[3]);
        x[0] = even + odd;
        x[1] = even_difference + odd_difference;
        x[2] = even - odd;
        x[3] = even_difference - odd_difference;
    }
};

/// An odd prime: pairs x[j], x[R - j] share their cosines and sines.
template <int R>
struct OddButterfly {
    [[gnu::always_inline]] static void apply(Complex* x) {
        constexpr int half = (R - 1) / 2;
        Complex sum[half];
        Complex difference[half];
        unrolled<half>([&](auto j) __attribute__((always_inline)) {
            sum[j] = x[j + 1] + x[R - 1 - j];
            difference[j] = x[j + 1] - x[R - 1 - j];
        });
        const Complex first = x[0];
        unrolled<half>([&](auto j) __attribute__((always_inline)) { x[0] = x[0] + sum[j]; });
        unrolled<half>([&](auto k) __attribute__((always_inline)) {
            Complex even = first;
            Complex odd{};
            unrolled<half>([&](auto j) __attribute__((always_inline)) {
                constexpr constants::CosSin w =
                    constants::on_circle((decltype(j)::value + 1) * (decltype(k)::value + 1), R);
                even = {even.re + w.cos * sum[j].re, even.im + w.cos * sum[j].im};
                odd = {odd.re + w.sin * difference[j].re, odd.im + w.sin * difference[j].im};
            });
            x[k + 1] = even + times_minus_i(odd);
            x[R - 1 - k] = even - times_minus_i(odd);
        });
    }
};
template <>
struct Butterfly<3> : OddButterfly<3> {};
template <>
struct Butterfly<5> : OddButterfly<5> {};
template <>
struct Butterfly<7> : OddButterfly<7> {};

/// x exp(-2 pi i numerator / denominator), with fewer operations at multiples of an eighth.
template <int numerator, int denominator>
[[gnu::always_inline]] inline Complex rotated(const Complex& x) {
    constexpr int eightfold = 8 * (numerator % denominator);
    constexpr double diagonal = constants::root<1, 8>[0];
    if constexpr (eightfold == 0) {
        return x;
    } else if constexpr (eightfold == 2 * denominator) {
        return times_minus_i(x);
    } else if constexpr (eightfold == denominator) {
        return {(x.re + x.im) * diagonal, (x.im - x.re) * diagonal};
    } else if constexpr (eightfold == 3 * denominator) {
        return {(x.im - x.re) * diagonal, (x.re + x.im) * -diagonal};
    } else {
        return times(x, constants::root<numerator % denominator, denominator>);
    }
}

template <int A, int B>
struct CompositeButterfly {
    [[gnu::always_inline]] static void apply(Complex* x) {
        Complex rows[A][B];
        unrolled<B>([&](auto b) __attribute__((always_inline)) {
            Complex column[A];
            unrolled<A>([&](auto a) __attribute__((always_inline)) { column[a] = x[a * B + b]; });
            Butterfly<A>::apply(column);
            unrolled<A>([&](auto k) __attribute__((always_inline)) {
                rows[k][b] = rotated<decltype(b)::value* decltype(k)::value, A * B>(column[k]);
            });
        });
        unrolled<A>([&](auto k) __attribute__((always_inline)) {
            Butterfly<B>::apply(rows[k]);
            unrolled<B>([&](auto q) __attribute__((always_inline)) { x[k + A * q] = rows[k][q]; });
        });
    }
};
template <>
struct Butterfly<6> : CompositeButterfly<2, 3> {};
template <>
struct Butterfly<8> : CompositeButterfly<2, 4> {};
template <>
struct Butterfly<9> : CompositeButterfly<3, 3> {};
template <>
struct Butterfly<10> : CompositeButterfly<2, 5> {};
template <>
struct Butterfly<12> : CompositeButterfly<4, 3> {};
template <>
struct Butterfly<15> : CompositeButterfly<3, 5> {};
template <>
struct Butterfly<16> : CompositeButterfly<4, 4> {};

}  // namespace quartet::fft::QUARTET_ISA
