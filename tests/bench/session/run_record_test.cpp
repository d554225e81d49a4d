#include "bench/session/run_record.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

namespace quartet::bench {
namespace {

using testing::Contains;
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

}  // namespace
}  // namespace quartet::bench
