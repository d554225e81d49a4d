#pragma once

#include <functional>
#include <source_location>
#include <string_view>

#include "device/memory.hpp"

namespace quartet::device {

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

/// Throws Failure where two views share some, but not all, of their elements.
template <typename T, typename U>
void require_same_or_apart(const View<T>& one, const View<U>& other,
                           std::source_location where = std::source_location::current()) {
    const std::less_equal<const void*> before;  // the only comparison defined between any pointers
    const bool same = static_cast<const void*>(one.data()) == other.data();
    const bool apart = before(one.data() + one.size(), other.data()) ||
                       before(other.data() + other.size(), one.data());
    check(same || apart, "views overlap in part", where);
}

/// Throws Failure where two views share any element.
template <typename T, typename U>
void require_apart(const View<T>& one, const View<U>& other,
                   std::source_location where = std::source_location::current()) {
    const std::less_equal<const void*> before;
    check(before(one.data() + one.size(), other.data()) ||
              before(other.data() + other.size(), one.data()),
          "views overlap", where);
}

}  // namespace quartet::device
