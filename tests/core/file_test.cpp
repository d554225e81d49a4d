#include "core/file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <array>

#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet {
namespace {

using testing::HasSubstr;

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

TEST(OutputFile, ReplacesAFileThatIsThere) {
    const TemporaryFolder folder;
    write_text(folder / "a", "old and longer");
    OutputFile file(folder / "a");
    file.write(bytes("new"));
    EXPECT_EQ(read_text(folder / "a"), "old and longer");
    file.commit();
    EXPECT_EQ(read_text(folder / "a"), "new");
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
    const TemporaryFolder folder;
    { OutputFile(folder / "a").write(bytes("half")); }
    EXPECT_EQ(folder.entries(), 0);
}

TEST(OutputFile, AllowsTwoWritersOfOneName) {
    const TemporaryFolder folder;
    OutputFile first(folder / "a");
    OutputFile second(folder / "a");
    first.write(bytes("first"));
    second.write(bytes("second"));
    first.commit();
    second.commit();
    EXPECT_EQ(read_text(folder / "a"), "second");
    EXPECT_EQ(folder.entries(), 1);
}

TEST(OutputFile, RefusesAFolderThatIsMissing) {
    const TemporaryFolder folder;
    EXPECT_THROW(OutputFile(folder / "none/a"), FileError);
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

}  // namespace
}  // namespace quartet
