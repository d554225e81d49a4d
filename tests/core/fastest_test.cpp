#include "core/fastest.hpp"

#include <gtest/gtest.h>

#include <set>

namespace quartet {
namespace {

TEST(Fastest, IsAnEarlierWayUnlessALaterOneIsWorthIt) {
    const auto trial = [](std::size_t way, std::int64_t /*round*/) {
        return Seconds{way == 1 ? 0.995 : 1.0};
    };
    EXPECT_EQ(fastest(2, {}, trial), 0U);
}

TEST(Fastest, DoesNotGoByASingleTrial) {
    const auto trial = [](std::size_t way, std::int64_t round) {
        const bool lucky = way == 1 && round == 0;
        const bool disturbed = way == 0 && round == 2;
        return Seconds{lucky ? 0.1 : disturbed ? 9.0 : way == 1 ? 2.0 : 1.0};
    };
    EXPECT_EQ(fastest(2, {0.01}, trial), 0U);
}

TEST(TrialPiece, EachWayComesToEachPieceAndPiecesOfARoundLieApart) {
    for (std::size_t way = 0; way < 3; ++way) {
        std::set<std::int64_t> seen;
        for (std::int64_t round = 0; round < 12; ++round) {
            seen.insert(trial_piece(way, 3, round, 12));
        }
        EXPECT_EQ(seen.size(), 12U);
        EXPECT_EQ(*seen.rbegin(), 11);
    }
    EXPECT_EQ(trial_piece(1, 3, 0, 12) - trial_piece(0, 3, 0, 12), 4);
    EXPECT_EQ(trial_piece(2, 3, 7, 1), 0) << "one piece alone";
}

}  // namespace
}  // namespace quartet
