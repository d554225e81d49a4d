#include "device/cuda/matrix/cuda_vector_operations.hpp"

#include <initializer_list>

#include "device/cuda/matrix/vector_kernels.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/require_device.hpp"

namespace quartet::device {

namespace {

// Throws Failure unless all views are of that size and share nothing.
void require_apart_and_sized(std::int64_t size, std::initializer_list<View<const double>> views) {
    for (auto one = views.begin(); one != views.end(); ++one) {
        require_device(*one, size, "step: vectors differ in size");
        for (auto other = views.begin(); other != one; ++other)
            require_apart(*one, *other);
    }
}

// Throws Failure for a factor that kernels cannot reach.
FactorOnGpu on_gpu(const Factor& factor) {
    check(factor.place() == nullptr || factor.kind() != MemoryKind::host,
          "an operation of the GPU on memory of the host");
    return {factor.number(), factor.place()};
}

class CudaVectorOperations final : public VectorOperations {
  public:
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
    static void add_any(const View<const T>& source, const View<T>& target, Stream& stream);
    template <typename T>
    static void fill_any(T value, const View<T>& target, Stream& stream);
};

template <typename T>
void CudaVectorOperations::add_any(const View<const T>& source, const View<T>& target,
                                   Stream& stream) {
    require_device(source, target.size(), "add: source and target differ in size");
    require_device(target);
    require_same_or_apart(source, target);
    as_cuda(stream).launch(Phase::compute, "add", [&](cudaStream_t handle) {
        launch_add(source.data(), target.data(), target.size(), handle);
    });
}

template <typename T>
void CudaVectorOperations::fill_any(T value, const View<T>& target, Stream& stream) {
    require_device(target);
    as_cuda(stream).launch(Phase::compute, "fill", [&](cudaStream_t handle) {
        launch_fill(value, target.data(), target.size(), handle);
    });
}

void CudaVectorOperations::axpy(Factor factor, View<const double> x, View<double> y,
                                Stream& stream) {
    require_device(x, y.size(), "axpy: x and y differ in size");
    require_device(y);
    require_same_or_apart(x, y);
    as_cuda(stream).launch(Phase::compute, "axpy", [&](cudaStream_t handle) {
        launch_axpy(on_gpu(factor), x.data(), y.data(), y.size(), handle);
    });
}

void CudaVectorOperations::xpay(View<const double> x, Factor factor, View<double> y,
                                Stream& stream) {
    require_device(x, y.size(), "xpay: x and y differ in size");
    require_device(y);
    require_same_or_apart(x, y);
    as_cuda(stream).launch(Phase::compute, "xpay", [&](cudaStream_t handle) {
        launch_xpay(x.data(), on_gpu(factor), y.data(), y.size(), handle);
    });
}

void CudaVectorOperations::dot(View<const double> x, View<const double> y, View<double> result,
                               Stream& stream) {
    require_device(x, y.size(), "dot: x and y differ in size");
    require_device(y);
    require_reachable(result, 1, "dot: the result must have one element");
    CudaStream& cuda = as_cuda(stream);
    cuda.launch(Phase::compute, "dot", [&](cudaStream_t handle) {
        launch_dot(x.data(), y.data(), y.size(), cuda.partial_sums(), result.data(), handle);
    });
}

void CudaVectorOperations::step_and_dot(Factor step, const StepVectors& vectors,
                                        View<double> result, Stream& stream) {
    const auto& [p, q, x, r] = vectors;
    require_apart_and_sized(r.size(), {p, q, x, r});
    require_reachable(result, 1, "step: the result must have one element");
    const StepPointers pointers{p.data(), q.data(), x.data(), r.data()};
    CudaStream& cuda = as_cuda(stream);
    const std::int64_t size = r.size();
    cuda.launch(Phase::compute, "step", [&](cudaStream_t handle) {
        launch_step(on_gpu(step), pointers, size, cuda.partial_sums(), result.data(), handle);
    });
}

void CudaVectorOperations::turn_step_and_dot(Factor turn, Factor step,
                                             const CombinedStepVectors& vectors,
                                             View<double> result, Stream& stream) {
    const auto& [p, s, w, x, r] = vectors;
    require_apart_and_sized(r.size(), {p, s, w, x, r});
    require_reachable(result, 1, "step: the result must have one element");
    const CombinedStepPointers pointers{p.data(), s.data(), w.data(), x.data(), r.data()};
    CudaStream& cuda = as_cuda(stream);
    const std::int64_t size = r.size();
    cuda.launch(Phase::compute, "turn and step", [&](cudaStream_t handle) {
        launch_turn_and_step(on_gpu(turn), on_gpu(step), pointers, size, cuda.partial_sums(),
                             result.data(), handle);
    });
}

void CudaVectorOperations::find_step(View<CgScalars> scalars, Stream& stream) {
    require_device(scalars, 1, "find_step: scalars are one struct");
    as_cuda(stream).launch(Phase::compute, "find step",
                           [&](cudaStream_t handle) { launch_find_step(scalars.data(), handle); });
}

void CudaVectorOperations::find_turn(View<CgScalars> scalars, View<double> history,
                                     Stream& stream) {
    require_device(scalars, 1, "find_turn: scalars are one struct");
    require_device(history);
    as_cuda(stream).launch(Phase::compute, "find turn", [&](cudaStream_t handle) {
        launch_find_turn(scalars.data(), history.data(), handle);
    });
}

void CudaVectorOperations::find_turn_and_step(View<CgScalars> scalars, View<double> history,
                                              Stream& stream) {
    require_device(scalars, 1, "find_turn_and_step: scalars are one struct");
    require_device(history);
    as_cuda(stream).launch(Phase::compute, "find turn and step", [&](cudaStream_t handle) {
        launch_find_turn_and_step(scalars.data(), history.data(), handle);
    });
}

}  // namespace

std::unique_ptr<VectorOperations> make_cuda_vector_operations() {
    return std::make_unique<CudaVectorOperations>();
}

}  // namespace quartet::device
