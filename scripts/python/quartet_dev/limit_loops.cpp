// limit_loops LOOP SIZE THREADS FILE: how fast this machine does what a limit is made of, by loops
// that share no line with the suite's, on so many threads at once, each on a core of its own. LOOP
// is one of
//
//   add           a += b, float32; the three passes over memory count
//   read          a sum of float64
//   copy          a = b, through the caches or past them, whichever is faster; both passes count
//   multiply_add  float32 in registers
//
// SIZE is the bytes of an array, which each thread has for itself. The median of some tenths of a
// second goes to FILE, in bytes or operations per second of all threads.

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace {

using Clock = std::chrono::steady_clock;
using Floats = float __attribute__((vector_size(64)));
using HalfFloats = float __attribute__((vector_size(32)));
using Doubles = double __attribute__((vector_size(64)));

constexpr int measurements = 9;
constexpr double seconds_each = 0.05;
constexpr int steps = 100000;  // of multiply_add

/// What a thread has: two arrays of so many vectors.
struct Arrays {
    Floats* to;
    Floats* from;
    std::size_t size;
};

/// In huge pages. Zeros would draw less power than other numbers.
Floats* made(std::size_t size) {
    constexpr std::size_t page = std::size_t{1} << 21;
    const std::size_t whole = (size * sizeof(Floats) / page + 1) * page;
    auto* data = static_cast<Floats*>(std::aligned_alloc(page, whole));
    if (data == nullptr) {
        std::fputs("limit_loops: not available: not enough memory\n", stderr);
        std::exit(77);
    }
    madvise(data, whole, MADV_HUGEPAGE);
    for (std::size_t i = 0; i < size; ++i) {
        data[i] = Floats{} + static_cast<float>(i % 7) * 0.25F;
    }
    return data;
}

/// Makes the compiler believe that somebody looks at it.
template <typename Value>
void use(Value& value) {
    asm volatile("" : "+m"(value) : : "memory");
}

void add(const Arrays& arrays) {
    for (std::size_t i = 0; i < arrays.size; ++i) {
        arrays.to[i] += arrays.from[i];
    }
    use(arrays.to[0]);
}

/// Four lines at a time, next to each other or from `streams` places of the memory.
template <std::size_t streams>
void read(const Arrays& arrays) {
    const auto* from = reinterpret_cast<const Doubles*>(arrays.from);
    constexpr std::size_t lines = 4 / streams;
    const std::size_t part = arrays.size / 4 * lines;
    const auto place = [=](std::size_t line) { return line / lines * part + line % lines; };
    Doubles one{}, two{}, three{}, four{};
    for (std::size_t i = 0; i < part; i += lines) {
        one += from[i + place(0)];
        two += from[i + place(1)];
        three += from[i + place(2)];
        four += from[i + place(3)];
    }
    Doubles sum = one + two + three + four;
    use(sum);
}

template <bool past_caches>
void copy(const Arrays& arrays) {
    for (std::size_t i = 0; i < arrays.size; ++i) {
#if defined(__SSE2__)
        if (past_caches) {
            for (int lane = 0; lane < 16; lane += 4) {
                auto* place = reinterpret_cast<float*>(&arrays.to[i]) + lane;
                _mm_stream_ps(place,
                              _mm_load_ps(reinterpret_cast<const float*>(&arrays.from[i]) + lane));
            }
            continue;
        }
#endif
        arrays.to[i] = arrays.from[i];
    }
#if defined(__SSE2__)
    _mm_sfence();
#endif
    use(arrays.to[0]);
}

template <typename Vector, int chains>
void multiply_add(const Arrays&) {
    Vector values[chains] = {};
    Vector factor = Vector{} + 0.75F;
    Vector summand = Vector{} + 0.25F;
    use(factor);
    use(summand);
    for (int step = 0; step < steps; ++step) {
#pragma GCC unroll 32
        for (Vector& value : values) {
            value = value * factor + summand;
        }
    }
    use(values);
}

/// What a thread repeats, and what that counts: for each byte of an array, and beside it.
struct Loop {
    std::string_view name;
    void (*run)(const Arrays&);
    double of_a_byte;
    double operations = 0;
};

constexpr double of_chain = 2.0 * steps * 16;  // of a vector of 64 bytes
constexpr std::array loops{Loop{"add", add, 3},
                           Loop{"read", read<1>, 1},
                           Loop{"read", read<2>, 1},
                           Loop{"read", read<4>, 1},
                           Loop{"copy", copy<false>, 2},
                           Loop{"copy", copy<true>, 2},
                           Loop{"multiply_add", multiply_add<Floats, 24>, 0, 24 * of_chain},
                           Loop{"multiply_add", multiply_add<Floats, 12>, 0, 12 * of_chain},
                           Loop{"multiply_add", multiply_add<HalfFloats, 12>, 0, 6 * of_chain},
                           Loop{"multiply_add", multiply_add<HalfFloats, 10>, 0, 5 * of_chain}};

/// The thread `id` stays on a processor of its own, of those that this process may use.
void stay_on(std::size_t id) {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    std::vector<std::size_t> processors;
    for (std::size_t processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (CPU_ISSET(processor, &allowed)) {
            processors.push_back(processor);
        }
    }
    CPU_ZERO(&allowed);
    CPU_SET(processors[id % processors.size()], &allowed);
    sched_setaffinity(0, sizeof allowed, &allowed);
}

double seconds_of(const Loop& loop, const Arrays& arrays, long repetitions) {
    const Clock::time_point begin = Clock::now();
    for (long count = 0; count < repetitions; ++count) {
        loop.run(arrays);
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Bytes or operations per second of all threads together: the median of the measurements.
double rate_of(const Loop& loop, std::size_t bytes, std::size_t threads) {
    std::array<std::atomic<double>, measurements> rates{};
    std::barrier all(static_cast<std::ptrdiff_t>(threads));
    const auto work = [&](std::size_t id) {
        stay_on(id);
        const std::size_t size = bytes / sizeof(Floats);
        const Arrays arrays{made(size + 1), made(size + 1), size};
        seconds_of(loop, arrays, 1);  // cold caches
        all.arrive_and_wait();
        const long repetitions =
            std::max(1L, std::lround(seconds_each / seconds_of(loop, arrays, 1)));
        const double counted = loop.of_a_byte * static_cast<double>(bytes) + loop.operations;
        for (std::atomic<double>& rate : rates) {
            all.arrive_and_wait();
            rate +=
                counted * static_cast<double>(repetitions) / seconds_of(loop, arrays, repetitions);
        }
        std::free(arrays.to);
        std::free(arrays.from);
    };
    std::vector<std::jthread> pool;
    for (std::size_t id = 0; id < threads; ++id) {
        pool.emplace_back(work, id);
    }
    pool.clear();  // waits for them
    std::vector<double> sorted(rates.begin(), rates.end());
    std::ranges::sort(sorted);
    return sorted[measurements / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view name = argc == 5 ? argv[1] : "";
    const std::size_t size = argc == 5 ? std::strtoull(argv[2], nullptr, 10) : 0;
    const std::size_t threads = argc == 5 ? std::strtoull(argv[3], nullptr, 10) : 0;
    double best = 0;
    for (const Loop& loop : loops) {
        if (loop.name == name && size > 0 && threads > 0) {
            best = std::max(best, rate_of(loop, size, threads));
        }
    }
    std::FILE* file = best > 0 ? std::fopen(argv[4], "w") : nullptr;
    if (file == nullptr) {
        std::fputs("limit_loops: LOOP SIZE THREADS FILE\n", stderr);
        return 2;
    }
    std::fprintf(file, "{\"per_second\": %.6g}\n", best);
    return std::fclose(file) == 0 ? 0 : 3;
}
