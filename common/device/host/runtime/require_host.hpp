#pragma once

#include <source_location>
#include <string_view>

#include "device/require_views.hpp"

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

}  // namespace quartet::device
