#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/check.hpp"
#include "device/host/fft/butterflies.hpp"

namespace quartet::device {

/// Eight FFTs of up to 256 points at once, one in each SIMD lane, in the first-level cache: stages
/// of radices up to 16 in Stockham's self-sorting form. The first stage loads its points by a
/// functor and the last stores them by another, so that conversions, twiddles and copies need no
/// loop of their own.
///
/// After stages whose radices have the product m, with R the next radix and C the product of those
/// after it, element (K, j, c) of [m][R][C] goes through a butterfly over j to (K + m k, c) of
/// [m R][C], times exp(-2 pi i c k / (R C)).
class SmallTransform {
  public:
    static constexpr int longest = 256;

    /// Whether there is a plan: 1 <= length <= longest, without a prime factor above 7.
    [[nodiscard]] static bool supports(std::int64_t length);

    /// Cost per point, relative to one stage of radix 8. Throws Failure unless supported.
    [[nodiscard]] static double cost(std::int64_t length);

    /// Throws Failure unless supported.
    explicit SmallTransform(std::int64_t length);

    [[nodiscard]] int length() const { return length_; }
    /// The elements of memory in which the stages keep their results.
    [[nodiscard]] int work_size() const { return 2 * length_; }

    /// load(j) gives element j, for each j once; store(k, value) takes element k of the result.
    /// `work` holds work_size() elements.
    template <typename Load, typename Store>
    [[gnu::always_inline]] void run(Load load, Store store, SimdComplex* work) const {
        SimdComplex* from = work;
        SimdComplex* to = work + length_;
        first_stage(stages_.front(), load, from);
        for (std::size_t index = 1; index + 1 < stages_.size(); ++index) {
            middle_stage(stages_[index], from, to);
            std::swap(from, to);
        }
        last_stage(stages_.back(), from, store);
    }

  private:
    struct Stage {
        int radix;
        int before;                    ///< m, product of the radices of earlier stages
        int after;                     ///< C, of later ones
        std::vector<double> twiddles;  ///< [c][k], re and im; none in the last stage
    };

    template <typename Use>
    [[gnu::always_inline]] static void with_radix(int radix, Use use);
    template <typename Load>
    static void first_stage(const Stage& stage, Load load, SimdComplex* to);
    static void middle_stage(const Stage& stage, const SimdComplex* from, SimdComplex* to);
    template <typename Store>
    static void last_stage(const Stage& stage, const SimdComplex* from, Store store);

    int length_;
    std::vector<Stage> stages_;  ///< two at least
};

template <typename Use>
[[gnu::always_inline]] inline void SmallTransform::with_radix(int radix, Use use) {
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
            fail("a radix without a butterfly");
    }
}

template <typename Load>
void SmallTransform::first_stage(const Stage& stage, Load load, SimdComplex* to) {
    with_radix(
        stage.radix, [&](auto radix) __attribute__((always_inline)) {
            constexpr std::int64_t R = decltype(radix)::value;
            const int after = stage.after;
            const double* w = stage.twiddles.data();
            for (int c = 0; c < after; ++c, w += 2 * R) {
                SimdComplex x[R];
                unrolled<R>([&](auto j)
                                __attribute__((always_inline)) { x[j] = load(j * after + c); });
                Butterfly<R>::apply(x);
                to[c] = x[0];
                unrolled<R - 1>([&](auto k) __attribute__((always_inline)) {
                    to[(k + 1) * after + c] = times(x[k + 1], w + 2 * (k + 1));
                });
            }
        });
}

inline void SmallTransform::middle_stage(const Stage& stage, const SimdComplex* from,
                                         SimdComplex* to) {
    with_radix(
        stage.radix, [&](auto radix) __attribute__((always_inline)) {
            constexpr std::int64_t R = decltype(radix)::value;
            const int after = stage.after;
            for (std::int64_t before = 0; before < stage.before; ++before) {
                const double* w = stage.twiddles.data();
                const SimdComplex* source = from + before * R * after;
                SimdComplex* target = to + before * after;
                for (int c = 0; c < after; ++c, w += 2 * R) {
                    SimdComplex x[R];
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
void SmallTransform::last_stage(const Stage& stage, const SimdComplex* from, Store store) {
    with_radix(
        stage.radix, [&](auto radix) __attribute__((always_inline)) {
            constexpr std::int64_t R = decltype(radix)::value;
            const int before = stage.before;
            for (int index = 0; index < before; ++index) {
                SimdComplex x[R];
                unrolled<R>([&](auto j)
                                __attribute__((always_inline)) { x[j] = from[index * R + j]; });
                Butterfly<R>::apply(x);
                unrolled<R>([&](auto k) __attribute__((always_inline)) {
                    store(index + before * k, x[k]);
                });
            }
        });
}

}  // namespace quartet::device
