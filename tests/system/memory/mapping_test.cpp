#include "system/memory/mapping.hpp"

#include <gtest/gtest.h>

namespace quartet::system {
namespace {

TEST(Mapping, IsReadFromItsLine) {
    const auto found = mapping_of("7f3a00000000-7f3a08002000 rw-s 00001000 00:1a 42  /dev/shm/x");

    ASSERT_TRUE(found);
    EXPECT_EQ(found->begin, 0x7f3a00000000U);
    EXPECT_EQ(found->end, 0x7f3a08002000U);
    EXPECT_EQ(found->offset, 0x1000U);
    EXPECT_TRUE(found->contains(0x7f3a08001fffU));
    EXPECT_FALSE(found->contains(0x7f3a08002000U));
    EXPECT_FALSE(found->contains(0x7f39ffffffffU));
}

TEST(Mapping, IsNotInOtherLines) {
    for (const char* line : {"", "AnonHugePages:      2048 kB", "Size:  4 kB", "7f3a-", "7f3a-7f3b",
                             "7f3a-7f3b rw-s", "7f3a-7f3b rw-s 0", "VmFlags: rd wr sh mr"}) {
        EXPECT_FALSE(mapping_of(line)) << line;
    }
}

}  // namespace
}  // namespace quartet::system
