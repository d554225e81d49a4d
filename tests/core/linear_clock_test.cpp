#include "core/linear_clock.hpp"

#include <gtest/gtest.h>

namespace quartet {
namespace {

TEST(LinearClock, IsOnesOwnUnlessItWasCompared) {
    EXPECT_EQ(LinearClock()(Seconds{3}), Seconds{3});
}

TEST(LinearClock, MeetsBothReadingsAndGoesEvenlyBetweenAndBeyond) {
    const LinearClock clock({Seconds{10}, Seconds{-5}}, {Seconds{20}, Seconds{-4}});
    EXPECT_DOUBLE_EQ(clock(Seconds{10}).value, 5);
    EXPECT_DOUBLE_EQ(clock(Seconds{15}).value, 10.5);
    EXPECT_DOUBLE_EQ(clock(Seconds{20}).value, 16);
    EXPECT_DOUBLE_EQ(clock(Seconds{30}).value, 27);
}

TEST(LinearClock, KeepsTheDifferenceOfTwoReadingsAtOnce) {
    const LinearClock clock({Seconds{10}, Seconds{1}}, {Seconds{10}, Seconds{2}});
    EXPECT_DOUBLE_EQ(clock(Seconds{20}).value, 21);
}

}  // namespace
}  // namespace quartet
