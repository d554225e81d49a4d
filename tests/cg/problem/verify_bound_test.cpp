#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "cg/plain_solve.hpp"
#include "cg/problem/verify.hpp"
#include "cg/system/laplace.hpp"
#include "cg/system/random_system.hpp"

namespace quartet::cg {
namespace {

/// A user's matrix: its elements are given, and bounds of its eigenvalues.
class DenseSystem final : public LinearSystem {
  public:
    DenseSystem(std::int64_t size, std::vector<double> elements, double smallest)
        : size_(size), elements_(std::move(elements)), x_(static_cast<std::size_t>(size)) {
        std::mt19937_64 random(static_cast<std::uint64_t>(size));
        double squares = 0;
        for (const double element : elements_) {
            squares += element * element;
        }
        spectrum_ = {smallest, std::sqrt(squares)};
        for (long double& value : x_) {
            value = std::uniform_real_distribution<double>(0.5, 1)(random);
        }
        std::vector<long double> product(x_.size());
        multiply(x_, product);
        b_.assign(product.begin(), product.end());
    }

    [[nodiscard]] std::int64_t size() const override { return size_; }
    void read_row(std::int64_t row, std::int64_t first, std::span<double> out) const override {
        std::ranges::copy(row_of(row).subspan(static_cast<std::size_t>(first), out.size()),
                          out.begin());
    }
    [[nodiscard]] std::span<const double> right_side() const override { return b_; }
    [[nodiscard]] std::span<const long double> solution() const override { return x_; }
    void multiply(std::span<const long double> x, std::span<long double> product) const override {
        for (std::int64_t row = 0; row < size_; ++row) {
            long double sum = 0;
            const auto elements = row_of(row);
            for (std::size_t j = 0; j < elements.size(); ++j) {
                sum += elements[j] * x[j];
            }
            product[static_cast<std::size_t>(row)] = sum;
        }
    }
    [[nodiscard]] Spectrum spectrum() const override { return spectrum_; }
    [[nodiscard]] int affordable_products() const override { return 1; }

  private:
    [[nodiscard]] std::span<const double> row_of(std::int64_t row) const {
        return std::span(elements_).subspan(static_cast<std::size_t>(row * size_),
                                            static_cast<std::size_t>(size_));
    }

    std::int64_t size_;
    std::vector<double> elements_;
    std::vector<long double> x_;
    std::vector<double> b_;
    Spectrum spectrum_;
};

using Element = std::function<double(std::size_t row, std::size_t column)>;

DenseSystem dense(std::int64_t size, double smallest, const Element& element) {
    std::vector<double> elements;
    for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
        for (std::size_t j = 0; j < static_cast<std::size_t>(size); ++j) {
            elements.push_back(element(i, j));
        }
    }
    return {size, std::move(elements), smallest};
}

std::vector<double> uniform(std::int64_t size, unsigned seed, double least) {
    std::mt19937_64 random(seed);
    std::vector<double> values(static_cast<std::size_t>(size));
    for (double& value : values) {
        value = std::uniform_real_distribution<double>(least, 1)(random);
    }
    return values;
}

// u u' + I, all of one sign: rounding adds up most.
DenseSystem positive(std::int64_t size, unsigned seed) {
    const auto u = uniform(size, seed, 0.5);
    return dense(size, 1,
                 [&](std::size_t i, std::size_t j) { return u[i] * u[j] + (i == j ? 1 : 0); });
}

// (I - 2 v v') D (I - 2 v v') with eigenvalues from 1 down to 1e-9: iterations go on and on.
DenseSystem ill_conditioned(std::int64_t size, unsigned seed) {
    auto v = uniform(size, seed, -1);
    double squares = 0;
    for (const double value : v) {
        squares += value * value;
    }
    std::vector<double> d;
    double vdv = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        v[i] /= std::sqrt(squares);
        d.push_back(std::pow(10, -9 * static_cast<double>(i) / static_cast<double>(size)));
        vdv += v[i] * v[i] * d[i];
    }
    return dense(size, 1e-9, [&](std::size_t i, std::size_t j) {
        return (i == j ? d[i] : 0) - 2 * v[i] * v[j] * (d[i] + d[j]) + 4 * vdv * (v[i] * v[j]);
    });
}

/// Of all sound runs that it has seen.
struct Seen {
    int runs = 0;
    double largest = 0;  ///< gap, in units of what is allowed

    void look_at(const LinearSystem& system) {
        for (const int iterations : {1, 2, 3, 8, 30, 100, 300}) {
            const Result result = solve(system, iterations);
            const VerificationResult found =
                Verifier(system, iterations).examine(result.x, result.r);
            EXPECT_TRUE(found.check.passed)
                << system.size() << ", " << iterations << ": " << found.check.error;
            if (found.gap_tolerance > 0) {
                largest = std::max(largest, found.residual_gap / found.gap_tolerance);
            }
            ++runs;
        }
    }
};

// With ten times as many runs, up to N = 3000 and k = 100000, the largest was 0.167.
TEST(VerifierBound, IsNearToWhatThousandsOfSoundRunsReachAndAboveAllOfThem) {
    Seen made;
    Seen own;
    for (const std::int64_t size : {1, 2, 3, 4, 6, 9, 16, 33, 64}) {
        made.look_at(Laplace(size));
        for (unsigned seed = 0; seed < 40; ++seed) {
            made.look_at(RandomSystem(size, seed));
            own.look_at(positive(size, seed));
            own.look_at(ill_conditioned(size, seed));
        }
    }
    EXPECT_GT(made.runs + own.runs, 7000);
    for (const Seen& seen : {made, own}) {
        EXPECT_LT(seen.largest, 0.3) << "or sound runs will be called wrong";
        EXPECT_GT(seen.largest, 0.05) << "or the bound hides errors";
    }
}

TEST(VerifierBound, AllowsMoreToLongerSumsAndToMoreIterations) {
    const double one = Verifier::allowed_rounding(100, 3);
    EXPECT_DOUBLE_EQ(one, 0x1p-52 * 2 * 9);
    EXPECT_DOUBLE_EQ(Verifier::allowed_rounding(100, 15), 2 * one);
    EXPECT_GT(Verifier::allowed_rounding(400, 3), 1.5 * one);
}

}  // namespace
}  // namespace quartet::cg
