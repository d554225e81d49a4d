#include "device/host/matrix/host_linear_algebra.hpp"

#include <initializer_list>

#include "device/host/matrix/in_parts.hpp"
#include "device/host/runtime/require_host.hpp"

namespace quartet::device {

namespace {

// Throws Failure unless all vectors are of that size and share nothing.
void require_cg_vectors(std::int64_t size, std::initializer_list<View<const double>> vectors,
                        const View<double>& result) {
    for (auto one = vectors.begin(); one != vectors.end(); ++one) {
        require_host(*one, size, "update: vectors differ in size");
        for (auto other = vectors.begin(); other != one; ++other)
            require_apart(*one, *other);
    }
    require_host(result, 1, "update: the result must have one element");
}

void require_cg_scalars(const View<CgScalars>& scalars) {
    require_host(scalars, 1, "update: scalars are one struct");
}

class HostCgKernels final : public CgKernels {
  public:
    HostCgKernels(int threads, const VectorLoops& loops) : threads_(threads), loops_(loops) {}

    void update_classic(Factor alpha, const ClassicVectors& vectors, View<double> result,
                        Stream& stream) override;
    void update_single_reduction(Factor beta, Factor alpha, const SingleReductionVectors& vectors,
                                 View<double> result, Stream& stream) override;
    void update_alpha(View<CgScalars> scalars, Stream& stream) override;
    void update_beta(View<CgScalars> scalars, View<double> history, Stream& stream) override;
    void update_alpha_beta(View<CgScalars> scalars, View<double> history, Stream& stream) override;

  private:
    int threads_;
    const VectorLoops& loops_;
};

void HostCgKernels::update_classic(Factor alpha, const ClassicVectors& vectors, View<double> result,
                                   Stream& stream) {
    const auto& [p, q, x, r] = vectors;
    require_cg_vectors(r.size(), {p, q, x, r}, result);
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

void HostCgKernels::update_single_reduction(Factor beta, Factor alpha,
                                            const SingleReductionVectors& vectors,
                                            View<double> result, Stream& stream) {
    const auto& [p, s, w, x, r] = vectors;
    require_cg_vectors(r.size(), {p, s, w, x, r}, result);
    const auto work = [beta, alpha, parts = threads_, loop = loops_.update_single_reduction,
                       size = r.size(), direction = p.data(), product = s.data(),
                       residual_product = w.data(), solution = x.data(), residual = r.data(),
                       out = result.data()] {
        const double b = beta.value();
        const double a = alpha.value();
        *out = sum_of_parts(parts, size, [=](const Range& range) {
            const std::int64_t i = range.begin;
            return loop(b, a, direction + i, product + i, residual_product + i, solution + i,
                        residual + i, range.size());
        });
    };
    stream.enqueue(Phase::compute, "update p, s, x, r", work);
}

void HostCgKernels::update_alpha(View<CgScalars> scalars, Stream& stream) {
    require_cg_scalars(scalars);
    stream.enqueue(Phase::compute, "update alpha",
                   [all = scalars.data()] { quartet::device::update_alpha(*all); });
}

void HostCgKernels::update_beta(View<CgScalars> scalars, View<double> history, Stream& stream) {
    require_cg_scalars(scalars);
    require_host(history);
    stream.enqueue(Phase::compute, "update beta", [all = scalars.data(), past = history.data()] {
        quartet::device::update_beta(*all, past);
    });
}

void HostCgKernels::update_alpha_beta(View<CgScalars> scalars, View<double> history,
                                      Stream& stream) {
    require_cg_scalars(scalars);
    require_host(history);
    stream.enqueue(Phase::compute, "update alpha and beta",
                   [all = scalars.data(), past = history.data()] {
                       quartet::device::update_alpha_beta(*all, past);
                   });
}

}  // namespace

std::unique_ptr<CgKernels> make_host_cg_kernels(int threads, const VectorLoops& loops) {
    return std::make_unique<HostCgKernels>(threads, loops);
}

}  // namespace quartet::device
