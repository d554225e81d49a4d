#include "bench/checkpoint/set_up.hpp"

#include <gmock/gmock.h>

namespace quartet::bench {
namespace {

const std::map<std::string, std::string> of_two_ranks{{"ranks", "2"}, {"storage", "full"}};

TEST(SetUpOfACheckpoint, NamesWhatDiffers) {
    EXPECT_EQ(differences(of_two_ranks, of_two_ranks), "");
    EXPECT_EQ(differences(of_two_ranks, {{"ranks", "3"}, {"storage", "full"}, {"threads", "2"}}),
              "ranks 3 (was 2), threads 2 (was unknown)");
}

TEST(SetUpOfACheckpoint, SaysThatBitsMayDiffer) {
    EXPECT_EQ(as_it_was_begun(of_two_ranks, of_two_ranks), " as it was begun");
    EXPECT_THAT(as_it_was_begun(of_two_ranks, {{"ranks", "1"}}),
                testing::HasSubstr("bits may differ"));
}

}  // namespace
}  // namespace quartet::bench
