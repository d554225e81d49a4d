#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <source_location>

#include "device/memory.hpp"

namespace quartet::device {

/// Throws Failure if two views share some, but not all, of their elements.
template <typename T, typename U>
void require_same_or_apart(const View<T>& one, const View<U>& other,
                           std::source_location where = std::source_location::current()) {
    const std::less_equal<const void*> before;  // the only comparison defined between any pointers
    const bool same = static_cast<const void*>(one.data()) == other.data();
    const bool apart = before(one.data() + one.size(), other.data()) ||
                       before(other.data() + other.size(), one.data());
    check(same || apart, "views overlap in part", where);
}

/// Throws Failure if two views share any element.
template <typename T, typename U>
void require_apart(const View<T>& one, const View<U>& other,
                   std::source_location where = std::source_location::current()) {
    const std::less_equal<const void*> before;
    check(before(one.data() + one.size(), other.data()) ||
              before(other.data() + other.size(), one.data()),
          "views overlap", where);
}

/// The elements of a matrix. Throws Failure if an edge is negative or the product outgrows 64
/// bits.
inline std::int64_t matrix_elements(std::int64_t rows, std::int64_t columns) {
    check(rows >= 0 && columns >= 0, "a matrix of a negative size");
    check(rows == 0 || columns <= std::numeric_limits<std::int64_t>::max() / rows,
          "a matrix outgrows 64 bits");
    return rows * columns;
}

}  // namespace quartet::device
