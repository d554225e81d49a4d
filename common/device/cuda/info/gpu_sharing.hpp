#pragma once

#include <array>
#include <cstddef>

#include "device/memory.hpp"

namespace quartet::device {

/// What another process of the node needs to map memory of a GPU (cudaIpcMemHandle_t, CUDA Runtime
/// API, 6.11).
struct GpuMemoryHandle {
    std::array<std::byte, 64> bytes{};
};

/// What is exported is best a multiple of it: processes get the whole blocks that an allocation
/// lies in, with whatever else lies there.
inline constexpr Bytes exported_block = mebibytes(2);

/// The handle of a whole allocation of a CUDA device. Throws Failure where the system has none.
GpuMemoryHandle export_memory(const Allocation& allocation);

/// `size` bytes of another process's memory, mapped until released: before the other process
/// releases them. Throws Failure where they cannot be mapped; a process cannot map its own.
Allocation import_memory(const GpuMemoryHandle& handle, Bytes size);

/// Ordinary memory of the CPU, page-locked while this lives: the GPU copies to and from it at full
/// speed, and beside other work.
class PageLock {
  public:
    /// Throws Failure where the system refuses. Nothing is done for no memory.
    explicit PageLock(View<std::byte> memory);
    ~PageLock();
    PageLock(PageLock&& other) noexcept;
    PageLock& operator=(PageLock&& other) = delete;

  private:
    std::byte* begin_ = nullptr;
};

}  // namespace quartet::device
