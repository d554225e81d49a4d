#include "cg/loop.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace quartet::cg {
namespace {

constexpr double tiny = std::numeric_limits<double>::min();
constexpr double huge = std::numeric_limits<double>::max();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

IterationState state_of(double residual_dot, std::int64_t done = 0) {
    IterationState state;
    state.residual_dot = residual_dot;
    state.done = done;
    return state;
}

TEST(Alpha, IsTheQuotientUnlessConverged) {
    for (const auto& [residual_dot, curvature, wanted] : {std::array{6.0, 3.0, 2.0},
                                                          {0, 3, 0},
                                                          {0, 0, 0},
                                                          {tiny / 2, 1, 0},
                                                          {1, tiny / 2, 0},
                                                          {1, -tiny / 2, 0}}) {
        IterationState state = state_of(residual_dot);
        EXPECT_EQ(next_alpha(state, curvature), wanted) << residual_dot << " / " << curvature;
        EXPECT_FALSE(state.breakdown);
    }
    IterationState state = state_of(1);
    EXPECT_TRUE(std::isfinite(next_alpha(state, tiny)));
}

TEST(Alpha, IsZeroFromTheFirstSumsOnThatNoPositiveDefiniteMatrixGives) {
    for (const auto& [residual_dot, curvature] :
         {std::pair{1.0, -1.0}, {1, -tiny}, {1, nan}, {1, huge * 2}, {nan, 1}, {huge * 2, 1}}) {
        IterationState state = state_of(residual_dot, 6);
        EXPECT_EQ(next_alpha(state, curvature), 0);
        ASSERT_TRUE(state.breakdown) << residual_dot << " / " << curvature;
        ++state.done;
        state.residual_dot = 1;
        EXPECT_EQ(next_alpha(state, 1), 0);
        EXPECT_EQ(state.breakdown->iteration, 7);
    }
}

TEST(Beta, IsZeroAfterAnAlphaOfZero) {
    EXPECT_EQ(beta_of(3, 6, 1), 0.5);
    EXPECT_EQ(beta_of(3, 6, 0), 0);
    EXPECT_EQ(beta_of(0, 0, 1), 0);
    EXPECT_EQ(beta_of(tiny, tiny / 2, 1), 0);
}

}  // namespace
}  // namespace quartet::cg
