#include "cg/solving.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "cg/system/laplace.hpp"
#include "cg/system/random_system.hpp"
#include "core/message_of.hpp"

namespace quartet::cg {
namespace {

using testing::HasSubstr;

// Conjugate gradients in long double: r.r before the first iteration and after each, and x.
struct Reference {
    std::vector<long double> history;
    std::vector<long double> x;
};

Reference reference(const LinearSystem& system, int iterations) {
    const auto dot = [](const auto& a, const auto& b) {
        long double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            sum += a[i] * b[i];
        }
        return sum;
    };
    std::vector<long double> r(system.right_side().begin(), system.right_side().end());
    std::vector<long double> p = r;
    std::vector<long double> q(r.size());
    Reference result{{dot(r, r)}, std::vector<long double>(r.size())};
    for (int iteration = 0; iteration < iterations; ++iteration) {
        system.multiply(p, q);
        const long double alpha = result.history.back() / dot(p, q);
        for (std::size_t i = 0; i < r.size(); ++i) {
            result.x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        const long double before = result.history.back();
        result.history.push_back(dot(r, r));
        for (std::size_t i = 0; i < r.size(); ++i) {
            p[i] = r[i] + result.history.back() / before * p[i];
        }
    }
    return result;
}

class NativeLoopTest : public testing::TestWithParam<Storage> {
  protected:
    std::unique_ptr<bench::Session> session = make_session();
};

INSTANTIATE_TEST_SUITE_P(Ways, NativeLoopTest, testing::Values(Storage::full, Storage::symmetric));

TEST_P(NativeLoopTest, FollowsTheIterationInLongDouble) {
    for (const std::int64_t size : {1, 3, 10, 100, 301}) {
        const RandomSystem system(size, 1);
        const int iterations = size < 10 ? 1 : 5;  // far from where rounding decides
        const Reference wanted = reference(system, iterations);
        Solving solving(*session, system, GetParam());

        const auto history = solving.run(iterations);

        for (std::size_t i = 0; i + (size == 1 ? 1 : 0) < history.size(); ++i) {
            const auto value = static_cast<double>(wanted.history[i]);
            EXPECT_NEAR(history[i], value, 1e-8 * value) << size << ", iteration " << i;
        }
        const Range rows = solving.rows;
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            EXPECT_NEAR(
                solving.loop->state().solution.span()[static_cast<std::size_t>(row - rows.begin)],
                static_cast<double>(wanted.x[static_cast<std::size_t>(row)]), 1e-8)
                << size;
        }
    }
}

TEST_P(NativeLoopTest, StaysFiniteFarBeyondConvergence) {
    for (const std::int64_t size : {1, 2, 20}) {
        const RandomSystem random(size, 1);
        const Laplace laplace(size);
        for (const LinearSystem* system : {static_cast<const LinearSystem*>(&random),
                                           static_cast<const LinearSystem*>(&laplace)}) {
            Solving solving(*session, *system, GetParam());
            const auto history = solving.run(1000);
            for (const double dot : history) {
                ASSERT_TRUE(std::isfinite(dot) && dot >= 0);
            }
            EXPECT_LE(history.back(), 1e-20 * history.front());
            for (const double value : solving.loop->state().solution.span()) {
                EXPECT_TRUE(std::isfinite(value));
            }
        }
    }
}

TEST_P(NativeLoopTest, SolvesARightSideOfZeros) {
    Solving solving(*session, RandomSystem(20, 1), GetParam(), 0.0);
    EXPECT_EQ(solving.run(5), std::vector<double>(6));
    for (const double value : solving.loop->state().solution.span()) {
        EXPECT_EQ(value, 0);
    }
}

TEST_P(NativeLoopTest, ScalesWithTinyAndHugeRightSides) {
    const RandomSystem system(30, 1);
    Solving usual(*session, system, GetParam());
    usual.run(50);
    const auto found = usual.loop->state().solution.span();
    const std::vector<double> wanted(found.begin(), found.end());
    for (const int exponent : {-400, 300}) {  // squares stay normal numbers
        const double scale = std::ldexp(1.0, exponent);
        Solving scaled(*session, system, GetParam(), scale);
        scaled.run(50);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            EXPECT_EQ(scaled.loop->state().solution.span()[i], scale * wanted[i]);
        }
    }
}

TEST_P(NativeLoopTest, TheSameRunHasTheSameBits) {
    const RandomSystem system(123, 1);
    Solving solving(*session, system, GetParam());
    const auto first = solving.run(40);
    EXPECT_EQ(solving.run(40), first);
    EXPECT_EQ(solving.loop->state().done, 40);
}

// A rank alone enqueues many iterations at once where nobody looks at each.
TEST_P(NativeLoopTest, GivesTheSameBitsWithAndWithoutAnObserver) {
    for (const std::int64_t size : {1, 40, 123}) {
        const RandomSystem system(size, 1);
        Solving solving(*session, system, GetParam());
        for (const int iterations : {0, 1, 63, 64, 65, 200}) {
            Observer somebody;
            const auto wanted = solving.run(iterations, somebody);
            const auto solution = solving.loop->state().solution.span();
            const std::vector<double> wanted_solution(solution.begin(), solution.end());

            EXPECT_EQ(solving.run(iterations), wanted) << iterations;
            EXPECT_TRUE(std::ranges::equal(solution, wanted_solution)) << iterations;
            EXPECT_EQ(solving.loop->state().done, iterations);
        }
    }
}

/// -1 on the diagonal, else nothing.
class NegativeSystem final : public LinearSystem {
  public:
    [[nodiscard]] std::int64_t size() const override { return 5; }
    void read_row(std::int64_t row, std::int64_t first, std::span<double> out) const override {
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = row == first + static_cast<std::int64_t>(i) ? -1 : 0;
        }
    }
    [[nodiscard]] std::span<const double> right_side() const override { return ones_; }
    [[nodiscard]] std::span<const long double> solution() const override { return {}; }
    void multiply(std::span<const long double>, std::span<long double>) const override {}
    [[nodiscard]] Spectrum spectrum() const override { return {-1, -1}; }
    [[nodiscard]] int affordable_products() const override { return 0; }

  private:
    std::vector<double> ones_ = std::vector<double>(5, 1.0);
};

TEST(NativeLoop, IsUnavailableOverATransportThatOnlyPushes) {
    const auto session = make_session();
    if (const auto reason = session->registry().why_not("rma", session->transport_context())) {
        GTEST_SKIP() << *reason;
    }
    EXPECT_THROW(make_native_loop(*session, session->transport("rma"), {"random", 10, 1}),
                 Unavailable);
}

TEST_P(NativeLoopTest, ThrowsOnAllRanksForAMatrixThatIsNotPositiveDefinite) {
    Solving solving(*session, NegativeSystem(), GetParam());
    EXPECT_THAT(message_of<Failure>([&] { solving.run(3); }),
                HasSubstr("matrix 'random' is not positive definite"));
}

}  // namespace
}  // namespace quartet::cg
