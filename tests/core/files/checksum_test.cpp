#include "core/files/checksum.hpp"

#include <gtest/gtest.h>

#include <string>

namespace quartet {
namespace {

std::uint64_t checksum_of(std::string_view text) {
    return checksum(std::as_bytes(std::span(text)));
}

TEST(Checksum, IsXxh3) {
    // XXH3_64bits of nothing, from the specification of XXH3.
    EXPECT_EQ(checksum_of(""), 0x2d06800538d394c2U);
}

}  // namespace
}  // namespace quartet
