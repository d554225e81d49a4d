#pragma once

// What device code may use of CUDA, for the C++ compiler: included before each translated .cu file
// (translate.cmake). Names are CUDA's. What is missing here is no kernel of ours' so far.

#include <cuda_runtime.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <source_location>
#include <type_traits>

#include "fakes/emulator/block.hpp"
#include "fakes/emulator/kernel_launch.hpp"

namespace quartet::emulator {

/// What `__shared__ T name[...]` refers to.
template <typename T>
T& shared_memory(std::source_location declaration = std::source_location::current()) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 16);
    return *reinterpret_cast<T*>(
        Block::running().shared().array(sizeof(T), most_shared_bytes, declaration));
}

/// What `extern __shared__ T name[]` refers to: as much as the launch asked for.
template <typename T>
T* dynamic_shared_memory(std::source_location declaration = std::source_location::current()) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 16);
    return reinterpret_cast<T*>(Block::running().shared().array(
        position.shared_bytes, most_allowed_shared_bytes, declaration));
}

/// The value of lane `from`, which is this one's plus or minus some.
template <typename T>
T exchange(unsigned mask, T value, int from, const std::source_location& place) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    bits = Block::running().exchange(
        {static_cast<unsigned>(position.lane), mask, static_cast<unsigned>(from), bits, place});
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace quartet::emulator

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): CUDA's names
inline constexpr const uint3& threadIdx = quartet::emulator::position.thread;
inline constexpr const uint3& blockIdx = quartet::emulator::position.block;
inline constexpr const dim3& blockDim = quartet::emulator::position.threads;
inline constexpr const dim3& gridDim = quartet::emulator::position.blocks;

inline void __syncthreads(std::source_location place = std::source_location::current()) {
    quartet::emulator::Block::running().synchronize_threads(place);
}

inline void __syncwarp(unsigned mask = 0xffffffff,
                       std::source_location place = std::source_location::current()) {
    using namespace quartet::emulator;
    Block::running().exchange(
        {static_cast<unsigned>(position.lane), mask, WarpExchange::all, 0, place});
}

// A lane whose partner lies beyond its group of `width` lanes gets its own value.
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   std::source_location place = std::source_location::current()) {
    const int own = quartet::emulator::position.lane;
    const int step = static_cast<int>(delta);
    const int from = own % width + step < width ? own + step : own;
    return quartet::emulator::exchange(mask, value, from, place);
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32,
                  std::source_location place = std::source_location::current()) {
    const int own = quartet::emulator::position.lane;
    const int from = (own ^ lanes) / width <= own / width ? own ^ lanes : own;
    return quartet::emulator::exchange(mask, value, from, place);
}

template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32,
              std::source_location place = std::source_location::current()) {
    const int own = quartet::emulator::position.lane;
    return quartet::emulator::exchange(mask, value, own / width * width + lane % width, place);
}

inline void sincospi(double number, double* sine, double* cosine) {
    const long double angle = std::numbers::pi_v<long double> * std::remainder(number, 2.0);
    *sine = static_cast<double>(std::sin(angle));
    *cosine = static_cast<double>(std::cos(angle));
}

// Ways past the caches are loads and stores.
template <typename T>
T __ldcs(const T* address) {
    return *address;
}
template <typename T>
T __ldcg(const T* address) {
    return *address;
}
template <typename T>
T __ldg(const T* address) {
    return *address;
}
template <typename T>
void __stcs(T* address, T value) {
    *address = value;
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
