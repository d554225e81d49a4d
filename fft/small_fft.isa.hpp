#pragma once

#include "fft/butterflies.isa.hpp"

namespace quartet::fft::QUARTET_ISA {

/// FFTs of up to 256 points, one in each lane, in the first-level cache: stages of radices up to 16
/// in Stockham's self-sorting form. The first stage loads its points by a functor and the last
/// stores them by another, so that conversions, twiddles and copies need no loop of their own.
///
/// After stages whose radices have the product m, with R the next radix and C the product of those
/// after it, element (K, j, c) of [m][R][C] goes through a butterfly over j to (K + m k, c) of
/// [m R][C], times exp(-2 pi i c k / (R C)).

template <typename Use>
[[gnu::always_inline]] inline void with_radix(int radix, Use use) {
    switch (radix) {
        case 1:
            return use(std::integral_constant<int, 1>{});
        case 2:
            return use(std::integral_constant<int, 2>{});
        case 3:
            return use(std::integral_constant<int, 3>{});
        case 4:
            return use(std::integral_constant<int, 4>{});
        case 5:
            return use(std::integral_constant<int, 5>{});
        case 6:
            return use(std::integral_constant<int, 6>{});
        case 7:
            return use(std::integral_constant<int, 7>{});
        case 8:
            return use(std::integral_constant<int, 8>{});
        case 9:
            return use(std::integral_constant<int, 9>{});
        case 10:
            return use(std::integral_constant<int, 10>{});
        case 12:
            return use(std::integral_constant<int, 12>{});
        case 15:
            return use(std::integral_constant<int, 15>{});
        case 16:
            return use(std::integral_constant<int, 16>{});
        default:
            __builtin_unreachable();  // SmallFftPlan chooses among these
    }
}

template <typename Load>
void first_stage(const SmallFftStage& stage, Load load_point, Complex* to) {
    with_radix(
        stage.radix, [&](auto radix) __attribute__((always_inline)) {
            constexpr std::int64_t R = decltype(radix)::value;
            const int after = stage.after;
            const double* w = stage.twiddles;
            for (int c = 0; c < after; ++c, w += 2 * R) {
                Complex x[R];
                unrolled<R>([&](auto j) __attribute__((always_inline)) {
                    x[j] = load_point(j * after + c);
                });
                Butterfly<R>::apply(x);
                to[c] = x[0];
                unrolled<R - 1>([&](auto k) __attribute__((always_inline)) {
                    to[(k + 1) * after + c] = times(x[k + 1], w + 2 * (k + 1));
                });
            }
        });
}

inline void middle_stage(const SmallFftStage& stage, const Complex* from, Complex* to) {
    with_radix(
        stage.radix, [&](auto radix) __attribute__((always_inline)) {
            constexpr std::int64_t R = decltype(radix)::value;
            const int after = stage.after;
            for (std::int64_t before = 0; before < stage.before; ++before) {
                const double* w = stage.twiddles;
                const Complex* source = from + before * R * after;
                Complex* target = to + before * after;
                for (int c = 0; c < after; ++c, w += 2 * R) {
                    Complex x[R];
                    unrolled<R>([&](auto j) __attribute__((always_inline)) {
                        x[j] = source[j * after + c];
                    });
                    Butterfly<R>::apply(x);
                    target[c] = x[0];
                    unrolled<R - 1>([&](auto k) __attribute__((always_inline)) {
                        target[(k + 1) * stage.before * after + c] =
                            times(x[k + 1], w + 2 * (k + 1));
                    });
                }
            }
        });
}

template <typename Store>
void last_stage(const SmallFftStage& stage, const Complex* from, Store store_point) {
    with_radix(
        stage.radix, [&](auto radix) __attribute__((always_inline)) {
            constexpr std::int64_t R = decltype(radix)::value;
            const int before = stage.before;
            for (int index = 0; index < before; ++index) {
                Complex x[R];
                unrolled<R>([&](auto j)
                                __attribute__((always_inline)) { x[j] = from[index * R + j]; });
                Butterfly<R>::apply(x);
                unrolled<R>([&](auto k) __attribute__((always_inline)) {
                    store_point(index + before * k, x[k]);
                });
            }
        });
}

// The only stage: from the one functor to the other, for each strip.
template <typename Load, typename Store>
void only_stage(int length, std::int64_t begin, std::int64_t end, Load load_point,
                Store store_point) {
    with_radix(
        length, [&](auto radix) __attribute__((always_inline)) {
            constexpr int R = decltype(radix)::value;
            for (std::int64_t strip = begin; strip < end; ++strip) {
                Complex x[R];
                unrolled<R>([&](auto j)
                                __attribute__((always_inline)) { x[j] = load_point(strip, j); });
                Butterfly<R>::apply(x);
                unrolled<R>([&](auto k)
                                __attribute__((always_inline)) { store_point(strip, k, x[k]); });
            }
        });
}

// Two stages or more.
template <typename Load, typename Store>
[[gnu::always_inline]] inline void several_stages(const SmallFft& fft, Load load_point,
                                                  Store store_point, double* work) {
    auto* from = reinterpret_cast<Complex*>(work);
    Complex* to = from + fft.length;
    first_stage(fft.stage[0], load_point, from);
    for (int index = 1; index + 1 < fft.stages; ++index) {
        middle_stage(fft.stage[index], from, to);
        Complex* const swapped = from;
        from = to;
        to = swapped;
    }
    last_stage(fft.stage[fft.stages - 1], from, store_point);
}

/// The FFT of each strip in [begin, end). load_point(strip, j) gives element j, for each j once;
/// store_point(strip, k, value) takes element k of the result. `work` holds 2 length numbers in
/// each lane.
template <typename Load, typename Store>
[[gnu::always_inline]] inline void transform_strips(const SmallFft& fft, std::int64_t begin,
                                                    std::int64_t end, Load load_point,
                                                    Store store_point, double* work) {
    if (fft.stages == 1)
        return only_stage(fft.length, begin, end, load_point, store_point);
    for (std::int64_t strip = begin; strip < end; ++strip)
        several_stages(
            fft,
            [=](std::int64_t j) __attribute__((always_inline)) { return load_point(strip, j); },
            [=](std::int64_t k, const Complex& value)
                __attribute__((always_inline)) { store_point(strip, k, value); },
            work);
}

/// One FFT: load_point(j), store_point(k, value). As one of several strips, rows of 540 points took
/// 1.1 times as long (AVX2, Zen 4).
template <typename Load, typename Store>
[[gnu::always_inline]] inline void transform(const SmallFft& fft, Load load_point,
                                             Store store_point, double* work) {
    if (fft.stages > 1)
        return several_stages(fft, load_point, store_point, work);
    with_radix(
        fft.length, [&](auto radix) __attribute__((always_inline)) {
            constexpr int R = decltype(radix)::value;
            Complex x[R];
            unrolled<R>([&](auto j) __attribute__((always_inline)) { x[j] = load_point(j); });
            Butterfly<R>::apply(x);
            unrolled<R>([&](auto k) __attribute__((always_inline)) { store_point(k, x[k]); });
        });
}

/// Rows of numbers as transform_strips() leaves those of load_pairs(): [strip of j][2 lanes].
struct Rows {
    const Complex* first;
    std::int64_t step;
};

/// The points of a strip of `lanes` rows: row order(lane) in each lane.
template <int (*order)(int)>
[[gnu::always_inline]] inline void transpose_strip(Rows rows, std::int64_t strip, Complex* points) {
    Vector re[lanes];
    Vector im[lanes];
    unrolled<lanes>([&](auto lane) __attribute__((always_inline)) {
        const Complex& pairs = rows.first[order(lane) * rows.step + strip];
        re[lane] = pairs.re;
        im[lane] = pairs.im;
    });
    transpose(re);
    transpose(im);
    unrolled<lanes>([&](auto lane) __attribute__((always_inline)) {
        points[in_pair_order(lane)] = {re[lane], im[lane]};
    });
}

// The first of two stages for `lanes` rows, with adjacent points of a row in the lanes.
inline void row_stage(const SmallFftStage& stage, const Complex* twiddles, Rows rows, Complex* to,
                      std::int64_t step) {
    const std::int64_t strips = stage.after / lanes;
    with_radix(
        stage.radix, [&](auto radix) __attribute__((always_inline)) {
            constexpr int R = decltype(radix)::value;
            for (std::int64_t row = 0; row < lanes; ++row) {
                const Complex* w = twiddles;
                for (std::int64_t strip = 0; strip < strips; ++strip, w += R) {
                    const Complex* source = rows.first + row * rows.step + strip;
                    Complex* target = to + row * step + strip;
                    Complex x[R];
                    unrolled<R>([&](auto j)
                                    __attribute__((always_inline)) { x[j] = source[j * strips]; });
                    Butterfly<R>::apply(x);
                    target[0] = x[0];
                    unrolled<R - 1>([&](auto k) __attribute__((always_inline)) {
                        target[(k + 1) * strips] = x[k + 1] * w[k + 1];
                    });
                }
            }
        });
}

/// The FFTs of `lanes` rows; a lane of the result has row order(lane). There are one or two stages,
/// and the last one's radix is a multiple of eight: it transposes its points in registers.
/// `twiddles` are TileFft's for rows; store_point(k, value) takes element k.
template <int (*order)(int), typename Store>
[[gnu::always_inline]] inline void transform_rows(const SmallFft& fft, const double* twiddles,
                                                  Rows rows, Store store_point, double* work) {
    const SmallFftStage& last = fft.stage[fft.stages - 1];
    if (fft.stages == 2) {
        auto* between = reinterpret_cast<Complex*>(work);
        const std::int64_t step = fft.length / lanes + 1;  // spreads rows over the cache
        row_stage(fft.stage[0], reinterpret_cast<const Complex*>(twiddles), rows, between, step);
        rows = {between, step};
    }
    const std::int64_t before = last.before;  // stores might change what is not the function's own
    with_radix(
        last.radix, [=](auto radix) __attribute__((always_inline)) {
            constexpr int R = decltype(radix)::value;
            if constexpr (R % 8 == 0) {  // whole vectors of any width
                for (std::int64_t index = 0; index < before; ++index) {
                    const Complex* source = rows.first + index * (R / lanes);
                    Complex x[R];
                    unrolled<R / lanes>([&](auto strip) __attribute__((always_inline)) {
                        transpose_strip<order>({source, rows.step}, strip, x + strip * lanes);
                    });
                    Butterfly<R>::apply(x);
                    unrolled<R>([&](auto k) __attribute__((always_inline)) {
                        store_point(index + before * k, x[k]);
                    });
                }
            }
        });
}

}  // namespace quartet::fft::QUARTET_ISA
