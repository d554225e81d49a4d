#pragma once

#include <cstdint>
#include <limits>

namespace quartet {

/// Arithmetic on counts. A result that does not fit becomes the largest or the least value of 64
/// bits: a size that is too large stays too large in comparisons.

constexpr std::int64_t saturated(bool is_negative) {
    using Limits = std::numeric_limits<std::int64_t>;
    return is_negative ? Limits::min() : Limits::max();
}

constexpr std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? saturated(a < 0) : sum;
}

constexpr std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? saturated((a < 0) != (b < 0)) : product;
}

constexpr std::int64_t saturated_difference(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    return __builtin_sub_overflow(a, b, &difference) ? saturated(a < 0) : difference;
}

}  // namespace quartet
