#include "bench/session/run_record.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

namespace quartet::bench {
namespace {

using testing::Contains;
using testing::Each;
using testing::Ge;
using testing::Key;
using testing::Not;
using testing::Pair;

TEST(RunRecord, HasTheVariablesThatMayChangeResultsAndNoOthers) {
    setenv("QUARTET_TESTED", "here", 1);
    setenv("SOMETHING_ELSE", "there", 1);
    const RunRecord record;
    EXPECT_THAT(record.environment.seen(), Contains(Pair("QUARTET_TESTED", "here")));
    EXPECT_THAT(record.environment.seen(), Not(Contains(Key("SOMETHING_ELSE"))));
}

TEST(RunRecord, HasTheTimeAndTheLoadBeforeTheRun) {
    const std::time_t before = std::time(nullptr);
    const RunRecord record;
    EXPECT_THAT(record.started, Ge(before));
    EXPECT_LE(record.load_average.size(), 3U);
    EXPECT_THAT(record.load_average, Each(Ge(0.0)));
}

}  // namespace
}  // namespace quartet::bench
