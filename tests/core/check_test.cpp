#include "core/check.hpp"

#include <gmock/gmock.h>

#include "core/message_of.hpp"

namespace quartet {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Check, ThrowsAFailureThatNamesTheProblemAndTheCallersLine) {
    const auto line = std::to_string(__LINE__ + 1);
    const std::string message = message_of<Failure>([] { check(false, "ring is empty"); });
    EXPECT_THAT(message, StartsWith("ring is empty (a check failed at check_test.cpp:" + line));
    EXPECT_THAT(message, HasSubstr("): "));
    EXPECT_THAT(message, testing::Not(HasSubstr("\n")));
}

TEST(Error, KnowsItsExitCode) {
    EXPECT_EQ(UsageError("a").exit_code(), ExitCode::bad_usage);
    EXPECT_EQ(Failure("b").exit_code(), ExitCode::failed);
    EXPECT_EQ(Unavailable("c").exit_code(), ExitCode::unavailable);
    EXPECT_EQ(static_cast<int>(ExitCode::bad_usage), 2);
    EXPECT_EQ(static_cast<int>(ExitCode::failed), 3);
    EXPECT_EQ(static_cast<int>(ExitCode::stopped), 75);
    EXPECT_EQ(static_cast<int>(ExitCode::unavailable), 77);
}

TEST(Quotation, KeepsAMessageOnOneLine) {
    EXPECT_EQ(quotation("plain text"), "'plain text'");
    EXPECT_EQ(quotation("a\nb\t\x7f"), "'a\\x0ab\\x09\\x7f'");
    EXPECT_EQ(quotation(std::string_view("\0", 1)), "'\\x00'");
    EXPECT_EQ(quotation("Größe"), "'Größe'");
}

TEST(Quotation, CutsVeryLongText) {
    const std::string text = quotation(std::string(1 << 20, 'x'));
    EXPECT_LT(text.size(), 500U);
    EXPECT_THAT(text, EndsWith("...'"));
}

}  // namespace
}  // namespace quartet
