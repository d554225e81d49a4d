#pragma once

#include <cmath>
#include <complex>

namespace quartet::fft {

/// A sum that keeps what its additions round off (Neumaier).
class CompensatedSum {
  public:
    void add(double value) {
        const double sum = sum_ + value;
        lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
        sum_ = sum;
    }
    [[nodiscard]] double value() const { return sum_ + lost_; }

  private:
    double sum_ = 0;
    double lost_ = 0;
};

/// The same for complex numbers.
struct ComplexSum {
    CompensatedSum re;
    CompensatedSum im;
    void add(const std::complex<double>& value) {
        re.add(value.real());
        im.add(value.imag());
    }
    [[nodiscard]] std::complex<double> value() const { return {re.value(), im.value()}; }
};

}  // namespace quartet::fft
