#include "device/memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace quartet::device {
namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

TEST(ViewTest, BytesAreNotSeenAsPartsOfElements) {
    alignas(8) std::array<std::byte, 24> memory{};
    const View<std::byte> bytes(memory.data(), 24, MemoryKind::host);

    EXPECT_EQ(view_as<double>(bytes.part(8, 16)).size(), 2);
    EXPECT_THROW(view_as<double>(bytes.part(0, 12)), Failure) << "one and a half";
    EXPECT_THROW(view_as<double>(bytes.part(4, 8)), Failure) << "not aligned";
    EXPECT_EQ(view_as<float>(bytes.part(4, 8)).size(), 2);
}

TEST(ViewTest, RefusesPartsOutside) {
    std::array<int, 5> values{};
    const View<int> view(values.data(), 5, MemoryKind::host);

    EXPECT_THROW((void)view.part(3, 3), Failure);
    EXPECT_THROW((void)view.part(-1, 2), Failure);
    EXPECT_THROW((void)view.part(0, -1), Failure);
    EXPECT_THROW((void)view.part(6, 0), Failure);
    EXPECT_THROW((void)view.part(huge, 1), Failure);
    EXPECT_THROW((void)view.part(1, huge), Failure);
}

TEST(ViewTest, GivesNoSpanOfDeviceMemory) {
    std::array<int, 2> values{};
    const View<int> view(values.data(), 2, MemoryKind::device);

    EXPECT_THROW((void)view.span(), Failure);
    EXPECT_THROW((void)view.part(0, 1).span(), Failure);
}

}  // namespace
}  // namespace quartet::device
