#pragma once

// CUDA's copies to shared memory that a thread goes on beside. Each is done when its thread waits
// for it, not before: what should have waited finds rubbish.

#include <cstddef>
#include <cstring>
#include <map>
#include <vector>

#include "fakes/emulator/block.hpp"

namespace quartet::emulator {

struct BegunCopy {
    void* to;
    const void* from;
    std::size_t bytes;
};

/// Of the running thread.
inline std::vector<BegunCopy>& begun_copies() {
    static std::map<unsigned, std::vector<BegunCopy>> of_threads;  // by threadIdx.x
    return of_threads[position.thread.x];
}

}  // namespace quartet::emulator

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes) {
    quartet::emulator::begun_copies().push_back({to, from, bytes});
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(std::size_t) {
    for (const auto& [to, from, bytes] : quartet::emulator::begun_copies())
        std::memcpy(to, from, bytes);
    quartet::emulator::begun_copies().clear();
}
// NOLINTEND(bugprone-reserved-identifier)
