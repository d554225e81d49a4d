#pragma once

#include <utility>
#include <vector>

#include "cg/systems.hpp"

namespace quartet::cg {

/// What conjugate gradients leave, and r and p before and after the last iteration.
struct Result {
    std::vector<double> x;
    std::vector<double> r;
    std::vector<double> p = {};
    std::vector<double> last_r = {};
    std::vector<double> last_p = {};
};

/// What the last iteration does wrong: it divides by p.Ap, and by r.r before, times 1 + these.
struct WrongSums {
    double of_alpha = 0;
    double of_beta = 0;
};

/// Conjugate gradients in double precision by the system's elements. Sums are made one after the
/// other, which rounds most.
inline Result solve(const LinearSystem& system, int iterations, WrongSums wrong = {}) {
    const auto size = static_cast<std::size_t>(system.size());
    std::vector<std::vector<double>> matrix(size, std::vector<double>(size));
    for (std::size_t row = 0; row < size; ++row) {
        system.read_row(static_cast<std::int64_t>(row), 0, matrix[row]);
    }
    const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            sum += a[i] * b[i];
        }
        return sum;
    };
    Result result{std::vector<double>(size),
                  {system.right_side().begin(), system.right_side().end()}};
    std::vector<double> p = result.r;
    double residual_dot = dot(p, p);
    for (int iteration = 0; iteration < iterations && residual_dot > 1e-300; ++iteration) {
        std::vector<double> q(size);
        for (std::size_t row = 0; row < size; ++row) {
            q[row] = dot(matrix[row], p);
        }
        const WrongSums now = iteration + 1 == iterations ? wrong : WrongSums{};
        result.last_r = result.r;
        result.last_p = p;
        const double alpha = residual_dot / (dot(p, q) * (1 + now.of_alpha));
        for (std::size_t i = 0; i < size; ++i) {
            result.x[i] += alpha * p[i];
            result.r[i] -= alpha * q[i];
        }
        const double before = residual_dot;
        residual_dot = dot(result.r, result.r);
        for (std::size_t i = 0; i < size; ++i) {
            p[i] = result.r[i] + residual_dot / (before * (1 + now.of_beta)) * p[i];
        }
    }
    result.p = std::move(p);
    return result;
}

}  // namespace quartet::cg
