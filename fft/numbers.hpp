#pragma once

#include "device/memory.hpp"
#include "fft/problem.hpp"

namespace quartet::fft {

/// Points as the numbers that they consist of: real and imaginary parts in turn.
inline device::View<const double> numbers(device::View<const Point> points) {
    return {reinterpret_cast<const double*>(points.data()), 2 * points.size(), points.kind()};
}
inline device::View<double> numbers(device::View<Point> points) {
    return {reinterpret_cast<double*>(points.data()), 2 * points.size(), points.kind()};
}

}  // namespace quartet::fft
