#include <algorithm>
#include <functional>

#include "cg/cuda/kernels.hpp"
#include "device/cuda/gpu_array.hpp"

namespace quartet::cg {
namespace {

using namespace device;

using Element = std::function<double(std::int64_t row, std::int64_t column)>;

/// Positive definite, and no iteration solves it.
double positive(std::int64_t row, std::int64_t column) {
    const double small = 0.01 * number(31 * std::min(row, column) + std::max(row, column));
    return row == column ? 1 + small + 0.1 * static_cast<double>(row % 7) : small;
}

/// What is left after some iterations.
struct State {
    CgScalars scalars;
    std::vector<double> history;  ///< r.r, from the first iteration on
    std::vector<double> x;
    std::vector<double> r;
    std::vector<double> p;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    long double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += static_cast<long double>(a[i]) * b[i];
    return static_cast<double>(sum);
}

/// By the functions that the host has for its scalars.
State iterate_plainly(const Element& element, std::int64_t size, std::int64_t iterations) {
    State state{{}, {}, std::vector<double>(at(size), 0.0), numbers(size, 5), numbers(size, 5)};
    state.scalars.residual_dot = dot(state.r, state.r);
    state.history.assign(at(iterations + 1), unwritten);
    for (std::int64_t k = 0; k < iterations; ++k) {
        std::vector<double> q(at(size));
        for (std::int64_t i = 0; i < size; ++i) {
            long double sum = 0;
            for (std::int64_t j = 0; j < size; ++j)
                sum += element(i, j) * state.p[at(j)];
            q[at(i)] = static_cast<double>(sum);
        }
        const double curvature = dot(state.p, q);
        if (state.scalars.failed_at < 0 &&
            !are_of_positive_definite(state.scalars.residual_dot, curvature)) {
            state.scalars.failed_at = state.scalars.done;
            state.scalars.failed_residual_dot = state.scalars.residual_dot;
            state.scalars.failed_curvature = curvature;
        }
        state.scalars.alpha = alpha_of(state.scalars.residual_dot, curvature);
        for (std::size_t i = 0; i < q.size(); ++i) {
            state.x[i] += state.scalars.alpha * state.p[i];
            state.r[i] -= state.scalars.alpha * q[i];
        }
        const double before = state.scalars.residual_dot;
        state.scalars.residual_dot = state.scalars.sum = dot(state.r, state.r);
        state.scalars.beta = beta_of(state.scalars.sum, before, state.scalars.alpha);
        state.history[at(++state.scalars.done)] = state.scalars.sum;
        for (std::size_t i = 0; i < q.size(); ++i)
            state.p[i] = state.r[i] + state.scalars.beta * state.p[i];
    }
    return state;
}

class ClassicIterationKernelsTest : public KernelTest {
  protected:
    using Product = std::function<void(const DirectionOnGpu&)>;
    using Update = std::function<void(const UpdateOnGpu&)>;

    [[nodiscard]] State iterate(const Product& product, const Update& update, PartialSums curvature,
                                std::int64_t size, std::int64_t iterations) const {
        const GpuArray<double> x(size, 0.0);
        const GpuArray<double> r(numbers(size, 5));
        const GpuArray<double> p(numbers(size, 5));
        const GpuArray<double> residual_sums(update_blocks(size), unwritten);
        const GpuArray<double> history(iterations + 1, unwritten);
        const double residual_dot = dot(r.values(), r.values());
        const GpuArray<CgScalars> scalars(1, {.sum = residual_dot, .residual_dot = residual_dot});
        const DirectionOnGpu next{p.data(),
                                  r.data(),
                                  {residual_sums.data(), update_blocks(size)},
                                  scalars.data(),
                                  history.data()};
        for (std::int64_t k = 0; k < iterations; ++k) {
            DirectionOnGpu direction = next;
            if (k == 0)
                direction.scalars = nullptr;
            product(direction);
            update({size,
                    p.data(),
                    x.data(),
                    r.data(),
                    residual_sums.data(),
                    {},
                    curvature,
                    scalars.data(),
                    k == 0 ? UpdatedDirection::as_it_is : UpdatedDirection::next});
        }
        launch_last_direction(next, p.data(), size, stream);
        finish();
        return {scalars.values()[0], history.values(), x.values(), r.values(), p.values()};
    }

    [[nodiscard]] State by_rows(const Element& element, std::int64_t size, std::int64_t blocks,
                                std::int64_t iterations) const {
        const std::int64_t stride = (size + 15) / 16 * 16;
        std::vector<double> elements(at(size * stride), 0.0);
        for (std::int64_t i = 0; i < size * size; ++i)
            elements[at(i / size * stride + i % size)] = element(i / size, i % size);
        const GpuArray<double> matrix(elements);
        const GpuArray<double> sums(size * rows_chunks(size), unwritten);
        const GpuArray<double> curvature(blocks, unwritten);
        const RowsOnGpu rows{
            {matrix.data(), size, size, stride}, 0, 24, blocks, sums.data(), curvature.data()};
        return iterate([&](const auto& direction) { launch_product(rows, direction, stream); },
                       [&](const auto& update) { launch_update(rows, update, stream); },
                       {curvature.data(), blocks}, size, iterations);
    }

    [[nodiscard]] State by_triangle(const Element& element, std::int64_t size,
                                    std::int64_t iterations) const {
        const TriangleLayout layout({size, 1, 0}, 4);
        std::vector<double> elements(at(layout.elements), 0.0);
        for (const TrianglePanel& panel : layout.panels)
            for (std::int64_t i = 0; i < triangle_tile && panel.first_row + i < size; ++i)
                for (std::int64_t j = panel.first_row; j < size; ++j)
                    elements[at(panel.offset + i * panel.stride + j - panel.first_row)] =
                        element(panel.first_row + i, j);
        const GpuArray<double> on_gpu(elements);
        const GpuArray<TrianglePanel> panels(layout.panels);
        const GpuArray<TriangleBlock> work(layout.blocks);
        const GpuArray<std::int64_t> panels_above(layout.panels_above);
        const GpuArray<double> sums(layout.sums(), unwritten);
        const GpuArray<double> curvature(layout.block_count(), unwritten);
        const TriangleOnGpu triangle{
            size,          layout.tiles, layout.block_count(), 24,          on_gpu.data(),
            panels.data(), work.data(),  panels_above.data(),  sums.data(), curvature.data()};
        return iterate([&](const auto& direction) { launch_product(triangle, direction, stream); },
                       [&](const auto& update) { launch_update(triangle, update, stream); },
                       {curvature.data(), layout.block_count()}, size, iterations);
    }

    static void expect_state(const State& found, const State& wanted) {
        const double scale = static_cast<double>(wanted.x.size());
        EXPECT_EQ(found.scalars.done, wanted.scalars.done);
        EXPECT_EQ(found.scalars.failed_at, wanted.scalars.failed_at);
        for (std::size_t k = 1; k < wanted.history.size(); ++k)
            EXPECT_NEAR(found.history[k], wanted.history[k], 1e-13 * scale) << k;
        EXPECT_EQ(found.scalars.sum, found.history.back());
        for (std::size_t i = 0; i < wanted.x.size(); ++i) {
            EXPECT_NEAR(found.x[i], wanted.x[i], 1e-13) << i;
            EXPECT_NEAR(found.r[i], wanted.r[i], 1e-13) << i;
            EXPECT_NEAR(found.p[i], wanted.p[i], 1e-13) << i;
        }
    }
};

TEST_F(ClassicIterationKernelsTest, IteratesAsThePlainLoopDoes) {
    for (const std::int64_t size : {1, 2, 31, 33, 129, 257}) {
        SCOPED_TRACE(size);
        const State wanted = iterate_plainly(positive, size, 3);

        expect_state(by_rows(positive, size, std::min<std::int64_t>(size, 5), 3), wanted);
        expect_state(by_triangle(positive, size, 3), wanted);
    }
}

TEST_F(ClassicIterationKernelsTest, NotesTheFirstFailure) {
    // Its first p.Ap is positive, the second one is not.
    const auto indefinite = [](std::int64_t row, std::int64_t column) {
        return row != column ? 0.0 : row == 4 ? -0.5 : 1.0;
    };
    const State wanted = iterate_plainly(indefinite, 5, 4);
    ASSERT_EQ(wanted.scalars.failed_at, 1);

    expect_state(by_rows(indefinite, 5, 2, 2), iterate_plainly(indefinite, 5, 2));

    for (const State& found : {by_rows(indefinite, 5, 2, 4), by_triangle(indefinite, 5, 4)}) {
        EXPECT_EQ(found.scalars.failed_at, 1);
        EXPECT_NEAR(found.scalars.failed_curvature, wanted.scalars.failed_curvature, 1e-13);
        EXPECT_NEAR(found.scalars.failed_residual_dot, wanted.scalars.failed_residual_dot, 1e-13);
    }
}

}  // namespace
}  // namespace quartet::cg
