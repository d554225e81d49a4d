#include "cg/laplace.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace quartet::cg {

namespace {

std::vector<double> paper_right_side(std::int64_t size) {
    std::vector<double> values(static_cast<std::size_t>(size));
    const double step = 2 * std::numbers::pi / static_cast<double>(size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::sin(step * static_cast<double>(i)) * step * step;
    }
    return values;
}

// Elimination without pivots (the Thomas algorithm): stable for this matrix.
std::vector<long double> solve_tridiagonal(const std::vector<double>& b) {
    const std::size_t size = b.size();
    std::vector<long double> ratio(size);
    std::vector<long double> x(size);
    long double last_ratio = 0;
    long double last_value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const long double pivot = 2 - last_ratio;
        last_ratio = 1 / pivot;
        last_value = (b[i] + last_value) / pivot;
        ratio[i] = last_ratio;
        x[i] = last_value;
    }
    for (std::size_t i = size - 1; i-- > 0;) {
        x[i] += ratio[i] * x[i + 1];
    }
    return x;
}

}  // namespace

Laplace::Laplace(std::int64_t size)
    : size_(size), right_side_(paper_right_side(size)), solution_(solve_tridiagonal(right_side_)) {}

void Laplace::read_row(std::int64_t row, std::int64_t first_column, std::span<double> out) const {
    std::ranges::fill(out, 0.0);
    for (std::int64_t column = row - 1; column <= row + 1; ++column) {
        const std::int64_t place = column - first_column;
        if (place >= 0 && place < std::ssize(out)) {
            out[static_cast<std::size_t>(place)] = column == row ? 2 : -1;
        }
    }
}

void Laplace::multiply(std::span<const long double> x, std::span<long double> product) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
        const long double before = i > 0 ? x[i - 1] : 0;
        const long double after = i + 1 < x.size() ? x[i + 1] : 0;
        product[i] = 2 * x[i] - before - after;
    }
}

Spectrum Laplace::spectrum() const {
    // 2 - 2 cos(t) = 4 sin^2(t / 2), without cancellation.
    const double half = std::numbers::pi / (2 * (static_cast<double>(size_) + 1));
    return {4 * std::pow(std::sin(half), 2), 4 * std::pow(std::cos(half), 2)};
}

}  // namespace quartet::cg
