#include "bench/data/tile_limits.hpp"

#include <gmock/gmock.h>

#include "core/check.hpp"
#include "core/message_of.hpp"

namespace quartet::bench {
namespace {

TEST(TileLimits, RefusesMoreThanEveryRankCanList) {
    EXPECT_NO_THROW(require_few_tiles(most_tiles, "--tiles", "ask for fewer"));
    EXPECT_EQ(message_of<UsageError>(
                  [] { require_few_tiles(most_tiles + 1, "--tiles", "ask for fewer"); }),
              "--tiles makes 1048577 tiles (1048576 are the most): ask for fewer");
}

}  // namespace
}  // namespace quartet::bench
