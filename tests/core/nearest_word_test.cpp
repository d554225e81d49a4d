#include "core/nearest_word.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace quartet {
namespace {

const std::vector<std::string> words{"native", "dataflow", "library"};

TEST(NearestWord, IsFoundThroughSlipsOfTheFingers) {
    for (const char* slip : {"nativ", "natvie", "NATIVE", "natibe", "nnative", "naive"}) {
        EXPECT_EQ(nearest_word(slip, words), "native") << slip;
    }
    EXPECT_EQ(nearest_word("data_flow", words), "dataflow");
}

TEST(NearestWord, MayBeOnlyBegun) {
    const std::vector<std::string> flags{"--force", "--formulation", "--transport", "--trace"};
    EXPECT_EQ(nearest_word("--form", flags), "--formulation") << "though --force is near";
    EXPECT_EQ(nearest_word("--tra", flags), "--trace") << "of two that begin so the nearer";
    EXPECT_EQ(nearest_word("lib", words), "library");
    EXPECT_EQ(nearest_word("l", words), std::nullopt) << "one letter says too little";
    const std::vector<std::string> two{"single-rank", "single-precision"};
    EXPECT_EQ(nearest_word("single", two), std::nullopt) << "either may be meant";
}

TEST(NearestWord, IsNotGuessedFromAfar) {
    for (const char* other : {"", "tcp", "gpu", "frobnicate", "nnaattiivvee", "\x1b\n"}) {
        EXPECT_EQ(nearest_word(other, words), std::nullopt) << other;
    }
    EXPECT_EQ(nearest_word(std::string(1 << 20, 'n'), words), std::nullopt);
    EXPECT_EQ(nearest_word("native", {}), std::nullopt);
}

}  // namespace
}  // namespace quartet
