#include "device/host/runtime/memory_checksum.hpp"

#include <algorithm>
#include <atomic>

#include "core/files/checksum.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

}  // namespace

std::uint64_t memory_checksum(std::span<const std::byte> memory, int threads) {
    const std::size_t blocks = (memory.size() + block_bytes - 1) / block_bytes;
    const auto parts = static_cast<std::size_t>(threads);
    std::atomic<std::uint64_t> sum = memory.size();
    system::parallel_parts(threads, [&](int part) {
        std::uint64_t mine = 0;
        for (auto block = static_cast<std::size_t>(part); block < blocks; block += parts) {
            const std::size_t begin = block * block_bytes;
            const std::size_t size = std::min(block_bytes, memory.size() - begin);
            mine += checksum(memory.subspan(begin, size)) * (2 * block + 1);
        }
        sum += mine;
    });
    return sum;
}

}  // namespace quartet::device
