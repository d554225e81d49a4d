#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "device/memory_way.hpp"

// The one header that asks the preprocessor what the compiler may use.
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// The files of this folder, and each kernel's *.isa.cpp, are compiled once for each instruction
/// set (quartet_loops of CMake), each time into a namespace of its name, QUARTET_ISA. They hold
/// loops over plain memory and nothing that allocates: a function of the standard library that is
/// not inlined would be linked for all processors with the instructions of one (a test finds such
/// functions).
namespace quartet::device::QUARTET_ISA {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
inline constexpr int registers = 32;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
inline constexpr int registers = 16;
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 128
inline constexpr int vector_bytes = __ARM_FEATURE_SVE_BITS / 8;
inline constexpr int registers = 32;
#elif defined(__ARM_NEON)
inline constexpr int vector_bytes = 16;
inline constexpr int registers = 32;
#else
inline constexpr int vector_bytes = 16;
inline constexpr int registers = 16;
#endif

/// Doubles of a vector register: 2, 4 or 8.
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(double));
static_assert(lanes == 2 || lanes == 4 || lanes == 8);

/// One register of doubles, and one of floats. Passed by reference: how they are passed by value
/// depends on the processor.
using Vector = double __attribute__((vector_size(vector_bytes), may_alias));
using FloatVector = float __attribute__((vector_size(vector_bytes), may_alias));

/// Vectors from and to memory that is aligned to doubles.
[[gnu::always_inline]] inline Vector load(const double* data) {
    Vector value;
    std::memcpy(&value, data, sizeof value);
    return value;
}
[[gnu::always_inline]] inline void store(double* data, const Vector& value) {
    std::memcpy(data, &value, sizeof value);
}

/// Writes past the caches, if the processor can: data that is not read soon should not displace
/// data that is, and a line that is written whole need not be read first. `data` is aligned to a
/// vector; write the rest of its cache line next.
[[gnu::always_inline]] inline void store_past_caches(double* data, const Vector& value) {
#if defined(__AVX512F__)
    _mm512_stream_pd(data, reinterpret_cast<__m512d>(value));
#elif defined(__AVX2__)
    _mm256_stream_pd(data, reinterpret_cast<__m256d>(value));
#elif defined(__SSE2__)
    _mm_stream_pd(data, reinterpret_cast<__m128d>(value));
#else
    store(data, value);
#endif
}

/// Orders writes past the caches before all later writes. Call it at the end of a thread's work.
inline void finish_past_caches() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/// Calls body(integral_constant) for 0 to count - 1, unrolled whatever the size of the body.
template <int count, typename Body>
[[gnu::always_inline]] inline void unrolled(Body body) {
    [&]<int... index>(std::integer_sequence<int, index...>) __attribute__((always_inline)) {
        (body(std::integral_constant<int, index>{}), ...);
    }
    (std::make_integer_sequence<int, count>{});
}

/// The lanes 0 .. lanes - 1, for shuffles, which name the source of each lane.
using LaneSequence = std::make_integer_sequence<int, lanes>;

/// Adds in the order of the lanes.
[[gnu::always_inline]] inline double sum_of(const Vector& value) {
    double sum = 0;
    for (int lane = 0; lane < lanes; ++lane)
        sum += value[lane];
    return sum;
}

/// The sum of term(i), the vector from element i on, and of last_term(i) for the elements that no
/// whole step has. The order of the additions is written out.
template <typename Term, typename LastTerm>
[[gnu::always_inline]] inline double sum_of_terms(std::int64_t size, Term term,
                                                  LastTerm last_term) {
    constexpr int sums_at_once = 8;  // enough that none waits for the last addition
    constexpr std::int64_t step = std::int64_t{sums_at_once} * lanes;
    Vector sums[sums_at_once] = {};
    std::int64_t i = 0;
    for (; i + step <= size; i += step)
        unrolled<sums_at_once>([&](auto index) __attribute__((always_inline)) {
            sums[index] += term(i + std::int64_t{index} * lanes);
        });
    double sum = 0;
    for (const Vector& partial : sums)
        sum += sum_of(partial);
    for (; i < size; ++i)
        sum += last_term(i);
    return sum;
}

/// Keeps the compiler from moving accesses to memory past this place: the processor prefetches what
/// a loop reads in the order of memory.
[[gnu::always_inline]] inline void keep_order() {
    asm volatile("" ::: "memory");
}

/// Fetches a cache line of one of `streams` streams, or a later line, before it is loaded.
/// Fetch::ahead keeps 3 KiB of all streams together in flight, into the second-level cache, since
/// the first level has too few buffers for them (docs/notes/cg.md).
template <Fetch fetch, int streams>
[[gnu::always_inline]] inline void fetch_line(const double* line) {
    constexpr int ahead = 3072 / static_cast<int>(sizeof(double)) / streams;  // in doubles
    if constexpr (fetch == Fetch::ahead)
        __builtin_prefetch(line + ahead, 0, 2);
    if constexpr (fetch == Fetch::twice)
        static_cast<void>(*static_cast<const volatile double*>(line));
}

/// Prefetches a cache line into the second-level cache; any address is allowed.
[[gnu::always_inline]] inline void prefetch_line(const void* line) {
    __builtin_prefetch(line, 0, 2);
}

}  // namespace quartet::device::QUARTET_ISA
