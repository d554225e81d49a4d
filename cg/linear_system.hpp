#pragma once

#include <cstdint>
#include <span>

namespace quartet::cg {

/// Bounds of a matrix's eigenvalues.
struct Spectrum {
    double smallest = 0;
    double largest = 0;
};

/// A symmetric positive definite system A x = b of N unknowns.
class LinearSystem {
  public:
    virtual ~LinearSystem() = default;

    [[nodiscard]] virtual std::int64_t size() const = 0;

    /// Elements [first_column, first_column + out.size()) of a row of A. Threads may call it
    /// together. Local.
    virtual void read_row(std::int64_t row, std::int64_t first_column,
                          std::span<double> out) const = 0;

    /// b and x, N elements each. Local.
    [[nodiscard]] virtual std::span<const double> right_side() const = 0;
    [[nodiscard]] virtual std::span<const long double> solution() const = 0;

    /// Whether b is A times numbers of one size: then the residual shows a wrong product of any
    /// row. Local.
    [[nodiscard]] virtual bool has_even_right_side() const { return false; }

    /// product = A x by another way than the measured one, more exact than double. Collective,
    /// the same bits on all ranks.
    virtual void multiply(std::span<const long double> x, std::span<long double> product) const = 0;

    [[nodiscard]] virtual Spectrum spectrum() const = 0;

    /// The number of products that the verification may take beforehand.
    [[nodiscard]] virtual int affordable_products() const = 0;
};

/// The number of products that take about half a second, if one takes a few operations for each
/// element of x.
constexpr int affordable_linear_products(std::int64_t size) {
    constexpr std::int64_t elements = 20'000'000;
    return static_cast<int>(elements / size + 1);
}

}  // namespace quartet::cg
