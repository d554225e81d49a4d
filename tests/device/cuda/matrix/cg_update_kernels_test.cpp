#include "device/cuda/matrix/cg_update_kernels.hpp"

#include "device/cuda/gpu_array.hpp"
#include "device/cuda/runtime/grid.hpp"

namespace quartet::device {
namespace {

constexpr std::int64_t sizes[] = {1, 3, 257, 1021, 1027, 5003};
constexpr double rounding = 4e-16;

class CgUpdateKernelsTest : public KernelTest {
  protected:
    /// The scalars after a launch that is given them and the history.
    template <typename Launch>
    CgScalars updated(CgScalars scalars, const GpuArray<double>& history, Launch launch) const {
        const GpuArray<CgScalars> on_gpu(1, scalars);
        launch(on_gpu.data(), history.data());
        finish();
        return on_gpu.values()[0];
    }
};

TEST_F(CgUpdateKernelsTest, UpdatesClassicVectorsAndSums) {
    const GpuArray<double> alpha(1, 0.25);
    const GpuArray<double> sum(1, unwritten);
    for (const std::int64_t size : sizes) {
        const GpuArray<double> direction(numbers(size, 1));
        const GpuArray<double> product(numbers(size, 2));
        const GpuArray<double> solution(numbers(size, 4));
        const GpuArray<double> residual(numbers(size, 3));
        const GpuArray<double> partials(most_sum_blocks, unwritten);

        launch_update_classic({0, alpha.data()},
                              {direction.data(), product.data(), solution.data(), residual.data()},
                              size, partials.data(), sum.data(), stream);
        finish();

        long double wanted = 0;
        const std::vector<double> x = solution.values();
        const std::vector<double> r = residual.values();
        for (std::int64_t i = 0; i < size; ++i) {
            const double rest = number(3 + i) - 0.25 * number(2 + i);
            wanted += rest * rest;
            EXPECT_NEAR(r[at(i)], rest, rounding) << i << " of " << size;
            EXPECT_NEAR(x[at(i)], number(4 + i) + 0.25 * number(1 + i), rounding) << i;
        }
        expect_sum(sum.values()[0], wanted, 2 * size);
    }
}

TEST_F(CgUpdateKernelsTest, UpdatesVectorsOfASingleReductionAndSums) {
    const GpuArray<double> sum(1, unwritten);
    for (const std::int64_t size : sizes) {
        const GpuArray<double> p(numbers(size, 1));
        const GpuArray<double> s(numbers(size, 2));
        const GpuArray<double> w(numbers(size, 3));
        const GpuArray<double> x(numbers(size, 4));
        const GpuArray<double> r(numbers(size, 5));
        const GpuArray<double> partials(SumGrid{size}.blocks(), unwritten);

        launch_update_single_reduction({0.5, nullptr}, {0.25, nullptr},
                                       {p.data(), s.data(), w.data(), x.data(), r.data()}, size,
                                       partials.data(), sum.data(), stream);
        finish();

        const std::vector<double> directions = p.values();
        const std::vector<double> products = s.values();
        const std::vector<double> solution = x.values();
        const std::vector<double> residual = r.values();
        long double wanted = 0;
        for (std::int64_t i = 0; i < size; ++i) {
            const double along = number(5 + i) + 0.5 * number(1 + i);
            const double image = number(3 + i) + 0.5 * number(2 + i);
            const double rest = number(5 + i) - 0.25 * image;
            wanted += rest * rest;
            EXPECT_NEAR(directions[at(i)], along, rounding) << i << " of " << size;
            EXPECT_NEAR(products[at(i)], image, rounding) << i;
            EXPECT_NEAR(solution[at(i)], number(4 + i) + 0.25 * along, rounding) << i;
            EXPECT_NEAR(residual[at(i)], rest, rounding) << i;
        }
        expect_sum(sum.values()[0], wanted, 4 * size);
    }
}

TEST_F(CgUpdateKernelsTest, UpdatesScalarsAsTheHostDoes) {
    CgScalars scalars;
    scalars.sum = 3;
    scalars.product_dot = 5;
    scalars.residual_dot = 6;
    scalars.alpha = 0.5;
    std::vector<double> on_host(2, 0.0);
    CgScalars alpha = scalars;
    CgScalars beta = scalars;
    CgScalars both = scalars;
    update_alpha(alpha);
    update_beta(beta, on_host.data());
    update_alpha_beta(both, on_host.data());
    const GpuArray<double> history(2, 0.0);

    EXPECT_EQ(updated(scalars, history,
                      [&](CgScalars* on_gpu, double*) { launch_update_alpha(on_gpu, stream); })
                  .alpha,
              alpha.alpha);
    EXPECT_EQ(updated(scalars, history,
                      [&](CgScalars* on_gpu, double* entries) {
                          launch_update_beta(on_gpu, entries, stream);
                      })
                  .beta,
              beta.beta);
    EXPECT_EQ(updated(scalars, history,
                      [&](CgScalars* on_gpu, double* entries) {
                          launch_update_alpha_beta(on_gpu, entries, stream);
                      })
                  .alpha,
              both.alpha);
    EXPECT_EQ(history.values(), on_host);
}

}  // namespace
}  // namespace quartet::device
