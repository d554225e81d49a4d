#include <algorithm>
#include <cstdint>
#include <limits>

#include "device/contract/contract.hpp"

namespace quartet::device {

namespace {

// Around the sizes where an allocator may change its way: cache line, page, huge page.
constexpr std::int64_t allocated_sizes[] = {
    1, 63, 64, 65, 4096, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 9 << 20};

bool aligned(const std::byte* data) {
    return reinterpret_cast<std::uintptr_t>(data) % 64 == 0;
}

}  // namespace

TEST_P(MemoryContract, IsAlignedToCacheLines) {
    for (const std::int64_t size : allocated_sizes) {
        const Allocation memory = device->allocate({size}, device->memory_kind());
        const Allocation pinned = device->allocate({size}, MemoryKind::pinned);

        EXPECT_TRUE(aligned(memory.data.get())) << size;
        EXPECT_TRUE(aligned(pinned.data.get())) << size;
        EXPECT_GE(memory.size, Bytes{size});
        EXPECT_EQ(memory.kind, device->memory_kind());
        EXPECT_EQ(pinned.kind, MemoryKind::pinned);
    }
}

TEST_P(MemoryContract, IsZeroedAlsoWhereMemoryIsUsedAgain) {
    for (int round = 0; round < 2; ++round) {
        for (const std::int64_t size : allocated_sizes) {
            Buffer<unsigned char> buffer = empty<unsigned char>(size);
            const std::vector<unsigned char> values = download(buffer.view());
            EXPECT_TRUE(std::ranges::all_of(values, [](int value) { return value == 0; })) << size;

            const Buffer<unsigned char> dirt =
                upload(std::vector<unsigned char>(static_cast<std::size_t>(size), 255));
            device->copy(as_bytes(dirt.view()), as_bytes(buffer.view()), *stream);
            stream->synchronize();
        }
    }
}

TEST_P(MemoryContract, RefusesAbsurdSizes) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();

    for (const MemoryKind kind : {device->memory_kind(), MemoryKind::host, MemoryKind::pinned}) {
        EXPECT_THROW(device->allocate({most}, kind), Failure);
        EXPECT_THROW(device->allocate({most / 2}, kind), Failure);
        EXPECT_THROW(device->allocate({std::int64_t{1} << 60}, kind), Failure);
        EXPECT_THROW(device->allocate({-1}, kind), Failure);
    }
    EXPECT_NO_THROW(device->allocate({4096}, device->memory_kind()));
}

INSTANTIATE_TEST_SUITE_P(Devices, MemoryContract, ::testing::ValuesIn(contract_devices()),
                         parameter_name);

}  // namespace quartet::device
