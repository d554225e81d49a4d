#include "device/cg_kernels.hpp"

#include <cmath>
#include <limits>

#include "device/contract/contract.hpp"
#include "device/vector_operations.hpp"

namespace quartet::device {

namespace {

constexpr std::int64_t vector_sizes[] = {0, 1, 2, 7, 31, 32, 33, 1001, 65536, (1 << 20) + 5};

/// One cg_rounding of a multiplication and one of an addition, fused or not, of values below 2.
constexpr double cg_rounding = 4 * std::numeric_limits<double>::epsilon();

}  // namespace

TEST_P(CgContract, UpdatesClassicVectorsAndGivesTheNewResidualDot) {
    for (const std::int64_t size : vector_sizes) {
        const auto p = random_values<double>(size, 12);
        const auto q = random_values<double>(size, 13);
        const auto x = random_values<double>(size, 14);
        const auto r = random_values<double>(size, 15);
        const Buffer<double> direction = upload(p);
        const Buffer<double> product = upload(q);
        Buffer<double> solution = upload(x);
        Buffer<double> residual = upload(r);
        Buffer<double> result = upload(std::vector<double>{NAN, NAN});

        device->cg_kernels().update_classic(
            0.3, {direction.view(), product.view(), solution.view(), residual.view()},
            result.view().part(0, 1), *stream);
        device->vectors().dot(residual.view(), residual.view(), result.view().part(1, 1), *stream);

        const auto new_x = download(solution.view());
        const auto new_r = download(residual.view());
        for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_NEAR(new_x[i], x[i] + 0.3 * p[i], cg_rounding) << i << " of " << size;
            ASSERT_NEAR(new_r[i], r[i] - 0.3 * q[i], cg_rounding) << i << " of " << size;
        }
        const auto dots = download(result.view());
        EXPECT_NEAR(dots[0], dots[1], cg_rounding * static_cast<double>(size + 1)) << size;
    }
}

TEST_P(CgContract, UpdatesSingleReductionVectorsAndGivesTheNewResidualDot) {
    for (const std::int64_t size : vector_sizes) {
        const auto p = random_values<double>(size, 16);
        const auto s = random_values<double>(size, 17);
        const auto w = random_values<double>(size, 18);
        const auto x = random_values<double>(size, 19);
        const auto r = random_values<double>(size, 20);
        Buffer<double> direction = upload(p);
        Buffer<double> product = upload(s);
        const Buffer<double> change = upload(w);
        Buffer<double> solution = upload(x);
        Buffer<double> residual = upload(r);
        Buffer<double> result = upload(std::vector<double>{NAN, NAN});

        device->cg_kernels().update_single_reduction(
            0.7, 0.3,
            {direction.view(), product.view(), change.view(), solution.view(), residual.view()},
            result.view().part(0, 1), *stream);
        device->vectors().dot(residual.view(), residual.view(), result.view().part(1, 1), *stream);

        const auto new_p = download(direction.view());
        const auto new_s = download(product.view());
        const auto new_x = download(solution.view());
        const auto new_r = download(residual.view());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double new_direction = r[i] + 0.7 * p[i];
            const double new_product = w[i] + 0.7 * s[i];
            ASSERT_NEAR(new_p[i], new_direction, cg_rounding) << i << " of " << size;
            ASSERT_NEAR(new_s[i], new_product, cg_rounding) << i << " of " << size;
            ASSERT_NEAR(new_x[i], x[i] + 0.3 * new_direction, 2 * cg_rounding)
                << i << " of " << size;
            ASSERT_NEAR(new_r[i], r[i] - 0.3 * new_product, 2 * cg_rounding) << i << " of " << size;
        }
        const auto dots = download(result.view());
        EXPECT_NEAR(dots[0], dots[1], cg_rounding * static_cast<double>(size + 1)) << size;
    }
}

TEST_P(CgContract, RefusesVectorsThatOverlapOrDifferInSize) {
    Buffer<double> values = empty<double>(60);
    Buffer<double> one = empty<double>(1);
    const auto vector = [&](std::int64_t index) { return values.view().part(10 * index, 10); };
    const View<double> short_one = values.view().part(50, 9);
    const auto classic = [&](View<double> p, View<double> q, View<double> x, View<double> r) {
        device->cg_kernels().update_classic(1, {p, q, x, r}, one.view(), *stream);
    };
    const auto single_reduction = [&](View<double> p, View<double> s, View<double> w,
                                      View<double> x, View<double> r) {
        device->cg_kernels().update_single_reduction(1, 1, {p, s, w, x, r}, one.view(), *stream);
    };

    classic(vector(0), vector(1), vector(2), vector(3));
    EXPECT_THROW(classic(short_one, vector(1), vector(2), vector(3)), Failure);
    EXPECT_THROW(classic(vector(0), vector(1), vector(2), short_one), Failure);
    EXPECT_THROW(classic(vector(0), vector(0), vector(2), vector(3)), Failure);
    EXPECT_THROW(classic(vector(0), vector(1), vector(2), vector(2)), Failure);
    EXPECT_THROW(classic(vector(0), vector(1), vector(0), vector(3)), Failure);
    single_reduction(vector(0), vector(1), vector(2), vector(3), vector(4));
    EXPECT_THROW(single_reduction(vector(0), vector(1), short_one, vector(3), vector(4)), Failure);
    for (std::int64_t i = 0; i < 5; ++i) {
        for (std::int64_t j = 0; j < i; ++j) {
            std::vector<View<double>> v;
            for (std::int64_t k = 0; k < 5; ++k)
                v.push_back(vector(k == i ? j : k));
            EXPECT_THROW(single_reduction(v[0], v[1], v[2], v[3], v[4]), Failure) << i << ", " << j;
        }
    }
    stream->synchronize();  // before the vectors go
}

TEST_P(CgContract, UpdatesAlphaAndBetaOnTheDevice) {
    Buffer<CgScalars> scalars = upload(std::vector<CgScalars>{{.sum = 4, .residual_dot = 8}});
    Buffer<double> history = upload(std::vector<double>{0, 0, 0});
    CgKernels& kernels = device->cg_kernels();

    kernels.update_alpha(scalars.view(), *stream);  // r.r = 8, p.Ap = 4
    device->vectors().fill(2.0, scalar_of(scalars.view(), &CgScalars::sum), *stream);
    kernels.update_beta(scalars.view(), history.view(), *stream);

    const CgScalars found = download(scalars.view()).front();
    EXPECT_EQ(found.alpha, 2);
    EXPECT_EQ(found.beta, 0.25);
    EXPECT_EQ(found.residual_dot, 2);
    EXPECT_EQ(found.done, 1);
    EXPECT_EQ(found.failed_at, -1);
    EXPECT_EQ(download(history.view()), (std::vector<double>{0, 2, 0}));
}

TEST_P(CgContract, KeepsAlphaZeroAfterAMatrixThatIsNotPositiveDefinite) {
    Buffer<CgScalars> scalars =
        upload(std::vector<CgScalars>{{.sum = 3, .product_dot = -5, .done = 7}});
    Buffer<double> history = upload(std::vector<double>(10, 0.0));

    for (int time = 0; time < 2; ++time)
        device->cg_kernels().update_alpha_beta(scalars.view(), history.view(), *stream);

    const CgScalars found = download(scalars.view()).front();
    EXPECT_EQ(found.alpha, 0);
    EXPECT_EQ(found.failed_at, 7);
    EXPECT_EQ(found.failed_curvature, -5);
    EXPECT_EQ(found.failed_residual_dot, 3);
    EXPECT_EQ(found.done, 9);
}

}  // namespace quartet::device
