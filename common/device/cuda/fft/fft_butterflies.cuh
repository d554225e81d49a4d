#pragma once

#include <cuda_runtime.h>

#include <cmath>

namespace quartet::device {

/// Transforms of 8 and 16 points in a thread's registers, by radix-2 steps of fused multiply-adds.

__device__ inline double2 complex_product(double2 a, double2 b) {
    return {fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x)};
}
__device__ inline double2 complex_square(double2 a) {
    return {fma(a.x, a.x, -(a.y * a.y)), (a.x + a.x) * a.y};
}

/// a + t b and a - t b.
__device__ inline void butterfly(double2& a, double2& b, double2 t) {
    const double2 sum{fma(-t.y, b.y, fma(t.x, b.x, a.x)), fma(t.y, b.x, fma(t.x, b.y, a.y))};
    b = {fma(2.0, a.x, -sum.x), fma(2.0, a.y, -sum.y)};
    a = sum;
}
/// With t = 1.
__device__ inline void butterfly(double2& a, double2& b) {
    const double2 old = b;
    b = {a.x - old.x, a.y - old.y};
    a = {a.x + old.x, a.y + old.y};
}
/// With t = -i.
__device__ inline void butterfly_minus_i(double2& a, double2& b) {
    const double2 old = b;
    b = {a.x - old.y, a.y + old.x};
    a = {a.x + old.y, a.y - old.x};
}

inline constexpr double cos_quarter = 0.70710678118654752440;  ///< of pi / 4
inline constexpr double cos_eighth = 0.92387953251128675613;   ///< of pi / 8
inline constexpr double sin_eighth = 0.38268343236508977173;

/// The number whose bits are those of `number` in reverse, three or four for a radix of 8 or 16.
template <int radix>
constexpr int reversed_bits(int number) {
    const int of_three = (number & 1) << 2 | (number & 2) | (number & 4) >> 2;
    return radix == 8 ? of_three : of_three << 1 | number >> 3;
}

template <int radix>
__device__ inline void reverse_order(double2* points) {
    double2 old[radix];
#pragma unroll
    for (int i = 0; i < radix; ++i)
        old[i] = points[i];
#pragma unroll
    for (int i = 0; i < radix; ++i)
        points[i] = old[reversed_bits<radix>(i)];
}

/// The steps without factors of `radix` points in reversed order.
template <int radix>
__device__ inline void plain_steps(double2* u) {
#pragma unroll
    for (int b = 0; b < radix; b += 2)
        butterfly(u[b], u[b + 1]);
#pragma unroll
    for (int b = 0; b < radix; b += 4) {
        butterfly(u[b], u[b + 2]);
        butterfly_minus_i(u[b + 1], u[b + 3]);
    }
#pragma unroll
    for (int b = 0; b < radix; b += 8) {
        butterfly(u[b], u[b + 4]);
        butterfly(u[b + 1], u[b + 5], {cos_quarter, -cos_quarter});
        butterfly_minus_i(u[b + 2], u[b + 6]);
        butterfly(u[b + 3], u[b + 7], {-cos_quarter, -cos_quarter});
    }
    if constexpr (radix == 16) {
        butterfly(u[0], u[8]);
        butterfly(u[1], u[9], {cos_eighth, -sin_eighth});
        butterfly(u[2], u[10], {cos_quarter, -cos_quarter});
        butterfly(u[3], u[11], {sin_eighth, -cos_eighth});
        butterfly_minus_i(u[4], u[12]);
        butterfly(u[5], u[13], {-sin_eighth, -cos_eighth});
        butterfly(u[6], u[14], {-cos_quarter, -cos_quarter});
        butterfly(u[7], u[15], {-cos_eighth, -sin_eighth});
    }
}

/// One step between points that are `half` apart, with the factors t exp(-2 pi i k / (2 half)); the
/// first half of them is given, the others are those times -i.
template <int radix, int half, int given>
__device__ inline void step_with_factors(double2* u, const double2 (&t)[given]) {
#pragma unroll
    for (int b = 0; b < radix; b += 2 * half) {
#pragma unroll
        for (int k = 0; k < half; ++k) {
            if (half == 1 || k < half / 2)
                butterfly(u[b + k], u[b + k + half], t[k]);
            else
                butterfly(u[b + k], u[b + k + half], {t[k - half / 2].y, -t[k - half / 2].x});
        }
    }
}

/// Times exp(-pi i / 4).
__device__ inline double2 turned_by_eighth(double2 a) {
    return {(a.x + a.y) * cos_quarter, (a.y - a.x) * cos_quarter};
}

/// v_k becomes the sum over n of v_n w^n exp(-2 pi i n k / radix).
template <int radix>
__device__ inline void transform_points(double2* v) {
    reverse_order<radix>(v);
    plain_steps<radix>(v);
}
template <int radix>
__device__ inline void transform_points(double2* v, double2 w, double2 w_to_4) {
    reverse_order<radix>(v);
    const double2 w_to_2 = complex_square(w);
    if constexpr (radix == 16) {
        step_with_factors<radix, 1>(v, {complex_square(w_to_4)});
        step_with_factors<radix, 2>(v, {w_to_4});
        step_with_factors<radix, 4>(v, {w_to_2, turned_by_eighth(w_to_2)});
        step_with_factors<radix, 8>(
            v, {w, complex_product(w, {cos_eighth, -sin_eighth}), turned_by_eighth(w),
                complex_product(w, {sin_eighth, -cos_eighth})});
    } else {
        step_with_factors<radix, 1>(v, {w_to_4});
        step_with_factors<radix, 2>(v, {w_to_2});
        step_with_factors<radix, 4>(v, {w, turned_by_eighth(w)});
    }
}

}  // namespace quartet::device
