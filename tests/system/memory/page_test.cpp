#include "system/memory/page.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <bit>
#include <cerrno>
#include <cstddef>

namespace quartet::system {
namespace {

TEST(Page, IsWhatTheSystemMaps) {
    const auto page = static_cast<std::size_t>(page_bytes());
    ASSERT_TRUE(std::has_single_bit(page));
    void* const memory =
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto* const begin = static_cast<std::byte*>(memory);
    EXPECT_EQ(mprotect(begin + page, page, PROT_READ), 0);
    EXPECT_EQ(mprotect(begin + page / 2, page, PROT_READ), -1) << "half a page has no rights";
    EXPECT_EQ(errno, EINVAL);
    munmap(memory, 2 * page);
}

TEST(Page, WholePagesHoldWhatTheyShould) {
    for (const std::int64_t page : {4096, 16384, 65536}) {
        EXPECT_EQ(whole_pages(0, page), 0);
        EXPECT_EQ(whole_pages(1, page), page);
        EXPECT_EQ(whole_pages(page, page), page);
        EXPECT_EQ(whole_pages(page + 1, page), 2 * page);
        EXPECT_EQ(whole_pages(page * 1000000 - 1, page), page * 1000000);
    }
}

}  // namespace
}  // namespace quartet::system
