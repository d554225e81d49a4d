#include "cg/loop.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cg/cg_session.hpp"
#include "cg/plain_solve.hpp"
#include "cg/laplace.hpp"
#include "cg/random_system.hpp"
#include "core/message_of.hpp"

namespace quartet::cg {
namespace {

using testing::HasSubstr;

/// A system on all ranks, ready to be solved.
struct Solving {
    Solving(bench::Session& session, const LinearSystem& system, Storage storage, double scale = 1)
        : rows(block_range(system.size(), session.world().size(), session.world().rank())),
          right_side(device::allocate<double>(session.device(), rows.size())),
          loop(make_loop(session, session.transport("mpi"), {"random", system.size(), 0, storage},
                         bench::Formulation::native)) {
        loop->share()->fill([&](std::int64_t row, std::int64_t first, std::span<double> out) {
            system.read_row(row, first, out);
        });
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            right_side.span()[static_cast<std::size_t>(row - rows.begin)] =
                scale * system.right_side()[static_cast<std::size_t>(row)];
        }
    }

    std::vector<double> run(int iterations) {
        IterationClock nobody(0);
        return run(iterations, nobody);
    }
    std::vector<double> run(int iterations, Observer& observer) {
        std::vector<double> history(static_cast<std::size_t>(iterations) + 1);
        loop->restart(right_side.view());
        loop->run(history, observer);
        return history;
    }

    Range rows;  ///< this rank's
    device::Buffer<double> right_side;
    std::unique_ptr<CgLoop> loop;
};

class NativeLoopTest : public testing::TestWithParam<Storage> {
  protected:
    std::unique_ptr<bench::Session> session = make_session();
};

INSTANTIATE_TEST_SUITE_P(Ways, NativeLoopTest, testing::Values(Storage::full, Storage::symmetric));

TEST_P(NativeLoopTest, FollowsASerialSolver) {
    for (const std::int64_t size : {1, 3, 10, 100, 301}) {
        const RandomSystem system(size, 1);
        const int most = size < 10 ? 1 : 5;  // far from where rounding decides
        Solving solving(*session, system, GetParam());
        for (int iterations = 0; iterations <= most; ++iterations) {
            const Result wanted = solve(system, iterations);
            const double residual_dot =
                std::inner_product(wanted.r.begin(), wanted.r.end(), wanted.r.begin(), 0.0);

            const auto history = solving.run(iterations);

            EXPECT_NEAR(history.back(), residual_dot, 1e-8 * history.front())
                << size << ", iteration " << iterations;
            const auto found = solving.loop->state().solution.span();
            for (std::size_t i = 0; i < found.size(); ++i) {
                EXPECT_NEAR(found[i], wanted.x[static_cast<std::size_t>(solving.rows.begin) + i],
                            1e-8)
                    << size;
            }
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

TEST_P(NativeLoopTest, ThrowsOnAllRanksForAMatrixThatIsNotPositiveDefinite) {
    Solving solving(*session, NegativeSystem(), GetParam());
    EXPECT_THAT(message_of<Failure>([&] { solving.run(3); }),
                HasSubstr("matrix 'random' is not positive definite"));
}

}  // namespace
}  // namespace quartet::cg
