#include "device/cuda/matrix/triangle_kernel.hpp"

#include <algorithm>

#include "device/cuda/gpu_array.hpp"

namespace quartet::device {
namespace {

double element(std::int64_t row, std::int64_t column) {
    return number(31 * std::min(row, column) + std::max(row, column));
}

/// Elements of the part, its padding zeros; the blocks on the diagonal are whole.
std::vector<double> elements_of(const TriangleLayout& layout) {
    std::vector<double> elements(at(layout.elements), 0.0);
    for (const TrianglePanel& panel : layout.panels)
        for (std::int64_t r = 0; r < triangle_panel_rows && panel.first_row + r < layout.size; ++r)
            for (std::int64_t c = 0; panel.first_row + c < layout.size; ++c)
                elements[at(panel.offset + r * panel.stride + c)] =
                    element(panel.first_row + r, panel.first_row + c);
    return elements;
}

class TriangleKernelTest : public KernelTest {
  protected:
    [[nodiscard]] std::vector<double> product(const TrianglePart& part,
                                              const GpuArray<double>& x) const {
        const TriangleLayout layout(part);
        const GpuArray<double> elements(elements_of(layout));
        const GpuArray<TrianglePanel> panels(layout.panels);
        const GpuArray<TriangleTile> tiles(layout.tiles);
        const GpuArray<TileRow> tile_rows(layout.tile_rows);
        const GpuArray<std::int64_t> tile_rows_of_chunk(layout.tile_rows_of_chunk);
        const GpuArray<std::int64_t> panel_of(layout.panel_of);
        const GpuArray<double> sums(layout.sums(), unwritten);
        const GpuArray<double> y(part.size, unwritten);

        launch_triangle_product(
            {layout.size, std::ssize(layout.tiles), std::ssize(layout.tile_rows), elements.data(),
             panels.data(), tiles.data(), tile_rows.data(), tile_rows_of_chunk.data(),
             panel_of.data(), sums.data()},
            x.data(), y.data(), stream);
        finish();

        return y.values();
    }

    void expect_product(std::int64_t size, int parts) const {
        SCOPED_TRACE(std::to_string(size) + " in " + std::to_string(parts));
        const GpuArray<double> x(numbers(size, 9));
        std::vector<double> found(at(size), 0.0);
        for (int part = 0; part < parts; ++part) {
            const std::vector<double> added = product({size, parts, part}, x);
            for (std::size_t i = 0; i < found.size(); ++i)
                found[i] += added[i];
        }
        for (std::int64_t row = 0; row < size; ++row) {
            long double wanted = 0;
            for (std::int64_t column = 0; column < size; ++column)
                wanted += element(row, column) * number(9 + column);
            expect_sum(found[at(row)], wanted, size);
        }
    }
};

TEST_F(TriangleKernelTest, MultipliesRaggedSizes) {
    for (const std::int64_t size : {1, 15, 16, 17, 127, 131})
        expect_product(size, 1);
}

TEST_F(TriangleKernelTest, MultipliesMoreColumnsThanATileHas) {
    for (const std::int64_t size : {1024, 1151})
        expect_product(size, 1);
}

TEST_F(TriangleKernelTest, PartsAddUpToTheProduct) {
    expect_product(17, 3);
    expect_product(1109, 3);
}

}  // namespace
}  // namespace quartet::device
