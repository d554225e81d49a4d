#include "device/host/matrix/host_linear_algebra.hpp"

#include <array>
#include <cstdint>

#include "core/block_range.hpp"
#include "device/device_kind.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

/// The part of `size` elements that one of `parts` gets: all but the last end with a whole cache
/// line of the narrowest elements.
inline Range part_of(std::int64_t size, int parts, int part) {
    constexpr std::int64_t line = 16;
    const Range lines = block_range(divide_up(size, line), parts, part);
    return {std::min(lines.begin * line, size), std::min(lines.end * line, size)};
}

/// loop(range) for each thread's part of `size` elements.
template <typename Loop>
void in_parts(int threads, std::int64_t size, Loop loop) {
    system::parallel_parts(threads, [=](int part) { loop(part_of(size, threads, part)); });
}

/// The sum of what loop(range) gives for each of `parts` parts, in their order: the parts decide
/// it, not the number of threads that OpenMP grants.
template <typename Loop>
double sum_of_parts(int parts, std::int64_t size, Loop loop) {
    std::array<double, DeviceSettings::most_threads> sums;
    system::parallel_parts(parts, [&, parts](int part) {
        sums[static_cast<std::size_t>(part)] = loop(part_of(size, parts, part));
    });
    double sum = 0;
    for (int part = 0; part < parts; ++part)
        sum += sums[static_cast<std::size_t>(part)];
    return sum;
}

namespace {

class HostVectorOperations final : public VectorOperations {
  public:
    HostVectorOperations(int threads, const Loops& loops)
        : threads_(threads), loops_(loops.vectors), memory_(loops.memory) {}

    void add(View<const float> source, View<float> target, Stream& stream) override {
        add_any(loops_.add_floats, source, target, stream);
    }
    void add(View<const double> source, View<double> target, Stream& stream) override {
        add_any(loops_.add, source, target, stream);
    }
    void fill(float value, View<float> target, Stream& stream) override {
        fill_any(loops_.fill_floats, value, target, stream);
    }
    void fill(double value, View<double> target, Stream& stream) override {
        fill_any(loops_.fill, value, target, stream);
    }
    void copy(View<const double> source, View<double> target, Stream& stream) override;
    void axpy(Factor factor, View<const double> x, View<double> y, Stream& stream) override;
    void xpay(View<const double> x, Factor factor, View<double> y, Stream& stream) override;
    void dot(View<const double> x, View<const double> y, View<double> result,
             Stream& stream) override;
    void update_classic(Factor alpha, const ClassicVectors& vectors, View<double> result,
                        Stream& stream) override;
    [[nodiscard]] std::span<const MemoryWay> ways(AccessPattern pattern) const override;
    void pass(const MemoryPass& pass, MemoryWay way, Stream& stream) override;

  private:
    template <typename Loop, typename T>
    void add_any(Loop loop, const View<const T>& source, const View<T>& target,
                 Stream& stream) const;
    template <typename Loop, typename T>
    void fill_any(Loop loop, T value, const View<T>& target, Stream& stream) const;

    int threads_;
    const VectorLoops& loops_;
    const MemoryLoops& memory_;
};

template <typename Loop, typename T>
void HostVectorOperations::add_any(Loop loop, const View<const T>& source, const View<T>& target,
                                   Stream& stream) const {
    require_host(source, target.size(), "add: source and target differ in size");
    require_host(target);
    require_same_or_apart(source, target);
    const auto work = [threads = threads_, loop, size = target.size(), from = source.data(),
                       to = target.data()] {
        in_parts(threads, size,
                 [=](const Range& r) { loop(from + r.begin, to + r.begin, r.size()); });
    };
    stream.enqueue(Phase::compute, "add", work);
}

template <typename Loop, typename T>
void HostVectorOperations::fill_any(Loop loop, T value, const View<T>& target,
                                    Stream& stream) const {
    require_host(target);
    const auto work = [threads = threads_, loop, size = target.size(), value, to = target.data()] {
        in_parts(threads, size, [=](const Range& r) { loop(value, to + r.begin, r.size()); });
    };
    stream.enqueue(Phase::compute, "fill", work);
}

void HostVectorOperations::copy(View<const double> source, View<double> target, Stream& stream) {
    require_host(source, target.size(), "copy: source and target differ in size");
    require_host(target);
    require_same_or_apart(source, target);
    const auto work = [threads = threads_, loop = loops_.copy, size = target.size(),
                       from = source.data(), to = target.data()] {
        in_parts(threads, size,
                 [=](const Range& r) { loop(from + r.begin, to + r.begin, r.size()); });
    };
    stream.enqueue(Phase::compute, "copy", work);
}

void HostVectorOperations::axpy(Factor factor, View<const double> x, View<double> y,
                                Stream& stream) {
    require_host(x, y.size(), "axpy: x and y differ in size");
    require_host(y);
    require_same_or_apart(x, y);
    const auto work = [threads = threads_, loop = loops_.axpy, size = y.size(), factor,
                       from = x.data(), to = y.data()] {
        const double number = factor.value();
        in_parts(threads, size,
                 [=](const Range& r) { loop(number, from + r.begin, to + r.begin, r.size()); });
    };
    stream.enqueue(Phase::compute, "axpy", work);
}

void HostVectorOperations::xpay(View<const double> x, Factor factor, View<double> y,
                                Stream& stream) {
    require_host(x, y.size(), "xpay: x and y differ in size");
    require_host(y);
    require_same_or_apart(x, y);
    const auto work = [threads = threads_, loop = loops_.xpay, size = y.size(), factor,
                       from = x.data(), to = y.data()] {
        const double number = factor.value();
        in_parts(threads, size,
                 [=](const Range& r) { loop(from + r.begin, number, to + r.begin, r.size()); });
    };
    stream.enqueue(Phase::compute, "xpay", work);
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

void HostVectorOperations::update_classic(Factor alpha, const ClassicVectors& vectors,
                                          View<double> result, Stream& stream) {
    const auto& [p, q, x, r] = vectors;
    for (const View<const double>& vector : {p, q, View<const double>(x)})
        require_host(vector, r.size(), "update: vectors differ in size");
    require_host(r);
    require_host(result, 1, "update: the result must have one element");
    require_all_apart({p, q, x, r});
    const auto work = [alpha, parts = threads_, loop = loops_.update_classic, size = r.size(),
                       direction = p.data(), product = q.data(), solution = x.data(),
                       residual = r.data(), out = result.data()] {
        const double a = alpha.value();
        *out = sum_of_parts(parts, size, [=](const Range& range) {
            const std::int64_t i = range.begin;
            return loop(a, direction + i, product + i, solution + i, residual + i, range.size());
        });
    };
    stream.enqueue(Phase::compute, "update x, r", work);
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
                in_parts(threads, count, [=](const Range& r) {
                    loops->copy(way.streams, doubles + r.begin, target + r.begin, r.size());
                });
                break;
            case AccessPattern::add:
                in_parts(threads, size / static_cast<std::int64_t>(sizeof(float)),
                         [=](const Range& r) {
                             loops->add_floats(way.streams,
                                               reinterpret_cast<const float*>(from) + r.begin,
                                               reinterpret_cast<float*>(to) + r.begin, r.size());
                         });
                break;
            case AccessPattern::update:
                in_parts(threads, count, [=](const Range& r) {
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
