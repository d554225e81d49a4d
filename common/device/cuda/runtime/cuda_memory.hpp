#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <map>
#include <memory>

#include "device/memory.hpp"

namespace quartet::device {

/// Memory of one GPU, and page-locked memory of the CPU: plain cudaMalloc, and cudaHostAlloc or,
/// for large blocks, cudaHostRegister; never managed. Small blocks that are given back are kept for
/// the next allocation of their size; large ones go back to the system at once, so that libraries
/// and other ranks on the same GPU can have them. Allocations share the pool, and may outlive its
/// maker.
class CudaMemory : public std::enable_shared_from_this<CudaMemory> {
  public:
    /// Memory of the calling thread's current GPU. `threads` threads touch new memory of the CPU.
    static std::shared_ptr<CudaMemory> make(int threads);
    ~CudaMemory();
    CudaMemory(const CudaMemory&) = delete;
    CudaMemory& operator=(const CudaMemory&) = delete;

    /// Zeroed memory, aligned to 256 bytes (MemoryKind::host: to 64); no memory for size 0. Throws
    /// Failure for negative sizes, and if there is not enough memory.
    Allocation allocate(Bytes size, MemoryKind kind);

    /// Copies between memory of any kind, and returns when that is done: not for timed steps.
    /// Throws Failure if the sizes differ.
    void copy_now(View<const std::byte> from, View<std::byte> to) const;

  private:
    struct Block {
        std::byte* data = nullptr;
        std::size_t size = 0;
        MemoryKind kind = MemoryKind::device;
    };

    explicit CudaMemory(int threads);
    [[nodiscard]] Block take(std::size_t size, MemoryKind kind);
    [[nodiscard]] Block acquire(std::size_t size, MemoryKind kind);
    void zero(const Block& block) const;
    void give_back(const Block& block);
    void release_kept(MemoryKind kind);
    std::multimap<std::size_t, std::byte*>& kept(MemoryKind kind) {
        return kind == MemoryKind::device ? kept_device_ : kept_pinned_;
    }

    int threads_;
    cudaStream_t stream_ = nullptr;  ///< for zeroing and copy_now()
    std::multimap<std::size_t, std::byte*> kept_device_;
    std::multimap<std::size_t, std::byte*> kept_pinned_;
};

/// CUDA's name for the direction of a copy (cudaMemcpyAsync).
cudaMemcpyKind copy_kind(MemoryKind from, MemoryKind to);

}  // namespace quartet::device
