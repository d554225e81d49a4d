#include "cg/loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cg/cg_session.hpp"
#include "cg/plain_solve.hpp"
#include "cg/systems.hpp"
#include "cg/verify.hpp"

namespace quartet::cg {
namespace {

/// A system on all ranks, ready to be solved.
struct Solving {
    Solving(bench::Session& session, const LinearSystem& system, Storage storage, double scale = 1)
        : rows(block_range(system.size(), session.world().size(), session.world().rank())),
          right_side(device::allocate<double>(session.device(), rows.size())),
          arena(session.device(), device::Arena::Mode::allocate),
          loop(make_loop(arena, session, session.transport("mpi"),
                         {"random", system.size(), 0, storage}, bench::Formulation::native)) {
        loop->share()->fill([&](std::int64_t row, std::int64_t first, std::span<double> out) {
            system.read_row(row, first, out);
        });
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            right_side.span()[static_cast<std::size_t>(row - rows.begin)] =
                scale * system.right_side()[static_cast<std::size_t>(row)];
        }
    }

    std::vector<double> run(int iterations, Observer* observer = nullptr) {
        std::vector<double> history(static_cast<std::size_t>(iterations) + 1);
        loop->restart(right_side.view());
        loop->run(history, observer);
        return history;
    }

    Range rows;  ///< this rank's
    device::Buffer<double> right_side;
    device::Arena arena;
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
            const auto wanted = solving.run(iterations, &somebody);
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
    NegativeSystem() { right_side_.assign(5, 1.0); }
    void read_row(std::int64_t row, std::int64_t first, std::span<double> out) const override {
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = row == first + static_cast<std::int64_t>(i) ? -1 : 0;
        }
    }
    void multiply(std::span<const long double>, std::span<long double>) const override {}
};

TEST_P(NativeLoopTest, NotesOnAllRanksThatAMatrixIsNotPositiveDefinite) {
    Solving solving(*session, NegativeSystem(), GetParam());
    solving.run(3);
    ASSERT_TRUE(solving.loop->state().breakdown);
    EXPECT_EQ(solving.loop->state().breakdown->iteration, 1);
    EXPECT_LT(solving.loop->state().breakdown->curvature, 0);
}

/// Changes r.r after every iteration, as a wrong reduction would: alpha and beta are made of it.
class WrongReduction final : public Observer {
  public:
    WrongReduction(CgLoop& loop, double by) : loop_(loop), factor_(1 + by) {}
    Next after(const IterationState&, std::span<const double>, bool) override {
        loop_.state().residual_dot *= factor_;
        return Next::go_on;
    }

  private:
    CgLoop& loop_;
    double factor_;
};

struct Way {
    bench::Formulation formulation;
    const char* transport;
    Storage storage = Storage::full;
};

// In each formulation, over each kind of sum: of MPI_Allgather, of shared memory, of queues, of
// MPI_Allreduce.
TEST(Scalars, OfAWrongReductionAreSeenInEveryFormulation) {
    const auto session = make_session();
    const comm::Communicator& world = session->world();
    const RandomSystem system(200, 1);
    const Verifier verifier(system, 20);
    using bench::Formulation;
    for (const Way& way :
         {Way{Formulation::native, "mpi"}, Way{Formulation::native, "shm"},
          Way{Formulation::native, "shm", Storage::symmetric}, Way{Formulation::dataflow, "mpi"},
          Way{Formulation::dataflow, "shm"}, Way{Formulation::library, "mpi"}}) {
        if (way.formulation == Formulation::dataflow && world.size() == 1) {
            continue;
        }
        const Problem problem{"random", system.size(), 20, way.storage};
        const Range rows = problem.rows(roles_of(way.formulation, world.size()), world.rank());
        device::Arena arena(session->device(), device::Arena::Mode::allocate);
        Samples samples(arena, *session, rows.size());
        auto right_side = arena.make<double>(rows.size());
        const auto loop =
            make_loop(arena, *session, session->transport(way.transport), problem, way.formulation);
        if (loop->share() != nullptr) {
            loop->share()->fill([&](std::int64_t row, std::int64_t first, std::span<double> out) {
                system.read_row(row, first, out);
            });
            std::ranges::copy(system.right_side().subspan(static_cast<std::size_t>(rows.begin),
                                                          static_cast<std::size_t>(rows.size())),
                              right_side.span().begin());
        }
        for (const auto& [by, is_seen] :
             {std::pair{0.0, false}, {1e-15, false}, {1e-10, true}, {0x1p-8, true}}) {
            std::vector<double> history(21);
            WrongReduction observer(*loop, by);
            loop->restart(right_side.view());
            samples.choose(1, 20);  // what was changed before the first is nothing
            loop->run(history, &observer, &samples);
            double largest = 0;
            for (const Samples::Sample& sample : samples.chosen()) {
                const std::array vectors{
                    loop->gather(sample.residual[0]), loop->gather(sample.direction[0]),
                    loop->gather(sample.residual[1]), loop->gather(sample.direction[1])};
                largest = std::max(largest, verifier.error_of_scalars(
                                                {vectors[0], vectors[1], vectors[2], vectors[3]}));
            }
            EXPECT_EQ(largest > 1, is_seen) << name(way.formulation) << " over " << way.transport
                                            << ": " << by << ", " << largest;
        }
    }
}

}  // namespace
}  // namespace quartet::cg
