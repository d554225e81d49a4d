#include "device/host/runtime/memory_checksum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace quartet::device {
namespace {

constexpr std::size_t block = std::size_t{1} << 20;

// Three whole blocks and some bytes.
std::vector<std::byte> some_memory() {
    std::vector<std::byte> memory(3 * block + 17);
    for (std::size_t i = 0; i < memory.size(); ++i) {
        memory[i] = static_cast<std::byte>(i * i % 251);
    }
    return memory;
}

TEST(MemoryChecksum, IsTheSameForAnyNumberOfThreads) {
    const auto memory = some_memory();
    const std::uint64_t sum = memory_checksum(memory, 1);
    for (const int threads : {2, 3, 8}) {
        EXPECT_EQ(memory_checksum(memory, threads), sum) << threads;
    }
}

TEST(MemoryChecksum, TellsAnyBit) {
    auto memory = some_memory();
    const std::uint64_t sum = memory_checksum(memory, 1);
    for (const std::size_t byte :
         {std::size_t{0}, block - 1, block, 2 * block + 5, 3 * block + 16}) {
        for (int bit = 0; bit < 8; ++bit) {
            memory[byte] ^= std::byte{1} << bit;
            EXPECT_NE(memory_checksum(memory, 1), sum) << byte << ", " << bit;
            memory[byte] ^= std::byte{1} << bit;
        }
    }
    EXPECT_EQ(memory_checksum(memory, 1), sum);
}

}  // namespace
}  // namespace quartet::device
