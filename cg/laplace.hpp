#pragma once

#include <vector>

#include "cg/linear_system.hpp"

namespace quartet::cg {

/// The paper's system (VI.C): the second difference (-1, 2, -1), stored dense, and
/// b_i = sin(2 pi i / N) (2 pi / N)^2 for i from 0 on. b is close to an eigenvector, so that the
/// first steps already bring x close to the solution; the condition number is about (2 N / pi)^2.
class Laplace final : public LinearSystem {
  public:
    explicit Laplace(std::int64_t size);

    [[nodiscard]] std::int64_t size() const override { return size_; }
    void read_row(std::int64_t row, std::int64_t first_column,
                  std::span<double> out) const override;
    [[nodiscard]] std::span<const double> right_side() const override { return right_side_; }
    [[nodiscard]] std::span<const long double> solution() const override { return solution_; }
    /// Multiplies by the three-point stencil.
    void multiply(std::span<const long double> x, std::span<long double> product) const override;
    /// 2 - 2 cos(pi / (N + 1)) and 2 + 2 cos(pi / (N + 1)), exactly.
    [[nodiscard]] Spectrum spectrum() const override;
    [[nodiscard]] int affordable_products() const override {
        return affordable_linear_products(size_);
    }

  private:
    std::int64_t size_;
    std::vector<double> right_side_;
    std::vector<long double> solution_;
};

}  // namespace quartet::cg
