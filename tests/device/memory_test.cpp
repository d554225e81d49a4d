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

TEST(ViewTest, IsEmptyByDefault) {
    const View<float> view;

    EXPECT_TRUE(view.empty());
    EXPECT_EQ(view.data(), nullptr);
    EXPECT_TRUE(view.span().empty());
}

TEST(ViewTest, KnowsItsBytes) {
    std::array<double, 3> values{};
    const View<double> view(values.data(), 3, MemoryKind::host);

    EXPECT_EQ(view.bytes(), Bytes{24});
    EXPECT_EQ(as_bytes(view).size(), 24);
}

TEST(ViewTest, BytesAreSeenAsElements) {
    std::array<double, 3> values{1, 2, 3};
    const View<double> view(values.data(), 3, MemoryKind::pinned);

    const View<double> seen = view_as<double>(as_bytes(view));
    const View<const double> constant = view_as<double>(as_bytes(View<const double>(view)));

    EXPECT_EQ(seen.data(), values.data());
    EXPECT_EQ(seen.kind(), MemoryKind::pinned);
    EXPECT_THAT(constant.span(), testing::ElementsAre(1, 2, 3));
    EXPECT_TRUE(view_as<double>(View<std::byte>()).empty());
}

TEST(ViewTest, BytesAreNotSeenAsPartsOfElements) {
    alignas(8) std::array<std::byte, 24> memory{};
    const View<std::byte> bytes(memory.data(), 24, MemoryKind::host);

    EXPECT_EQ(view_as<double>(bytes.part(8, 16)).size(), 2);
    EXPECT_THROW(view_as<double>(bytes.part(0, 12)), Failure) << "one and a half";
    EXPECT_THROW(view_as<double>(bytes.part(4, 8)), Failure) << "not aligned";
    EXPECT_EQ(view_as<float>(bytes.part(4, 8)).size(), 2);
}

TEST(ViewTest, BecomesAViewOfConstants) {
    std::array<int, 2> values{4, 5};
    const View<int> view(values.data(), 2, MemoryKind::pinned);

    const View<const int> constants = view;

    EXPECT_THAT(constants.span(), testing::ElementsAre(4, 5));
    EXPECT_EQ(constants.kind(), MemoryKind::pinned);
    EXPECT_EQ(as_bytes(constants).kind(), MemoryKind::pinned);
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

TEST(BufferTest, IsEmptyByDefault) {
    Buffer<double> buffer;

    EXPECT_EQ(buffer.size(), 0);
    EXPECT_TRUE(buffer.view().empty());
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

TEST(BufferTest, KeepsTheKindOfItsMemory) {
    int released = 0;
    const Buffer<int> buffer(counted_allocation({8}, MemoryKind::device, released), 2);

    EXPECT_EQ(buffer.view().kind(), MemoryKind::device);
    EXPECT_THROW((void)buffer.span(), Failure);
}

TEST(BufferTest, MayBeSmallerThanItsMemory) {
    int released = 0;
    const Buffer<int> buffer(counted_allocation({11}, MemoryKind::host, released), 2);

    EXPECT_EQ(buffer.view().bytes(), Bytes{8});
}

TEST(BufferTest, RefusesToBeLargerThanItsMemory) {
    int released = 0;

    EXPECT_THROW(Buffer<int>(counted_allocation({8}, MemoryKind::host, released), 3), Failure);
    EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace quartet::device
