#include "system/control_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "system/fake_system_files.hpp"

namespace quartet::system {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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
