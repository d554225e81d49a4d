#include "device/host/matrix/host_linear_algebra.hpp"

#include "device/host/matrix/in_parts.hpp"
#include "device/host/runtime/require_host.hpp"

namespace quartet::device {

namespace {

class HostVectorOperations final : public VectorOperations {
  public:
    HostVectorOperations(int threads, const VectorLoops& loops)
        : threads_(threads), loops_(loops) {}

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

  private:
    template <typename Loop, typename T>
    void add_any(Loop loop, const View<const T>& source, const View<T>& target,
                 Stream& stream) const;
    template <typename Loop, typename T>
    void fill_any(Loop loop, T value, const View<T>& target, Stream& stream) const;

    int threads_;
    const VectorLoops& loops_;
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

}  // namespace

std::unique_ptr<VectorOperations> make_host_vector_operations(int threads,
                                                              const VectorLoops& loops) {
    return std::make_unique<HostVectorOperations>(threads, loops);
}

}  // namespace quartet::device
