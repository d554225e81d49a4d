#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/program/plan.hpp"
#include "core/message_of.hpp"
#include "matmul/plan.hpp"

namespace quartet::matmul {
namespace {

using bench::Formulation;
using testing::HasSubstr;

/// Where a data flow computes, and what moves its partial tiles.
struct Way {
    std::string device;
    std::string transport;
};

/// The size of a data flow.
struct Flow {
    std::int64_t size = 0;
    std::int64_t tile = 0;
    int reducers = 1;
    int bound = 16;

    [[nodiscard]] Problem problem() const { return {size, std::min(tile, size), 1}; }
};

class DataflowProductTest : public testing::TestWithParam<Way> {
  protected:
    DataflowProductTest() {
        common.device = GetParam().device;
        common.threads = 1;
        common.formulations = {Formulation::dataflow};
        common.transports = {GetParam().transport};
    }
    void SetUp() override {
        try {
            open_session();
        } catch (const Unavailable& unavailable) {
            GTEST_SKIP() << unavailable.what();
        }
        if (world.size() < 2) {
            GTEST_SKIP() << "a data flow has at least two ranks";
        }
        if (const auto reason =
                session->registry().why_not(GetParam().transport, session->transport_context())) {
            GTEST_SKIP() << *reason;
        }
    }
    void TearDown() override {
        made.reset();
        world.barrier();
    }
    void open_session() {
        session = std::make_unique<bench::Session>(bench::ProgramDescription{.name = "matmul"},
                                                   common, comm::TransportRegistry::standard());
    }
    void plan(const Flow& flow) {
        made.reset();
        Options options;
        options.sizes = {flow.size};
        options.tile = flow.tile;
        options.reducers = flow.reducers;
        common.queue = flow.bound;
        open_session();
        plan_cases(*session, options);
        bench::find_needs(*session);
    }
    MultiplyCase& run_twice(const Flow& flow) {
        plan(flow);
        device::Arena arena(session->device(), device::Arena::Mode::allocate);
        made = session->plan().front().make(arena);
        made->set_up();
        made->prepare_limit(arena);
        EXPECT_TRUE(arena.needs() == session->plan().front().needs);
        auto& subject = dynamic_cast<MultiplyCase&>(*made);
        for (int run = 0; run < 2; ++run) {  // the second one begins where the first has ended
            subject.prepare();
            world.barrier();
            subject.run();
            world.barrier();
        }
        return subject;
    }
    const comm::Communicator world = comm::Communicator::world();
    bench::CommonOptions common;
    std::unique_ptr<bench::Session> session;
    std::unique_ptr<bench::Case> made;
};

TEST_P(DataflowProductTest, IsTheProductWithTheSameBitsForAnyQueueAndReducers) {
    const int most = world.size() - 1;
    for (const auto& [size, tile] : {std::pair(60, 13), std::pair(41, 50), std::pair(1, 1)}) {
        std::map<std::int64_t, std::vector<float>> first;  // tiles of C on rank 0, by number
        for (const auto& [reducers, bound] : {std::pair(1, 16), std::pair(1, 1), {most, 2}}) {
            const Flow flow{size, tile, reducers, bound};
            MultiplyCase& subject = run_twice(flow);
            EXPECT_TRUE(subject.verify().passed);
            double owned = 0;
            for_each_tile(whole(flow.problem()), [&](TileIndex index) {
                if (subject.product().owns(index)) {
                    const std::int64_t number = flow.problem().number(index);
                    EXPECT_EQ(number % reducers, world.rank());
                    const auto found = subject.product().result(index);
                    const auto [before, is_new] =
                        first.try_emplace(number, found.begin(), found.end());
                    EXPECT_TRUE(is_new || std::ranges::equal(before->second, found));
                    ++owned;
                }
            });
            EXPECT_EQ(world.sum(owned), std::pow(flow.problem().tiles(), 2))
                << "each tile has one owner";
        }
    }
}

TEST_P(DataflowProductTest, IsPlannedByARankAlone) {
    plan({41, 13, 1, 16});
    const bench::PlannedCase& planned = session->plan().front();
    for (int rank = 0; rank < world.size(); ++rank) {
        if (rank == world.rank()) {
            device::Arena arena(session->device(), device::Arena::Mode::plan);
            planned.make(arena)->prepare_limit(arena);
            EXPECT_TRUE(arena.needs() == planned.needs);
        }
        world.barrier();
    }
}

TEST_P(DataflowProductTest, RefusesTooFewRanksAndSaysTheNumberNeeded) {
    EXPECT_THAT(message_of<UsageError>([&] {
                    plan({8, 4, world.size(), 1});
                }),
                HasSubstr("start at least " + std::to_string(world.size() + 1) + " ranks"));
}

INSTANTIATE_TEST_SUITE_P(Ways, DataflowProductTest,
                         testing::Values(Way{"host", "mpi"}, Way{"host", "shm"}, Way{"cuda", "mpi"},
                                         Way{"cuda", "staged"}, Way{"cuda", "ipc"}),
                         [](const auto& instance) {
                             return instance.param.device + "_" + instance.param.transport;
                         });

}  // namespace
}  // namespace quartet::matmul
