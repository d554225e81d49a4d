#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "fft/four_step.hpp"

namespace quartet::fft {

/// a b mod `modulus` for numbers below it, whatever their product's size.
std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus);

/// exp(-2 pi i numerator / denominator) to the last bit or two of a long double.
std::complex<long double> root_of_unity(std::uint64_t numerator, std::uint64_t denominator);

/// The powers of exp(-2 pi i / order), any of them at the price of one multiplication: two tables
/// of about sqrt(order) entries, made in long double, so that the error is that of rounding the
/// factors and the product.
class RootsOfUnity {
  public:
    /// Throws Failure unless 1 <= order <= 2^62.
    explicit RootsOfUnity(std::int64_t order);
    /// As above; the arena counts the tables, which are not made while it plans.
    RootsOfUnity(device::Arena& arena, std::int64_t order);

    [[nodiscard]] std::int64_t order() const { return static_cast<std::int64_t>(order_); }

    /// The power; `exponent` is below the order.
    [[nodiscard]] std::complex<double> operator()(std::uint64_t exponent) const {
        return product(coarse_[exponent >> shift_], fine_[exponent & mask_]);
    }
    /// The power of a product of two exponents, each below the order.
    [[nodiscard]] std::complex<double> of_product(std::uint64_t a, std::uint64_t b) const {
        return (*this)(multiply_modulo(a, b, order_));
    }

  private:
    std::uint64_t order_ = 1;
    int shift_ = 0;
    std::uint64_t mask_ = 0;
    std::vector<std::complex<double>> coarse_;  ///< of multiples of 2^shift
    std::vector<std::complex<double>> fine_;    ///< of 0 to 2^shift - 1
};

}  // namespace quartet::fft
