#pragma once

#include <cstdint>
#include <vector>

#include "cg/linear_system.hpp"

namespace quartet::cg {

/// A dense random system of known spectrum: A = H D H with the reflection H = I - 2 v v' / (v'v) of
/// a random v, and D = kappa^(i / (N - 1)), i from 0 to N - 1. A is D but for a symmetric matrix of
/// rank two, so that any element takes O(1) and a product O(N) operations. x is uniform in [-1, 1),
/// and b = A x.
///
/// kappa = 4096: conjugate gradients lower the error at least to 2 ((64 - 1) / (64 + 1))^500 = 3e-7
/// of what it was in 500 iterations (1e-8 were measured for N = 8192), so that the last of them
/// still do honest work.
class RandomSystem final : public LinearSystem {
  public:
    static constexpr double condition = 4096;

    RandomSystem(std::int64_t size, std::uint64_t seed);

    [[nodiscard]] std::int64_t size() const override {
        return static_cast<std::int64_t>(eigenvalues_.size());
    }
    /// Gives the same bits as the mirrored place.
    void read_row(std::int64_t row, std::int64_t first_column,
                  std::span<double> out) const override;
    [[nodiscard]] std::span<const double> right_side() const override { return right_side_; }
    [[nodiscard]] std::span<const long double> solution() const override { return solution_; }
    [[nodiscard]] bool has_even_right_side() const override { return true; }
    /// Multiplies as H (D (H x)).
    void multiply(std::span<const long double> x, std::span<long double> product) const override;
    [[nodiscard]] Spectrum spectrum() const override {
        return {eigenvalues_.front(), eigenvalues_.back()};
    }
    [[nodiscard]] int affordable_products() const override {
        return affordable_linear_products(size());
    }

  private:
    void split_rank_two_part();
    void reflect(std::span<long double> x) const;

    std::vector<double> eigenvalues_;
    std::vector<double> normal_;  ///< v
    long double factor_;          ///< 2 / (v'v)
    /// A = D - sum sum' + difference difference'.
    std::vector<double> sum_;
    std::vector<double> difference_;
    std::vector<long double> solution_;
    std::vector<double> right_side_;
};

}  // namespace quartet::cg
