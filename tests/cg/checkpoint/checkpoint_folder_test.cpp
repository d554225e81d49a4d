#include "cg/checkpoint/checkpoint_folder.hpp"

#include <gmock/gmock.h>

#include "core/files/file.hpp"
#include "core/temporary_folder.hpp"

namespace quartet::cg {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CheckpointFolderTest : public testing::Test {
  protected:
    void write(std::int64_t iteration, const std::string& text = "x") const {
        folder.begin(iteration);
        write_text(folder.aside(iteration) / "file", text);
        folder.commit(iteration);
    }

    const TemporaryFolder temporary;
    const CheckpointFolder folder{temporary / "checkpoints"};
};

TEST_F(CheckpointFolderTest, IsEmptyAtFirst) {
    EXPECT_THAT(folder.iterations(), IsEmpty());
    folder.begin(10);
    EXPECT_THAT(folder.iterations(), IsEmpty());
}

TEST_F(CheckpointFolderTest, KeepsTheLastTwo) {
    for (const std::int64_t iteration : {5, 10, 100, 205}) {
        write(iteration);
    }
    EXPECT_THAT(folder.iterations(), ElementsAre(100, 205));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST_F(CheckpointFolderTest, ReplacesCheckpointsAfterTheOneRestartedFrom) {
    write(10);
    write(20, "old");
    write(20, "new");
    EXPECT_EQ(read_text(folder.checkpoint(20) / "file"), "new");
    EXPECT_THAT(folder.iterations(), ElementsAre(10, 20));
    write(15);
    EXPECT_THAT(folder.iterations(), ElementsAre(10, 15));
}

TEST_F(CheckpointFolderTest, IgnoresAndRemovesUnfinishedCheckpoints) {
    write(10);
    folder.begin(20);
    write_text(folder.aside(20) / "file", "half");
    EXPECT_THAT(folder.iterations(), ElementsAre(10));
    folder.begin(30);
    EXPECT_FALSE(std::filesystem::exists(folder.aside(20)));
    folder.give_up(30);
    EXPECT_FALSE(std::filesystem::exists(folder.aside(30)));
    EXPECT_THAT(folder.iterations(), ElementsAre(10));
}

TEST_F(CheckpointFolderTest, LeavesOtherFilesAlone) {
    write(10);
    write_text(folder.path() / "notes.txt", "mine");
    write_text(folder.path() / "iteration-many", "mine");
    write(20);
    write(30);
    EXPECT_THAT(folder.iterations(), ElementsAre(20, 30));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "notes.txt"));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "iteration-many"));
}

TEST_F(CheckpointFolderTest, ThrowsWhereTheFolderCannotBeMade) {
    write_text(temporary / "file", "");
    EXPECT_THROW(CheckpointFolder(temporary / "file/checkpoints").begin(1), FileError);
}

}  // namespace
}  // namespace quartet::cg
