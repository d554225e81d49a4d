#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <source_location>
#include <string_view>

#include "device/memory.hpp"

namespace quartet::device {

/// Whether two views share no element.
template <typename T, typename U>
bool are_apart(const View<T>& one, const View<U>& other) {
    const std::less_equal<const void*> before;  // the only comparison defined between any pointers
    return before(one.data() + one.size(), other.data()) ||
           before(other.data() + other.size(), one.data());
}

/// Throws Failure if two views share some, but not all, of their elements.
template <typename T, typename U>
void require_same_or_apart(const View<T>& one, const View<U>& other,
                           std::source_location where = std::source_location::current()) {
    const bool same = static_cast<const void*>(one.data()) == other.data();
    check(same || are_apart(one, other), "views overlap in part", where);
}

/// Throws Failure if two views share any element.
template <typename T, typename U>
void require_apart(const View<T>& one, const View<U>& other,
                   std::source_location where = std::source_location::current()) {
    check(are_apart(one, other), "views overlap", where);
}

/// The elements of a matrix. Throws Failure if an edge is negative or the product outgrows 64
/// bits.
inline std::int64_t matrix_elements(std::int64_t rows, std::int64_t columns) {
    check(rows >= 0 && columns >= 0, "a matrix of a negative size");
    check(rows == 0 || columns <= std::numeric_limits<std::int64_t>::max() / rows,
          "a matrix outgrows 64 bits");
    return rows * columns;
}

/// Throws Failure for device memory and for views of a negative size.
template <typename T>
void require_host(const View<T>& view,
                  std::source_location where = std::source_location::current()) {
    check(view.kind() != MemoryKind::device, "a host operation on device memory", where);
    check(view.size() >= 0, "a view of a negative size", where);
}

/// The same, and throws Failure that states `problem` unless `view` holds `size` elements.
template <typename T>
void require_host(const View<T>& view, std::int64_t size, std::string_view problem,
                  std::source_location where = std::source_location::current()) {
    require_host(view, where);
    check(view.size() == size, problem, where);
}

/// Throws Failure for memory of the CPU, unless empty, and for views of a negative size.
template <typename T>
void require_device(const View<T>& view,
                    std::source_location where = std::source_location::current()) {
    check(view.size() >= 0, "a view of a negative size", where);
    check(view.empty() || view.kind() == MemoryKind::device,
          "an operation of the GPU on memory of the host", where);
}

/// The same, and throws Failure that states `problem` unless `view` holds `size` elements.
template <typename T>
void require_device(const View<T>& view, std::int64_t size, std::string_view problem,
                    std::source_location where = std::source_location::current()) {
    require_device(view, where);
    check(view.size() == size, problem, where);
}

/// Throws Failure unless `view` holds `size` elements where kernels can reach them: in memory of
/// the GPU, or in page-locked memory, which is slow but can be seen by the CPU as well.
template <typename T>
void require_reachable(const View<T>& view, std::int64_t size, std::string_view problem,
                       std::source_location where = std::source_location::current()) {
    check(view.size() == size, problem, where);
    check(view.empty() || view.kind() != MemoryKind::host,
          "an operation of the GPU on memory of the host", where);
}

}  // namespace quartet::device
