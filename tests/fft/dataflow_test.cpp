#include "fft/dataflow.hpp"

#include <gmock/gmock.h>

#include <array>

#include "bench/measured.hpp"
#include "fft/fake_session.hpp"
#include "fft/plan.hpp"
#include "support/reference_transform.hpp"

namespace quartet::fft {
namespace {

using bench::Formulation;

class DataflowCaseTest : public testing::TestWithParam<const char*> {
  protected:
    std::unique_ptr<TransformCase> make(const Problem& problem, int queue) {
        options.queue = queue;
        session = make_session(options);
        return make_dataflow_case(*session,
                                  plan_dataflow(*session, GetParam(), problem,
                                                comm::Roles::with_reducers(world.size(), 1)));
    }
    void run(TransformCase& subject) {
        bench::Clocks clocks(1);
        subject.prepare();
        world.barrier();
        subject.run(clocks);
        world.barrier();
    }

    bench::CommonOptions options = short_runs();
    const comm::Communicator world = comm::Communicator::world();
    std::unique_ptr<bench::Session> session;
};

TEST_P(DataflowCaseTest, GivesTheTransformInNaturalOrderOnTheReducer) {
    for (const auto& [tiles, length, queue] : {std::array<std::int64_t, 3>{64, 64, 16},
                                               {10, 80, 1},
                                               {11, 13, 2},  // by the library
                                               {1, 96, 1},   // workers without a tile
                                               {7, 100, 3},
                                               {2, 3, 1}}) {
        const Problem problem{tiles * length, tiles, ResultOrder::natural};
        const auto subject = make(problem, static_cast<int>(queue));
        for (int time = 0; time < 2; ++time) {
            run(*subject);
            EXPECT_TRUE(subject->verify().passed) << tiles << " x " << length;
        }
        std::vector<Point> x(static_cast<std::size_t>(problem.points));
        fill_points(x, options.seed, 0, 1);
        const auto found = subject->result();
        if (world.rank() == 0) {
            EXPECT_LE(
                relative_error({found.data(), found.data() + found.size()}, reference_transform(x)),
                rounding_bound(x.size()))
                << tiles << " x " << length;
        } else {
            EXPECT_TRUE(found.empty());
        }
    }
}

TEST_P(DataflowCaseTest, FindsACorruptedResult) {
    const auto subject = make({64 * 96, 64, ResultOrder::natural}, 16);
    run(*subject);
    EXPECT_TRUE(subject->verify().passed);
    if (world.rank() == 0) {
        subject->result().data()[17] += 1;
    }
    EXPECT_FALSE(subject->verify().passed);
}

TEST_P(DataflowCaseTest, StopsThePapersClockBeforeTheMergeIsDone) {
    options.formulations = {Formulation::dataflow};
    options.transports = {GetParam()};
    const auto planned = make_session(options);
    Options wanted;
    wanted.sizes = {4096};
    wanted.tiles = 64;
    plan_cases(*planned, wanted);
    const auto rows = bench::measure(*planned, planned->plan().front(), [](int, int) {});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].name.suffix, "paper");
    EXPECT_EQ(rows[1].work.workers, world.size() - 1);
    for (std::size_t run = 0; run < rows[0].runs.size(); ++run) {
        EXPECT_GT(rows[1].runs[run].real.value, 0);
        EXPECT_LE(rows[1].runs[run].real.value, rows[0].runs[run].real.value);
    }
    EXPECT_TRUE(rows[0].check->passed);
    const bench::Limit& limit = *rows[0].limit;
    EXPECT_GT(limit.seconds.value, 0);
    ASSERT_EQ(limit.components.size(), GetParam() == std::string("shm") ? 2U : 3U);
    EXPECT_EQ(limit.components[0].name, "workers' transforms");
    EXPECT_EQ(limit.components[1].name, "merger's intake");
}

INSTANTIATE_TEST_SUITE_P(Transports, DataflowCaseTest, testing::Values("mpi", "shm"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace quartet::fft
