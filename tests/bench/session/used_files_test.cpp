#include "bench/session/used_files.hpp"

#include <gmock/gmock.h>

#include "core/check.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class UsedFilesTest : public testing::Test {
  protected:
    std::string refusal() const {
        return message_of<UsageError>([this] { files.require_apart(); });
    }

    TemporaryFolder folder;
    UsedFiles files;
};

TEST_F(UsedFilesTest, AreApartWhereNoneIsWrittenOverAnother) {
    write_text(folder / "m.npy", "");
    std::filesystem::create_directory(folder / "ck");
    files.add("--json", FileUse::writes, folder / "a.json");
    files.add("--trace", FileUse::writes, folder / "b.json");
    files.add("--problem", FileUse::reads, folder / "m.npy");
    files.add("--config", FileUse::reads, folder / "m.npy");
    files.add("--data", FileUse::changes_folder, folder / "d");
    files.add("--checkpoint", FileUse::changes_folder, folder.path(), "iteration-");
    EXPECT_NO_THROW(files.require_apart());
}

TEST_F(UsedFilesTest, MayNotBeOneUnderTwoNames) {
    std::filesystem::create_directory_symlink(".", folder / "link");
    files.add("--json", FileUse::writes, folder / "a.json");
    files.add("--trace", FileUse::writes, folder / "link/./a.json");
    EXPECT_THAT(refusal(), HasSubstr("--json and --trace name the same file"));
}

TEST_F(UsedFilesTest, MayNotBeWrittenOverWhatIsUpdated) {
    files.add("--json", FileUse::writes, folder / "w");
    files.add("--wisdom", FileUse::updates, folder / "w");
    EXPECT_THAT(refusal(), HasSubstr("--json and --wisdom name the same file"));
}

TEST_F(UsedFilesTest, MayNotBeWrittenOverInputs) {
    write_text(folder / "m.npy", "");
    std::filesystem::create_symlink("m.npy", folder / "also");
    files.add("--problem", FileUse::reads, folder / "m.npy");
    files.add("--json", FileUse::writes, folder / "also");
    EXPECT_THAT(refusal(), HasSubstr("--json and --problem name the same file"));
}

TEST_F(UsedFilesTest, MayNotLieAmongAFoldersFiles) {
    files.add("--data", FileUse::reads_folder, folder / "d");
    files.add("--json", FileUse::writes, folder / "d/../d/A_0_0.npy");
    EXPECT_THAT(refusal(), AllOf(HasSubstr("--json: '"), HasSubstr("among the files of --data")));
}

TEST_F(UsedFilesTest, MayNotLieInACheckpoint) {
    files.add("--checkpoint", FileUse::changes_folder, folder.path(), "iteration-");
    files.add("--json", FileUse::writes, folder / "iteration-60/manifest.json");
    EXPECT_THAT(refusal(), HasSubstr("among the files of --checkpoint"));
}

TEST_F(UsedFilesTest, AreLockedAgainstOtherJobs) {
    const auto use = [this](UsedFiles& used) {
        used.add("--json", FileUse::writes, folder / "a.json");
        used.add("--data", FileUse::changes_folder, folder / "d");
        used.add("--problem", FileUse::reads, folder / "m.npy");
        used.add("--wisdom", FileUse::updates, folder / "wisdom");
    };
    {
        use(files);
        UsedFiles first;
        use(first);
        first.lock("process 1 on here", true);
        EXPECT_THAT(message_of<UsageError>([&] { files.lock("process 2 on here", true); }),
                    AllOf(HasSubstr("--json: '"), HasSubstr("in use by process 1 on here")));
        UsedFiles of_another_node;
        use(of_another_node);
        EXPECT_THAT(message_of<UsageError>([&] { of_another_node.lock("process 2", false); }),
                    HasSubstr("--data: '"));
        EXPECT_NO_THROW(of_another_node.lock("process 1 on here", false)) << "the same job";
    }
    EXPECT_NO_THROW(files.lock("process 2 on here", true));
}

}  // namespace
}  // namespace quartet::bench
