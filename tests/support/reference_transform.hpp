#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

namespace quartet {

using Wide = std::complex<long double>;

/// The transform X_k = sum_n x_n exp(-2 pi i n k / N) in long double, by dividing N by its smallest
/// prime until nothing is left: O(N) for each prime, any N.
inline std::vector<Wide> reference_transform(const std::vector<Wide>& x) {
    const std::size_t n = x.size();
    std::size_t prime = 2;
    while (prime < n && n % prime != 0) {
        prime += prime * prime > n ? n - prime : 1;
    }
    if (n <= 1) {
        return x;
    }
    const std::size_t rest = n / prime;
    std::vector<std::vector<Wide>> parts;
    for (std::size_t part = 0; part < prime; ++part) {
        std::vector<Wide> points;
        for (std::size_t index = 0; index < rest; ++index) {
            points.push_back(x[part + prime * index]);
        }
        parts.push_back(reference_transform(points));
    }
    std::vector<Wide> roots;
    for (std::size_t index = 0; index < n; ++index) {
        roots.push_back(std::polar(1.0L, -2 * std::numbers::pi_v<long double> *
                                             static_cast<long double>(index) /
                                             static_cast<long double>(n)));
    }
    std::vector<Wide> result(n);
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t part = 0; part < prime; ++part) {
            result[k] += roots[part * k % n] * parts[part][k % rest];
        }
    }
    return result;
}

inline std::vector<Wide> reference_transform(std::span<const std::complex<double>> x) {
    return reference_transform(std::vector<Wide>(x.begin(), x.end()));
}

/// |found - expected| / |expected| (of a zero vector: |found|).
inline double relative_error(std::span<const std::complex<double>> found,
                             const std::vector<Wide>& expected) {
    long double error = 0;
    long double norm = 0;
    for (std::size_t index = 0; index < expected.size(); ++index) {
        error += std::norm(Wide(found[index]) - expected[index]);
        norm += std::norm(expected[index]);
    }
    return static_cast<double>(std::sqrt(norm > 0 ? error / norm : error));
}

/// What rounding may do to a transform of N points: the error of a good one grows as sqrt(log N).
inline double rounding_bound(std::size_t n) {
    return 2 * std::numeric_limits<double>::epsilon() * (1 + std::log2(static_cast<double>(n)));
}

}  // namespace quartet
