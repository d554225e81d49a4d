#pragma once

#include "device/memory.hpp"
#include "fft/problem/problem.hpp"

namespace quartet::fft {

/// Points as the numbers that they consist of: real and imaginary parts in turn.
inline device::View<const double> numbers(device::View<const Point> points) {
    return device::view_as<double>(device::as_bytes(points));
}
inline device::View<double> numbers(device::View<Point> points) {
    return device::view_as<double>(device::as_bytes(points));
}

}  // namespace quartet::fft
