#include <fmt/format.h>

#include "device/host/runtime/require_host.hpp"
#include "device/model/model_linear_algebra.hpp"

namespace quartet::device {

namespace {

class ModelBlas final : public Blas {
  public:
    explicit ModelBlas(const ModelWork& work) : work_(work) {}

    void gemm(const GemmShape& shape, View<const float> a, View<const float> b, View<float> c,
              Update /*update*/, Stream& stream) override {
        require_host(a, matrix_elements(shape.rows, shape.inner), "gemm: A has another size");
        require_host(b, matrix_elements(shape.inner, shape.columns), "gemm: B has another size");
        require_host(c, matrix_elements(shape.rows, shape.columns), "gemm: C has another size");
        const Seconds time =
            work_.product(static_cast<double>(shape.rows), static_cast<double>(shape.columns),
                          static_cast<double>(shape.inner));
        ModelWork::enqueue(time, "gemm", stream);
    }
    void gemv(std::int64_t rows, std::int64_t columns, View<const double> a, View<const double> x,
              View<double> y, Stream& stream) override {
        require_host(a, matrix_elements(rows, columns), "gemv: A has another size");
        require_host(x, columns, "gemv: x has another size");
        require_host(y, rows, "gemv: y has another size");
        ModelWork::enqueue(work_.traffic(static_cast<double>(a.bytes().value)), "gemv", stream);
    }
    [[nodiscard]] Bytes workspace() const override { return {}; }
    [[nodiscard]] std::string description() const override {
        return fmt::format("products at {:.4g} GFLOP/s", work_.rates().products / 1e9);
    }

  private:
    const ModelWork& work_;
};

}  // namespace

std::unique_ptr<Blas> make_model_blas(const ModelWork& work) {
    return std::make_unique<ModelBlas>(work);
}

}  // namespace quartet::device
