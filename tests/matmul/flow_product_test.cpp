#include "matmul/flow_product.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"
#include "matmul/multiply_case.hpp"
#include "matmul/reference.hpp"

namespace quartet::matmul {
namespace {

using testing::HasSubstr;

/// A shape of the data flow over a transport.
struct Flow {
    std::int64_t size = 0;
    std::int64_t tile = 0;
    int reducers = 1;
    int bound = 16;
    Shares shares = Shares::fixed;
};

class FlowProductTest : public testing::TestWithParam<const char*> {
  protected:
    FlowProductTest() {
        common.device = "host";
        common.threads = 1;
        common.formulations = {"dataflow"};
        common.transports = {GetParam()};
    }

    MultiplyCase& run_once(const Flow& flow) {
        made.reset();
        Options options;
        options.size = flow.size;
        options.tile = flow.tile;
        options.reducers = flow.reducers;
        options.shares = flow.shares;
        common.queue = flow.bound;
        const bench::ProgramDescription description{"matmul", "", {"native", "dataflow"}, 1};
        session = std::make_unique<bench::Session>(description, common,
                                                   comm::TransportRegistry::standard());
        plan_cases(*session, options);
        made = session->plan().front().make();
        auto& subject = dynamic_cast<MultiplyCase&>(*made);
        bench::Clocks clocks(0);
        for (int run = 0; run < 2; ++run) {  // the second one begins where the first has ended
            subject.prepare();
            world.barrier();
            subject.run(clocks);
            world.barrier();
        }
        return subject;
    }
    void TearDown() override {
        made.reset();
        world.barrier();
    }

    const comm::Communicator world = comm::Communicator::world();
    bench::CommonOptions common;
    std::unique_ptr<bench::Session> session;
    std::unique_ptr<bench::Case> made;
};

TEST_P(FlowProductTest, IsTheProductWhateverTheSharesAndTheQueues) {
    const int most = world.size() - 1;
    for (const Flow& flow : {Flow{60, 13, 1, 16}, Flow{60, 13, most, 1},
                             Flow{41, 50, most, 2},  // one tile, more reducers than tiles
                             Flow{64, 16, 1, 1, Shares::dynamic},
                             Flow{50, 7, most, 3, Shares::dynamic}, Flow{1, 1, 1, 1}}) {
        const Problem problem{flow.size, std::min(flow.tile, flow.size), common.seed};
        auto& product = dynamic_cast<FlowProduct&>(run_once(flow).product());
        const auto reference = quartet::matmul::product(problem, whole_matrix(problem, "A"),
                                                        whole_matrix(problem, "B"));
        double owned = 0;
        for (std::int64_t row = 0; row < problem.tiles(); ++row) {
            for (std::int64_t column = 0; column < problem.tiles(); ++column) {
                if (product.owns({row, column})) {
                    EXPECT_LT(largest_difference(problem, reference, {row, column},
                                                 product.result({row, column})),
                              1e-5);
                    EXPECT_EQ((row * problem.tiles() + column) % flow.reducers, world.rank());
                    ++owned;
                }
            }
        }
        const auto tiles = static_cast<double>(problem.tiles());
        EXPECT_EQ(world.sum(owned), tiles * tiles) << "each tile has one owner";
        EXPECT_EQ(world.sum(static_cast<double>(product.received())), tiles * tiles * tiles);
    }
}

TEST_P(FlowProductTest, AWrongTileOfAReducerIsFound) {
    auto& subject = run_once({60, 13, world.size() - 1, 16});
    EXPECT_TRUE(subject.verify().passed);
    auto& product = dynamic_cast<FlowProduct&>(subject.product());
    if (world.rank() == 0) {
        product.results().back() += 1;
    }
    EXPECT_FALSE(subject.verify().passed);
}

TEST_P(FlowProductTest, TooFewRanksAreRefusedWithTheNumberNeeded) {
    EXPECT_THAT(message_of<UsageError>([&] {
                    run_once({8, 4, world.size(), 1});
                }),
                HasSubstr("start at least " + std::to_string(world.size() + 1) + " ranks"));
}

INSTANTIATE_TEST_SUITE_P(Transports, FlowProductTest, testing::Values("mpi", "shm"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace quartet::matmul
