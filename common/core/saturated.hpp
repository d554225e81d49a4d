#pragma once

#include <cstdint>
#include <limits>

namespace quartet {

/// Arithmetic on counts that stays at the largest or the least value where the result would not fit
/// 63 bits: what is too large is still too large when it is compared with what there is.

constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    if (b > 0 && a > Limits::max() - b) {
        return Limits::max();
    }
    if (b < 0 && a < Limits::min() - b) {
        return Limits::min();
    }
    return a + b;
}

constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    if (a == 0 || b == 0) {
        return 0;
    }
    // Each branch divides the limit by the factor whose quotient cannot overflow itself.
    if ((a > 0) == (b > 0)) {
        const bool fits = a > 0 ? a <= Limits::max() / b : a >= Limits::max() / b;
        return fits ? a * b : Limits::max();
    }
    const bool fits = a > 0 ? b >= Limits::min() / a : a >= Limits::min() / b;
    return fits ? a * b : Limits::min();
}

constexpr std::int64_t saturated_difference(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    if (b < 0 && a > Limits::max() + b) {
        return Limits::max();
    }
    if (b > 0 && a < Limits::min() + b) {
        return Limits::min();
    }
    return a - b;
}

}  // namespace quartet
