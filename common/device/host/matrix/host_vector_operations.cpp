#include "device/host/matrix/host_linear_algebra.hpp"

#include <bit>
#include <cstring>

#include "device/host/matrix/fetch_ahead.hpp"
#include "device/host/matrix/ordered_sum.hpp"
#include "device/host/runtime/require_host.hpp"
#include "device/host/simd/streaming_store.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

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
    void copy(View<const double> source, View<double> target, Stream& stream) override;
    void axpy(Factor factor, View<const double> x, View<double> y, Stream& stream) override;
    void xpay(View<const double> x, Factor factor, View<double> y, Stream& stream) override;
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
        system::parallel_for(threads, size, [=](std::int64_t i) { to[i] += from[i]; });
    };
    stream.enqueue(Phase::compute, "add", work);
}

template <typename T>
void HostVectorOperations::fill_any(T value, const View<T>& target, Stream& stream) const {
    require_host(target);
    const auto work = [threads = threads_, size = target.size(), value, to = target.data()] {
        system::parallel_for(threads, size, [=](std::int64_t i) { to[i] = value; });
    };
    stream.enqueue(Phase::compute, "fill", work);
}

// Whole cache lines past the caches if the target begins with one, else memcpy.
void copy_past_caches(const double* source, double* target, std::int64_t size) {
    std::int64_t done = 0;
    if (std::bit_cast<std::uintptr_t>(target) % sizeof(Vector) == 0) {
        for (; done + simd_width <= size; done += simd_width) {
            Vector value;
            std::memcpy(&value, source + done, sizeof value);
            store_streaming(value, target + done);
        }
        finish_streaming();
    }
    if (done < size) {
        std::memcpy(target + done, source + done,
                    static_cast<std::size_t>(size - done) * sizeof(double));
    }
}

void HostVectorOperations::copy(View<const double> source, View<double> target, Stream& stream) {
    require_host(source, target.size(), "copy: source and target differ in size");
    require_host(target);
    require_same_or_apart(source, target);
    const auto work = [threads = threads_, size = target.size(), from = source.data(),
                       to = target.data()] {
        const std::int64_t lines = (size + simd_width - 1) / simd_width;
        system::parallel_parts(threads, [=](int thread) {
            const Range mine = block_range(lines, threads, thread);
            const std::int64_t begin = mine.begin * simd_width;
            copy_past_caches(from + begin, to + begin,
                             std::min(size, mine.end * simd_width) - begin);
        });
    };
    stream.enqueue(Phase::compute, "copy", work);
}

void HostVectorOperations::axpy(Factor factor, View<const double> x, View<double> y,
                                Stream& stream) {
    require_host(x, y.size(), "axpy: x and y differ in size");
    require_host(y);
    require_same_or_apart(x, y);
    const auto work = [threads = threads_, size = y.size(), factor, from = x.data(),
                       to = y.data()] {
        const double number = factor.value();
        system::parallel_for(threads, size, [=](std::int64_t i) { to[i] += number * from[i]; });
    };
    stream.enqueue(Phase::compute, "axpy", work);
}

void HostVectorOperations::xpay(View<const double> x, Factor factor, View<double> y,
                                Stream& stream) {
    require_host(x, y.size(), "xpay: x and y differ in size");
    require_host(y);
    require_same_or_apart(x, y);
    const auto work = [threads = threads_, size = y.size(), factor, from = x.data(),
                       to = y.data()] {
        const double number = factor.value();
        system::parallel_for(threads, size,
                             [=](std::int64_t i) { to[i] = from[i] + number * to[i]; });
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
        const auto fetch = [=](std::int64_t i) { fetch_ahead(left + i); };
        *out = sum_all(parts, size, fetch, [=](std::int64_t i) { return left[i] * right[i]; });
    };
    stream.enqueue(Phase::compute, "dot", work);
}

}  // namespace

std::unique_ptr<VectorOperations> make_host_vector_operations(int threads) {
    return std::make_unique<HostVectorOperations>(threads);
}

}  // namespace quartet::device
