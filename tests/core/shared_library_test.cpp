#include "core/shared_library.hpp"

#include <gmock/gmock.h>

#include "core/check.hpp"
#include "core/message_of.hpp"

namespace quartet {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::StartsWith;

const LibrarySearch mathematics{
    .names = {"libnot-there.so.1", "libm.so.6"}, .what = "libm", .advice = "install it"};

struct Mathematics {
    double (*root)(double) = nullptr;
    double (*cosine)(double) = nullptr;
};

TEST(SharedLibraryTest, SaysWhyNoneCanBeLoaded) {
    const LibrarySearch search{
        .names = {"libnot-there.so.1"}, .what = "the library of tests", .advice = "install it"};

    EXPECT_THAT(message_of<Unavailable>([&] { SharedLibrary library(search); }),
                AllOf(StartsWith("the library of tests is not there (libnot-there.so.1"),
                      EndsWith("): install it")));
}

TEST(SharedLibraryTest, LeavesAnOptionalFunctionThatIsMissingNull) {
    const auto table = load_library(
        mathematics, LibraryFunction{&Mathematics::root, "not_there", Presence::optional},
        LibraryFunction{&Mathematics::cosine, "cos"});

    EXPECT_EQ(table->root, nullptr);
    EXPECT_EQ(table->cosine(0), 1);
}

}  // namespace
}  // namespace quartet
