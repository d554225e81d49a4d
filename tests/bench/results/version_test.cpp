#include "bench/results/version.hpp"

#include <gmock/gmock.h>

#include <string>

namespace quartet::bench {
namespace {

using testing::MatchesRegex;

TEST(Version, NamesNumberAndCommitInOneLine) {
    EXPECT_THAT(std::string(version()), MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
    EXPECT_THAT(std::string(commit()), MatchesRegex("unknown|[0-9a-f]{7,40}(-dirty)?"));
    EXPECT_EQ(version_line(),
              "quartet " + std::string(version()) + " (commit " + std::string(commit()) + ")");
}

TEST(Version, TellsHowItWasBuilt) {
    EXPECT_THAT(std::string(compiler()), MatchesRegex("[A-Za-z]+ [0-9]+\\..*"));
    EXPECT_THAT(std::string(compiler_flags()), testing::HasSubstr("-std=c++20"));
    EXPECT_THAT(std::string(build_type()), MatchesRegex("[A-Za-z]+"));
    EXPECT_THAT(std::string(cblas()), MatchesRegex(".+ \\(.+\\)"));
}

}  // namespace
}  // namespace quartet::bench
