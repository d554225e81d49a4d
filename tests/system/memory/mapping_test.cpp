#include "system/memory/mapping.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <span>

#include "system/memory/page.hpp"

// UCX, which some MPIs load, puts its own mremap in the place of libc's, for the whole process: it
// loses where the mapping shall be.
extern "C" void* mremap(void* old, std::size_t old_size, std::size_t size, int flags,
                        ...) noexcept {
    const long address = syscall(SYS_mremap, old, old_size, size, flags & ~MREMAP_FIXED);
    return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

namespace quartet::system {
namespace {

const auto system_page = static_cast<std::size_t>(page_bytes());

/// Shared memory, eight huge pages long.
class HugeViewTest : public testing::Test {
  protected:
    void SetUp() override {
        void* const mapped =
            mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(mapped, MAP_FAILED);
        memory = {static_cast<std::byte*>(mapped), size};
    }
    void TearDown() override { munmap(memory.data(), memory.size()); }

    static constexpr std::size_t size = 8 * huge_page;
    std::span<std::byte> memory;
};

TEST_F(HugeViewTest, IsTheSameMemoryWhereHugePagesCanBegin) {
    for (const std::size_t first : {std::size_t{0}, system_page, 3 * huge_page - system_page}) {
        const std::span<std::byte> part = memory.subspan(first, 4 * huge_page + 100);
        std::ranges::fill(memory, std::byte{7});

        const HugeView view(part.data(), static_cast<std::int64_t>(part.size()));
        const auto address = reinterpret_cast<std::uintptr_t>(view.data());
        EXPECT_EQ((address - first) % huge_page, 0U);
        EXPECT_NE(view.data(), part.data());
        view.data()[5] = std::byte{1};
        part.back() = std::byte{2};
        view.collapse();

        EXPECT_EQ(part[5], std::byte{1});
        EXPECT_EQ(view.data()[part.size() - 1], std::byte{2});
        EXPECT_EQ(std::count(view.data(), view.data() + part.size(), std::byte{7}),
                  static_cast<std::ptrdiff_t>(part.size() - 2));
        view.data()[6] = std::byte{3};
        EXPECT_EQ(part[6], std::byte{3});
    }
}

TEST_F(HugeViewTest, LeavesTheMemoryWhenItGoes) {
    std::optional<HugeView> view(std::in_place, memory.data(), std::int64_t{size});
    view->data()[huge_page] = std::byte{9};
    view->collapse();

    HugeView moved(std::move(*view));
    view.reset();
    EXPECT_EQ(moved.data()[huge_page], std::byte{9});
    EXPECT_EQ(memory[huge_page], std::byte{9});
}

TEST_F(HugeViewTest, OfWhatCannotBeMappedAgainIsTheMemoryItself) {
    // Beyond the mapping's end.
    const HugeView view(memory.data() + huge_page, std::int64_t{size});
    view.collapse();

    EXPECT_EQ(view.data(), memory.data() + huge_page);
}

}  // namespace
}  // namespace quartet::system
