#include "core/files/file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>

#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
}

TEST(InputFile, ReadsAnyRangeAndStopsAtTheEnd) {
    const TemporaryFolder folder;
    write_text(folder / "a", "0123456789");
    const InputFile file(folder / "a");
    std::array<char, 4> out{};

    EXPECT_EQ(file.size(), Bytes{10});
    EXPECT_EQ(file.read(Bytes{3}, std::as_writable_bytes(std::span(out))), Bytes{4});
    EXPECT_EQ(std::string(out.data(), 4), "3456");
    EXPECT_EQ(file.read(Bytes{8}, std::as_writable_bytes(std::span(out))), Bytes{2});
    EXPECT_EQ(file.read(Bytes{10}, std::as_writable_bytes(std::span(out))), Bytes{0});
}

TEST(InputFile, RefusesWhatIsNoFile) {
    const TemporaryFolder folder;
    const std::string missing = message_of<FileError>([&] { InputFile(folder / "none"); });
    EXPECT_THAT(missing, HasSubstr("none' (No such file or directory): "));
    EXPECT_THROW(InputFile(folder.path()), FileError);
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_THROW(InputFile(folder / "pipe"), FileError) << "or hangs";
}

TEST(Contents, AreOfBoundedSize) {
    const TemporaryFolder folder;
    write_text(folder / "a", "0123456789");
    EXPECT_EQ(contents(folder / "a"), "0123456789");
    // Sparse: it takes no space, and would take all memory.
    std::filesystem::resize_file(folder / "a", std::uintmax_t{1} << 40);
    EXPECT_THAT(message_of<FileError>([&] { contents(folder / "a"); }),
                HasSubstr("it has 1 TiB, more than 256 MiB"));
}

TEST(OutputFile, AppearsWhenCommitted) {
    const TemporaryFolder folder;
    OutputFile file(folder / "a");
    file.write(bytes("one "));
    file.write(bytes("two"));
    EXPECT_FALSE(std::filesystem::exists(folder / "a"));
    file.commit();
    EXPECT_EQ(read_text(folder / "a"), "one two");
    EXPECT_EQ(folder.entries(), 1);
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
    const TemporaryFolder folder;
    { OutputFile(folder / "a").write(bytes("half")); }
    EXPECT_EQ(folder.entries(), 0);
}

TEST(OutputFile, WritesOverASpareOfAnyLength) {
    const TemporaryFolder folder;
    for (const std::string_view old : {"", "old", "an older and longer text"}) {
        write_text(folder / "spare", old);
        struct stat before {};
        ASSERT_EQ(::stat((folder / "spare").c_str(), &before), 0);
        OutputFile file(folder / "a", folder / "spare");
        file.write(bytes("new text"));
        file.commit();
        struct stat after {};
        ASSERT_EQ(::stat((folder / "a").c_str(), &after), 0);
        EXPECT_EQ(after.st_ino, before.st_ino);
        EXPECT_EQ(read_text(folder / "a"), "new text");
        EXPECT_EQ(folder.entries(), 1);
    }
}

TEST(OutputFile, DoesNotWriteThroughTheLinksOfASpare) {
    const TemporaryFolder folder;
    write_text(folder / "precious", "precious");
    const auto write_beside = [&] {
        OutputFile file(folder / "a", folder / "spare");
        file.write(bytes("new"));
        file.commit();
        EXPECT_EQ(read_text(folder / "a"), "new");
        EXPECT_EQ(read_text(folder / "precious"), "precious");
        EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(folder / "spare")));
    };
    std::filesystem::create_symlink(folder / "precious", folder / "spare");
    write_beside();
    std::filesystem::create_hard_link(folder / "precious", folder / "spare");
    write_beside();
    ASSERT_EQ(::mkfifo((folder / "spare").c_str(), 0600), 0);
    write_beside();
}

TEST(OutputFile, LeavesNothingWhereItCannotBeRenamed) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "a");
    EXPECT_THROW(
        {
            OutputFile file(folder / "a");
            file.commit();
        },
        FileError);
    EXPECT_EQ(folder.entries(), 1);
}

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

TEST(WriteAside, FailsWhereItCannotWrite) {
    const TemporaryFolder folder;
    EXPECT_THROW(write_aside(folder / "missing/results.json", "text"), Failure);
    std::filesystem::create_directory(folder / "taken");
    EXPECT_THROW(write_aside(folder / "taken", "text"), Failure);
    EXPECT_EQ(folder.entries(), 1) << "nothing is left aside";
}

}  // namespace
}  // namespace quartet
