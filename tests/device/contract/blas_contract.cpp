#include <cmath>
#include <limits>

#include "device/blas.hpp"
#include "device/contract/contract.hpp"

namespace quartet::device {

namespace {

constexpr GemmShape shapes[] = {{1, 1, 1},     {2, 3, 4},      {5, 1, 7},    {1, 9, 1},
                                {17, 33, 5},   {64, 64, 64},   {63, 65, 67}, {128, 1, 300},
                                {1, 128, 300}, {200, 130, 257}};

/// One element of the product in double precision, and the same of absolute values.
struct Reference {
    double value = 0;
    double magnitude = 0;
};

Reference element(const GemmShape& shape, const std::vector<float>& a, const std::vector<float>& b,
                  std::int64_t row, std::int64_t column) {
    Reference sum;
    for (std::int64_t k = 0; k < shape.inner; ++k) {
        const double left = a[static_cast<std::size_t>(row * shape.inner + k)];
        const double right = b[static_cast<std::size_t>(k * shape.columns + column)];
        sum.value += left * right;
        sum.magnitude += std::abs(left * right);
    }
    return sum;
}

/// Expects c = start + a b within the bound of float32 arithmetic, (n + 1) u sum |a||b|, for any
/// order of summation (Higham, Accuracy and Stability of Numerical Algorithms, section 3.5).
void expect_product(const GemmShape& shape, const std::vector<float>& a,
                    const std::vector<float>& b, const std::vector<float>& c, float start) {
    const double unit = std::numeric_limits<float>::epsilon() / 2;
    for (std::int64_t row = 0; row < shape.rows; ++row) {
        for (std::int64_t column = 0; column < shape.columns; ++column) {
            const Reference sum = element(shape, a, b, row, column);
            const double bound = static_cast<double>(shape.inner + 2) * unit *
                                 (sum.magnitude + std::abs(static_cast<double>(start)));
            ASSERT_NEAR(c[static_cast<std::size_t>(row * shape.columns + column)],
                        sum.value + static_cast<double>(start), bound)
                << row << ',' << column << " of " << shape.rows << 'x' << shape.columns << 'x'
                << shape.inner;
        }
    }
}

}  // namespace

TEST_P(BlasContract, GemmReplacesItsTarget) {
    for (const GemmShape& shape : shapes) {
        const auto a = random_values<float>(shape.rows * shape.inner, 1);
        const auto b = random_values<float>(shape.inner * shape.columns, 2);
        const Buffer<float> left = upload(a);
        const Buffer<float> right = upload(b);
        const auto count = static_cast<std::size_t>(shape.rows * shape.columns);
        Buffer<float> c = upload(std::vector<float>(count, NAN));

        device->blas().gemm(shape, left.view(), right.view(), c.view(), Update::replace, *stream);

        expect_product(shape, a, b, download(c.view()), 0);
    }
}

TEST_P(BlasContract, GemmAccumulatesIntoItsTarget) {
    for (const GemmShape& shape : shapes) {
        const auto a = random_values<float>(shape.rows * shape.inner, 3);
        const auto b = random_values<float>(shape.inner * shape.columns, 4);
        const Buffer<float> left = upload(a);
        const Buffer<float> right = upload(b);
        const auto count = static_cast<std::size_t>(shape.rows * shape.columns);
        Buffer<float> c = upload(std::vector<float>(count, 2.5F));

        device->blas().gemm(shape, left.view(), right.view(), c.view(), Update::accumulate,
                            *stream);

        expect_product(shape, a, b, download(c.view()), 2.5F);
    }
}

TEST_P(BlasContract, GemmServesEmptyMatrices) {
    Buffer<float> c = upload(std::vector<float>{1, 2});

    device->blas().gemm({0, 2, 0}, {}, {}, {}, Update::replace, *stream);
    device->blas().gemm({1, 2, 0}, {}, {}, c.view(), Update::accumulate, *stream);
    EXPECT_EQ(download(c.view()), (std::vector<float>{1, 2}));

    device->blas().gemm({1, 2, 0}, {}, {}, c.view(), Update::replace, *stream);
    EXPECT_EQ(download(c.view()), (std::vector<float>{0, 0}));
}

TEST_P(BlasContract, GemmRefusesWrongSizesAndOverlap) {
    Buffer<float> six = empty<float>(6);
    Buffer<float> other = empty<float>(6);
    Buffer<float> four = empty<float>(4);
    Blas& blas = device->blas();
    const auto gemm = [&](const GemmShape& shape, View<float> a, View<float> b, View<float> c) {
        blas.gemm(shape, a, b, c, Update::replace, *stream);
    };

    EXPECT_NO_THROW(gemm({2, 2, 3}, six.view(), other.view(), four.view()));
    EXPECT_THROW(gemm({2, 2, 3}, four.view(), other.view(), four.view()), Failure);
    EXPECT_THROW(gemm({2, 2, 3}, six.view(), four.view(), four.view()), Failure);
    EXPECT_THROW(gemm({2, 2, 3}, six.view(), other.view(), six.view()), Failure);
    EXPECT_THROW(gemm({-2, -2, -3}, six.view(), other.view(), four.view()), Failure);
    EXPECT_THROW(gemm({2, 3, 3}, six.view(), empty<float>(9).view(), six.view()), Failure);
    stream->synchronize();
}

TEST_P(BlasContract, RefusesEdgesBeyondWhatTheLibraryCounts) {
    const std::int64_t edge = std::int64_t{1} << 62;

    EXPECT_THROW(device->blas().gemm({edge, edge, edge}, {}, {}, {}, Update::replace, *stream),
                 Failure);
    EXPECT_THROW(device->blas().gemv(edge, edge, {}, {}, {}, *stream), Failure);
}

TEST_P(BlasContract, GemvMultipliesRowMajorMatrices) {
    constexpr std::int64_t edges[][2] = {{1, 1}, {1, 300}, {300, 1}, {7, 5}, {64, 64}, {257, 129}};
    for (const auto& [rows, columns] : edges) {
        const auto a = random_values<double>(rows * columns, 6);
        auto x = random_values<double>(columns + 1, 7);
        x.back() = NAN;  // lies beyond the vector
        const Buffer<double> matrix = upload(a);
        const Buffer<double> vector = upload(x);
        Buffer<double> y = upload(std::vector<double>(static_cast<std::size_t>(rows + 3), 7.0));

        device->blas().gemv(rows, columns, matrix.view(), vector.view().part(0, columns),
                            y.view().part(0, rows), *stream);

        const std::vector<double> result = download(y.view());
        for (std::int64_t row = 0; row < rows; ++row) {
            long double sum = 0;
            for (std::int64_t column = 0; column < columns; ++column)
                sum +=
                    static_cast<long double>(a[static_cast<std::size_t>(row * columns + column)]) *
                    static_cast<long double>(x[static_cast<std::size_t>(column)]);
            const double bound =
                static_cast<double>(columns * columns) * std::numeric_limits<double>::epsilon();
            ASSERT_NEAR(result[static_cast<std::size_t>(row)], static_cast<double>(sum), bound)
                << "row " << row << " of " << rows << 'x' << columns;
        }
        EXPECT_EQ(result.back(), 7.0) << "beyond y";
        EXPECT_EQ(result[static_cast<std::size_t>(rows)], 7.0) << "beyond y";
    }
}

TEST_P(BlasContract, GemvRefusesWrongSizesAndOverlap) {
    Buffer<double> six = empty<double>(6);
    Buffer<double> three = empty<double>(3);
    Buffer<double> two = empty<double>(2);
    Blas& blas = device->blas();

    EXPECT_NO_THROW(blas.gemv(2, 3, six.view(), three.view(), two.view(), *stream));
    EXPECT_THROW(blas.gemv(3, 2, six.view(), three.view(), two.view(), *stream), Failure);
    EXPECT_THROW(blas.gemv(2, 2, six.view(), two.view(), two.view(), *stream), Failure);
    EXPECT_THROW(blas.gemv(2, 3, six.view(), three.view(), three.view().part(0, 2), *stream),
                 Failure);
    stream->synchronize();
}

INSTANTIATE_TEST_SUITE_P(Devices, BlasContract, ::testing::ValuesIn(contract_devices()),
                         parameter_name);

}  // namespace quartet::device
