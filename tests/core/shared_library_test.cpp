#include "core/shared_library.hpp"

#include <gmock/gmock.h>

#include <array>

#include "core/check.hpp"
#include "core/message_of.hpp"

namespace quartet {
namespace {

using ::testing::HasSubstr;

const std::array mathematics{std::string("libnot-there.so.1"), std::string("libm.so.6")};

TEST(SharedLibraryTest, LoadsTheFirstThatIsThere) {
    const SharedLibrary library(mathematics);

    EXPECT_EQ(library.function<double(double)>("sqrt")(9), 3);
}

TEST(SharedLibraryTest, SaysWhyNoneCanBeLoaded) {
    const std::array names{std::string("libnot-there.so.1")};

    EXPECT_THAT(message_of<Failure>([&] { SharedLibrary library(names); }),
                HasSubstr("libnot-there.so.1"));
}

TEST(SharedLibraryTest, SaysWhichFunctionIsMissing) {
    const SharedLibrary library(mathematics);

    EXPECT_THAT(
        message_of<Failure>([&] { static_cast<void>(library.function<void()>("not_there")); }),
        HasSubstr("libm.so.6 has no function not_there"));
}

}  // namespace
}  // namespace quartet
