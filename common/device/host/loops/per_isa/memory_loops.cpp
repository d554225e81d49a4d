#include "device/host/loops/per_isa/per_isa.hpp"
#include "device/host/loops/per_isa/simd.hpp"

namespace quartet::device::QUARTET_ISA {

namespace {

constexpr std::int64_t line_bytes = 64;

/// Calls line(i) for the first element of each cache line, in `streams` places of the memory in
/// turn. Returns how many elements those lines have; the few others are left to the caller.
template <int streams, typename T, typename Line>
[[gnu::always_inline]] inline std::int64_t for_lines(std::int64_t size, Line line) {
    constexpr auto step = line_bytes / static_cast<std::int64_t>(sizeof(T));
    const std::int64_t part = size / (streams * step) * step;
    for (std::int64_t i = 0; i < part; i += step)
        unrolled<streams>([&](auto stream)
                              __attribute__((always_inline)) { line(stream * part + i); });
    return streams * part;
}

/// Calls loop(streams) with a compile-time constant.
template <typename Loop>
[[gnu::always_inline]] inline auto with_streams(int streams, Loop loop) {
    switch (streams) {
        case 1:
            return loop(std::integral_constant<int, 1>{});
        case 2:
            return loop(std::integral_constant<int, 2>{});
        case 4:
            return loop(std::integral_constant<int, 4>{});
        default:
            return loop(std::integral_constant<int, 8>{});
    }
}

// Each stream has sums of its own, eight or more in all: no addition waits for the one before.
template <int streams, Fetch fetch>
double sum_of_squares(const double* x, std::int64_t size) {
    constexpr int parts = static_cast<int>(line_bytes) / vector_bytes;
    constexpr int lines = streams < 8 / parts ? 8 / parts / streams : 1;
    constexpr int wanted = streams * lines * parts;
    constexpr int sums = wanted < registers / 2 ? wanted : registers / 2;
    constexpr std::int64_t line = line_bytes / sizeof(double);
    constexpr std::int64_t step = lines * line;
    const std::int64_t part = size / (streams * step) * step;
    Vector sum[sums] = {};
    for (std::int64_t i = 0; i < part; i += step)
        unrolled<streams>([&](auto stream) __attribute__((always_inline)) {
            unrolled<lines>([&](auto number) __attribute__((always_inline)) {
                const double* at = x + stream * part + i + number * line;
                fetch_line<fetch, streams>(at);
                unrolled<parts>([&](auto index) __attribute__((always_inline)) {
                    const Vector value = load(at + index * lanes);
                    sum[((stream * lines + number) * parts + index) % sums] += value * value;
                });
            });
        });
    double total = 0;
    for (const Vector& partial : sum)
        total += sum_of(partial);
    for (std::int64_t i = streams * part; i < size; ++i)
        total += x[i] * x[i];
    return total;
}

double read(MemoryWay way, const double* x, std::int64_t size) {
    return with_streams(way.streams, [&](auto streams) {
        switch (way.fetch) {
            case Fetch::ahead:
                return sum_of_squares<streams, Fetch::ahead>(x, size);
            case Fetch::twice:
                return sum_of_squares<streams, Fetch::twice>(x, size);
            default:
                return sum_of_squares<streams, Fetch::once>(x, size);
        }
    });
}

void add_floats(int streams, const float* source, float* target, std::int64_t size) {
    with_streams(streams, [&](auto count) {
        constexpr std::int64_t floats = vector_bytes / sizeof(float);
        const std::int64_t done = for_lines<count, float>(size, [&](std::int64_t first) {
            for (std::int64_t i = first; i < first + line_bytes / 4; i += floats) {
                FloatVector from;
                FloatVector to;
                std::memcpy(&from, source + i, sizeof from);
                std::memcpy(&to, target + i, sizeof to);
                to += from;
                std::memcpy(target + i, &to, sizeof to);
            }
        });
        for (std::int64_t i = done; i < size; ++i)
            target[i] += source[i];
    });
}

void axpy(int streams, double factor, const double* x, double* y, std::int64_t size) {
    with_streams(streams, [&](auto count) {
        const std::int64_t done = for_lines<count, double>(size, [&](std::int64_t first) {
            for (std::int64_t i = first; i < first + line_bytes / 8; i += lanes)
                store(y + i, load(y + i) + factor * load(x + i));
        });
        for (std::int64_t i = done; i < size; ++i)
            y[i] += factor * x[i];
    });
}

// Writes past the caches if the target begins with a cache line, else through them.
void copy(int streams, const double* source, double* target, std::int64_t size) {
    std::int64_t done = 0;
    if (reinterpret_cast<std::uintptr_t>(target) % line_bytes == 0) {
        done = with_streams(streams, [&](auto count) {
            return for_lines<count, double>(size, [&](std::int64_t first) {
                for (std::int64_t i = first; i < first + line_bytes / 8; i += lanes)
                    store_past_caches(target + i, load(source + i));
            });
        });
        finish_past_caches();
    }
    if (done < size)
        std::memcpy(target + done, source + done,
                    static_cast<std::size_t>(size - done) * sizeof(double));
}

}  // namespace

constinit const MemoryLoops memory_loops{read, copy, add_floats, axpy};

}  // namespace quartet::device::QUARTET_ISA
