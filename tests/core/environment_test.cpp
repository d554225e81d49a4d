#include "core/environment.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

namespace quartet {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class EnvironmentTest : public testing::Test {
  protected:
    void SetUp() override {
        ::setenv("QUARTET_TEST_ONE", "1", 1);
        ::setenv("QUARTET_TEST_TWO", "a=b", 1);
        ::setenv("QUARTET_TEST_EMPTY", "", 1);
        ::unsetenv("QUARTET_TEST_UNSET");
    }
    void TearDown() override {
        for (const char* name : {"QUARTET_TEST_ONE", "QUARTET_TEST_TWO", "QUARTET_TEST_EMPTY"}) {
            ::unsetenv(name);
        }
    }
    Environment environment;
};

TEST_F(EnvironmentTest, RemembersWhatWasReadAndSet) {
    EXPECT_EQ(environment.get("QUARTET_TEST_ONE"), "1");
    EXPECT_EQ(environment.get("QUARTET_TEST_UNSET"), std::nullopt);
    EXPECT_EQ(environment.get("QUARTET_TEST_EMPTY"), "");
    EXPECT_THAT(environment.seen(), UnorderedElementsAre(Pair("QUARTET_TEST_ONE", "1"),
                                                         Pair("QUARTET_TEST_EMPTY", "")));
}

TEST_F(EnvironmentTest, RecordsAllVariablesOfAPrefix) {
    environment.record_matching("QUARTET_TEST_");
    EXPECT_THAT(environment.seen(),
                UnorderedElementsAre(Pair("QUARTET_TEST_ONE", "1"), Pair("QUARTET_TEST_TWO", "a=b"),
                                     Pair("QUARTET_TEST_EMPTY", "")));
}

TEST_F(EnvironmentTest, DoesNotTakeAValueForAPrefix) {
    environment.record_matching("QUARTET_TEST_ONE=");
    EXPECT_THAT(environment.seen(), IsEmpty());
}

TEST_F(EnvironmentTest, TakesAWholeNameForItsOwnPrefix) {
    environment.record_matching("QUARTET_TEST_ONE");
    EXPECT_THAT(environment.seen(), UnorderedElementsAre(Pair("QUARTET_TEST_ONE", "1")));
}

}  // namespace
}  // namespace quartet
