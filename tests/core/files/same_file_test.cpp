#include "core/files/same_file.hpp"

#include <gtest/gtest.h>

#include "core/temporary_folder.hpp"

namespace quartet {
namespace {

namespace fs = std::filesystem;

class SameFile : public testing::Test {
  protected:
    SameFile() {
        fs::create_directories(folder / "d/deeper");
        fs::create_directory_symlink(folder / "d", folder / "link");
        write_text(folder / "d/there", "1");
        fs::create_symlink("d/there", folder / "name");
        fs::create_hard_link(folder / "d/there", folder / "other_name");
    }

    TemporaryFolder folder;
};

TEST_F(SameFile, IsFoundUnderAllItsNames) {
    for (const char* name : {"d/there", "d/../d/there", "./d/there", "link/there", "name",
                             "other_name", "d//there", "link/deeper/../there"}) {
        EXPECT_TRUE(is_same_file(folder / "d/there", folder / name)) << name;
    }
    EXPECT_FALSE(is_same_file(folder / "d/there", folder / "d/missing"));
    EXPECT_FALSE(is_same_file(folder / "d/there", folder / "d"));
}

TEST_F(SameFile, IsFoundBeforeItIsThere) {
    for (const char* name : {"d/new", "link/new", "d/./new", "d/deeper/../new", "no/../d/new"}) {
        EXPECT_TRUE(is_same_file(folder / "d/new", folder / name)) << name;
    }
    EXPECT_FALSE(is_same_file(folder / "d/new", folder / "new"));
    EXPECT_TRUE(is_same_file("new_of_the_test", fs::current_path() / "new_of_the_test"));
    EXPECT_TRUE(is_same_file("new_of_the_test", "./new_of_the_test"));
    EXPECT_FALSE(is_same_file("new_of_the_test", "new_of_the_other"));
}

TEST_F(SameFile, LiesInItsFoldersUnderAllTheirNames) {
    for (const char* outer : {"d", "d/", "link", "d/.", "", "d/deeper/.."}) {
        EXPECT_TRUE(lies_in(folder / "d/there", folder / outer)) << outer;
        EXPECT_TRUE(lies_in(folder / "link/deeper/new", folder / outer)) << outer;
    }
    EXPECT_TRUE(lies_in("new_of_the_test", "."));
    EXPECT_FALSE(lies_in(folder / "d/there", folder / "d/deeper"));
    EXPECT_FALSE(lies_in(folder / "dd", folder / "d"));
    EXPECT_FALSE(lies_in(folder / "d", folder / "d"));
    EXPECT_FALSE(lies_in(folder / "new", folder / "d"));
}

}  // namespace
}  // namespace quartet
