#include "support/counted_new.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> calls = 0;  // global, as the operators below are

}  // namespace

void* operator new(std::size_t size) {
    ++calls;
    if (void* memory = std::malloc(size))
        return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace quartet::device {

long allocations() {
    return calls;
}

}  // namespace quartet::device
