#include "matmul/problem/matrix_files.hpp"

#include <gmock/gmock.h>

#include <memory>

#include "core/files/npy.hpp"
#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"

namespace quartet::matmul {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class MatrixFilesTest : public testing::Test {
  protected:
    MatrixFilesTest() {
        const auto alignment = static_cast<std::size_t>(direct_alignment);
        memory.resize(static_cast<std::size_t>(MatrixFiles::slot_bytes(problem).value) + alignment);
        void* begin = memory.data();
        std::size_t space = memory.size();
        const std::size_t wanted = memory.size() - alignment;
        slot = {static_cast<std::byte*>(std::align(alignment, wanted, begin, space)), wanted};
        const std::vector<float> values{1, 2, 3, 4, 5, 6};
        write_npy<float>(temporary / "A_0_1.npy", {3, 2}, values);
    }

    const Problem problem{5, 3};
    TemporaryFolder temporary;
    std::vector<std::byte> memory;
    std::span<std::byte> slot;
};

TEST_F(MatrixFilesTest, ReadsATileToItsOffsetInTheSlot) {
    for (const FileCache cache : {FileCache::warm, FileCache::drop, FileCache::direct}) {
        try {
            const MatrixFiles files(temporary.path(), problem, cache);
            const auto elements = files.read("A", {0, 1}, slot);
            EXPECT_THAT(elements, ElementsAre(1, 2, 3, 4, 5, 6));
            EXPECT_EQ(reinterpret_cast<const std::byte*>(elements.data()),
                      slot.data() + MatrixFiles::elements_offset.value);
        } catch (const FileError& error) {
            EXPECT_THAT(error.what(), HasSubstr("no direct input"));
        }
    }
}

TEST_F(MatrixFilesTest, WritesFilesThatNumPyReads) {
    const MatrixFiles files(temporary.path(), problem, FileCache::warm);
    const std::vector<float> corner{7, 8, 9, 10};
    files.write({1, 1}, corner);
    std::vector<float> found(4);
    read_npy<float>(temporary / "C_1_1.npy", {2, 2}, found);
    EXPECT_EQ(found, corner);
    EXPECT_THAT(files.read("C", {1, 1}, slot), ElementsAre(7, 8, 9, 10));
    files.remove({1, 1});
    files.remove({1, 1});
    EXPECT_FALSE(std::filesystem::exists(temporary / "C_1_1.npy"));
}

TEST_F(MatrixFilesTest, HidesATilePutAsideUntilItIsWritten) {
    const MatrixFiles files(temporary.path(), problem, FileCache::warm);
    const auto before = temporary.entries();
    files.put_aside({1, 1});  // nothing
    files.write({1, 1}, std::vector<float>{7, 8, 9, 10});
    files.put_aside({1, 1});
    EXPECT_THROW(files.read("C", {1, 1}, slot), FileError);
    files.write({1, 1}, std::vector<float>{1, 2, 3, 4});
    EXPECT_THAT(files.read("C", {1, 1}, slot), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(temporary.entries(), before + 1);
    std::filesystem::create_hard_link(temporary / "C_1_1.npy", temporary / "C_1_1.npy.spare");
    files.put_aside({1, 1});
    EXPECT_THROW(files.read("C", {1, 1}, slot), FileError);
    files.remove({1, 1});
    EXPECT_EQ(temporary.entries(), before);
}

TEST_F(MatrixFilesTest, NamesMissingAndDamagedFiles) {
    const MatrixFiles files(temporary.path(), problem, FileCache::warm);
    const auto complaint = [&](TileIndex tile) {
        return message_of<Failure>([&] { files.read("A", tile, slot); });
    };
    EXPECT_THAT(complaint({1, 0}), HasSubstr("A_1_0.npy"));
    const std::string sound = read_text(temporary / "A_0_1.npy");
    write_text(temporary / "A_0_1.npy", sound.substr(0, sound.size() - 1));
    EXPECT_THAT(complaint({0, 1}), AllOf(HasSubstr("A_0_1.npy"), HasSubstr("too short")));
    write_text(temporary / "A_0_1.npy", sound + "1234");
    EXPECT_THAT(complaint({0, 1}), AllOf(HasSubstr("A_0_1.npy"), HasSubstr("too long")));
    write_text(temporary / "A_0_1.npy", sound + std::string(10000, 'x'));
    EXPECT_THAT(complaint({0, 1}), HasSubstr("too long"));
    write_text(temporary / "A_0_1.npy", "");
    EXPECT_THAT(complaint({0, 1}), HasSubstr("not an .npy file"));
    EXPECT_THROW(MatrixFiles(temporary / "none", problem, FileCache::warm), FileError);
}

}  // namespace
}  // namespace quartet::matmul
