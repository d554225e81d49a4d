#include "device/cuda/matrix/cuda_linear_algebra.hpp"

#include <initializer_list>

#include "device/cuda/matrix/cg_update_kernels.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/require_device.hpp"

namespace quartet::device {

namespace {

// Throws Failure unless all vectors are of that size and share nothing.
void require_vectors_on_gpu(std::int64_t size, std::initializer_list<View<const double>> vectors,
                            const View<double>& result) {
    for (auto one = vectors.begin(); one != vectors.end(); ++one) {
        require_device(*one, size, "update: vectors differ in size");
        for (auto other = vectors.begin(); other != one; ++other)
            require_apart(*one, *other);
    }
    require_reachable(result, 1, "update: the result must have one element");
}

void require_scalars_on_gpu(const View<CgScalars>& scalars) {
    require_device(scalars, 1, "update: scalars are one struct");
}

class CudaCgKernels final : public CgKernels {
  public:
    void update_classic(Factor alpha, const ClassicVectors& vectors, View<double> result,
                        Stream& stream) override;
    void update_single_reduction(Factor beta, Factor alpha, const SingleReductionVectors& vectors,
                                 View<double> result, Stream& stream) override;
    void update_alpha(View<CgScalars> scalars, Stream& stream) override;
    void update_beta(View<CgScalars> scalars, View<double> history, Stream& stream) override;
    void update_alpha_beta(View<CgScalars> scalars, View<double> history, Stream& stream) override;
};

void CudaCgKernels::update_classic(Factor alpha, const ClassicVectors& vectors, View<double> result,
                                   Stream& stream) {
    const auto& [p, q, x, r] = vectors;
    require_vectors_on_gpu(r.size(), {p, q, x, r}, result);
    const ClassicPointers pointers{p.data(), q.data(), x.data(), r.data()};
    CudaStream& cuda = as_cuda(stream);
    const std::int64_t size = r.size();
    cuda.launch(Phase::compute, "update x, r", [&](cudaStream_t handle) {
        launch_update_classic(on_gpu(alpha), pointers, size, cuda.partial_sums(), result.data(),
                              handle);
    });
}

void CudaCgKernels::update_single_reduction(Factor beta, Factor alpha,
                                            const SingleReductionVectors& vectors,
                                            View<double> result, Stream& stream) {
    const auto& [p, s, w, x, r] = vectors;
    require_vectors_on_gpu(r.size(), {p, s, w, x, r}, result);
    const SingleReductionPointers pointers{p.data(), s.data(), w.data(), x.data(), r.data()};
    CudaStream& cuda = as_cuda(stream);
    const std::int64_t size = r.size();
    cuda.launch(Phase::compute, "update p, s, x, r", [&](cudaStream_t handle) {
        launch_update_single_reduction(on_gpu(beta), on_gpu(alpha), pointers, size,
                                       cuda.partial_sums(), result.data(), handle);
    });
}

void CudaCgKernels::update_alpha(View<CgScalars> scalars, Stream& stream) {
    require_scalars_on_gpu(scalars);
    as_cuda(stream).launch(Phase::compute, "update alpha", [&](cudaStream_t handle) {
        launch_update_alpha(scalars.data(), handle);
    });
}

void CudaCgKernels::update_beta(View<CgScalars> scalars, View<double> history, Stream& stream) {
    require_scalars_on_gpu(scalars);
    require_device(history);
    as_cuda(stream).launch(Phase::compute, "update beta", [&](cudaStream_t handle) {
        launch_update_beta(scalars.data(), history.data(), handle);
    });
}

void CudaCgKernels::update_alpha_beta(View<CgScalars> scalars, View<double> history,
                                      Stream& stream) {
    require_scalars_on_gpu(scalars);
    require_device(history);
    as_cuda(stream).launch(Phase::compute, "update alpha and beta", [&](cudaStream_t handle) {
        launch_update_alpha_beta(scalars.data(), history.data(), handle);
    });
}

}  // namespace

std::unique_ptr<CgKernels> make_cuda_cg_kernels() {
    return std::make_unique<CudaCgKernels>();
}

}  // namespace quartet::device
