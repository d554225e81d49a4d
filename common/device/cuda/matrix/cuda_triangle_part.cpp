#include "device/cuda/matrix/cuda_linear_algebra.hpp"

#include <algorithm>
#include <type_traits>

#include "device/cuda/matrix/cuda_classic_iteration.hpp"
#include "device/cuda/matrix/stored_rows.hpp"
#include "device/cuda/matrix/triangle_kernel.hpp"

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

TriangleLayout layout_of(const TrianglePart& part) {
    return {part, resident_blocks(triangle_blocks_of_multiprocessor)};
}

class CudaTrianglePart final : public CudaMatrixShare {
  public:
    CudaTrianglePart(const TrianglePart& part, int threads, CudaMemory& memory)
        : CudaMatrixShare(part.size, part.size, memory),
          layout_(layout_of(part)),
          kept_(parts_kept_in_l2(bytes_of<double>(layout_.elements))),
          threads_(threads),
          memory_(memory),
          elements_(zeros(layout_.elements, memory)),
          sums_(zeros(layout_.sums(), memory)),
          curvature_(zeros(layout_.block_count(), memory)),
          panels_(upload(layout_.panels, memory)),
          work_(upload(layout_.blocks, memory)),
          panels_above_(upload(layout_.panels_above, memory)) {}

    void fill(const ReadRow& read_row) override {
        fill_rows(rows(), read_row, elements_.view(), memory_, threads_);
    }
    void visit(const VisitRow& visit_row) const override;
    [[nodiscard]] View<const double> storage() const override { return elements_.view(); }
    using CudaMatrixShare::memory;

  private:
    void launch_product(const DirectionOnGpu& direction, cudaStream_t stream) override {
        launch_triangle_product(on_gpu(), direction, stream);
    }
    void launch_sums(double* y, double* result, cudaStream_t stream) override {
        launch_triangle_sums(on_gpu(), y, result, stream);
    }
    void launch_update(const UpdateOnGpu& update, cudaStream_t stream) override {
        launch_triangle_update(on_gpu(), update, stream);
    }
    [[nodiscard]] PartialSums curvature() override {
        return {curvature_.view().data(), curvature_.size()};
    }
    [[nodiscard]] StoredRows rows() const;
    [[nodiscard]] TriangleOnGpu on_gpu();

    TriangleLayout layout_;
    int kept_;  ///< in the L2 cache
    int threads_;
    CudaMemory& memory_;
    Buffer<double> elements_;
    Buffer<double> sums_;
    Buffer<double> curvature_;
    Buffer<TrianglePanel> panels_;
    Buffer<TriangleBlock> work_;
    Buffer<std::int64_t> panels_above_;
};

// The last panel may have fewer rows than it has room for: the others stay zero.
StoredRows CudaTrianglePart::rows() const {
    std::int64_t count = 0;
    for (std::int64_t panel = 0; panel < layout_.panel_count(); ++panel)
        count += std::min(triangle_tile,
                          layout_.size - layout_.panels[static_cast<std::size_t>(panel)].first_row);
    return {count, [this](std::int64_t index) {
                const TrianglePanel& panel =
                    layout_.panels[static_cast<std::size_t>(index / triangle_tile)];
                const std::int64_t row = index % triangle_tile;
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
            layout_.tiles,
            layout_.block_count(),
            kept_,
            elements_.view().data(),
            panels_.view().data(),
            work_.view().data(),
            panels_above_.view().data(),
            sums_.view().data(),
            curvature_.view().data()};
}

}  // namespace

std::unique_ptr<MatrixShare> make_cuda_triangle_part(const TrianglePart& part, int threads,
                                                     CudaMemory& memory) {
    return std::make_unique<CudaTrianglePart>(part, threads, memory);
}

Bytes cuda_triangle_part_memory(const TrianglePart& part) {
    const TriangleLayout layout = layout_of(part);
    const auto table = [](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        return bytes_of<Value>(static_cast<std::int64_t>(values.size()));
    };
    return CudaTrianglePart::memory() +
           bytes_of<double>(layout.elements + layout.sums() + layout.block_count()) +
           table(layout.panels) + table(layout.blocks) + table(layout.panels_above);
}

}  // namespace quartet::device
