#include "cg/verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "cg/plain_solve.hpp"
#include "cg/systems.hpp"

namespace quartet::cg {
namespace {

// x with the residual that belongs to it, exactly.
Result consistent(const LinearSystem& system, std::vector<double> x) {
    std::vector<long double> product(x.size());
    system.multiply(std::vector<long double>(x.begin(), x.end()), product);
    std::vector<double> r(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        r[i] = static_cast<double>(system.right_side()[i] - product[i]);
    }
    return {std::move(x), std::move(r)};
}

std::vector<std::unique_ptr<LinearSystem>> systems(std::int64_t size) {
    std::vector<std::unique_ptr<LinearSystem>> both;
    both.push_back(std::make_unique<Laplace>(size));
    both.push_back(std::make_unique<RandomSystem>(size, 1));
    return both;
}

TEST(Verifier, AcceptsConjugateGradientsConvergedOrNot) {
    for (const std::int64_t size : {1, 2, 3, 10, 64, 200, 500}) {
        for (const auto& system : systems(size)) {
            for (const int iterations : {1, 2, 3, 10, 50, 100, 500, 1000}) {
                const Result result = solve(*system, iterations);
                const VerificationResult found =
                    Verifier(*system, iterations).examine(result.x, result.r);
                EXPECT_TRUE(found.check.passed)
                    << size << ", " << iterations << ": " << found.residual_gap << " of "
                    << found.gap_tolerance << ", " << found.energy_error << " of "
                    << found.energy_tolerance;
            }
        }
    }
}

void expect_changed_elements_caught(const Verifier& verifier, const Result& result) {
    double largest = 0;
    for (const double value : result.x) {
        largest = std::max(largest, std::abs(value));
    }
    for (std::size_t i = 0; i < result.x.size(); i += 7) {
        Result wrong = result;
        wrong.x[i] += 1e-10 * largest;
        EXPECT_FALSE(verifier.examine(wrong.x, wrong.r).check.passed) << i;
    }
}

TEST(Verifier, CatchesAnyChangedElementOfX) {
    for (const auto& system : systems(300)) {
        const Verifier verifier(*system, 100);
        const Result result = solve(*system, 100);
        expect_changed_elements_caught(verifier, result);
    }
}

TEST(Verifier, CatchesAResidualOfAnotherX) {
    for (const auto& system : systems(300)) {
        Result wrong = solve(*system, 100);
        wrong.r[123] += 1e-4 * std::abs(system->right_side()[123]);
        EXPECT_FALSE(Verifier(*system, 100).examine(wrong.x, wrong.r).check.passed);
    }
}

TEST(Verifier, CatchesTooFewIterationsDespiteASmallResidual) {
    for (const auto& system : systems(1000)) {
        const Verifier verifier(*system, 200);
        // Nothing done at all: x = 0 and r = b belong together.
        EXPECT_FALSE(verifier
                         .examine(std::vector<double>(1000),
                                  {system->right_side().begin(), system->right_side().end()})
                         .check.passed);
        for (const int fewer : {1, 5, 50}) {
            const Result early = consistent(*system, solve(*system, fewer).x);
            const VerificationResult found = verifier.examine(early.x, early.r);
            EXPECT_FALSE(found.check.passed) << fewer;
            EXPECT_GT(found.check.error, 1) << fewer;
        }
    }
}

TEST(Verifier, CatchesNaNAndHugeNumbers) {
    const RandomSystem system(50, 1);
    const Verifier verifier(system, 10);
    const Result result = solve(system, 10);
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::max(), -1e306, 1e150}) {
        Result wrong = result;
        wrong.x[20] = bad;
        EXPECT_FALSE(verifier.examine(wrong.x, wrong.r).check.passed);
        wrong = result;
        wrong.r[20] = bad;
        EXPECT_FALSE(verifier.examine(wrong.x, wrong.r).check.passed);
    }
}

/// One iteration from z, whose product has one element times 1 + by.
Result one_step(const LinearSystem& system, std::span<const double> z, std::size_t element,
                double by) {
    std::vector<double> q(z.size());
    std::vector<double> row(z.size());
    double squares = 0;
    double curvature = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        system.read_row(static_cast<std::int64_t>(i), 0, row);
        for (std::size_t j = 0; j < z.size(); ++j) {
            q[i] += row[j] * z[j];
        }
        q[i] *= i == element ? 1 + by : 1;
        squares += z[i] * z[i];
        curvature += z[i] * q[i];
    }
    const double alpha = squares / curvature;
    Result result{std::vector<double>(z.size()), {z.begin(), z.end()}};
    for (std::size_t i = 0; i < z.size(); ++i) {
        result.x[i] = alpha * z[i];
        result.r[i] -= alpha * q[i];
    }
    return result;
}

TEST(Verifier, SeesAWrongElementOfTheProductInAStepFromRandomNumbers) {
    constexpr std::int64_t size = 512;
    const auto z = symmetric_uniform(size, 1, "cg/step");
    const Laplace system(size);
    const Verifier verifier(system, 60);
    const auto error = [&](std::size_t element, double by) {
        const Result step = one_step(system, z, element, by);
        return verifier.error_of_step(z, step.x, step.r);
    };
    EXPECT_LT(error(0, 0), 0.3);
    int seen = 0;
    int all = 0;
    for (std::size_t element = 0; element < z.size(); element += 5) {
        EXPECT_GT(error(element, 1e-9), 1) << element;
        seen += error(element, 1e-12) > 1 ? 1 : 0;
        ++all;
        EXPECT_TRUE(std::isnan(error(element, std::numeric_limits<double>::quiet_NaN())));
    }
    EXPECT_GT(seen, all / 2) << "but where z and A z are small";
}

double scalar_error(const Verifier& verifier, const Result& result) {
    return verifier.error_of_scalars({result.last_r, result.last_p, result.r, result.p});
}

TEST(Verifier, FindsTheScalarsOfSoundIterationsSound) {
    double largest = 0;
    for (const std::int64_t size : {1, 2, 3, 10, 64, 200, 500}) {
        for (const auto& system : systems(size)) {
            const Verifier verifier(*system, 1);
            for (const int iterations : {1, 2, 3, 10, 50, 100, 300}) {
                largest = std::max(largest, scalar_error(verifier, solve(*system, iterations)));
            }
        }
    }
    EXPECT_LT(largest, 0.5) << "or sound runs will be called wrong";
}

TEST(Verifier, SeesAWrongAlphaAndAWrongBeta) {
    for (const auto& system : systems(300)) {
        const Verifier verifier(*system, 1);
        for (const int iterations : {1, 2, 10, 50}) {
            for (const double by : {1e-6, -1e-6, 4e-3, 0.5}) {
                EXPECT_GT(scalar_error(verifier, solve(*system, iterations, {by, 0})), 1) << by;
                EXPECT_GT(scalar_error(verifier, solve(*system, iterations, {0, by})), 1) << by;
            }
        }
        Result wrong = solve(*system, 10);
        wrong.p[7] = std::numeric_limits<double>::quiet_NaN();
        EXPECT_FALSE(scalar_error(verifier, wrong) <= 1);
    }
}

// With ten times as many runs, up to N = 3000 and k = 100000, the largest was 0.167.
TEST(Verifier, IsNearToWhatThousandsOfSoundRunsReachAndAboveAllOfThem) {
    double largest = 0;  // gap, in units of what is allowed
    for (const std::int64_t size : {1, 2, 3, 4, 6, 9, 16, 33, 64}) {
        for (unsigned seed = 0; seed < 40; ++seed) {
            const RandomSystem system(size, seed);
            for (const int iterations : {1, 2, 3, 8, 30, 100, 300}) {
                const Result result = solve(system, iterations);
                const VerificationResult found =
                    Verifier(system, iterations).examine(result.x, result.r);
                EXPECT_TRUE(found.check.passed) << size << ", " << iterations;
                if (found.gap_tolerance > 0) {
                    largest = std::max(largest, found.residual_gap / found.gap_tolerance);
                }
            }
        }
    }
    EXPECT_LT(largest, 0.3) << "or sound runs will be called wrong";
    EXPECT_GT(largest, 0.05) << "or the bound hides errors";
}

}  // namespace
}  // namespace quartet::cg
