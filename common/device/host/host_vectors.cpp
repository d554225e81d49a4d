#include "device/host/host_vectors.hpp"

#include <cstdint>

#include "device/require_views.hpp"

namespace quartet::device {

namespace {

class HostVectorOperations final : public VectorOperations {
  public:
    HostVectorOperations(int threads, const Loops& loops)
        : threads_(threads), loops_(loops.vectors), memory_(loops.memory) {}

    void add(View<const float> source, View<float> target, Stream& stream) override {
        update("add", "add: source and target differ in size", loops_.add_floats, source, target,
               stream);
    }
    void add(View<const double> source, View<double> target, Stream& stream) override {
        update("add", "add: source and target differ in size", loops_.add, source, target, stream);
    }
    void fill(float value, View<float> target, Stream& stream) override {
        fill_any(loops_.fill_floats, value, target, stream);
    }
    void fill(double value, View<double> target, Stream& stream) override {
        fill_any(loops_.fill, value, target, stream);
    }
    void copy(View<const double> source, View<double> target, Stream& stream) override {
        update("copy", "copy: source and target differ in size", loops_.copy, source, target,
               stream);
    }
    void axpy(double factor, View<const double> x, View<double> y, Stream& stream) override {
        const auto loop = [axpy = loops_.axpy, factor](const double* from, double* to,
                                                       std::int64_t size) {
            axpy(factor, from, to, size);
        };
        update("axpy", "axpy: x and y differ in size", loop, x, y, stream);
    }
    void xpay(View<const double> x, double factor, View<double> y, Stream& stream) override {
        const auto loop = [xpay = loops_.xpay, factor](const double* from, double* to,
                                                       std::int64_t size) {
            xpay(from, factor, to, size);
        };
        update("xpay", "xpay: x and y differ in size", loop, x, y, stream);
    }
    void dot(View<const double> x, View<const double> y, View<double> result,
             Stream& stream) override;
    [[nodiscard]] std::span<const MemoryWay> ways(AccessPattern pattern) const override;
    void pass(const MemoryPass& pass, MemoryWay way, Stream& stream) override;

  private:
    /// Enqueues loop(source, target, size), each thread on its part. A failed check of the sizes
    /// states `problem`.
    template <typename Loop, typename T>
    void update(const char* label, const char* problem, Loop loop, const View<const T>& source,
                const View<T>& target, Stream& stream) const;
    template <typename Loop, typename T>
    void fill_any(Loop loop, T value, const View<T>& target, Stream& stream) const;

    int threads_;
    const VectorLoops& loops_;
    const MemoryLoops& memory_;
};

template <typename Loop, typename T>
void HostVectorOperations::update(const char* label, const char* problem, Loop loop,
                                  const View<const T>& source, const View<T>& target,
                                  Stream& stream) const {
    require_host(source, target.size(), problem);
    require_host(target);
    require_same_or_apart(source, target);
    const auto work = [threads = threads_, loop, size = target.size(), from = source.data(),
                       to = target.data()] {
        parallel_for_ranges(threads, size,
                            [=](const Range& r) { loop(from + r.begin, to + r.begin, r.size()); });
    };
    stream.enqueue(Phase::compute, label, work);
}

template <typename Loop, typename T>
void HostVectorOperations::fill_any(Loop loop, T value, const View<T>& target,
                                    Stream& stream) const {
    require_host(target);
    const auto work = [threads = threads_, loop, size = target.size(), value, to = target.data()] {
        parallel_for_ranges(threads, size,
                            [=](const Range& r) { loop(value, to + r.begin, r.size()); });
    };
    stream.enqueue(Phase::compute, "fill", work);
}

void HostVectorOperations::dot(View<const double> x, View<const double> y, View<double> result,
                               Stream& stream) {
    require_host(x, y.size(), "dot: x and y differ in size");
    require_host(y);
    require_host(result, 1, "dot: the result must have one element");
    const auto work = [threads = threads_, loop = loops_.dot, size = y.size(), left = x.data(),
                       right = y.data(), out = result.data()] {
        *out = sum_of_parts(threads, size, [=](const Range& r) {
            return loop(left + r.begin, right + r.begin, r.size());
        });
    };
    stream.enqueue(Phase::compute, "dot", work);
}

std::span<const MemoryWay> HostVectorOperations::ways(AccessPattern pattern) const {
    static constexpr MemoryWay to_read[] = {{1, Fetch::ahead}, {1, Fetch::once}, {2, Fetch::once},
                                            {4, Fetch::once},  {8, Fetch::once}, {4, Fetch::ahead},
                                            {1, Fetch::twice}, {4, Fetch::twice}};
    static constexpr MemoryWay to_write[] = {{1}, {2}, {4}};
    return pattern == AccessPattern::read ? std::span<const MemoryWay>(to_read) : to_write;
}

void HostVectorOperations::pass(const MemoryPass& pass, MemoryWay way, Stream& stream) {
    require_host(pass.source);
    if (pass.pattern == AccessPattern::read) {
        require_host(pass.target, sizeof(double), "read: the result must be one double");
    } else {
        require_host(pass.target, pass.source.size(), "source and target differ in size");
    }
    const auto work = [threads = threads_, loops = &memory_, way, pattern = pass.pattern,
                       size = pass.source.size(), from = pass.source.data(),
                       to = pass.target.data()] {
        const auto* doubles = reinterpret_cast<const double*>(from);
        auto* target = reinterpret_cast<double*>(to);
        const std::int64_t count = size / static_cast<std::int64_t>(sizeof(double));
        switch (pattern) {
            case AccessPattern::read:
                *target = sum_of_parts(threads, count, [=](const Range& r) {
                    return loops->read(way, doubles + r.begin, r.size());
                });
                break;
            case AccessPattern::copy:
                parallel_for_ranges(threads, count, [=](const Range& r) {
                    loops->copy(way.streams, doubles + r.begin, target + r.begin, r.size());
                });
                break;
            case AccessPattern::add:
                parallel_for_ranges(
                    threads, size / static_cast<std::int64_t>(sizeof(float)), [=](const Range& r) {
                        loops->add_floats(way.streams,
                                          reinterpret_cast<const float*>(from) + r.begin,
                                          reinterpret_cast<float*>(to) + r.begin, r.size());
                    });
                break;
            case AccessPattern::update:
                parallel_for_ranges(threads, count, [=](const Range& r) {
                    loops->axpy(way.streams, 0.5, doubles + r.begin, target + r.begin, r.size());
                });
                break;
        }
    };
    stream.enqueue(Phase::compute, "pass over memory", work);
}

}  // namespace

std::unique_ptr<VectorOperations> make_host_vector_operations(int threads, const Loops& loops) {
    return std::make_unique<HostVectorOperations>(threads, loops);
}

}  // namespace quartet::device
