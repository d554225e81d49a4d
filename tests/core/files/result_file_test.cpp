#include "core/files/result_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/check.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(RequireWritable, ProtectsFilesThatExist) {
    const TemporaryFolder folder;
    write_text(folder / "there.json", "precious");

    EXPECT_THAT(message_of<UsageError>([&] { require_writable(folder / "there.json", false); }),
                AllOf(HasSubstr("there.json"), HasSubstr("--force"), Not(HasSubstr("\n"))));
    EXPECT_NO_THROW(require_writable(folder / "there.json", true));
    EXPECT_NO_THROW(require_writable(folder / "new.json", false));
    EXPECT_EQ(read_text(folder / "there.json"), "precious");
    EXPECT_EQ(folder.entries(), 1) << "nothing is written to find out";
}

TEST(RequireWritable, WantsAFolderThatIsThere) {
    const TemporaryFolder folder;
    write_text(folder / "file", "");
    for (const char* file : {"missing/new.json", "file/new.json"}) {
        EXPECT_THAT(message_of<UsageError>([&] { require_writable(folder / file, true); }),
                    AllOf(HasSubstr("new.json"), Not(HasSubstr("\n"))));
    }
}

TEST(RequireWritable, WantsAFileThatIsNoFolder) {
    const TemporaryFolder folder;
    EXPECT_THROW(require_writable(folder.path(), true), UsageError);
    EXPECT_THROW(require_writable("", true), UsageError);
    EXPECT_THROW(require_writable("/dev/null", true), UsageError) << "it would be replaced";
    std::filesystem::create_symlink("nowhere/at/all", folder / "dangling");
    for (const bool overwrite : {true, false}) {
        EXPECT_THROW(require_writable(folder / "dangling", overwrite), UsageError) << "likewise";
    }
}

TEST(RequireWritable, TakesANameWithoutAFolderForThisFolder) {
    const bool writable = access(".", W_OK) == 0;
    if (!writable) {
        GTEST_SKIP() << "the working folder cannot be written to";
    }
    EXPECT_NO_THROW(require_writable("surely-no-such-file-here.json", false));
}

TEST(WriteAside, ReplacesAFileAtOnce) {
    const TemporaryFolder folder;
    write_text(folder / "results.json", "old and longer");
    const auto inode = [&] {
        struct stat status {};
        stat((folder / "results.json").c_str(), &status);
        return status.st_ino;
    };
    std::filesystem::create_hard_link(folder / "results.json", folder / "reader");
    const auto before = inode();

    write_aside(folder / "results.json", "new");

    EXPECT_EQ(read_text(folder / "results.json"), "new");
    EXPECT_NE(inode(), before);
    EXPECT_EQ(read_text(folder / "reader"), "old and longer") << "who reads the old one reads on";
    EXPECT_EQ(folder.entries(), 2) << "nothing is left aside";
}

TEST(WriteAside, FailsWhereItCannotWrite) {
    const TemporaryFolder folder;
    EXPECT_THROW(write_aside(folder / "missing/results.json", "text"), Failure);
    std::filesystem::create_directory(folder / "taken");
    EXPECT_THROW(write_aside(folder / "taken", "text"), Failure);
    EXPECT_EQ(folder.entries(), 1) << "nothing is left aside";
}

}  // namespace
}  // namespace quartet
