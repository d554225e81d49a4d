#pragma once

#include <source_location>
#include <string_view>

#include "device/require_views.hpp"

namespace quartet::device {

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
