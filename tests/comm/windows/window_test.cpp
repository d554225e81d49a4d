#include "comm/windows/window.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "comm/mpi/mpi_session.hpp"
#include "system/memory/page.hpp"

namespace quartet::comm {
namespace {

class WindowTest : public testing::Test {
  protected:
    // Of different sizes, on the second rank (where there is one) nothing.
    static Bytes size_on(int rank) { return {rank == 1 ? 0 : 5000 + 4097 * rank}; }

    const Communicator world = Communicator::world();
    const int rank = world.rank();
    const int size = world.size();
};

TEST_F(WindowTest, PartsBeginOnPagesAndAreZeroed) {
    const std::int64_t page = system::page_bytes();
    for (const WindowKind kind : {WindowKind::shared, WindowKind::remote}) {
        const Window window(kind, size_on(rank), world);

        EXPECT_EQ(
            static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(window.local())) % page, 0);
        EXPECT_EQ(window.size(), size_on(rank));
        std::byte* end = window.local() + window.size().value;
        EXPECT_EQ(std::count(window.local(), end, std::byte{0}), window.size().value);
    }
}

TEST_F(WindowTest, PeersLoadAndStoreEachOthersSharedParts) {
    const Window window(WindowKind::shared, size_on(rank), world);
    const auto mark_of = [](int r) { return static_cast<std::byte>(r + 1); };
    std::memset(window.local(), std::to_integer<int>(mark_of(rank)),
                static_cast<std::size_t>(window.size().value));
    world.barrier();

    for (int r = 0; r < size; ++r) {
        const std::byte* part = window.part_of(r);
        EXPECT_EQ(std::count(part, part + size_on(r).value, mark_of(r)), size_on(r).value) << r;
    }
    world.barrier();
    const int next = (rank + 1) % size;
    if (size_on(next).value > 0) {
        window.part_of(next)[size_on(next).value - 1] = std::byte{99};
    }
    world.barrier();
    if (window.size().value > 0) {
        EXPECT_EQ(window.local()[window.size().value - 1], std::byte{99});
    }
}

// Counts how often windows are freed: MPI then deletes their attributes.
class FreeCounter {
  public:
    FreeCounter() {
        check_mpi(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_one, &key_, nullptr));
    }
    ~FreeCounter() { MPI_Win_free_keyval(&key_); }
    FreeCounter(const FreeCounter&) = delete;
    FreeCounter& operator=(const FreeCounter&) = delete;

    void watch(const Window& window) {
        check_mpi(MPI_Win_set_attr(window.handle(), key_, &count_));
    }
    [[nodiscard]] int count() const { return count_; }

  private:
    static int count_one(MPI_Win, int, void* counter, void*) {
        ++*static_cast<int*>(counter);
        return MPI_SUCCESS;
    }

    int key_ = MPI_KEYVAL_INVALID;
    int count_ = 0;
};

TEST_F(WindowTest, IsNotFreedWhileAnExceptionUnwinds) {
    // Freeing is collective: where one rank alone unwinds, it would wait for the others for ever.
    FreeCounter frees;
    MPI_Win left_over = MPI_WIN_NULL;
    try {
        const Window window(WindowKind::shared, {10}, world);
        frees.watch(window);
        left_over = window.handle();
        throw std::runtime_error("unwinding");
    } catch (const std::runtime_error&) {
        EXPECT_EQ(frees.count(), 0);
    }
    // Open MPI 5 frees it when it finalises, and would count where `frees` has been.
    check_mpi(MPI_Win_unlock_all(left_over));
    check_mpi(MPI_Win_free(&left_over));
}

/// Memory straight from the system, with two mebibytes inside that begin on a huge page's boundary.
class Mapping {
  public:
    explicit Mapping(int flags) {
        void* address = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);
        if (address == MAP_FAILED) {
            throw std::runtime_error("no memory");
        }
        base_ = static_cast<std::byte*>(address);
    }
    ~Mapping() { munmap(base_, length); }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    [[nodiscard]] std::byte* huge_page() const {
        const auto address = reinterpret_cast<std::uintptr_t>(base_);
        return base_ + (huge - address % huge) % huge;
    }

    static constexpr std::size_t huge = std::size_t{2} << 20;

  private:
    static constexpr std::size_t length = 2 * huge;
    std::byte* base_;
};

TEST(HugePages, AreSeenWhereTheKernelHasPutThem) {
    constexpr int collapse_now = 25;  // MADV_COLLAPSE, of Linux 6.1: whatever the settings say
    const Mapping mapping(MAP_PRIVATE);
    std::memset(mapping.huge_page(), 1, Mapping::huge);
    if (madvise(mapping.huge_page(), Mapping::huge, collapse_now) != 0) {
        GTEST_SKIP() << "this kernel gives no huge page on request: " << std::strerror(errno);
    }

    EXPECT_TRUE(on_huge_pages(mapping.huge_page()));
    EXPECT_TRUE(on_huge_pages(mapping.huge_page() + Mapping::huge - 1));
}

}  // namespace
}  // namespace quartet::comm
