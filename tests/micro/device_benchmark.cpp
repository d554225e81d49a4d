#include <benchmark/benchmark.h>

#include <cmath>
#include <complex>
#include <span>

#include "device/blas.hpp"
#include "device/fft_factory.hpp"
#include "device/host/host_device.hpp"
#include "device/matrix_factory.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {
namespace {

/// A host device of one thread and one of its streams.
struct Bench {
    explicit Bench(HostStreams streams = HostStreams::inline_call)
        : device(make_host_device({.threads = 1, .streams = streams}, trace)),
          stream(device->make_stream("benchmark")) {}

    Trace trace;
    std::unique_ptr<Device> device;
    std::unique_ptr<Stream> stream;
};

// Libraries take other ways through zeros, and denormal numbers are slow.
template <typename T>
Buffer<T> values(Bench& bench, std::int64_t count) {
    Buffer<T> buffer = allocate<T>(*bench.device, count);
    for (std::int64_t i = 0; T & value : buffer.span())
        value = static_cast<T>(static_cast<double>(++i % 7) + 0.5);
    return buffer;
}

void set_rate(benchmark::State& state, const char* name, double per_iteration) {
    state.counters[name] = benchmark::Counter(
        per_iteration * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void add_float(benchmark::State& state) {
    Bench bench;
    const Bytes size = mebibytes(state.range(0));
    const std::int64_t count = size.value / static_cast<std::int64_t>(sizeof(float));
    const Buffer<float> source = values<float>(bench, count);
    Buffer<float> target = values<float>(bench, count);
    for (auto _ : state)
        bench.device->vectors().add(source.view(), target.view(), *bench.stream);
    state.SetBytesProcessed(state.iterations() * 3 * size.value);  // two reads and a write
}
BENCHMARK(add_float)->RangeMultiplier(2)->Range(2, 128)->UseRealTime();

void copy(benchmark::State& state) {
    Bench bench;
    const Bytes size = mebibytes(state.range(0));
    const Buffer<std::byte> source = allocate<std::byte>(*bench.device, size.value);
    Buffer<std::byte> target = allocate<std::byte>(*bench.device, size.value);
    for (auto _ : state)
        bench.device->copy(source.view(), target.view(), *bench.stream);
    state.SetBytesProcessed(state.iterations() * 2 * size.value);
}
BENCHMARK(copy)->RangeMultiplier(4)->Range(2, 128)->UseRealTime();

void dot(benchmark::State& state) {
    Bench bench;
    const Bytes size = mebibytes(state.range(0));
    const std::int64_t count = size.value / static_cast<std::int64_t>(sizeof(double));
    const Buffer<double> x = values<double>(bench, count);
    const Buffer<double> y = values<double>(bench, count);
    Buffer<double> result = allocate<double>(*bench.device, 1);
    for (auto _ : state)
        bench.device->vectors().dot(x.view(), y.view(), result.view(), *bench.stream);
    state.SetBytesProcessed(state.iterations() * 2 * size.value);
}
BENCHMARK(dot)->RangeMultiplier(4)->Range(2, 128)->UseRealTime();

void gemm(benchmark::State& state) {
    Bench bench;
    const std::int64_t edge = state.range(0);
    const Buffer<float> a = values<float>(bench, edge * edge);
    const Buffer<float> b = values<float>(bench, edge * edge);
    Buffer<float> c = values<float>(bench, edge * edge);
    for (auto _ : state)
        bench.device->blas().gemm({edge, edge, edge}, a.view(), b.view(), c.view(),
                                  Update::accumulate, *bench.stream);
    set_rate(state, "FLOP/s", 2 * std::pow(static_cast<double>(edge), 3));
}
BENCHMARK(gemm)->RangeMultiplier(2)->Range(128, 2048)->UseRealTime();

void gemv(benchmark::State& state) {
    Bench bench;
    const std::int64_t edge = state.range(0);
    const Buffer<double> a = values<double>(bench, edge * edge);
    const Buffer<double> x = values<double>(bench, edge);
    Buffer<double> y = values<double>(bench, edge);
    for (auto _ : state)
        bench.device->blas().gemv(edge, edge, a.view(), x.view(), y.view(), *bench.stream);
    state.SetBytesProcessed(state.iterations() * as_bytes(a.view()).size());
}
BENCHMARK(gemv)->RangeMultiplier(2)->Range(512, 8192)->UseRealTime();

// The same product from the order in which this device reads a matrix fastest, and from half of it.
template <typename Shape>
void matrix_product(benchmark::State& state, const Shape& shape, std::int64_t edge) {
    Bench bench;
    const auto matrix = bench.device->matrices().make_matrix(shape);
    matrix->fill([](std::int64_t row, std::int64_t first, std::span<double> out) {
        for (std::int64_t i = 0; double& element : out)
            element = static_cast<double>((row + first + i++) % 7) + 0.5;
    });
    const Buffer<double> x = values<double>(bench, edge);
    Buffer<double> y = values<double>(bench, edge);
    for (auto _ : state)
        matrix->multiply(x.view(), y.view(), *bench.stream);
    state.SetBytesProcessed(state.iterations() * as_bytes(matrix->storage()).size());
}
void row_block_product(benchmark::State& state) {
    matrix_product(state, RowBlock{0, state.range(0), state.range(0)}, state.range(0));
}
BENCHMARK(row_block_product)->RangeMultiplier(2)->Range(512, 8192)->UseRealTime();
void triangle_product(benchmark::State& state) {
    matrix_product(state, TrianglePart{state.range(0), 1, 0}, state.range(0));
}
BENCHMARK(triangle_product)->RangeMultiplier(2)->Range(512, 8192)->UseRealTime();

void fft(benchmark::State& state) {
    Bench bench;
    const std::int64_t length = state.range(0);
    const std::int64_t batch = state.range(1);
    const auto input = values<std::complex<double>>(bench, length * batch);
    auto output = values<std::complex<double>>(bench, length * batch);
    const std::unique_ptr<FftPlan> plan = bench.device->ffts().plan_fft({length, batch});
    for (auto _ : state)
        plan->forward(input.view(), output.view(), *bench.stream);
    const auto points = static_cast<double>(length);
    set_rate(state, "FLOP/s", static_cast<double>(batch) * 5 * points * std::log2(points));
}
BENCHMARK(fft)
    ->Args({1 << 10, 1 << 10})
    ->Args({1 << 16, 1 << 4})
    ->Args({1 << 22, 1})
    ->Args({1000, 1000})
    ->Args({1009, 1000})
    ->UseRealTime();

// One empty task, waited for: what a dependent step pays.
void enqueue_and_synchronise(benchmark::State& state, HostStreams streams) {
    Bench bench(streams);
    for (auto _ : state) {
        bench.stream->enqueue(Phase::compute, "nothing", [] {});
        bench.stream->synchronize();
    }
}
BENCHMARK_CAPTURE(enqueue_and_synchronise, inline_call, HostStreams::inline_call)->UseRealTime();
BENCHMARK_CAPTURE(enqueue_and_synchronise, threaded, HostStreams::threaded)->UseRealTime();

// Empty tasks one after another: what a pipelined step pays.
void enqueue(benchmark::State& state, HostStreams streams) {
    Bench bench(streams);
    for (auto _ : state)
        bench.stream->enqueue(Phase::compute, "nothing", [] {});
    bench.stream->synchronize();
}
BENCHMARK_CAPTURE(enqueue, inline_call, HostStreams::inline_call)->UseRealTime();
BENCHMARK_CAPTURE(enqueue, threaded, HostStreams::threaded)->UseRealTime();

void span(benchmark::State& state) {
    Track track("benchmark", 0);
    for (auto _ : state)
        const Span measured(track, Phase::compute, "nothing");
}
BENCHMARK(span);

void allocate_and_free(benchmark::State& state) {
    Bench bench;
    const Bytes size = mebibytes(state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(bench.device->allocate(size, MemoryKind::host).data.get());
    state.SetBytesProcessed(state.iterations() * size.value);
}
BENCHMARK(allocate_and_free)->Arg(1)->Arg(128)->UseRealTime();

}  // namespace
}  // namespace quartet::device
