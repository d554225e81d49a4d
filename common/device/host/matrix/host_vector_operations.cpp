#include "device/host/matrix/host_vector_operations.hpp"

#include <array>
#include <cstddef>

#include "core/block_range.hpp"
#include "device/host/matrix/fetch_ahead.hpp"
#include "device/host/runtime/host_device.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

// Partial sums of one dot: eight vector registers of eight. Four keep the adders busy, too, but
// were measured to read memory 5% slower (29.6 and 31.0 GB/s on two cores, Sapphire Rapids).
constexpr std::int64_t lanes = 64;

constexpr std::int64_t cache_line = 64 / sizeof(double);

constexpr auto fetch_nothing = [](std::int64_t) {};

// The sum of term(i) over [begin, end), terms being independent, after fetch(i) of each cache line.
// The order of the additions is written out, so that it does not depend on where the vectors lie.
template <typename Fetch, typename Term>
double sum_part(const Range& range, Fetch fetch, Term term) {
    std::array<double, lanes> sums{};
    const std::int64_t whole = range.end - range.size() % lanes;
    for (std::int64_t i = range.begin; i < whole; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; lane += cache_line)
            fetch(i + lane);
#pragma omp simd
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            sums[static_cast<std::size_t>(lane)] += term(i + lane);
    }
    for (std::int64_t i = whole; i < range.end; ++i)
        sums[static_cast<std::size_t>(i - whole)] += term(i);
    double sum = 0;
    for (const double partial : sums)
        sum += partial;
    return sum;
}

// The sum of term(i) over all elements: by the number of parts, not of the threads that OpenMP
// grants, which would change bits.
template <typename Fetch, typename Term>
double sum_all(int parts, std::int64_t size, Fetch fetch, Term term) {
    std::array<double, maximum_host_threads> partials;
    system::parallel_parts(parts, [&, parts](int part) {
        partials[static_cast<std::size_t>(part)] =
            sum_part(block_range(size, parts, part), fetch, term);
    });
    double sum = 0;
    for (int part = 0; part < parts; ++part)
        sum += partials[static_cast<std::size_t>(part)];
    return sum;
}

// Throws Failure unless all views are of that size and share nothing.
void require_apart_and_sized(std::int64_t size, const View<const double>& a,
                             const View<const double>& b, const View<const double>& c) {
    for (const View<const double>& view : {a, b, c})
        require_host(view, size, "step: vectors differ in size");
    require_apart(a, b);
    require_apart(a, c);
    require_apart(b, c);
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
    void axpy(Factor factor, View<const double> x, View<double> y, Stream& stream) override;
    void xpay(View<const double> x, Factor factor, View<double> y, Stream& stream) override;
    void dot(View<const double> x, View<const double> y, View<double> result,
             Stream& stream) override;
    void step_and_dot(Factor step, const StepVectors& vectors, View<double> result,
                      Stream& stream) override;
    void turn_step_and_dot(Factor turn, Factor step, const CombinedStepVectors& vectors,
                           View<double> result, Stream& stream) override;
    void find_step(View<CgScalars> scalars, Stream& stream) override;
    void find_turn(View<CgScalars> scalars, View<double> history, Stream& stream) override;
    void find_turn_and_step(View<CgScalars> scalars, View<double> history, Stream& stream) override;

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

void HostVectorOperations::step_and_dot(Factor step, const StepVectors& vectors,
                                        View<double> result, Stream& stream) {
    const auto& [p, q, x, r] = vectors;
    require_host(r);
    require_host(result, 1, "step: the result must have one element");
    require_apart_and_sized(r.size(), p, q, x);
    require_apart_and_sized(r.size(), r, p, q);
    require_apart(x, r);
    const auto work = [step, parts = threads_, size = r.size(), direction = p.data(),
                       product = q.data(), solution = x.data(), residual = r.data(),
                       out = result.data()] {
        const double length = step.value();
        *out = sum_all(parts, size, fetch_nothing, [=](std::int64_t i) {
            solution[i] += length * direction[i];
            const double rest = residual[i] - length * product[i];
            residual[i] = rest;
            return rest * rest;
        });
    };
    stream.enqueue(Phase::compute, "step", work);
}

void HostVectorOperations::turn_step_and_dot(Factor turn, Factor step,
                                             const CombinedStepVectors& vectors,
                                             View<double> result, Stream& stream) {
    const auto& [p, s, w, x, r] = vectors;
    require_host(r);
    require_host(result, 1, "step: the result must have one element");
    require_apart_and_sized(r.size(), p, s, w);
    require_apart_and_sized(r.size(), x, p, s);
    require_apart_and_sized(r.size(), r, p, s);
    require_apart_and_sized(r.size(), x, r, w);
    const auto work = [turn, step, parts = threads_, size = r.size(), direction = p.data(),
                       product = s.data(), change = w.data(), solution = x.data(),
                       residual = r.data(), out = result.data()] {
        const double kept = turn.value();
        const double length = step.value();
        *out = sum_all(parts, size, fetch_nothing, [=](std::int64_t i) {
            const double along = residual[i] + kept * direction[i];
            const double image = change[i] + kept * product[i];
            direction[i] = along;
            product[i] = image;
            solution[i] += length * along;
            const double rest = residual[i] - length * image;
            residual[i] = rest;
            return rest * rest;
        });
    };
    stream.enqueue(Phase::compute, "turn and step", work);
}

void HostVectorOperations::find_step(View<CgScalars> scalars, Stream& stream) {
    require_host(scalars, 1, "find_step: scalars are one struct");
    stream.enqueue(Phase::compute, "find step",
                   [all = scalars.data()] { quartet::device::find_step(*all); });
}

void HostVectorOperations::find_turn(View<CgScalars> scalars, View<double> history,
                                     Stream& stream) {
    require_host(scalars, 1, "find_turn: scalars are one struct");
    require_host(history);
    stream.enqueue(Phase::compute, "find turn", [all = scalars.data(), past = history.data()] {
        quartet::device::find_turn(*all, past);
    });
}

void HostVectorOperations::find_turn_and_step(View<CgScalars> scalars, View<double> history,
                                              Stream& stream) {
    require_host(scalars, 1, "find_turn_and_step: scalars are one struct");
    require_host(history);
    stream.enqueue(Phase::compute, "find turn and step",
                   [all = scalars.data(), past = history.data()] {
                       quartet::device::find_turn_and_step(*all, past);
                   });
}

}  // namespace

std::unique_ptr<VectorOperations> make_host_vector_operations(int threads) {
    return std::make_unique<HostVectorOperations>(threads);
}

}  // namespace quartet::device
