#include "cg/loop.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/message_of.hpp"
#include "cg/scalars.hpp"

namespace quartet::cg {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double tiny = std::numeric_limits<double>::min();
constexpr double huge = std::numeric_limits<double>::max();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Alpha, IsTheQuotientUnlessConverged) {
    EXPECT_EQ(alpha_of(6, 3, 0, "A"), 2);
    EXPECT_EQ(alpha_of(0, 3, 0, "A"), 0);
    EXPECT_EQ(alpha_of(0, 0, 0, "A"), 0);
    EXPECT_EQ(alpha_of(tiny / 2, 1, 0, "A"), 0);
    EXPECT_EQ(alpha_of(1, tiny / 2, 0, "A"), 0);
    EXPECT_EQ(alpha_of(1, -tiny / 2, 0, "A"), 0);
    EXPECT_TRUE(std::isfinite(alpha_of(1, tiny, 0, "A")));
}

TEST(Alpha, ThrowsForACurvatureThatIsNegativeOrNotFinite) {
    for (const double curvature : {-1.0, -tiny, nan, huge * 2, -huge * 2}) {
        EXPECT_THAT(
            message_of<Failure>([&] { alpha_of(1, curvature, 6, "matrix 'a.npy'"); }),
            AllOf(HasSubstr("matrix 'a.npy' is not positive definite"), HasSubstr("iteration 7")));
    }
    EXPECT_THROW(alpha_of(nan, 1, 0, "A"), Failure);
    EXPECT_THROW(alpha_of(huge * 2, 1, 0, "A"), Failure);
}

TEST(Beta, IsZeroAfterAnAlphaOfZero) {
    EXPECT_EQ(beta_of(3, 6, 1), 0.5);
    EXPECT_EQ(beta_of(3, 6, 0), 0);
    EXPECT_EQ(beta_of(0, 0, 1), 0);
    EXPECT_EQ(beta_of(tiny, tiny / 2, 1), 0);
}

}  // namespace
}  // namespace quartet::cg
