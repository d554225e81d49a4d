#pragma once

#include <cstdint>
#include <utility>

namespace quartet::device {

/// The vectors of the host's loops: eight doubles, a cache line. The compiler maps one to a 512-bit
/// register or to several smaller ones. Passed by reference: how they are passed by value depends
/// on the processor.
inline constexpr int simd_width = 8;
using Vector = double __attribute__((vector_size(simd_width * sizeof(double)), may_alias));
/// The same, in memory that is only aligned to doubles.
using UnalignedVector = double
    __attribute__((vector_size(simd_width * sizeof(double)), aligned(sizeof(double)), may_alias));

/// Eight doubles in memory, read where they are used.
inline const UnalignedVector& vector_at(const double* data) {
    return *reinterpret_cast<const UnalignedVector*>(data);
}
inline UnalignedVector& vector_at(double* data) {
    return *reinterpret_cast<UnalignedVector*>(data);
}

/// Adds in the order of the lanes.
inline double sum_of(const Vector& lanes) {
    double sum = 0;
    for (std::int64_t lane = 0; lane < simd_width; ++lane)
        sum += lanes[lane];
    return sum;
}

/// body(integral_constant) for 0 to count - 1, unrolled whatever the size of the body.
template <int count, typename Body>
[[gnu::always_inline]] inline void unrolled(Body body) {
    [&]<int... index>(std::integer_sequence<int, index...>) __attribute__((always_inline)) {
        (body(std::integral_constant<int, index>{}), ...);
    }
    (std::make_integer_sequence<int, count>{});
}

}  // namespace quartet::device
