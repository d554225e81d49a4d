#include "device/host/runtime/host_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <new>

#include "core/files/checksum.hpp"
#include "system/memory/page.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

constexpr std::size_t allocation_alignment = 64;
using system::huge_page;

[[noreturn]] void refuse(Bytes size) {
    throw Failure("cannot allocate " + to_string(size) +
                  " of host memory (the system refuses): use a smaller size or more nodes");
}

Allocation allocate_small(std::size_t size, MemoryKind kind) {
    constexpr std::align_val_t alignment{allocation_alignment};
    auto* data = static_cast<std::byte*>(::operator new(size, alignment, std::nothrow));
    if (data == nullptr)
        refuse({static_cast<std::int64_t>(size)});
    std::memset(data, 0, size);
    return {{data, [](std::byte* memory) { ::operator delete(memory, alignment); }},
            {static_cast<std::int64_t>(size)},
            kind};
}

// The system takes a page from the NUMA node of the thread that touches it first: each thread
// touches the share of the range that it has in operations.
void touch(std::byte* data, std::size_t size, int threads) {
    const std::int64_t page = system::page_bytes();
    const std::int64_t all = system::whole_pages(static_cast<std::int64_t>(size), page);
    system::parallel_for(threads, all / page,
                         [=](std::int64_t number) { data[number * page] = std::byte{0}; });
}

// Successive arrays begin at the same offset in a huge page. Staggering them by pages and cache
// lines was measured to change nothing (c += b from 1 to 128 MiB, Zen 5).
Allocation allocate_large(std::size_t size, MemoryKind kind, int threads) {
    const std::size_t whole_pages = (size + huge_page - 1) / huge_page * huge_page;
    const std::size_t mapped = whole_pages + huge_page;  // room to align the beginning
    void* base =
        ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        refuse({static_cast<std::int64_t>(size)});
    const auto address = std::bit_cast<std::uintptr_t>(base);
    auto* data = static_cast<std::byte*>(base) + (huge_page - address % huge_page) % huge_page;
    // Advice: a kernel without huge pages refuses it, and the memory is as good.
    static_cast<void>(::madvise(data, whole_pages, MADV_HUGEPAGE));
    touch(data, size, threads);
    return {{data, [base, mapped](std::byte*) { ::munmap(base, mapped); }},
            {static_cast<std::int64_t>(size)},
            kind};
}

}  // namespace

Allocation allocate_host_memory(Bytes size, MemoryKind kind, int threads) {
    check(size.value >= 0, "a negative amount of memory");
    if (size.value > std::numeric_limits<std::int64_t>::max() / 2)
        refuse(size);
    if (size.value == 0)
        return {{}, size, kind};
    const auto count = static_cast<std::size_t>(size.value);
    return count < huge_page ? allocate_small(count, kind) : allocate_large(count, kind, threads);
}

std::uint64_t memory_checksum(std::span<const std::byte> memory, int threads) {
    constexpr std::size_t block_bytes = std::size_t{1} << 20;
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
