// limit_loops LOOP SIZE THREADS FILE: how fast this machine does what a limit is made of, by loops
// that share no line with the suite's, on so many threads at once, each on a core of its own. LOOP
// is one of
//
//   add           a += b, float32; the three passes over memory count
//   read          a sum of float64
//   copy          a = b, through the caches or past them, whichever is faster; both passes count
//   multiply_add  float32 in registers
//   sgemm         a product of square matrices by BLIS, one a thread; 77 if there is no BLIS
//   messages      a word that the first two processors hand to and fro; 77 if there is one only
//
// SIZE is the bytes of an array, which each thread has for itself, a matrix's edge, or of messages
// their number. The median
// of some tenths of a second goes to FILE, in bytes or operations per second of all threads.

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <span>
#include <thread>

#include "loop.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int measurements = 9;
constexpr double seconds_each = 0.05;

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

/// Messages per second, one at a time.
double rate_of_messages(long count) {
    const std::vector<int> processors = allowed_processors();
    if (processors.size() < 2) {
        std::fputs("limit_loops: not available: one processor\n", stderr);
        std::exit(unavailable);
    }
    struct alignas(64) Word {
        std::atomic<long> value{0};
    };
    Word there;
    Word back;
    const std::jthread other([&] {
        stay_on(processors[1]);
        for (long message = 1; message <= measurements * count; ++message) {
            while (there.value.load(std::memory_order_acquire) != message) {
            }
            back.value.store(message, std::memory_order_release);
        }
    });
    stay_on(processors[0]);
    std::vector<double> rates;
    long message = 0;
    const Loop exchange{[&] {
                            there.value.store(++message, std::memory_order_release);
                            while (back.value.load(std::memory_order_acquire) != message) {
                            }
                        },
                        2};
    for (int measurement = 0; measurement < measurements; ++measurement) {
        rates.push_back(exchange.counted * static_cast<double>(count) /
                        seconds_of(exchange, count));
    }
    std::ranges::sort(rates);
    return rates[measurements / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
    const std::size_t size = argc == 5 ? std::strtoull(arguments[2], nullptr, 10) : 0;
    const int threads = argc == 5 ? std::atoi(arguments[3]) : 0;
    const std::string_view loop = argc == 5 ? arguments[1] : "";
    const bool is_of_messages = loop == "messages";
    const auto ways =
        loop == "sgemm" ? std::vector{product_by_blis(size, argv)} : ways_to(loop, size);
    if ((ways.empty() && !is_of_messages) || size == 0 || threads < 1) {
        std::fputs("limit_loops: LOOP SIZE THREADS FILE\n", stderr);
        return 2;
    }
    double best = is_of_messages ? rate_of_messages(static_cast<long>(size)) : 0;
    for (const auto& way : ways) {
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
