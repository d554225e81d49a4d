#include "cg/matrix.hpp"

#include <algorithm>
#include <optional>

#include "cg/cuda/kernels.hpp"
#include "cg/loops.hpp"
#include "core/block_range.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/runtime/cuda_check.hpp"
#include "device/cuda/runtime/cuda_stream.hpp"
#include "device/cuda/vectors/vector_kernels.hpp"
#include "device/require_views.hpp"
#include "system/parallel_for.hpp"

namespace quartet::cg {

using device::as_cuda;
using device::Buffer;
using device::CudaMemory;
using device::MemoryKind;
using device::require_device;
using device::require_reachable;
using device::Stream;
using device::View;

TriangleLayout::TriangleLayout(const TrianglePart& part, std::int64_t at_most) : size(part.size) {
    const std::int64_t of_matrix = divide_up(size, triangle_tile);
    const SnakeDistribution dealing{part.parts};
    for (std::int64_t panel = 0; panel < of_matrix; ++panel) {
        panels_above.push_back(std::ssize(panels));
        if (dealing.owner(panel) != part.part)
            continue;
        const std::int64_t across = of_matrix - panel;
        panels.push_back({panel * triangle_tile, elements, across * triangle_tile, tiles});
        tiles += across;
        elements += across * triangle_tile * triangle_tile;
    }
    panels.push_back({of_matrix * triangle_tile, elements, 0, tiles});
    const std::int64_t count = std::min(tiles, at_most);
    std::int64_t panel = 0;
    for (std::int64_t block = 0; block < count; ++block) {
        const std::int64_t tile = tiles * block / count;
        while (panels[static_cast<std::size_t>(panel + 1)].first_tile <= tile)
            ++panel;
        blocks.push_back({tile, panel});
    }
    blocks.push_back({tiles, panel_count()});
}

namespace {

/// A row of a matrix share in its memory, in elements: rows lie one after another without gaps. Its
/// stored part begins at `first_column` of the matrix.
struct StoredRow {
    std::int64_t row = 0;
    std::int64_t first_column = 0;
    std::int64_t columns = 0;
    std::int64_t offset = 0;
    std::int64_t padded = 0;  ///< columns, padding included

    [[nodiscard]] std::int64_t end() const { return offset + padded; }
};

// Enough for copies to run at full speed, unless one row is more.
constexpr std::int64_t staged_elements = mebibytes(32).value / std::int64_t{sizeof(double)};

/// As many blocks as the current GPU runs at once.
std::int64_t resident_blocks(std::int64_t of_multiprocessor) {
    return of_multiprocessor * device::gpu_attribute(cudaDevAttrMultiProcessorCount);
}

/// Of 64 equal parts of a matrix: how many a third of the current GPU's L2 cache has room for. The
/// rest is left to what passes through, and to the vectors.
int parts_kept_in_l2(Bytes matrix) {
    const std::int64_t room = device::gpu_attribute(cudaDevAttrL2CacheSize) / 3;
    return static_cast<int>(
        std::min<std::int64_t>(64, 64 * room / std::max<std::int64_t>(matrix.value, 1)));
}

template <typename T>
void upload(const std::vector<T>& values, Buffer<T>& buffer, CudaMemory& memory) {
    const View<const T> from(values.data(), std::ssize(values), MemoryKind::host);
    memory.copy_now(device::as_bytes(from), device::as_bytes(buffer.view()));
}

/// The memory that a product reads and writes.
struct Elements {
    double* matrix;
    double* sums;
    double* curvature;
    int kept;  ///< of 64 parts: how many the L2 cache keeps
};

/// A block of rows, row-major, each row padded to 128 bytes. Blocks of threads: at most one for
/// each row of a chunk.
struct RowsLayout {
    RowsLayout(device::Arena& /*arena*/, const RowBlock& rows) : block(rows) {
        constexpr std::int64_t padding = 16;
        stride = divide_up(block.columns, padding) * padding;
        elements = device::matrix_elements(block.rows, stride);
        sums = block.rows * rows_chunks(block.columns);
        blocks = std::min(sums, resident_blocks(rows_blocks_of_multiprocessor));
    }
    [[nodiscard]] std::int64_t rows() const { return block.rows; }
    [[nodiscard]] std::int64_t columns() const { return block.columns; }
    void upload_tables(CudaMemory& /*memory*/) {}

    [[nodiscard]] RowsOnGpu on_gpu(const Elements& at) const {
        return {{at.matrix, block.rows, block.columns, stride},
                block.first_row,
                at.kept,
                blocks,
                at.sums,
                at.curvature};
    }
    [[nodiscard]] std::int64_t stored_rows() const { return block.rows; }
    [[nodiscard]] StoredRow stored_row(std::int64_t row) const {
        return {block.first_row + row, 0, block.columns, row * stride, stride};
    }

    RowBlock block;
    std::int64_t stride;
    std::int64_t elements;
    std::int64_t sums;
    std::int64_t blocks;  ///< of threads, each of which leaves a number of p.Ap
};

/// A part of a triangle (TriangleLayout).
struct PartLayout {
    PartLayout(device::Arena& arena, const TrianglePart& part)
        : layout(part, resident_blocks(triangle_blocks_of_multiprocessor)),
          elements(layout.elements),
          sums(layout.sums()),
          blocks(layout.block_count()),
          panels(arena.make<TrianglePanel>(std::ssize(layout.panels))),
          work(arena.make<TriangleBlock>(std::ssize(layout.blocks))),
          panels_above(arena.make<std::int64_t>(std::ssize(layout.panels_above))) {}
    [[nodiscard]] std::int64_t rows() const { return layout.size; }
    [[nodiscard]] std::int64_t columns() const { return layout.size; }
    void upload_tables(CudaMemory& memory) {
        upload(layout.panels, panels, memory);
        upload(layout.blocks, work, memory);
        upload(layout.panels_above, panels_above, memory);
    }
    [[nodiscard]] TriangleOnGpu on_gpu(const Elements& at) const {
        return {layout.size,
                layout.tiles,
                blocks,
                at.kept,
                at.matrix,
                panels.view().data(),
                work.view().data(),
                panels_above.view().data(),
                at.sums,
                at.curvature};
    }
    // The last panel may have fewer rows than it has room for: the others stay zero.
    [[nodiscard]] std::int64_t stored_rows() const {
        std::int64_t count = 0;
        for (std::int64_t panel = 0; panel < layout.panel_count(); ++panel)
            count += std::min(triangle_tile, layout.size - panel_at(panel).first_row);
        return count;
    }
    [[nodiscard]] StoredRow stored_row(std::int64_t index) const {
        const TrianglePanel& panel = panel_at(index / triangle_tile);
        const std::int64_t row = index % triangle_tile;
        return {panel.first_row + row, panel.first_row, layout.size - panel.first_row,
                panel.offset + row * panel.stride, panel.stride};
    }
    [[nodiscard]] const TrianglePanel& panel_at(std::int64_t number) const {
        return layout.panels[static_cast<std::size_t>(number)];
    }

    TriangleLayout layout;
    std::int64_t elements;
    std::int64_t sums;
    std::int64_t blocks;
    Buffer<TrianglePanel> panels;
    Buffer<TriangleBlock> work;
    Buffer<std::int64_t> panels_above;
};

/// Iterations of a graph: within it one kernel may begin while the one before it ends.
constexpr std::int64_t of_graph = 16;
/// Iterations that the CPU enqueues before it waits and looks for a failure: even the shortest then
/// take far longer than the wait.
constexpr std::int64_t most_at_once = 1 + 8 * of_graph;

/// What the iterations of one rank work on: its vectors, and the scalars in the GPU's memory.
struct Resident {
    Resident(device::Arena& arena, const IterationState& state, Stream& on)
        : stream(on),
          direction(state.direction),
          solution(state.solution),
          residual(state.residual),
          scalars(arena.make<CgScalars>(1)),
          history(arena.make<double>(most_at_once + 1)),
          seen_scalars(arena.make<CgScalars>(1, MemoryKind::pinned)),
          seen_history(arena.make<double>(most_at_once + 1, MemoryKind::pinned)) {}

    Stream& stream;
    View<double> direction, solution, residual;
    Buffer<CgScalars> scalars;
    Buffer<double> history;          ///< r.r of some iterations, and of the one before them
    Buffer<CgScalars> seen_scalars;  ///< the CPU's copies
    Buffer<double> seen_history;
    device::Operations next;     ///< an iteration after another one
    device::Operations several;  ///< `of_graph` of them
};

/// A share in the GPU's memory: launches of a product, of its sums and of the update after it.
/// Products of one share run one after another, whatever their streams.
template <typename Layout>
class CudaMatrix final : public MatrixShare {
  public:
    template <typename Part>
    CudaMatrix(device::Arena& arena, const Part& part)
        : device_(arena.device()),
          memory_(device::cuda_memory(device_)),
          layout_(arena, part),
          kept_(parts_kept_in_l2(bytes_of<double>(layout_.elements))),
          elements_(arena.make<double>(layout_.elements)),
          sums_(arena.make<double>(layout_.sums)),
          curvature_(arena.make<double>(layout_.blocks)),
          residual_sums_(arena.make<double>(most_sum_blocks)) {
        arena.reserve_for_set_up(bytes_of<double>(staging_elements()));
        // Loads the kernels now: their first launch may come in a recording, in timed work or while
        // memory is planned (loaded_kernels.hpp).
        for (const auto load : {load_rows_kernels, load_triangle_kernels})
            device::cuda_check(load(), "cudaFuncGetAttributes");
    }

    void fill(const ReadRow& read_row) override;
    void multiply(View<const double> x, View<double> y, Stream& stream) override {
        launch(x, y, nullptr, stream);
    }
    bool multiply_and_dot(View<const double> x, View<double> y, View<double> result,
                          Stream& stream) override {
        require_reachable(result, 1, "multiply: the result must have one element");
        launch(x, y, result.data(), stream);
        return true;
    }
    bool prepare_iterations(device::Arena& arena, const IterationState& state,
                            Stream& stream) override;
    void iterate(IterationState& state, std::span<double> history, std::int64_t end) override;
    [[nodiscard]] View<const double> storage() const override { return elements_.view(); }

  private:
    /// Of the page-locked memory of fill(): enough for the first row, which has most columns.
    [[nodiscard]] std::int64_t staging_elements() const {
        const std::int64_t rows = layout_.stored_rows();
        return rows == 0 ? 0 : std::max(staged_elements, layout_.stored_row(0).padded);
    }
    void launch(View<const double> x, View<double> y, double* result, Stream& stream);
    void enqueue_iteration(UpdatedDirection direction, Stream& stream);
    void take_over(IterationState& state, std::int64_t count, std::span<double> history);
    [[nodiscard]] DirectionOnGpu next_direction();
    [[nodiscard]] auto on_gpu() {
        return layout_.on_gpu(
            {elements_.view().data(), sums_.view().data(), curvature_.view().data(), kept_});
    }
    template <typename T>
    void copy(View<T> from, View<T> to) {
        device_.copy(device::as_bytes(View<const T>(from)), device::as_bytes(to),
                     resident_->stream);
    }

    device::Device& device_;
    CudaMemory& memory_;
    Layout layout_;
    int kept_;  ///< in the L2 cache
    Buffer<double> elements_;
    Buffer<double> sums_;
    Buffer<double> curvature_;      ///< p.Ap by blocks
    Buffer<double> residual_sums_;  ///< r.r by blocks
    device::CudaEvent used_;
    std::optional<Resident> resident_;
};

// Copies the reader's rows by way of page-locked memory, some whole rows at a time, and fills the
// padding with zeros.
template <typename Layout>
void CudaMatrix<Layout>::fill(const ReadRow& read_row) {
    layout_.upload_tables(memory_);
    const std::int64_t most = staging_elements();
    Buffer<double> buffer(memory_.allocate(bytes_of<double>(most), MemoryKind::pinned), most);
    const std::int64_t rows = layout_.stored_rows();
    for (std::int64_t begin = 0, end = 0; begin < rows; begin = end) {
        const std::int64_t first = layout_.stored_row(begin).offset;
        for (end = begin + 1; end < rows; ++end)
            if (layout_.stored_row(end).end() - first > staged_elements)
                break;
        const View<double> staging =
            buffer.view().part(0, layout_.stored_row(end - 1).end() - first);
        const int threads = device_.threads();
        system::parallel_parts_that_throw(threads, [&](int part) {
            const Range mine = block_range(end - begin, threads, part);
            for (std::int64_t i = begin + mine.begin; i < begin + mine.end; ++i) {
                const StoredRow row = layout_.stored_row(i);
                double* out = staging.data() + (row.offset - first);
                read_row(row.row, row.first_column, {out, static_cast<std::size_t>(row.columns)});
                std::fill(out + row.columns, out + row.padded, 0.0);
            }
        });
        memory_.copy_now(device::as_bytes(View<const double>(staging)),
                         device::as_bytes(elements_.view().part(first, staging.size())));
    }
}

template <typename Layout>
void CudaMatrix<Layout>::launch(View<const double> x, View<double> y, double* result,
                                Stream& stream) {
    require_device(x, layout_.columns(), "multiply: x is not as long as a row of A");
    require_device(y, layout_.rows(), "multiply: y is not as long as a column of the share");
    device::require_apart(x, y);
    if (y.empty())
        return;
    stream.wait(used_);
    as_cuda(stream).launch(Phase::compute, "product", [&](cudaStream_t handle) {
        launch_product(on_gpu(), {x.data(), x.data(), {}, nullptr, nullptr}, handle);
        launch_sums(on_gpu(), y.data(), result, handle);
    });
    stream.record(used_);
}

template <typename Layout>
bool CudaMatrix<Layout>::prepare_iterations(device::Arena& arena, const IterationState& state,
                                            Stream& stream) {
    resident_.emplace(arena, state, stream);
    const auto recorded = [this](std::int64_t iterations) {
        return device_.record([this, iterations](Stream& on) {
            for (std::int64_t iteration = 0; iteration < iterations; ++iteration)
                enqueue_iteration(UpdatedDirection::next, on);
        });
    };
    if (!arena.plans()) {
        resident_->next = recorded(1);
        resident_->several = recorded(of_graph);
    }
    return true;
}

template <typename Layout>
void CudaMatrix<Layout>::iterate(IterationState& state, std::span<double> history,
                                 std::int64_t end) {
    Resident& cg = *resident_;
    CgScalars& seen = cg.seen_scalars.span().front();
    seen = {.sum = state.residual_dot, .residual_dot = state.residual_dot, .alpha = state.alpha};
    while (state.done < end) {
        seen.done = 0;  // counts from here
        copy(cg.seen_scalars.view(), cg.scalars.view());
        const std::int64_t count = std::min(most_at_once, end - state.done);
        enqueue_iteration(UpdatedDirection::as_it_is, cg.stream);
        std::int64_t left = count - 1;
        for (; left >= of_graph; left -= of_graph)
            cg.several(cg.stream);
        for (; left > 0; --left)
            cg.next(cg.stream);
        as_cuda(cg.stream).launch(Phase::compute, "next direction", [&](cudaStream_t handle) {
            launch_last_direction(next_direction(), cg.direction.data(), layout_.rows(), handle);
        });
        take_over(state, count, history);
    }
}

// Waits for `count` iterations, and takes over the values that they left on the device.
template <typename Layout>
void CudaMatrix<Layout>::take_over(IterationState& state, std::int64_t count,
                                   std::span<double> history) {
    copy(resident_->scalars.view(), resident_->seen_scalars.view());
    copy(resident_->history.view(), resident_->seen_history.view());
    resident_->stream.synchronize();
    const CgScalars& seen = resident_->seen_scalars.span().front();
    if (seen.failed_at >= 0 && !state.breakdown) {
        state.breakdown = {state.done + seen.failed_at + 1, seen.failed_curvature,
                           seen.failed_residual_dot};
    }
    std::copy_n(resident_->seen_history.span().begin() + 1, count,
                history.begin() + state.done + 1);
    state.done += count;
    state.residual_dot = history[static_cast<std::size_t>(state.done)];
    state.alpha = seen.alpha;
}

// Before the first iteration `sum` and `residual_dot` are r.r, and p is the state's. After each
// iteration p is its direction; the last one is followed by launch_last_direction().
template <typename Layout>
void CudaMatrix<Layout>::enqueue_iteration(UpdatedDirection direction, Stream& stream) {
    Resident& cg = *resident_;
    DirectionOnGpu multiplied = next_direction();
    if (direction == UpdatedDirection::as_it_is)
        multiplied.scalars = nullptr;
    const UpdateOnGpu update{layout_.rows(),
                             cg.direction.data(),
                             cg.solution.data(),
                             cg.residual.data(),
                             residual_sums_.view().data(),
                             {},
                             {curvature_.view().data(), curvature_.size()},
                             cg.scalars.view().data(),
                             direction};
    stream.wait(used_);
    as_cuda(stream).launch(Phase::compute, "iteration", [&](cudaStream_t handle) {
        launch_product(on_gpu(), multiplied, handle);
        launch_update(on_gpu(), update, handle);
    });
    stream.record(used_);
}

template <typename Layout>
DirectionOnGpu CudaMatrix<Layout>::next_direction() {
    return {resident_->direction.data(),
            resident_->residual.data(),
            {residual_sums_.view().data(), update_blocks(layout_.rows())},
            resident_->scalars.view().data(),
            resident_->history.view().data()};
}

}  // namespace

std::unique_ptr<MatrixShare> make_cuda_matrix(device::Arena& arena, const MatrixPart& part) {
    if (const auto* rows = std::get_if<RowBlock>(&part))
        return std::make_unique<CudaMatrix<RowsLayout>>(arena, *rows);
    return std::make_unique<CudaMatrix<PartLayout>>(arena, std::get<TrianglePart>(part));
}

void cuda_update(double alpha, const ClassicVectors& vectors, View<double> result, Stream& stream) {
    const auto& [p, q, x, r] = vectors;
    for (const View<const double>& vector : {p, q, View<const double>(x), View<const double>(r)})
        require_device(vector);
    require_reachable(result, 1, "update: the result must have one element");
    device::CudaStream& cuda = as_cuda(stream);
    const UpdateOnGpu update{r.size(),
                             const_cast<double*>(p.data()),  // it is left as it is
                             x.data(),
                             r.data(),
                             cuda.partial_sums(),
                             alpha,
                             {},
                             nullptr,
                             UpdatedDirection::as_it_is};
    cuda.launch(Phase::compute, "update x, r", [&](cudaStream_t handle) {
        launch_vector_update(q.data(), update, handle);
        device::launch_sum_partials(update.residual_sums, update_blocks(r.size()), result.data(),
                                    handle);
    });
}

}  // namespace quartet::cg
