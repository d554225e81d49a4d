#include <algorithm>
#include <functional>
#include <type_traits>

#include "core/block_range.hpp"
#include "device/cuda/matrix/cuda_linear_algebra.hpp"
#include "device/cuda/matrix/rows_kernel.hpp"
#include "device/cuda/matrix/triangle_kernel.hpp"
#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/runtime/require_device.hpp"
#include "device/matrix_layout.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

/// A row of a matrix share in its memory, in elements. Its stored part begins at `first_column` of
/// the matrix.
struct StoredRow {
    std::int64_t row = 0;
    std::int64_t first_column = 0;
    std::int64_t columns = 0;
    std::int64_t offset = 0;
    std::int64_t padded = 0;  ///< columns, padding included: where the next row may begin
};

/// A matrix share's rows, in the order in which they lie in memory, one after another without gaps.
struct StoredRows {
    std::int64_t count = 0;
    std::function<StoredRow(std::int64_t index)> at;
};

// Enough for copies to run at full speed, unless one row is more.
constexpr std::int64_t staged_elements = mebibytes(32).value / std::int64_t{sizeof(double)};

/// Rows [begin, end) and the elements that they take.
struct Batch {
    Range rows;
    Range elements;
};

Batch next_batch(const StoredRows& rows, std::int64_t begin) {
    const std::int64_t first = rows.at(begin).offset;
    Batch batch{{begin, begin}, {first, first}};
    while (batch.rows.end < rows.count) {
        const StoredRow row = rows.at(batch.rows.end);
        const std::int64_t end = row.offset + row.padded;
        if (batch.rows.size() > 0 && end - first > staged_elements)
            break;
        ++batch.rows.end;
        batch.elements.end = end;
    }
    return batch;
}

/// Copies the reader's rows to the GPU by way of page-locked memory, and fills the padding with
/// zeros. `threads` threads call the reader. Returns when done; throws what the reader throws.
void fill_rows(const StoredRows& rows, const ReadRow& read_row, View<double> elements,
               CudaMemory& memory, int threads) {
    Buffer<double> buffer;
    for (std::int64_t begin = 0; begin < rows.count;) {
        const Batch batch = next_batch(rows, begin);
        if (buffer.size() < batch.elements.size()) {
            const std::int64_t size = std::max(staged_elements, batch.elements.size());
            buffer = {memory.allocate(bytes_of<double>(size), MemoryKind::pinned), size};
        }
        const View<double> staging = buffer.view().part(0, batch.elements.size());
        system::parallel_parts_that_throw(threads, [&](int part) {
            const Range mine = block_range(batch.rows.size(), threads, part);
            for (std::int64_t i = mine.begin; i < mine.end; ++i) {
                const StoredRow row = rows.at(batch.rows.begin + i);
                double* out = staging.data() + (row.offset - batch.elements.begin);
                read_row(row.row, row.first_column, {out, static_cast<std::size_t>(row.columns)});
                std::fill(out + row.columns, out + row.padded, 0.0);
            }
        });
        memory.copy_now(as_bytes(View<const double>(staging)),
                        as_bytes(elements.part(batch.elements.begin, batch.elements.size())));
        begin = batch.rows.end;
    }
}

/// A share in the GPU's memory: launches of a product, of its sums and of the update after it.
/// Products of one share run one after another, whatever their streams.
class CudaMatrixShare : public MatrixShare, private ClassicIteration {
  public:
    void multiply(View<const double> x, View<double> y, Stream& stream) final;
    [[nodiscard]] ClassicIteration* classic_iteration() final { return this; }

  protected:
    /// For x of `columns` elements and y of `rows`.
    CudaMatrixShare(std::int64_t rows, std::int64_t columns, CudaMemory& memory);
    /// What the constructor allocates.
    static Bytes memory();

    virtual void launch_product(const DirectionOnGpu& direction, cudaStream_t stream) = 0;
    /// y, and p.Ap if there is a result.
    virtual void launch_sums(double* y, double* result, cudaStream_t stream) = 0;
    virtual void launch_update(const UpdateOnGpu& update, cudaStream_t stream) = 0;
    /// p.Ap by blocks.
    [[nodiscard]] virtual PartialSums curvature() = 0;

  private:
    void multiply_and_dot(View<const double> x, View<double> y, View<double> result,
                          Stream& stream) override;
    void iterate(const ResidentCg& cg, DirectionOf direction, Stream& stream) override;
    void finish(const ResidentCg& cg, Stream& stream) override;
    void launch(View<const double> x, View<double> y, double* result, Stream& stream);
    [[nodiscard]] DirectionOnGpu next(const ResidentCg& cg);

    std::int64_t rows_;
    std::int64_t columns_;
    Buffer<double> residual_sums_;
    CudaEvent used_;
};

void require_vectors(const ResidentCg& cg, std::int64_t size) {
    for (const View<double>& vector : {cg.direction, cg.solution, cg.residual})
        require_device(vector, size, "iterate: vectors differ in size from the matrix");
    require_device(cg.scalars, 1, "iterate: scalars are one struct");
    require_device(cg.history);
}

CudaMatrixShare::CudaMatrixShare(std::int64_t rows, std::int64_t columns, CudaMemory& memory)
    : rows_(rows),
      columns_(columns),
      residual_sums_(memory.allocate(CudaMatrixShare::memory(), MemoryKind::device),
                     most_sum_blocks) {}

Bytes CudaMatrixShare::memory() {
    return bytes_of<double>(most_sum_blocks);
}

void CudaMatrixShare::launch(View<const double> x, View<double> y, double* result, Stream& stream) {
    require_device(x, columns_, "multiply: x does not have as many elements as A columns");
    require_device(y, rows_, "multiply: y does not have as many elements as the share rows");
    require_apart(x, y);
    if (y.empty())
        return;
    stream.wait(used_);
    as_cuda(stream).launch(Phase::compute, "product", [&](cudaStream_t handle) {
        launch_product({x.data(), x.data(), {}, nullptr, nullptr}, handle);
        launch_sums(y.data(), result, handle);
    });
    stream.record(used_);
}

void CudaMatrixShare::multiply(View<const double> x, View<double> y, Stream& stream) {
    launch(x, y, nullptr, stream);
}

void CudaMatrixShare::multiply_and_dot(View<const double> x, View<double> y, View<double> result,
                                       Stream& stream) {
    require_reachable(result, 1, "multiply: the result must have one element");
    launch(x, y, result.data(), stream);
}

DirectionOnGpu CudaMatrixShare::next(const ResidentCg& cg) {
    return {cg.direction.data(),
            cg.residual.data(),
            {residual_sums_.view().data(), update_blocks(rows_)},
            cg.scalars.data(),
            cg.history.data()};
}

void CudaMatrixShare::iterate(const ResidentCg& cg, DirectionOf direction, Stream& stream) {
    require_vectors(cg, rows_);
    DirectionOnGpu multiplied = next(cg);
    if (direction == DirectionOf::state)
        multiplied.scalars = nullptr;
    const UpdateOnGpu update{
        rows_,
        cg.direction.data(),
        cg.solution.data(),
        cg.residual.data(),
        residual_sums_.view().data(),
        {},
        curvature(),
        cg.scalars.data(),
        direction == DirectionOf::state ? UpdatedDirection::as_it_is : UpdatedDirection::next};
    stream.wait(used_);
    as_cuda(stream).launch(Phase::compute, "iteration", [&](cudaStream_t handle) {
        launch_product(multiplied, handle);
        launch_update(update, handle);
    });
    stream.record(used_);
}

void CudaMatrixShare::finish(const ResidentCg& cg, Stream& stream) {
    require_vectors(cg, rows_);
    as_cuda(stream).launch(Phase::compute, "next direction", [&](cudaStream_t handle) {
        launch_last_direction(next(cg), cg.direction.data(), rows_, handle);
    });
}

/// As many blocks as the current GPU runs at once.
std::int64_t resident_blocks(std::int64_t of_multiprocessor) {
    return of_multiprocessor * gpu_attribute(cudaDevAttrMultiProcessorCount);
}

/// Of 64 equal parts of a matrix: how many a third of the current GPU's L2 cache has room for. The
/// rest is left to what passes through, and to the vectors.
int parts_kept_in_l2(Bytes matrix) {
    const std::int64_t room = gpu_attribute(cudaDevAttrL2CacheSize) / 3;
    return static_cast<int>(
        std::min<std::int64_t>(64, 64 * room / std::max<std::int64_t>(matrix.value, 1)));
}

constexpr std::int64_t padding = 16;

std::int64_t row_stride(const RowBlock& block) {
    check(block.first_row >= 0 && block.rows >= 0 && block.columns >= 0,
          "a row block of a negative size");
    return divide_up(block.columns, padding) * padding;
}

Bytes elements_memory(const RowBlock& block) {
    return bytes_of<double>(matrix_elements(block.rows, row_stride(block)));
}

/// Of a product: at most one block of threads for each row of a chunk.
std::int64_t product_blocks(const RowBlock& block) {
    return std::min(block.rows * rows_chunks(block.columns),
                    resident_blocks(rows_blocks_of_multiprocessor));
}

Bytes sums_memory(const RowBlock& block) {
    return bytes_of<double>(block.rows * rows_chunks(block.columns));
}

/// A row block in the GPU's memory, row-major, each row padded to 128 bytes.
class CudaRowBlock final : public CudaMatrixShare {
  public:
    CudaRowBlock(const RowBlock& block, int threads, CudaMemory& memory)
        : CudaMatrixShare(block.rows, block.columns, memory),
          block_(block),
          stride_(row_stride(block)),
          kept_(parts_kept_in_l2(elements_memory(block))),
          threads_(threads),
          memory_(memory),
          elements_(memory.allocate(elements_memory(block), MemoryKind::device),
                    matrix_elements(block.rows, stride_)),
          sums_(memory.allocate(sums_memory(block), MemoryKind::device),
                block.rows * rows_chunks(block.columns)),
          curvature_(memory.allocate(bytes_of<double>(product_blocks(block)), MemoryKind::device),
                     product_blocks(block)) {}

    void fill(const ReadRow& read_row) override {
        fill_rows(rows(), read_row, elements_.view(), memory_, threads_);
    }
    [[nodiscard]] View<const double> storage() const override { return elements_.view(); }
    using CudaMatrixShare::memory;

  private:
    void launch_product(const DirectionOnGpu& direction, cudaStream_t stream) override {
        launch_rows_product(on_gpu(), direction, stream);
    }
    void launch_sums(double* y, double* result, cudaStream_t stream) override {
        launch_rows_sums(on_gpu(), y, result, stream);
    }
    void launch_update(const UpdateOnGpu& update, cudaStream_t stream) override {
        launch_rows_update(on_gpu(), update, stream);
    }
    [[nodiscard]] PartialSums curvature() override {
        return {curvature_.view().data(), curvature_.size()};
    }
    [[nodiscard]] RowsOnGpu on_gpu() {
        return {{elements_.view().data(), block_.rows, block_.columns, stride_},
                block_.first_row,
                kept_,
                curvature_.size(),
                sums_.view().data(),
                curvature_.view().data()};
    }
    [[nodiscard]] StoredRows rows() const {
        return {block_.rows, [block = block_, stride = stride_](std::int64_t row) {
                    return StoredRow{block.first_row + row, 0, block.columns, row * stride, stride};
                }};
    }

    RowBlock block_;
    std::int64_t stride_;
    int kept_;  ///< in the L2 cache
    int threads_;
    CudaMemory& memory_;
    Buffer<double> elements_;
    Buffer<double> sums_;
    Buffer<double> curvature_;
};

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

/// A part of a triangle in the GPU's memory (triangle_layout.hpp).
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

class CudaMatrixFactory final : public MatrixFactory {
  public:
    CudaMatrixFactory(int threads, CudaMemory& memory) : threads_(threads), memory_(memory) {}

    std::unique_ptr<MatrixShare> make_matrix(const RowBlock& block) override {
        return std::make_unique<CudaRowBlock>(block, threads_, memory_);
    }
    std::unique_ptr<MatrixShare> make_matrix(const TrianglePart& part) override {
        return std::make_unique<CudaTrianglePart>(part, threads_, memory_);
    }
    [[nodiscard]] Bytes matrix_memory(const RowBlock& block) const override {
        return CudaRowBlock::memory() + elements_memory(block) + sums_memory(block) +
               bytes_of<double>(product_blocks(block));
    }
    [[nodiscard]] Bytes matrix_memory(const TrianglePart& part) const override {
        const TriangleLayout layout = layout_of(part);
        const auto table = [](const auto& values) {
            using Value = typename std::decay_t<decltype(values)>::value_type;
            return bytes_of<Value>(static_cast<std::int64_t>(values.size()));
        };
        return CudaTrianglePart::memory() +
               bytes_of<double>(layout.elements + layout.sums() + layout.block_count()) +
               table(layout.panels) + table(layout.blocks) + table(layout.panels_above);
    }

  private:
    int threads_;
    CudaMemory& memory_;
};

}  // namespace

std::unique_ptr<MatrixFactory> make_cuda_matrix_factory(int threads, CudaMemory& memory) {
    return std::make_unique<CudaMatrixFactory>(threads, memory);
}

}  // namespace quartet::device
