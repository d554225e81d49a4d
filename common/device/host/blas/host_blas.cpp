#include "device/host/blas/host_blas.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "cblas.hpp"
#include "device/host/blas/blas_vendor.hpp"
#include "device/host/runtime/require_host.hpp"

namespace quartet::device {

namespace {

/// The library's integer: 32 or 64 bits, as its header declares the number of rows.
template <typename Order, typename Transpose, typename Integer, typename... Rest>
Integer integer_of(void (*)(Order, Transpose, Integer, Rest...));
using BlasInteger = decltype(integer_of(&cblas_dgemv));

void require_blas_size(std::int64_t size) {
    check(size >= 0, "a matrix of a negative size");
    if (size > std::numeric_limits<BlasInteger>::max())
        throw Failure("a matrix edge of " + std::to_string(size) +
                      " (this BLAS counts in 32 bits): use smaller blocks or a 64-bit BLAS");
}

BlasInteger to_blas(std::int64_t size) {
    return static_cast<BlasInteger>(size);
}

// BLAS refuses a leading dimension of 0, even of an empty matrix.
BlasInteger leading(std::int64_t columns) {
    return to_blas(std::max<std::int64_t>(columns, 1));
}

/// The elements of a matrix. Throws Failure if its edges or their product are out of range.
std::int64_t matrix_size(std::int64_t rows, std::int64_t columns) {
    require_blas_size(rows);
    require_blas_size(columns);
    return matrix_elements(rows, columns);
}

class HostBlas final : public Blas {
  public:
    explicit HostBlas(int threads) {
        use_best_blas_kernels();
        set_blas_threads(threads);
    }

    void gemm(const GemmShape& shape, View<const float> a, View<const float> b, View<float> c,
              Update update, Stream& stream) override {
        require_host(a, matrix_size(shape.rows, shape.inner), "gemm: A is not rows x inner");
        require_host(b, matrix_size(shape.inner, shape.columns), "gemm: B is not inner x columns");
        require_host(c, matrix_size(shape.rows, shape.columns), "gemm: C is not rows x columns");
        require_apart(a, c);
        require_apart(b, c);
        const auto work = [shape, update, left = a.data(), right = b.data(), out = c.data()] {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, to_blas(shape.rows),
                        to_blas(shape.columns), to_blas(shape.inner), 1.0F, left,
                        leading(shape.inner), right, leading(shape.columns),
                        update == Update::accumulate ? 1.0F : 0.0F, out, leading(shape.columns));
        };
        stream.enqueue(Phase::compute, "gemm", work);
    }

    void gemv(std::int64_t rows, std::int64_t columns, View<const double> a, View<const double> x,
              View<double> y, Stream& stream) override {
        require_host(a, matrix_size(rows, columns), "gemv: A is not rows x columns");
        require_host(x, columns, "gemv: x does not have as many elements as A columns");
        require_host(y, rows, "gemv: y does not have as many elements as A rows");
        require_apart(a, y);
        require_apart(x, y);
        const auto work = [rows, columns, matrix = a.data(), in = x.data(), out = y.data()] {
            // Reference BLAS returns at once for no columns and leaves y as it is.
            if (columns == 0)
                std::fill_n(out, rows, 0.0);
            else
                cblas_dgemv(CblasRowMajor, CblasNoTrans, to_blas(rows), to_blas(columns), 1.0,
                            matrix, leading(columns), in, 1, 0.0, out, 1);
        };
        stream.enqueue(Phase::compute, "gemv", work);
    }

    [[nodiscard]] Bytes workspace() const override { return {}; }
    [[nodiscard]] std::string description() const override { return blas_description(); }
};

}  // namespace

std::unique_ptr<Blas> make_host_blas(int threads) {
    return std::make_unique<HostBlas>(threads);
}

}  // namespace quartet::device
