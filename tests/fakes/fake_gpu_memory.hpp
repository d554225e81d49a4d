#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/units.hpp"
#include "fakes/fake_gpu_node.hpp"

namespace quartet::device {

/// What a process has of the memory of the fake's GPUs. What cudaMalloc returns lies in a range
/// that the CPU may not touch: it would die at once. Kernels and copies find the same bytes
/// elsewhere, by on_cpu(). The memory is a file without a name, so that other processes can map it,
/// too; freed addresses never come back. Memory of the CPU is reachable from kernels where it is
/// page-locked, as on a GPU.
///
/// Allocations end at a page that nobody may touch, but for less than one alignment; what lies
/// between, and before them, is guarded: damage() tells who has written there.
class FakeGpuMemory {
  public:
    static FakeGpuMemory& of_process();
    /// The node, which outlives it, counts what each GPU has given.
    explicit FakeGpuMemory(FakeGpuNode& node);
    FakeGpuMemory(const FakeGpuMemory&) = delete;
    FakeGpuMemory& operator=(const FakeGpuMemory&) = delete;

    /// Of the calling thread's GPU. Full of rubbish, bytes that are NaN in every floating type;
    /// null if there is not so much left.
    std::byte* allocate(std::size_t size);
    /// False for what is no allocation's beginning.
    bool release(const void* address);

    /// Which allocation something was written beyond, or before; nothing if all are whole.
    [[nodiscard]] std::optional<std::string> damage() const;

    [[nodiscard]] bool is_on_gpu(const void* address) const;
    /// Where a kernel finds the bytes behind an address: memory of the GPU in the copy that may be
    /// touched, page-locked memory where it is. What a kernel cannot reach is an address that
    /// nobody may touch; null stays null.
    [[nodiscard]] std::byte* on_cpu(const void* address) const;

    /// Page-locks memory of the CPU. False if some of it is locked already.
    bool lock(const void* begin, std::size_t size);
    /// False for what is no locked memory's beginning.
    bool unlock(const void* begin);

    /// What other processes need to map an allocation.
    struct Handle {
        std::int64_t process = 0;
        std::int64_t file = 0;
        std::int64_t offset = 0;
        std::int64_t size = 0;
        std::int64_t before = 0;  ///< bytes from the offset to the allocation's first
        std::int64_t gpu = 0;
        auto operator<=>(const Handle&) const = default;
    };
    /// Of the allocation that begins there; size 0 if none does.
    [[nodiscard]] Handle handle_of(const void* address) const;
    /// Maps another process's allocation, or counts once more one that is mapped already; null
    /// where it cannot be had, as in the process that it belongs to.
    std::byte* open(const Handle& handle);
    /// False for what was not opened.
    bool close(const void* address);

    /// Of each GPU.
    [[nodiscard]] std::size_t total() const { return total_; }
    /// Of the calling thread's GPU.
    [[nodiscard]] std::size_t free() const;

  private:
    /// What an allocation takes: pages, some of whose bytes are not its own.
    struct Block {
        const std::byte* begin = nullptr;
        std::size_t bytes = 0;  ///< of whole pages
        std::size_t size = 0;   ///< as asked for
        int gpu = 0;
    };
    struct Opened {
        std::byte* address = nullptr;
        int count = 0;
    };

    template <typename Use>
    void for_each_guard(const std::byte* address, const Block& block, Use use) const;
    std::byte* map(int file, std::int64_t offset, std::size_t size);
    void unmap(const std::byte* address, std::size_t size);

    FakeGpuNode& node_;
    mutable std::mutex mutex_;
    std::byte* guarded_;    ///< what programs see: nobody may touch it
    std::byte* touchable_;  ///< the same as the fake sees it, as far as it is allocated
    int file_;              ///< as large as the range; holes where nothing is allocated
    std::size_t next_;      ///< bytes of the range that have been given out
    std::size_t total_;     ///< of each GPU
    /// Of addresses: QUARTET_STAND_IN_ALIGNMENT, or the 256 bytes that CUDA promises; less leaves
    /// less between an allocation and its guard.
    std::size_t alignment_;
    std::map<const std::byte*, Block> blocks_;        ///< allocations
    std::map<const std::byte*, std::size_t> locked_;  ///< sizes of locked memory of the CPU
    std::map<Handle, Opened> opened_;
};

/// Where a kernel finds what `pointer` points to.
template <typename T>
T* on_cpu(T* pointer) {
    return reinterpret_cast<T*>(FakeGpuMemory::of_process().on_cpu(pointer));
}

}  // namespace quartet::device
