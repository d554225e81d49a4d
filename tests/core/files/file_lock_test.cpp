#include "core/files/file_lock.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>

#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(FileLock, IsHeldByOneOwnerAndGoneWithIt) {
    const TemporaryFolder folder;
    const auto file = FileLock::beside(folder / "r.json");
    {
        const FileLock held(file, "--json: 'r.json'", "process 1 on here");
        EXPECT_TRUE(held.holds());
        EXPECT_EQ(folder.entries(), 1);
        EXPECT_THAT(message_of<UsageError>(
                        [&] { FileLock(file, "--json: 'r.json'", "process 2 on there"); }),
                    HasSubstr("--json: 'r.json' is in use by process 1 on here: "));
    }
    EXPECT_EQ(folder.entries(), 0);
    EXPECT_TRUE(FileLock(file, "it", "process 2 on there").holds());
}

TEST(FileLock, IsSharedByRanksOfOneJob) {
    const TemporaryFolder folder;
    const std::string owner = lock_owner();
    const FileLock held(FileLock::of_folder(folder.path()), "it", owner);
    const FileLock other(FileLock::of_folder(folder.path()), "it", owner);
    EXPECT_TRUE(held.holds());
    EXPECT_FALSE(other.holds());
}

TEST(FileLock, IsSharedWhereAKilledOwnersNameStillStands) {
    const TemporaryFolder folder;
    const auto file = FileLock::of_folder(folder.path());
    write_text(file, "process 9 on gone");
    const FileDescriptor colleague(::open(file.c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::flock(colleague.get(), LOCK_EX | LOCK_NB), 0);
    std::jthread names_itself([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        write_text(file, "process 1 on here");
    });
    EXPECT_FALSE(FileLock(file, "it", "process 1 on here").holds());
}

TEST(FileLock, HasOwnersThatDiffer) {
    EXPECT_NE(lock_owner(), lock_owner()) << "as those of two containers with equal numbers";
}

TEST(FileLock, EndsWithAKilledProcess) {
    const TemporaryFolder folder;
    const auto file = FileLock::of_folder(folder.path());
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const FileLock held(file, "it", "process 1 on here");
        ::_exit(held.holds() ? 0 : 1);  // without the destructor
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    EXPECT_EQ(read_text(file), "process 1 on here");
    {
        const FileLock mine(file, "it", "process 2 on there");
        EXPECT_TRUE(mine.holds());
        EXPECT_EQ(read_text(file), "process 2 on there");
    }
    EXPECT_EQ(folder.entries(), 0);
}

TEST(FileLock, RefusesWhatCannotBeLocked) {
    const TemporaryFolder folder;
    EXPECT_THROW(FileLock(folder / "missing" / "x", "it", "me"), FileError);
    EXPECT_THROW(FileLock(FileLock::beside(folder / std::string(255, 'n')), "it", "me"), FileError);
    ASSERT_EQ(::symlink("/dev/null", (folder / "link").c_str()), 0);
    EXPECT_THROW(FileLock(folder / "link", "it", "me"), FileError)
        << "or somebody's file is written";
}

TEST(FileLock, RefusesWhatIsNoLockAndSaysWhatToDo) {
    const TemporaryFolder folder;
    const auto refusal_of = [&](const char* name) {
        return message_of<UsageError>([&] { FileLock(folder / name, "--json: 'r.json'", "me"); });
    };
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_THAT(refusal_of("pipe"),
                AllOf(HasSubstr("--json: 'r.json' cannot be locked ('"),
                      HasSubstr("pipe' is no regular file): remove that file")));
    write_text(folder / "precious", "text");
    ASSERT_EQ(::link((folder / "precious").c_str(), (folder / "also").c_str()), 0);
    EXPECT_THAT(refusal_of("also"), HasSubstr("also' has another name, too"));
    EXPECT_EQ(read_text(folder / "precious"), "text");
}

TEST(FileLock, NamesTheUserWhoAloneMayOpenIt) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "another user's file needs root";
    }
    const TemporaryFolder folder;
    ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
    write_text(folder / "lock", "process 1 on here");
    ASSERT_EQ(::chmod((folder / "lock").c_str(), 0600), 0);
    constexpr uid_t nobody = 65534;
    ASSERT_EQ(::seteuid(nobody), 0);
    const std::string refusal =
        message_of<UsageError>([&] { FileLock(folder / "lock", "it", "me"); });
    ASSERT_EQ(::seteuid(0), 0);
    EXPECT_THAT(refusal, HasSubstr("lock' is user 0's, who alone may open it): remove that file"));
}

TEST(LockOwner, NamesProcessAndHost) {
    EXPECT_THAT(lock_owner(),
                testing::StartsWith("process " + std::to_string(::getpid()) + " on "));
}

}  // namespace
}  // namespace quartet
