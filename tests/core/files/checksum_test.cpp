#include "core/files/checksum.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quartet {
namespace {

std::uint64_t checksum_of(std::string_view text) {
    return checksum(std::as_bytes(std::span(text)));
}

TEST(Checksum, IsXxh3) {
    // XXH3_64bits of nothing, from the specification of XXH3.
    EXPECT_EQ(checksum_of(""), 0x2d06800538d394c2U);
}

TEST(Checksum, ChangesWithAnyByteAndTheLength) {
    const std::string text(10000, 'x');
    std::string changed = text;
    changed[7777] = 'y';
    EXPECT_EQ(checksum_of(text), checksum_of(std::string(10000, 'x')));
    EXPECT_NE(checksum_of(text), checksum_of(changed));
    EXPECT_NE(checksum_of(text), checksum_of(text + "x"));
}

}  // namespace
}  // namespace quartet
