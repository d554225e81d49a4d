#include "fft/formulations.hpp"

#include <gmock/gmock.h>

#include <array>

#include "fft/fake_session.hpp"
#include "support/reference_transform.hpp"

namespace quartet::fft {
namespace {

class DataflowCaseTest : public testing::TestWithParam<const char*> {
  protected:
    std::unique_ptr<TransformCase> make(const Problem& problem, int queue) {
        options.queue = queue;
        session = make_session(options);
        return make_case(*session, plan_dataflow(*session, GetParam(), problem));
    }
    void run(TransformCase& subject) {
        subject.prepare();
        world.barrier();
        subject.run();
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

INSTANTIATE_TEST_SUITE_P(Transports, DataflowCaseTest, testing::Values("mpi", "shm"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace quartet::fft
