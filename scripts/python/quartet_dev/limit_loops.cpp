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
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace {

using Clock = std::chrono::steady_clock;
using Floats = float __attribute__((vector_size(64)));
using Doubles = double __attribute__((vector_size(64)));

constexpr int measurements = 9;
constexpr double seconds_each = 0.05;
constexpr int unavailable = 77;  // the exit code

/// An array in huge pages. Zeros would draw less power than other numbers.
template <typename Number>
class Array {
  public:
    explicit Array(std::size_t bytes) : size_(bytes / sizeof(Number)) {
        constexpr std::size_t page = std::size_t{1} << 21;
        const std::size_t whole = (bytes / page + 1) * page;
        data_.reset(static_cast<Number*>(std::aligned_alloc(page, whole)));
        if (!data_) {
            std::fputs("limit_loops: not available: not enough memory\n", stderr);
            std::exit(unavailable);
        }
        madvise(data_.get(), whole, MADV_HUGEPAGE);
        for (std::size_t i = 0; i < size_; ++i) {
            data_.get()[i] = Number{} + static_cast<float>(i % 7) * 0.25F;
        }
    }
    Number& operator[](std::size_t index) { return data_.get()[index]; }
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    std::size_t size_;
    std::unique_ptr<Number, decltype(&std::free)> data_{nullptr, &std::free};
};

/// What one thread repeats, and what it counts each time, in bytes or operations.
struct Loop {
    std::function<void()> run;
    double counted = 0;
};

/// Allocates the arrays of the thread that calls it.
using Way = std::function<Loop()>;

/// Makes the compiler believe that somebody looks at it.
template <typename Value>
void use(Value& value) {
    asm volatile("" : "+m"(value) : : "memory");
}

Loop add(std::size_t bytes) {
    auto to = std::make_shared<Array<Floats>>(bytes);
    auto from = std::make_shared<Array<Floats>>(bytes);
    return {[=] {
                for (std::size_t i = 0; i < to->size(); ++i) {
                    (*to)[i] += (*from)[i];
                }
                use((*to)[0]);
            },
            3.0 * static_cast<double>(bytes)};
}

/// Four lines at a time, next to each other or from `streams` places of the memory.
template <std::size_t streams>
Loop read(std::size_t bytes) {
    auto from = std::make_shared<Array<Doubles>>(bytes);
    return {[=] {
                Doubles one{};
                Doubles two{};
                Doubles three{};
                Doubles four{};
                constexpr std::size_t lines = 4 / streams;
                const std::size_t part = from->size() / 4 * lines;
                const auto place = [=](std::size_t line) {
                    return line / lines * part + line % lines;
                };
                for (std::size_t i = 0; i < part; i += lines) {
                    one += (*from)[i + place(0)];
                    two += (*from)[i + place(1)];
                    three += (*from)[i + place(2)];
                    four += (*from)[i + place(3)];
                }
                Doubles sum = one + two + three + four;
                use(sum);
            },
            static_cast<double>(bytes)};
}

template <std::size_t streams>
Loop copy(std::size_t bytes, [[maybe_unused]] bool past_caches) {
    auto to = std::make_shared<Array<Doubles>>(bytes);
    auto from = std::make_shared<Array<Doubles>>(bytes);
    return {[=] {
                const std::size_t part = to->size() / streams;
                for (std::size_t step = 0; step < part * streams; ++step) {
                    const std::size_t i = step % streams * part + step / streams;
#if defined(__SSE2__)
                    const Doubles value = (*from)[i];
                    if (past_caches) {
                        auto* place = reinterpret_cast<double*>(&(*to)[i]);
                        for (int lane = 0; lane < 8; lane += 2) {
                            _mm_stream_pd(place + lane, __m128d{value[lane], value[lane + 1]});
                        }
                        continue;
                    }
#endif
                    (*to)[i] = (*from)[i];
                }
#if defined(__SSE2__)
                _mm_sfence();
#endif
                use((*to)[0]);
            },
            2.0 * static_cast<double>(bytes)};
}

template <typename Vector, int chains>
Loop multiply_add() {
    constexpr int steps = 100000;
    return {[] {
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
            },
            2.0 * steps * chains * (sizeof(Vector) / sizeof(float))};
}

/// The ways to do what `name` says with arrays of `size` bytes; none if it is not known here.
std::vector<Way> ways_to(std::string_view name, std::size_t size) {
    if (name == "add") {
        return {[=] { return add(size); }};
    }
    if (name == "read") {
        return {[=] { return read<1>(size); }, [=] { return read<2>(size); },
                [=] { return read<4>(size); }};
    }
    if (name == "copy") {
        return {[=] { return copy<1>(size, false); }, [=] { return copy<1>(size, true); },
                [=] { return copy<2>(size, true); }};
    }
    if (name == "multiply_add") {
        using Eight = float __attribute__((vector_size(32)));
        return {multiply_add<Floats, 24>, multiply_add<Floats, 12>, multiply_add<Eight, 12>,
                multiply_add<Eight, 10>};
    }
    return {};
}

std::vector<int> allowed_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    std::vector<int> found;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (CPU_ISSET(processor, &set)) {
            found.push_back(processor);
        }
    }
    return found;
}

void stay_on(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

double seconds_of(const Loop& loop, long repetitions) {
    const Clock::time_point begin = Clock::now();
    for (long count = 0; count < repetitions; ++count) {
        loop.run();
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Bytes or operations per second of all threads together: the median of the measurements.
double rate_of(const Way& way, int threads) {
    const std::vector<int> processors = allowed_processors();
    std::array<std::atomic<double>, measurements> rates{};
    std::barrier all(threads);
    const auto work = [&](std::size_t id) {
        stay_on(processors[id % processors.size()]);
        const Loop loop = way();
        seconds_of(loop, 1);  // cold caches
        all.arrive_and_wait();
        const long repetitions = std::max(1L, std::lround(seconds_each / seconds_of(loop, 1)));
        for (std::atomic<double>& rate : rates) {
            all.arrive_and_wait();
            rate += loop.counted * static_cast<double>(repetitions) / seconds_of(loop, repetitions);
        }
    };
    {
        std::vector<std::jthread> pool;
        for (int id = 0; id < threads; ++id) {
            pool.emplace_back(work, id);
        }
    }
    std::vector<double> sorted(rates.begin(), rates.end());
    std::ranges::sort(sorted);
    return sorted[measurements / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const std::size_t size = argc == 5 ? std::strtoull(arguments[2], nullptr, 10) : 0;
    const int threads = argc == 5 ? std::atoi(arguments[3]) : 0;
    const std::vector<Way> ways = ways_to(argc == 5 ? arguments[1] : "", size);
    if (ways.empty() || size == 0 || threads < 1) {
        std::fputs("limit_loops: LOOP SIZE THREADS FILE\n", stderr);
        return 2;
    }
    double best = 0;
    for (const Way& way : ways) {
        best = std::max(best, rate_of(way, threads));
    }
    std::FILE* file = std::fopen(arguments[4], "w");
    if (file == nullptr) {
        std::perror(arguments[4]);
        return 3;
    }
    std::fprintf(file, "{\"per_second\": %.6g}\n", best);
    return std::fclose(file) == 0 ? 0 : 3;
}
