#include <benchmark/benchmark.h>

#include "core/trace.hpp"

namespace quartet {
namespace {

// What a timeline costs where it is off (spans are only summed, as the results' phases want it) and
// where it is on: both read the clock twice.

void span(benchmark::State& state, std::size_t kept) {
    Trace trace(kept);
    Track& track = trace.track("benchmark");
    for (auto _ : state) {
        const Span one(track, Phase::compute, "benchmark");
        benchmark::ClobberMemory();
    }
}

void span_off(benchmark::State& state) {
    span(state, 0);
}
void span_on(benchmark::State& state) {
    span(state, 1 << 16);
}
void clock_alone(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(now());
        benchmark::DoNotOptimize(now());
    }
}

BENCHMARK(clock_alone);
BENCHMARK(span_off);
BENCHMARK(span_on)->Iterations(1 << 16);  // as many as are kept

}  // namespace
}  // namespace quartet
