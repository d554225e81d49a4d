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

/// The sum of what add(i) gives for the vector from element i on, and of what add_one(i) gives for
/// the elements that are left. The order of the additions is written out.
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

double dot(const double* x, const double* y, std::int64_t size) {
    return sum_of_terms(
        size,
        [=](std::int64_t i) __attribute__((always_inline)) { return load(x + i) * load(y + i); },
        [=](std::int64_t i) { return x[i] * y[i]; });
}

double update_classic(double alpha, const double* p, const double* q, double* x, double* r,
                      std::int64_t size) {
    return sum_of_terms(
        size,
        [=](std::int64_t i) __attribute__((always_inline)) {
            store(x + i, load(x + i) + alpha * load(p + i));
            const Vector residual = load(r + i) - alpha * load(q + i);
            store(r + i, residual);
            return residual * residual;
        },
        [=](std::int64_t i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            return r[i] * r[i];
        });
}

}  // namespace

constinit const VectorLoops vector_loops{add<float>, add<double>, fill<float>, fill<double>,  copy,
                                         axpy,       xpay,        dot,         update_classic};

}  // namespace quartet::device::QUARTET_ISA
