#include "system/system_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "system/fake_system_files.hpp"

namespace quartet::system {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

TEST(ControlGroups, AreFoundInBothLayouts) {
    const ControlGroup v1{ControlGroupVersion::v1, "/job/1"};
    const ControlGroup v2{ControlGroupVersion::v2, "/user.slice/a b:c"};
    EXPECT_THAT(parse_control_groups("0::/user.slice/a b:c\n", "memory"), ElementsAre(v2));
    EXPECT_THAT(
        parse_control_groups("9:name=systemd:/\n4:cpu,memory:/job/1\n3:cpuset:/x\n", "memory"),
        ElementsAre(v1));
    EXPECT_THAT(parse_control_groups("4:memory:/job/1\n0::/user.slice/a b:c\n", "memory"),
                ElementsAre(v1, v2));
    EXPECT_THAT(parse_control_groups("3:cpuset:/\nnonsense\n", "memory"), IsEmpty());
    EXPECT_THAT(parse_control_groups("", "memory"), IsEmpty());
}

TEST(ControlGroups, AreThoseOfTheController) {
    const std::string text = "4:memory:/m\n3:cpuset:/s\n2:cpu,cpuacct:/c\n";
    EXPECT_THAT(parse_control_groups(text, "cpu"),
                ElementsAre(ControlGroup{ControlGroupVersion::v1, "/c"}));
}

class GroupFolders : public FakeSystemFiles {
  protected:
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& folder : group_folders(root, "cpu")) {
            names.push_back((folder.version == ControlGroupVersion::v1 ? "v1 " : "v2 ") +
                            folder.path.lexically_relative(root).string());
        }
        return names;
    }
};

TEST_F(GroupFolders, AreItsOwnAndAllAbove) {
    write("proc/self/cgroup", "2:cpu,cpuacct:/job\n0::/a/b\n");
    EXPECT_THAT(names(),
                ElementsAre("v1 sys/fs/cgroup/cpu/job", "v1 sys/fs/cgroup/cpu",
                            "v2 sys/fs/cgroup/a/b", "v2 sys/fs/cgroup/a", "v2 sys/fs/cgroup"));
}

TEST_F(GroupFolders, AreNoneWithoutControlGroups) {
    EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace quartet::system
