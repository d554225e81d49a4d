#include "device/cuda/matrix/triangle_kernel.hpp"

#include <algorithm>

#include "device/cuda/gpu_array.hpp"

namespace quartet::device {
namespace {

double element(std::int64_t row, std::int64_t column) {
    return number(31 * std::min(row, column) + std::max(row, column));
}

/// Elements of the part, its padding zeros; the tiles on the diagonal are whole.
std::vector<double> elements_of(const TriangleLayout& layout) {
    std::vector<double> elements(at(layout.elements), 0.0);
    for (const TrianglePanel& panel : layout.panels)
        for (std::int64_t r = 0; r < triangle_tile && panel.first_row + r < layout.size; ++r)
            for (std::int64_t c = panel.first_row; c < layout.size; ++c)
                elements[at(panel.offset + r * panel.stride + c - panel.first_row)] =
                    element(panel.first_row + r, c);
    return elements;
}

class TriangleKernelTest : public KernelTest {
  protected:
    /// Adds the part's product to `y`; returns its p.Ap.
    [[nodiscard]] double add_product(const TrianglePart& part, std::int64_t most_blocks,
                                     const GpuArray<double>& x, std::vector<double>& y) const {
        const TriangleLayout layout(part, most_blocks);
        const GpuArray<double> elements(elements_of(layout));
        const GpuArray<TrianglePanel> panels(layout.panels);
        const GpuArray<TriangleBlock> work(layout.blocks);
        const GpuArray<std::int64_t> panels_above(layout.panels_above);
        const GpuArray<double> sums(layout.sums(), unwritten);
        const GpuArray<double> curvature(layout.block_count(), unwritten);
        const GpuArray<double> found(part.size, unwritten);
        const GpuArray<double> result(1, unwritten);
        const TriangleOnGpu triangle{
            layout.size,   layout.tiles, layout.block_count(), 24,          elements.data(),
            panels.data(), work.data(),  panels_above.data(),  sums.data(), curvature.data()};

        launch_triangle_product(triangle, {x.data(), x.data(), {}, nullptr, nullptr}, stream);
        launch_triangle_sums(triangle, found.data(), result.data(), stream);
        finish();

        const std::vector<double> added = found.values();
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] += added[i];
        return result.values()[0];
    }

    void expect_product(std::int64_t size, int parts, std::int64_t most_blocks) const {
        SCOPED_TRACE(std::to_string(size) + " in " + std::to_string(parts) + " by " +
                     std::to_string(most_blocks));
        const GpuArray<double> x(numbers(size, 9));
        std::vector<double> found(at(size), 0.0);
        double curvature = 0;
        for (int part = 0; part < parts; ++part)
            curvature += add_product({size, parts, part}, most_blocks, x, found);
        long double dot = 0;
        for (std::int64_t row = 0; row < size; ++row) {
            long double wanted = 0;
            for (std::int64_t column = 0; column < size; ++column)
                wanted += element(row, column) * number(9 + column);
            expect_sum(found[at(row)], wanted, size);
            dot += wanted * number(9 + row);
        }
        expect_sum(curvature, dot, size * size);
    }
};

TEST_F(TriangleKernelTest, MultipliesRaggedSizes) {
    for (const std::int64_t size : {1, 15, 127, 128, 131})
        expect_product(size, 1, 8);
}

TEST_F(TriangleKernelTest, SharesOutTilesOverBlocks) {
    for (const std::int64_t blocks : {1, 2, 3, 7, 100})  // of 15 tiles
        expect_product(521, 1, blocks);
}

TEST_F(TriangleKernelTest, PartsAddUpToTheProduct) {
    expect_product(17, 3, 4);  // two of which have nothing
    expect_product(661, 3, 4);
}

}  // namespace
}  // namespace quartet::device
