#include "device/host/loops/per_isa/per_isa.hpp"
#include "device/host/loops/per_isa/simd.hpp"
#include "system/memory/page.hpp"

namespace quartet::device::QUARTET_ISA {

namespace {

// No stores past the caches: the target has just been read, and they were measured to be slower.
template <typename T>
void add(const T* source, T* target, std::int64_t size) {
#pragma omp simd
    for (std::int64_t i = 0; i < size; ++i)
        target[i] += source[i];
}

template <typename T>
void fill(T value, T* target, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i)
        target[i] = value;
}

void copy(const double* source, double* target, std::int64_t size) {
    using system::cache_line;
    constexpr std::int64_t line = cache_line / sizeof(double);
    std::int64_t done = 0;
    if (reinterpret_cast<std::uintptr_t>(target) % cache_line == 0) {
        for (; done + line <= size; done += line)
            for (std::int64_t i = done; i < done + line; i += lanes)
                store_past_caches(target + i, load(source + i));
        finish_past_caches();
    }
    if (done < size)
        std::memcpy(target + done, source + done,
                    static_cast<std::size_t>(size - done) * sizeof(double));
}

void axpy(double factor, const double* x, double* y, std::int64_t size) {
#pragma omp simd
    for (std::int64_t i = 0; i < size; ++i)
        y[i] += factor * x[i];
}

void xpay(const double* x, double factor, double* y, std::int64_t size) {
#pragma omp simd
    for (std::int64_t i = 0; i < size; ++i)
        y[i] = x[i] + factor * y[i];
}

double dot(const double* x, const double* y, std::int64_t size) {
    return sum_of_terms(
        size,
        [=](std::int64_t i) __attribute__((always_inline)) { return load(x + i) * load(y + i); },
        [=](std::int64_t i) { return x[i] * y[i]; });
}

}  // namespace

constinit const VectorLoops vector_loops{add<float>, add<double>, fill<float>, fill<double>,
                                         copy,       axpy,        xpay,        dot};

constinit const Loops loops{QUARTET_ISA_NAME, vector_loops, memory_loops, peak_loops};

}  // namespace quartet::device::QUARTET_ISA
