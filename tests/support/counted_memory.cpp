#include "support/counted_memory.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

// Global, as the operators below are.
std::atomic<long> calls = 0;
std::atomic<std::int64_t> held = 0;
std::atomic<std::int64_t> peak = 0;

// The size is kept in front of the memory.
void* allocate(std::size_t size, std::size_t alignment) {
    const std::size_t front = std::max(alignment, sizeof size);
    const std::size_t whole = (front + size + alignment - 1) / alignment * alignment;
    auto* base = static_cast<char*>(std::aligned_alloc(alignment, whole));
    if (base == nullptr)
        return nullptr;
    std::memcpy(base, &size, sizeof size);
    held += static_cast<std::int64_t>(size);
    peak = std::max(peak.load(), held.load());
    return base + front;
}

void release(void* memory, std::size_t alignment) {
    if (memory == nullptr)
        return;
    std::size_t size = 0;
    char* base = static_cast<char*>(memory) - std::max(alignment, sizeof size);
    std::memcpy(&size, base, sizeof size);
    held -= static_cast<std::int64_t>(size);
    std::free(base);
}

}  // namespace

void* operator new(std::size_t size) {
    ++calls;
    if (void* memory = std::malloc(size))
        return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {  // std::stable_sort's
    ++calls;
    return std::malloc(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

void* operator new(std::size_t size, std::align_val_t alignment) {
    if (void* memory = allocate(size, static_cast<std::size_t>(alignment)))
        return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory, std::align_val_t alignment) noexcept {
    release(memory, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
    release(memory, static_cast<std::size_t>(alignment));
}

namespace quartet::device {

long allocations() {
    return calls;
}

std::int64_t buffer_bytes() {
    return held;
}

std::int64_t buffer_bytes_peak() {
    return peak;
}

void restart_buffer_peak() {
    peak = held.load();
}

}  // namespace quartet::device
