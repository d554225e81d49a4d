#include "device/cuda/runtime/cuda_memory.hpp"

#include <cstring>
#include <string>

#include "core/block_range.hpp"
#include "device/cuda/runtime/cuda_check.hpp"
#include "device/host/runtime/host_memory.hpp"
#include "system/memory/memory_limits.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

// Enough for scalars, partial sums, and staging memory of tests. Vectors and matrices are larger.
constexpr std::size_t largest_kept = std::size_t{8} << 20;
constexpr std::size_t granularity = 512;  // of cudaMalloc

std::size_t rounded(std::size_t size) {
    return (size + granularity - 1) / granularity * granularity;
}

Bytes as_bytes_amount(std::size_t size) {
    return {static_cast<std::int64_t>(size)};
}

// How much memory of a kind exists, and how much of it is free.
system::MemoryAmounts amount(MemoryKind kind) {
    if (kind != MemoryKind::device)
        return system::read_memory();
    std::size_t free = 0;
    std::size_t total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return {as_bytes_amount(total), as_bytes_amount(free)};
}

[[noreturn]] void refuse(Bytes size, MemoryKind kind) {
    const system::MemoryAmounts there = amount(kind);
    const bool on_gpu = kind == MemoryKind::device;
    throw Failure("cannot allocate " + to_string(size) +
                  (on_gpu ? " of GPU memory (" : " of page-locked host memory (") +
                  to_string(there.available) + " of " + to_string(there.total) +
                  " are free): use a smaller size or more " + (on_gpu ? "GPUs" : "nodes"));
}

/// Allocates a block from the system; null if there is not enough memory.
std::byte* allocate_from_system(std::size_t size, MemoryKind kind) {
    void* data = nullptr;
    const cudaError_t status = kind == MemoryKind::device
                                   ? cudaMalloc(&data, size)
                                   : cudaHostAlloc(&data, size, cudaHostAllocPortable);
    if (status == cudaErrorMemoryAllocation) {
        ignore(status);
        return nullptr;
    }
    cuda_check(status, kind == MemoryKind::device ? "cudaMalloc" : "cudaHostAlloc");
    return static_cast<std::byte*>(data);
}

/// Huge pages that all threads touch and CUDA then locks: cudaHostAlloc would touch pages of 4 KiB
/// with one thread. No memory if CUDA cannot lock pages that it did not allocate.
Allocation locked_host_memory(Bytes size, int threads) {
    auto memory =
        std::make_shared<Allocation>(allocate_host_memory(size, MemoryKind::pinned, threads));
    std::byte* const data = memory->data.get();
    const cudaError_t status =
        cudaHostRegister(data, static_cast<std::size_t>(size.value), cudaHostRegisterPortable);
    if (status != cudaSuccess) {
        ignore(status);
        return {};
    }
    const auto release = [memory](std::byte* locked) {
        ignore(cudaHostUnregister(locked));
        memory->data.reset();
    };
    return {{data, release}, size, MemoryKind::pinned};
}

void give_to_system(std::byte* data, MemoryKind kind) {
    ignore(kind == MemoryKind::device ? cudaFree(data) : cudaFreeHost(data));
}

}  // namespace

std::shared_ptr<CudaMemory> CudaMemory::make(int threads) {
    return std::shared_ptr<CudaMemory>(new CudaMemory(threads));
}

CudaMemory::CudaMemory(int threads) : threads_(threads) {
    cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
               "cudaStreamCreateWithFlags");
}

CudaMemory::~CudaMemory() {
    release_kept(MemoryKind::device);
    release_kept(MemoryKind::pinned);
    ignore(cudaStreamDestroy(stream_));
}

Allocation CudaMemory::allocate(Bytes size, MemoryKind kind) {
    check(size.value >= 0, "a negative amount of memory");
    if (kind == MemoryKind::host)
        return allocate_host_memory(size, kind, threads_);
    if (size.value == 0)
        return {{}, size, kind};
    // Some systems promise any amount of page-locked memory, and end the process that takes it.
    if (size > amount(kind).total)
        refuse(size, kind);
    if (kind == MemoryKind::pinned && size > as_bytes_amount(largest_kept)) {
        if (Allocation locked = locked_host_memory(size, threads_); locked.data)
            return locked;
    }
    const Block block = take(rounded(static_cast<std::size_t>(size.value)), kind);
    const auto release = [pool = shared_from_this(), block](std::byte*) { pool->give_back(block); };
    Allocation allocation{{block.data, release}, size, kind};
    zero(block);
    return allocation;
}

CudaMemory::Block CudaMemory::take(std::size_t size, MemoryKind kind) {
    auto& blocks = kept(kind);
    const auto found = blocks.find(size);
    if (found == blocks.end())
        return acquire(size, kind);
    const Block block{found->second, size, kind};
    blocks.erase(found);
    return block;
}

CudaMemory::Block CudaMemory::acquire(std::size_t size, MemoryKind kind) {
    std::byte* data = allocate_from_system(size, kind);
    if (data == nullptr) {
        release_kept(kind);
        data = allocate_from_system(size, kind);
    }
    if (data == nullptr)
        refuse(as_bytes_amount(size), kind);
    return {data, size, kind};
}

// Uses its own stream, and waits for it: non-blocking streams have no order among each other.
void CudaMemory::zero(const Block& block) const {
    if (block.kind == MemoryKind::device) {
        cuda_check(cudaMemsetAsync(block.data, 0, block.size, stream_), "cudaMemsetAsync");
        cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
        return;
    }
    const int parts = block.size > largest_kept ? threads_ : 1;
    system::parallel_parts(parts, [&block, parts](int part) {
        const Range range = block_range(static_cast<std::int64_t>(block.size), parts, part);
        std::memset(block.data + range.begin, 0, static_cast<std::size_t>(range.size()));
    });
}

void CudaMemory::copy_now(View<const std::byte> from, View<std::byte> to) const {
    check(from.size() == to.size(), "copy: source and target differ in size");
    if (from.empty())
        return;
    cuda_check(cudaMemcpyAsync(to.data(), from.data(), static_cast<std::size_t>(from.size()),
                               copy_kind(from.kind(), to.kind()), stream_),
               "cudaMemcpyAsync");
    cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

void CudaMemory::give_back(const Block& block) {
    if (block.size <= largest_kept)
        kept(block.kind).emplace(block.size, block.data);
    else
        give_to_system(block.data, block.kind);
}

void CudaMemory::release_kept(MemoryKind kind) {
    for (const auto& [size, data] : kept(kind))
        give_to_system(data, kind);
    kept(kind).clear();
}

cudaMemcpyKind copy_kind(MemoryKind from, MemoryKind to) {
    if (from == MemoryKind::device)
        return to == MemoryKind::device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
    return to == MemoryKind::device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost;
}

}  // namespace quartet::device
