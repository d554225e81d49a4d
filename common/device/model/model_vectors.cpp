#include "device/host/runtime/require_host.hpp"
#include "device/model/emulation.hpp"
#include "device/model/model_linear_algebra.hpp"

namespace quartet::device {

namespace {

constexpr double positive = 1;  // what dots give

// Bytes of `passes` readings or writings of a vector.
template <typename T>
double bytes_of_passes(int passes, const View<T>& vector) {
    return passes * static_cast<double>(vector.bytes().value);
}

void enqueue_sum(Seconds time, const char* label, View<double> result, Stream& stream) {
    require_host(result, 1, "the result of a sum has one element");
    stream.enqueue(Phase::compute, label, [time, out = result.data()] {
        let_pass(time);
        *out = positive;
    });
}

class ModelVectorOperations final : public VectorOperations {
  public:
    explicit ModelVectorOperations(const ModelWork& work) : work_(work) {}

    void add(View<const float> source, View<float> target, Stream& stream) override {
        pass_over(3, source, target.size(), "add", stream);
    }
    void add(View<const double> source, View<double> target, Stream& stream) override {
        pass_over(3, source, target.size(), "add", stream);
    }
    void fill(float /*value*/, View<float> target, Stream& stream) override {
        pass_over(1, View<const float>(target), target.size(), "fill", stream);
    }
    void fill(double /*value*/, View<double> target, Stream& stream) override {
        pass_over(1, View<const double>(target), target.size(), "fill", stream);
    }
    void copy(View<const double> source, View<double> target, Stream& stream) override {
        pass_over(2, source, target.size(), "copy", stream);
    }
    void axpy(Factor /*factor*/, View<const double> x, View<double> y, Stream& stream) override {
        pass_over(3, x, y.size(), "axpy", stream);
    }
    void xpay(View<const double> x, Factor /*factor*/, View<double> y, Stream& stream) override {
        pass_over(3, x, y.size(), "xpay", stream);
    }
    void dot(View<const double> x, View<const double> y, View<double> result,
             Stream& stream) override {
        require_host(x, y.size(), "dot: x and y differ in size");
        enqueue_sum(work_.traffic(bytes_of_passes(2, x)), "dot", result, stream);
    }

  private:
    template <typename T>
    void pass_over(int passes, View<const T> source, std::int64_t target, const char* label,
                   Stream& stream) const {
        require_host(source, target, "vectors differ in size");
        ModelWork::enqueue(work_.traffic(bytes_of_passes(passes, source)), label, stream);
    }

    const ModelWork& work_;
};

class ModelCgKernels final : public CgKernels {
  public:
    explicit ModelCgKernels(const ModelWork& work) : work_(work) {}

    // Reads p, A p, x and r, writes x and r.
    void update_classic(Factor /*alpha*/, const ClassicVectors& vectors, View<double> result,
                        Stream& stream) override {
        enqueue_sum(work_.traffic(bytes_of_passes(6, vectors.solution)), "update", result, stream);
    }
    // Reads p, s, w, x and r, writes p, s, x and r.
    void update_single_reduction(Factor /*beta*/, Factor /*alpha*/,
                                 const SingleReductionVectors& vectors, View<double> result,
                                 Stream& stream) override {
        enqueue_sum(work_.traffic(bytes_of_passes(9, vectors.solution)), "update", result, stream);
    }
    void update_alpha(View<CgScalars> scalars, Stream& stream) override {
        stream.enqueue(Phase::compute, "alpha",
                       [to = scalars.data()] { device::update_alpha(*to); });
    }
    void update_beta(View<CgScalars> scalars, View<double> history, Stream& stream) override {
        stream.enqueue(Phase::compute, "beta", [to = scalars.data(), past = history.data()] {
            device::update_beta(*to, past);
        });
    }
    void update_alpha_beta(View<CgScalars> scalars, View<double> history, Stream& stream) override {
        stream.enqueue(Phase::compute, "alpha, beta", [to = scalars.data(), past = history.data()] {
            device::update_alpha_beta(*to, past);
        });
    }

  private:
    const ModelWork& work_;
};

}  // namespace

std::unique_ptr<VectorOperations> make_model_vector_operations(const ModelWork& work) {
    return std::make_unique<ModelVectorOperations>(work);
}

std::unique_ptr<CgKernels> make_model_cg_kernels(const ModelWork& work) {
    return std::make_unique<ModelCgKernels>(work);
}

}  // namespace quartet::device
