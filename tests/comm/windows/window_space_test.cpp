#include "comm/windows/window_space.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/message_of.hpp"
#include "core/temporary_folder.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class WindowSpaceTest : public testing::Test {
  protected:
    const Communicator world = Communicator::world();
};

TEST_F(WindowSpaceTest, IsRefusedOnAllRanksWhereOneRanksPartDoesNotFit) {
    if (!window_folder(WindowKind::shared)) {
        GTEST_SKIP() << "there is no folder for windows";
    }
    for (const WindowKind kind : {WindowKind::shared, WindowKind::remote}) {
        const Bytes part = world.rank() == world.size() - 1 ? gibibytes(1 << 30) : Bytes{};
        EXPECT_THAT(
            message_of<Failure>([&] { require_window_space(kind, part, RanksOfNodes(world)); }),
            AllOf(HasSubstr("--shm-size"), testing::Not(HasSubstr("\n"))));
        EXPECT_NO_THROW(require_window_space(kind, Bytes{}, RanksOfNodes(world)));
        EXPECT_THROW(Window(kind, part, world), Failure) << "and nobody hangs";
    }
}

TEST_F(WindowSpaceTest, IsRefusedAsAWholeWhereOneRanksPartDoesNotFit) {
    const Bytes part = world.rank() == world.size() - 1 ? gibibytes(1 << 30) : Bytes{};
    EXPECT_THROW(ReservedSpace(WindowKind::shared, part, world), Failure);
    EXPECT_NO_THROW(Window(WindowKind::shared, {5000}, world)) << "nothing is held";
}

TEST_F(WindowSpaceTest, PagesWithoutMemoryAreSaidAndNoSignal) {
    const std::int64_t page = system::page_bytes();
    const TemporaryFolder folder;
    write_text(folder / "file", std::string(static_cast<std::size_t>(page), 'x'));
    const int file = ::open((folder / "file").c_str(), O_RDWR);
    const auto size = static_cast<std::size_t>(page);
    void* const memory = ::mmap(nullptr, 2 * size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    ASSERT_NE(memory, MAP_FAILED);
    auto* const begin = static_cast<std::byte*>(memory);
    EXPECT_EQ(why_not_populated(begin, {}), std::nullopt);
    EXPECT_EQ(why_not_populated(begin, {1}), std::nullopt);
    EXPECT_EQ(why_not_populated(begin, {page}), std::nullopt);
    // Beyond the file's end a touch is a SIGBUS, as it is where the file system is full.
    if (::madvise(begin, size, 23) == 0) {  // MADV_POPULATE_WRITE, from Linux 5.14 on
        EXPECT_THAT(why_not_populated(begin, {page + 1}).value_or(""), HasSubstr("is full"));
    }
    ::munmap(memory, 2 * size);
}

}  // namespace
}  // namespace quartet::comm
