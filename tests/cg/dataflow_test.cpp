#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "bench/measured.hpp"
#include "cg/case.hpp"
#include "cg/cg_session.hpp"
#include "cg/loop.hpp"

namespace quartet::cg {
namespace {

using bench::Formulation;

/// A worker that is slower than the others, and irregularly so.
class Dawdler final : public Observer {
  public:
    explicit Dawdler(bool dawdles) : dawdles_(dawdles) {}
    Next after(const IterationState& state, std::span<const double>, bool) override {
        if (dawdles_ && state.done % 3 != 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return Next::go_on;
    }

  private:
    bool dawdles_;
};

class DataflowLoopTest : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (world.size() == 1) {
            GTEST_SKIP() << "one rank has no worker beside the reducer";
        }
    }

    void begin(int queue) {
        options.queue = queue;
        options.runs = {2, 0.05, 0};
        options.limits = bench::Switch::off;
        options.formulations = {Formulation::dataflow};
        options.transports = {GetParam()};
        session = make_session(options);
    }

    bench::Row measured(const Problem& problem) {
        return bench::measure(*session, planned_case(*session, variant(), problem, {}),
                              [](int, int) {})
            .front();
    }

    static bench::Variant variant() { return {Formulation::dataflow, "host", GetParam()}; }

    bench::CommonOptions options;
    std::unique_ptr<bench::Session> session;
    const comm::Communicator world = comm::Communicator::world();
};

TEST_P(DataflowLoopTest, SolvesEverySizeWithAnyQueue) {
    for (const int queue : {1, 2, 16}) {
        begin(queue);
        for (const char* system : {"laplace", "random"}) {
            for (const std::int64_t size : {1, 2, 3, 17, 130, 400}) {
                const bench::Row row = measured({system, size, 20});
                EXPECT_TRUE(row.check->passed) << row.name.text();
                EXPECT_EQ(row.work.workers, world.size() - 1);
            }
        }
    }
}

TEST_P(DataflowLoopTest, GivesTheSameBitsBesideASlowWorker) {
    begin(1);
    const Problem problem{"random", 61, 25};
    const auto roles = comm::Roles::with_reducers(world.size(), 1);
    std::vector<std::vector<double>> histories;
    for (int slow = -1; slow < world.size(); ++slow) {
        device::Arena arena(session->device(), device::Arena::Mode::allocate);
        const auto loop = make_loop(arena, *session, session->transport(GetParam()), problem,
                                    bench::Formulation::dataflow);
        if (loop->share() != nullptr) {
            loop->share()->fill([](std::int64_t row, std::int64_t first, std::span<double> out) {
                for (std::size_t index = 0; index < out.size(); ++index) {
                    const std::int64_t column = first + static_cast<std::int64_t>(index);
                    out[index] = row == column ? 2 + 0.01 * static_cast<double>(row)
                                               : 1.0 / static_cast<double>(60 + row + column);
                }
            });
        }
        auto ones = arena.make<double>(problem.rows(roles, world.rank()).size());
        std::ranges::fill(ones.span(), 1.0);
        std::vector<double> found(26);
        Dawdler dawdler(world.rank() == slow);
        for (int time = 0; time < 2; ++time) {
            loop->restart(ones.view());
            loop->run(found, &dawdler);
            histories.push_back(found);
        }
    }
    EXPECT_THAT(histories, testing::Each(histories.front()));
    EXPECT_LT(histories.front().back(), 1e-12 * histories.front().front());
}

INSTANTIATE_TEST_SUITE_P(Transports, DataflowLoopTest, testing::Values("mpi", "shm"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace quartet::cg
