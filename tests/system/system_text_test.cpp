#include "system/system_text.hpp"

#include <gtest/gtest.h>

#include "system/fake_system_files.hpp"

namespace quartet::system {
namespace {

TEST(TakeUntil, TakesTheEndWithIt) {
    std::string_view text = "a:b::c";
    EXPECT_EQ(take_until(text, ':'), "a");
    EXPECT_EQ(take_until(text, ':'), "b");
    EXPECT_EQ(take_until(text, ':'), "");
    EXPECT_EQ(take_until(text, ':'), "c");
    EXPECT_EQ(take_until(text, ':'), "");
    EXPECT_TRUE(text.empty());
}

TEST(ParseNumber, IsWhatTheTextBeginsWith) {
    EXPECT_EQ(parse_number("12 kB"), 12);
    EXPECT_EQ(parse_number("   -1\n"), -1);
    EXPECT_EQ(parse_number("max"), std::nullopt);
    EXPECT_EQ(parse_number(""), std::nullopt);
    EXPECT_EQ(parse_number("99999999999999999999"), std::nullopt);
}

TEST(ValueOf, IsTheFirstLinesOfThatKey) {
    constexpr std::string_view text = "model\t\t: 17\nmodel name\t: some\nNAME=\"Debian\"\n";
    EXPECT_EQ(value_of(text, "model name", ':'), "some");
    EXPECT_EQ(value_of(text, "model", ':'), "17");
    EXPECT_EQ(value_of(text, "NAME", '='), "Debian");
    EXPECT_EQ(value_of(text, "other", ':'), "");
}

class ReadText : public FakeSystemFiles {};

TEST_F(ReadText, IsTheWholeFile) {
    write("proc/some", "first\nsecond\n");
    EXPECT_EQ(read_text(root / "proc/some"), "first\nsecond\n");
    EXPECT_EQ(read_text(root / "proc/none"), std::nullopt);
    EXPECT_EQ(read_text(root / "proc"), "") << "a folder";
}

}  // namespace
}  // namespace quartet::system
