#include "device/vector_operations.hpp"

#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/vectors/vector_kernels.hpp"
#include "device/require_views.hpp"

namespace quartet::device {

namespace {

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
    void copy(View<const double> source, View<double> target, Stream& stream) override;
    void axpy(double factor, View<const double> x, View<double> y, Stream& stream) override {
        update("axpy", "axpy: x and y differ in size", x, y, stream, [&](cudaStream_t handle) {
            launch_axpy(factor, x.data(), y.data(), y.size(), handle);
        });
    }
    void xpay(View<const double> x, double factor, View<double> y, Stream& stream) override {
        update("xpay", "xpay: x and y differ in size", x, y, stream, [&](cudaStream_t handle) {
            launch_xpay(x.data(), factor, y.data(), y.size(), handle);
        });
    }
    void dot(View<const double> x, View<const double> y, View<double> result,
             Stream& stream) override;
    [[nodiscard]] std::span<const MemoryWay> ways(AccessPattern /*pattern*/) const override {
        static constexpr MemoryWay plain[] = {{}};
        return plain;
    }
    void pass(const MemoryPass& pass, MemoryWay way, Stream& stream) override;

  private:
    /// Enqueues work(handle) on source and target. A failed check of the sizes states `problem`.
    template <typename T, typename Work>
    static void update(const char* label, const char* problem, const View<const T>& source,
                       const View<T>& target, Stream& stream, Work work) {
        require_device(source, target.size(), problem);
        require_device(target);
        require_same_or_apart(source, target);
        as_cuda(stream).launch(Phase::compute, label, work);
    }
    template <typename T>
    static void add_any(const View<const T>& source, const View<T>& target, Stream& stream) {
        update("add", "add: source and target differ in size", source, target, stream,
               [&](cudaStream_t handle) {
                   launch_add(source.data(), target.data(), target.size(), handle);
               });
    }
    template <typename T>
    static void fill_any(T value, const View<T>& target, Stream& stream);
};

template <typename T>
void CudaVectorOperations::fill_any(T value, const View<T>& target, Stream& stream) {
    require_device(target);
    as_cuda(stream).launch(Phase::compute, "fill", [&](cudaStream_t handle) {
        launch_fill(value, target.data(), target.size(), handle);
    });
}

void CudaVectorOperations::copy(View<const double> source, View<double> target, Stream& stream) {
    if (source.empty() && target.empty())
        return;
    update("copy", "copy: source and target differ in size", source, target, stream,
           [&](cudaStream_t handle) {
               cuda_check(cudaMemcpyAsync(target.data(), source.data(),
                                          static_cast<std::size_t>(source.bytes().value),
                                          cudaMemcpyDeviceToDevice, handle),
                          "cudaMemcpyAsync");
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

void CudaVectorOperations::pass(const MemoryPass& pass, MemoryWay /*way*/, Stream& stream) {
    const auto& [pattern, source, target] = pass;
    switch (pattern) {
        case AccessPattern::read:
            return dot(view_as<double>(source), view_as<double>(source), view_as<double>(target),
                       stream);
        case AccessPattern::copy:
            return copy(view_as<double>(source), view_as<double>(target), stream);
        case AccessPattern::add:
            return add(view_as<float>(source), view_as<float>(target), stream);
        case AccessPattern::update:
            return axpy(0.5, view_as<double>(source), view_as<double>(target), stream);
    }
}

}  // namespace

std::unique_ptr<VectorOperations> make_cuda_vector_operations() {
    return std::make_unique<CudaVectorOperations>();
}

}  // namespace quartet::device
