#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "cg/native/solving.hpp"
#include "cg/system/random_system.hpp"

namespace quartet::cg {
namespace {

class StoppedLoopTest : public testing::TestWithParam<Way> {
  protected:
    std::unique_ptr<bench::Session> session = make_session();
};

INSTANTIATE_TEST_SUITE_P(Ways, StoppedLoopTest,
                         testing::Values(Way{Algorithm::classic, Storage::full},
                                         Way{Algorithm::classic, Storage::symmetric},
                                         Way{Algorithm::single_reduction, Storage::full},
                                         Way{Algorithm::single_reduction, Storage::symmetric}));

/// Keeps the state after one of the iterations, as a checkpoint would; one rank asks to stop there.
class Keeper final : public Observer {
  public:
    Keeper(std::int64_t when, bool asks) : when_(when), asks_(asks) {}

    [[nodiscard]] bool wants_stop() const override { return asks_ && ++iterations_ == when_; }
    Next after(const IterationState& now, std::span<const double> past, bool stop) override {
        EXPECT_EQ(stop, now.done == when_);
        if (now.done != when_) {
            return Next::go_on;
        }
        scalars = now;
        history.assign(past.begin(), past.end());
        for (const auto& vector : vectors_of(now)) {
            vectors.emplace_back(vector.span().begin(), vector.span().end());
        }
        return Next::stop;
    }

    static std::array<device::View<double>, 4> vectors_of(const IterationState& state) {
        return {state.solution, state.residual, state.direction, state.direction_product};
    }

    IterationState scalars;
    std::vector<std::vector<double>> vectors;
    std::vector<double> history;

  private:
    std::int64_t when_;
    bool asks_;
    mutable std::int64_t iterations_ = 0;
};

TEST_P(StoppedLoopTest, ContinuesAStoppedRunWithTheSameBits) {
    const RandomSystem system(123, 1);
    constexpr int iterations = 40;
    Solving undisturbed(*session, system, GetParam());
    const auto wanted = undisturbed.run(iterations);
    for (const int when : {1, 17, iterations}) {
        const bool last_rank = session->world().rank() == session->world().size() - 1;
        Keeper keeper(when, last_rank);
        Solving first(*session, system, GetParam());
        std::vector<double> history(iterations + 1);
        first.loop->restart(first.right_side.view());
        first.loop->run(history, keeper);
        EXPECT_EQ(first.loop->state().done, when);

        Solving second(*session, system, GetParam());
        IterationState& state = second.loop->state();
        const auto vectors = Keeper::vectors_of(state);
        for (std::size_t index = 0; index < vectors.size(); ++index) {
            std::ranges::copy(keeper.vectors.at(index), vectors.at(index).span().begin());
        }
        state.residual_dot = keeper.scalars.residual_dot;
        state.alpha = keeper.scalars.alpha;
        state.done = keeper.scalars.done;
        std::vector<double> found(iterations + 1);
        std::ranges::copy(keeper.history, found.begin());
        Observer nobody;
        second.loop->run(found, nobody);

        EXPECT_EQ(found, wanted) << "stopped after " << when;
        const auto solution = second.loop->state().solution.span();
        const auto undisturbed_solution = undisturbed.loop->state().solution.span();
        EXPECT_TRUE(std::ranges::equal(solution, undisturbed_solution));
    }
}

}  // namespace
}  // namespace quartet::cg
