#include "system/multiply_add_rate.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>

#include "system/parallel_for.hpp"

namespace quartet::system {

namespace {

constexpr Seconds trial{0.001};
constexpr int tries = 3;

std::atomic<float> seed{1};  // unknown to the compiler, like what becomes of the sums

// Registers of four, eight and sixteen lanes.
using Four = float __attribute__((vector_size(16)));
using Eight = float __attribute__((vector_size(32)));
using Sixteen = float __attribute__((vector_size(64)));

// Sums that do not wait for each other: an addition takes four or five cycles, and a core begins
// two in each.
template <typename Vector, std::size_t sums>
double multiply_and_add(long steps) {
    constexpr std::size_t lanes = sizeof(Vector) / sizeof(float);
    const float start = seed.load(std::memory_order_relaxed);
    const Vector factor = Vector{} + 0.5F * start;
    const Vector summand = Vector{} + start;
    std::array<Vector, sums> values;
    for (std::size_t i = 0; i < sums; ++i) {
        values[i] = summand * static_cast<float>(i);
    }
    for (long step = 0; step < steps; ++step) {
#pragma GCC unroll 32
        for (std::size_t i = 0; i < sums; ++i) {
            values[i] = values[i] * factor + summand;  // towards 2: no overflow, no denormal number
        }
    }
    Vector total{};
    for (const Vector& value : values) {
        total += value;
    }
    seed.store(total[0] > 0 ? 1.0F : start, std::memory_order_relaxed);
    return 2.0 * static_cast<double>(steps) * sums * lanes;
}

double rate_of(int threads, const std::function<double(long)>& loop, long steps) {
    std::atomic<double> operations{0};
    const Seconds begin = now();
    parallel_parts(threads, [&](int) { operations.fetch_add(loop(steps)); });
    return operations.load() / (now() - begin).value;
}

}  // namespace

MultiplyAddProbe::MultiplyAddProbe(int threads) : threads_(threads) {
    const std::array<std::function<double(long)>, 6> loops{
        multiply_and_add<Sixteen, 24>, multiply_and_add<Sixteen, 12>, multiply_and_add<Eight, 12>,
        multiply_and_add<Eight, 10>,   multiply_and_add<Four, 12>,    multiply_and_add<Four, 8>};
    double best = 0;
    for (const auto& loop : loops) {
        long steps = 1000;
        double rate = rate_of(threads, loop, steps);
        const double operations = loop(1);
        steps = std::max(steps, std::lround(trial.value * rate / threads / operations));
        for (int count = 0; count < tries; ++count) {
            rate = std::max(rate, rate_of(threads, loop, steps));
        }
        if (rate > best) {
            best = rate;
            loop_ = loop;
            steps_per_second_ = rate / threads / operations;
        }
    }
}

double MultiplyAddProbe::measure(Seconds time) const {
    return rate_of(threads_, loop_, std::max(1L, std::lround(time.value * steps_per_second_)));
}

}  // namespace quartet::system
