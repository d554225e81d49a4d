#pragma once

#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "fft/cuda/kernels.hpp"

namespace quartet::fft {

/// What a pass does, by its definition in kernels.hpp.

using LongPoint = std::complex<long double>;

inline LongPoint root_of_unity(std::int64_t exponent, int log_order) {
    const std::int64_t order = std::int64_t{1} << log_order;
    const long double angle = -2 * std::numbers::pi_v<long double> *
                              static_cast<long double>(exponent % order) /
                              static_cast<long double>(order);
    return {std::cos(angle), std::sin(angle)};
}

/// By halves of even and odd points.
inline std::vector<LongPoint> transformed(const std::vector<LongPoint>& points, int log_length) {
    if (log_length == 0)
        return points;
    const std::size_t half = points.size() / 2;
    std::vector<LongPoint> parts[2];
    for (std::size_t i = 0; i < points.size(); ++i)
        parts[i % 2].push_back(points[i]);
    const std::vector<LongPoint> even = transformed(parts[0], log_length - 1);
    const std::vector<LongPoint> odd = transformed(parts[1], log_length - 1);
    std::vector<LongPoint> sums(points.size());
    for (std::size_t k = 0; k < half; ++k) {
        const LongPoint turned = root_of_unity(static_cast<std::int64_t>(k), log_length) * odd[k];
        sums[k] = even[k] + turned;
        sums[k + half] = even[k] - turned;
    }
    return sums;
}

/// Calls write(place in `to`, result) for each result; read(place in `from`) gives a point.
template <typename Read, typename Write>
void do_pass(const FftPassShape& shape, const FftPass& pass, Read read, Write write) {
    const std::int64_t length = std::int64_t{1} << shape.log_length;
    const std::int64_t width = std::int64_t{1} << shape.log_width;
    const bool rows = shape.lines == FftLines::rows;
    const bool own = rows || shape.lines == FftLines::columns_of_own_rows;
    std::vector<LongPoint> line(static_cast<std::size_t>(length));
    for (std::int64_t tile = 0; tile < pass.tiles; ++tile) {
        const std::int64_t high = tile >> pass.low_bits;
        const std::int64_t low = tile - (high << pass.low_bits);
        const std::int64_t from = low * pass.read.low + high * pass.read.high;
        const std::int64_t to = low * pass.write.low + high * pass.write.high;
        for (std::int64_t c = 0; c < width; ++c) {
            const std::int64_t row =
                pass.first_row + high * pass.row_step + (own ? low * width + c : 0);
            for (std::int64_t n = 0; n < length; ++n) {
                const std::int64_t at =
                    from + (rows ? c * pass.read.point + n : c + n * pass.read.point);
                line[static_cast<std::size_t>(n)] = read(at);
                if (shape.lines != FftLines::columns)
                    line[static_cast<std::size_t>(n)] *=
                        root_of_unity(row * n, pass.log_order + shape.log_length);
            }
            const std::vector<LongPoint> results = transformed(line, shape.log_length);
            for (std::int64_t k = 0; k < length; ++k)
                write(to + c + k * pass.write.point, results[static_cast<std::size_t>(k)]);
        }
    }
}

}  // namespace quartet::fft
