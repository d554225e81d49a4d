#include "device/memory.hpp"

#include <gmock/gmock.h>

#include <array>
#include <limits>
#include <vector>

namespace quartet::device {
namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

/// Memory that counts how often it was released.
Allocation counted_allocation(Bytes size, MemoryKind kind, int& released) {
    auto* data = new std::byte[static_cast<std::size_t>(size.value)]();
    return {{data,
             [&released](std::byte* memory) {
                 ++released;
                 delete[] memory;
             }},
            size,
            kind};
}

TEST(ViewTest, BytesAreNotSeenAsPartsOfElements) {
    alignas(8) std::array<std::byte, 24> memory{};
    const View<std::byte> bytes(memory.data(), 24, MemoryKind::host);

    EXPECT_EQ(view_as<double>(bytes.part(8, 16)).size(), 2);
    EXPECT_THROW(view_as<double>(bytes.part(0, 12)), Failure) << "one and a half";
    EXPECT_THROW(view_as<double>(bytes.part(4, 8)), Failure) << "not aligned";
    EXPECT_EQ(view_as<float>(bytes.part(4, 8)).size(), 2);
}

TEST(ViewTest, PartsBorrowTheSameMemory) {
    std::array<int, 5> values{0, 1, 2, 3, 4};
    const View<int> view(values.data(), 5, MemoryKind::host);

    view.part(1, 3).span()[0] = 7;

    EXPECT_THAT(view.part(1, 3).span(), testing::ElementsAre(7, 2, 3));
    EXPECT_EQ(values[1], 7);
    EXPECT_TRUE(view.part(5, 0).empty());
    EXPECT_EQ(view.part(0, 5).size(), 5);
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

TEST(BufferTest, ReleasesItsMemoryOnceAlsoAfterMoves) {
    int released = 0;
    {
        Buffer<int> first(counted_allocation({8}, MemoryKind::host, released), 2);
        first.span()[1] = 9;
        Buffer<int> second = std::move(first);
        EXPECT_EQ(second.span()[1], 9);
        EXPECT_EQ(released, 0);
    }
    EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace quartet::device
