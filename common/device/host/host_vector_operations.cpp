#include "device/host/host_vector_operations.hpp"

#include <array>
#include <cstddef>

#include "core/block_range.hpp"
#include "device/host/host_device.hpp"
#include "device/host/parallel_for.hpp"
#include "device/host/require_host.hpp"

namespace quartet::device {

namespace {

// Partial sums of one dot: enough for four vector registers of eight, whose additions overlap.
constexpr std::int64_t lanes = 32;

// The order of the additions is written out, so that it does not depend on where the vectors lie.
double dot_part(const double* x, const double* y, std::int64_t count) {
    std::array<double, lanes> sums{};
    const std::int64_t whole = count - count % lanes;
    for (std::int64_t i = 0; i < whole; i += lanes) {
#pragma omp simd
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            sums[static_cast<std::size_t>(lane)] += x[i + lane] * y[i + lane];
    }
    for (std::int64_t i = whole; i < count; ++i)
        sums[static_cast<std::size_t>(i - whole)] += x[i] * y[i];
    double sum = 0;
    for (const double partial : sums)
        sum += partial;
    return sum;
}

class HostVectorOperations final : public VectorOperations {
  public:
    explicit HostVectorOperations(int threads) : threads_(threads) {}

    void add(View<const float> source, View<float> target, Stream& stream) override {
        add_any(source, target, stream);
    }
    void add(View<const double> source, View<double> target, Stream& stream) override {
        add_any(source, target, stream);
    }
    void fill(float value, View<float> target, Stream& stream) override {
        fill_any(value, target, stream);
    }
    void fill(double value, View<double> target, Stream& stream) override {
        fill_any(value, target, stream);
    }
    void axpy(double factor, View<const double> x, View<double> y, Stream& stream) override;
    void xpay(View<const double> x, double factor, View<double> y, Stream& stream) override;
    void dot(View<const double> x, View<const double> y, View<double> result,
             Stream& stream) override;

  private:
    template <typename T>
    void add_any(const View<const T>& source, const View<T>& target, Stream& stream) const;
    template <typename T>
    void fill_any(T value, const View<T>& target, Stream& stream) const;

    int threads_;
};

// No non-temporal stores: the target has just been read, and they were measured to be slower.
template <typename T>
void HostVectorOperations::add_any(const View<const T>& source, const View<T>& target,
                                   Stream& stream) const {
    require_host(source, target.size(), "add: source and target differ in size");
    require_host(target);
    require_same_or_apart(source, target);
    const auto work = [threads = threads_, size = target.size(), from = source.data(),
                       to = target.data()] {
        parallel_for(threads, size, [=](std::int64_t i) { to[i] += from[i]; });
    };
    stream.enqueue(Phase::compute, "add", work);
}

template <typename T>
void HostVectorOperations::fill_any(T value, const View<T>& target, Stream& stream) const {
    require_host(target);
    const auto work = [threads = threads_, size = target.size(), value, to = target.data()] {
        parallel_for(threads, size, [=](std::int64_t i) { to[i] = value; });
    };
    stream.enqueue(Phase::compute, "fill", work);
}

void HostVectorOperations::axpy(double factor, View<const double> x, View<double> y,
                                Stream& stream) {
    require_host(x, y.size(), "axpy: x and y differ in size");
    require_host(y);
    require_same_or_apart(x, y);
    const auto work = [threads = threads_, size = y.size(), factor, from = x.data(),
                       to = y.data()] {
        parallel_for(threads, size, [=](std::int64_t i) { to[i] += factor * from[i]; });
    };
    stream.enqueue(Phase::compute, "axpy", work);
}

void HostVectorOperations::xpay(View<const double> x, double factor, View<double> y,
                                Stream& stream) {
    require_host(x, y.size(), "xpay: x and y differ in size");
    require_host(y);
    require_same_or_apart(x, y);
    const auto work = [threads = threads_, size = y.size(), factor, from = x.data(),
                       to = y.data()] {
        parallel_for(threads, size, [=](std::int64_t i) { to[i] = from[i] + factor * to[i]; });
    };
    stream.enqueue(Phase::compute, "xpay", work);
}

void HostVectorOperations::dot(View<const double> x, View<const double> y, View<double> result,
                               Stream& stream) {
    require_host(x, y.size(), "dot: x and y differ in size");
    require_host(y);
    require_host(result, 1, "dot: the result must have one element");
    const auto work = [parts = threads_, size = y.size(), left = x.data(), right = y.data(),
                       out = result.data()] {
        std::array<double, maximum_host_threads> partials;
        // By the number of parts, not of the threads that OpenMP grants: these would change bits.
        parallel_parts(parts, [&, parts](int part) {
            const Range range = block_range(size, parts, part);
            partials[static_cast<std::size_t>(part)] =
                dot_part(left + range.begin, right + range.begin, range.size());
        });
        double sum = 0;
        for (int part = 0; part < parts; ++part)
            sum += partials[static_cast<std::size_t>(part)];
        *out = sum;
    };
    stream.enqueue(Phase::compute, "dot", work);
}

}  // namespace

std::unique_ptr<VectorOperations> make_host_vector_operations(int threads) {
    return std::make_unique<HostVectorOperations>(threads);
}

}  // namespace quartet::device
