#include "device/cuda/matrix/cuda_linear_algebra.hpp"

#include <algorithm>
#include <type_traits>

#include "device/cuda/matrix/stored_rows.hpp"
#include "device/cuda/matrix/triangle_kernel.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/require_device.hpp"

namespace quartet::device {

namespace {

/// Memory of the GPU that holds `values`.
template <typename T>
Buffer<T> upload(const std::vector<T>& values, CudaMemory& memory) {
    const auto count = static_cast<std::int64_t>(values.size());
    Buffer<T> buffer(memory.allocate(bytes_of<T>(count), MemoryKind::device), count);
    memory.copy_now(as_bytes(View<const T>(values.data(), count, MemoryKind::host)),
                    as_bytes(buffer.view()));
    return buffer;
}

Buffer<double> zeros(std::int64_t count, CudaMemory& memory) {
    return {memory.allocate(bytes_of<double>(count), MemoryKind::device), count};
}

class CudaTrianglePart final : public MatrixShare {
  public:
    CudaTrianglePart(const TrianglePart& part, int threads, CudaMemory& memory)
        : layout_(part),
          threads_(threads),
          memory_(memory),
          elements_(zeros(layout_.elements, memory)),
          sums_(zeros(layout_.sums(), memory)),
          panels_(upload(layout_.panels, memory)),
          tiles_(upload(layout_.tiles, memory)),
          tile_rows_(upload(layout_.tile_rows, memory)),
          tile_rows_of_chunk_(upload(layout_.tile_rows_of_chunk, memory)),
          panel_of_(upload(layout_.panel_of, memory)) {}

    void fill(const ReadRow& read_row) override {
        fill_rows(rows(), read_row, elements_.view(), memory_, threads_);
    }
    void visit(const VisitRow& visit_row) const override;
    void multiply(View<const double> x, View<double> y, Stream& stream) override;
    [[nodiscard]] View<const double> storage() const override { return elements_.view(); }

  private:
    [[nodiscard]] StoredRows rows() const;
    [[nodiscard]] TriangleOnGpu on_gpu();

    TriangleLayout layout_;
    int threads_;
    CudaMemory& memory_;
    Buffer<double> elements_;
    Buffer<double> sums_;
    Buffer<TrianglePanel> panels_;
    Buffer<TriangleTile> tiles_;
    Buffer<TileRow> tile_rows_;
    Buffer<std::int64_t> tile_rows_of_chunk_;
    Buffer<std::int64_t> panel_of_;
    CudaEvent used_;
};

// The last panel may have fewer rows than it has room for: the others stay zero.
StoredRows CudaTrianglePart::rows() const {
    std::int64_t count = 0;
    for (const TrianglePanel& panel : layout_.panels)
        count += std::min(triangle_panel_rows, layout_.size - panel.first_row);
    return {count, [this](std::int64_t index) {
                const TrianglePanel& panel =
                    layout_.panels[static_cast<std::size_t>(index / triangle_panel_rows)];
                const std::int64_t row = index % triangle_panel_rows;
                return StoredRow{panel.first_row + row, panel.first_row,
                                 layout_.size - panel.first_row, panel.offset + row * panel.stride,
                                 panel.stride};
            }};
}

void CudaTrianglePart::visit(const VisitRow& visit_row) const {
    const auto from_the_diagonal = [&](std::int64_t row, std::int64_t first_column,
                                       std::span<const double> elements) {
        visit_row(row, row, elements.subspan(static_cast<std::size_t>(row - first_column)));
    };
    visit_rows(rows(), from_the_diagonal, elements_.view(), memory_);
}

TriangleOnGpu CudaTrianglePart::on_gpu() {
    return {layout_.size,
            tiles_.size(),
            tile_rows_.size(),
            elements_.view().data(),
            panels_.view().data(),
            tiles_.view().data(),
            tile_rows_.view().data(),
            tile_rows_of_chunk_.view().data(),
            panel_of_.view().data(),
            sums_.view().data()};
}

void CudaTrianglePart::multiply(View<const double> x, View<double> y, Stream& stream) {
    require_device(x, layout_.size, "multiply: x does not have as many elements as A columns");
    require_device(y, layout_.size, "multiply: y does not have as many elements as A rows");
    require_apart(x, y);
    if (y.empty())
        return;
    stream.wait(used_);
    as_cuda(stream).launch(Phase::compute, "triangle product", [&](cudaStream_t handle) {
        launch_triangle_product(on_gpu(), x.data(), y.data(), handle);
    });
    stream.record(used_);
}

}  // namespace

std::unique_ptr<MatrixShare> make_cuda_triangle_part(const TrianglePart& part, int threads,
                                                     CudaMemory& memory) {
    return std::make_unique<CudaTrianglePart>(part, threads, memory);
}

Bytes cuda_triangle_part_memory(const TrianglePart& part) {
    const TriangleLayout layout(part);
    const auto table = [](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        return bytes_of<Value>(static_cast<std::int64_t>(values.size()));
    };
    return bytes_of<double>(layout.elements + layout.sums()) + table(layout.panels) +
           table(layout.tiles) + table(layout.tile_rows) + table(layout.tile_rows_of_chunk) +
           table(layout.panel_of);
}

}  // namespace quartet::device
