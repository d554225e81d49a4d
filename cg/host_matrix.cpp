#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "cg/loops.hpp"
#include "cg/matrix.hpp"
#include "core/fastest.hpp"
#include "device/host/host_vectors.hpp"
#include "device/require_views.hpp"

namespace quartet::cg {

namespace {

const Loops& loops_on(const device::Device& device) {
    return device::loops_of(device.isa(), compiled_loops());
}

/// A panel of a matrix as loops.hpp lays it out: its position in the matrix, its extents, beyond
/// which its elements are padding, and where these begin in memory.
struct Panel {
    std::int64_t first_row = 0;
    std::int64_t first_column = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t padded_rows = 0;
    std::int64_t groups = 0;  ///< of columns, padding included
    std::int64_t offset = 0;

    [[nodiscard]] std::int64_t elements() const { return padded_rows * groups * group_columns; }
};

// Columns that are packed at a time: few enough for a panel's rows to stay in a core's cache, and
// enough for a file to be read at full speed.
constexpr std::int64_t chunk = 2048;
static_assert(chunk % group_columns == 0);

// Reads the panel's rows and writes all of its padded elements. `rows` is a thread's memory for
// some columns of the rows, row after row.
void pack(const Panel& panel, const ReadRow& read_row, std::vector<double>& rows,
          double* elements) {
    rows.resize(static_cast<std::size_t>(panel.padded_rows * chunk));
    for (std::int64_t begin = 0; begin < panel.groups * group_columns; begin += chunk) {
        const std::int64_t there = std::clamp<std::int64_t>(panel.columns - begin, 0, chunk);
        const std::int64_t groups = std::min(chunk / group_columns,  //
                                             panel.groups - begin / group_columns);
        std::ranges::fill(rows, 0.0);
        for (std::int64_t row = 0; row < panel.rows && there > 0; ++row)
            read_row(panel.first_row + row, panel.first_column + begin,
                     std::span(rows).subspan(static_cast<std::size_t>(row * chunk),
                                             static_cast<std::size_t>(there)));
        double* out = elements + index_in_panel(panel.padded_rows, 0, begin);
        for (std::int64_t group = 0; group < groups; ++group)
            for (std::int64_t row = 0; row < panel.padded_rows; ++row)
                out = std::copy_n(rows.data() + row * chunk + group * group_columns, group_columns,
                                  out);
    }
}

/// Each thread's panels, in the order of memory.
struct ThreadPanels {
    explicit ThreadPanels(int threads) : of_threads(static_cast<std::size_t>(threads)) {}
    void add(int thread, Panel panel) {
        panel.offset = elements;
        elements += panel.elements();
        of_threads[static_cast<std::size_t>(thread)].push_back(panel);
    }

    std::vector<std::vector<Panel>> of_threads;
    std::int64_t elements = 0;  ///< of all, padding included
};

// Each thread gets a run of panels.
ThreadPanels panels_of(const RowBlock& block, int threads) {
    const RowPanels layout{block.rows, block.columns};
    ThreadPanels all(threads);
    for (int thread = 0; thread < threads; ++thread) {
        const Range mine = block_range(layout.count(), threads, thread);
        for (std::int64_t panel = mine.begin; panel < mine.end; ++panel) {
            const std::int64_t first = panel * row_panel_rows;
            all.add(thread,
                    {block.first_row + first, 0, std::min(row_panel_rows, block.rows - first),
                     block.columns, row_panel_rows, layout.groups()});
        }
    }
    return all;
}

// Panels are distributed over the parts first, then a part's panels over the threads.
ThreadPanels panels_of(const TrianglePart& part, int threads) {
    const TrianglePanels layout{part.size};
    const SnakeDistribution to_parts{part.parts};
    const SnakeDistribution to_threads{threads};
    const std::int64_t mine = to_parts.count(part.part, layout.count());
    ThreadPanels all(threads);
    for (int thread = 0; thread < threads; ++thread) {
        const std::int64_t count = to_threads.count(thread, mine);
        for (std::int64_t round = 0; round < count; ++round) {
            const std::int64_t panel = to_parts.index(part.part, to_threads.index(thread, round));
            const std::int64_t first = layout.first_row(panel);
            all.add(thread, {first, first, std::min(triangle_panel_rows, part.size - first),
                             part.size - first, triangle_panel_rows,
                             layout.panel_elements(panel) / (triangle_panel_rows * group_columns)});
        }
    }
    return all;
}

/// A share in the host's panels: each thread has one run of memory, whose panels it multiplies in
/// one of several ways.
class HostMatrix : public MatrixShare {
  public:
    void fill(const ReadRow& read_row) final {
        double* elements = elements_.view().data();
        system::parallel_parts_that_throw(threads_, [&](int thread) {
            std::vector<double> rows;
            for (const Panel& panel : panels_of_thread(thread))
                pack(panel, read_row, rows, elements + panel.offset);
        });
    }
    void choose_way() final;
    void multiply(device::View<const double> x, device::View<double> y,
                  device::Stream& stream) final;
    [[nodiscard]] device::View<const double> storage() const final { return elements_.view(); }
    [[nodiscard]] std::string description() const final {
        return "matrix in " + device::to_string(way_);
    }

  protected:
    /// For x of `columns` elements and y of `rows`.
    HostMatrix(device::Arena& arena, std::int64_t rows, std::int64_t columns, ThreadPanels panels,
               std::span<const device::MemoryWay> ways)
        : threads_(arena.device().threads()),
          loops_(loops_on(arena.device())),
          device_(arena.device()),
          rows_(rows),
          columns_(columns),
          ways_(ways),
          way_(ways.front()),
          panels_(std::move(panels.of_threads)),
          elements_(arena.make<double>(panels.elements)) {
        arena.reserve_for_set_up(bytes_of<double>(columns + rows));  // of choose_way()
    }

    /// What some of a thread's panels contribute to a product.
    virtual void multiply_part(int thread, std::span<const Panel> panels, device::MemoryWay way,
                               const double* x, double* y) = 0;
    /// Before a thread multiplies, and after all have.
    virtual void begin_product(int /*thread*/, double* /*y*/) {}
    virtual void end_product(double* /*y*/) {}

    [[nodiscard]] const double* elements(const Panel& panel) const {
        return elements_.view().data() + panel.offset;
    }
    const int threads_;
    const Loops& loops_;

  private:
    [[nodiscard]] const std::vector<Panel>& panels_of_thread(int thread) const {
        return panels_[static_cast<std::size_t>(thread)];
    }

    device::Device& device_;
    std::int64_t rows_;
    std::int64_t columns_;
    std::span<const device::MemoryWay> ways_;
    device::MemoryWay way_;
    std::vector<std::vector<Panel>> panels_;  ///< by thread
    device::Buffer<double> elements_;
};

// Each trial multiplies some of each thread's panels, all threads at once. A triangle's panels get
// shorter, so the time of an element counts.
void HostMatrix::choose_way() {
    const std::size_t least = std::ranges::min(panels_, {}, &std::vector<Panel>::size).size();
    if (least == 0 || columns_ == 0)
        return;
    const auto x = device::allocate<double>(device_, columns_);
    auto y = device::allocate<double>(device_, rows_);
    constexpr std::int64_t most_streams = 4;
    constexpr std::int64_t piece_elements = mebibytes(4).value / sizeof(double);
    const std::int64_t streams = most_streams * panels_of_thread(0).front().elements();
    const auto piece = std::min(
        least, static_cast<std::size_t>(most_streams * divide_up(piece_elements, streams)));
    const auto pieces = static_cast<std::int64_t>(least / piece);
    const auto time_piece = [&](std::size_t way, std::int64_t round) {
        const auto first =
            piece * static_cast<std::size_t>(trial_piece(way, ways_.size(), round, pieces));
        const Seconds begin = now();
        system::parallel_parts(threads_, [&, this](int thread) {
            multiply_part(thread, std::span(panels_of_thread(thread)).subspan(first, piece),
                          ways_[way], x.view().data(), y.view().data());
        });
        const Seconds time = now() - begin;
        std::int64_t elements = 0;
        for (const Panel& panel : std::span(panels_of_thread(0)).subspan(first, piece))
            elements += panel.elements();
        return time / static_cast<double>(elements);
    };
    way_ = ways_[fastest(ways_.size(), choice_time, time_piece)];
}

void HostMatrix::multiply(device::View<const double> x, device::View<double> y,
                          device::Stream& stream) {
    device::require_host(x, columns_, "multiply: x is not as long as a row of A");
    device::require_host(y, rows_, "multiply: y is not as long as a column of the share");
    device::require_apart(x, y);
    const auto work = [this, in = x.data(), out = y.data()] {
        system::parallel_parts(threads_, [=, this](int thread) {
            begin_product(thread, out);
            multiply_part(thread, panels_of_thread(thread), way_, in, out);
        });
        end_product(out);
    };
    stream.enqueue(Phase::compute, "product", work);
}

constexpr device::MemoryWay row_ways[] = {{1, device::Fetch::ahead}, {1, device::Fetch::once},
                                          {2, device::Fetch::ahead}, {2, device::Fetch::once},
                                          {4, device::Fetch::ahead}, {4, device::Fetch::once},
                                          {4, device::Fetch::twice}};

class HostRowBlock final : public HostMatrix {
  public:
    HostRowBlock(device::Arena& arena, const RowBlock& block)
        : HostMatrix(arena, block.rows, block.columns, panels_of(block, arena.device().threads()),
                     row_ways),
          first_row_(block.first_row) {}

  private:
    void multiply_part(int /*thread*/, std::span<const Panel> panels, device::MemoryWay way,
                       const double* x, double* y) override {
        if (panels.empty())
            return;
        const Panel& front = panels.front();
        const std::int64_t rows = panels.back().first_row + panels.back().rows - front.first_row;
        loops_.multiply_rows({elements(front), front.columns, rows}, way, x,
                             y + (front.first_row - first_row_));
    }

    std::int64_t first_row_;  ///< of the block
};

constexpr device::MemoryWay triangle_ways[] = {
    {1, device::Fetch::ahead}, {1, device::Fetch::once}, {1, device::Fetch::twice}};

class HostTrianglePart final : public HostMatrix {
  public:
    HostTrianglePart(device::Arena& arena, const TrianglePart& part)
        : HostMatrix(arena, part.size, part.size, panels_of(part, arena.device().threads()),
                     triangle_ways),
          size_(part.size),
          sums_(arena.make<double>((threads_ - 1) * part.size)) {}

  private:
    void multiply_part(int thread, std::span<const Panel> panels, device::MemoryWay way,
                       const double* x, double* y) override {
        for (const Panel& panel : panels)
            loops_.multiply_triangle({elements(panel), panel.first_row}, way.fetch, x,
                                     sums_of(thread, y), size_);
    }
    void begin_product(int thread, double* y) override {
        std::fill_n(sums_of(thread, y), size_, 0.0);
    }
    // The sums of all threads are added in the threads' order, whichever thread adds them.
    void end_product(double* y) override {
        if (threads_ == 1)
            return;
        const double* sums = sums_.view().data();
        system::parallel_for(threads_, size_, [=, this](std::int64_t i) {
            for (std::int64_t thread = 0; thread < threads_ - 1; ++thread)
                y[i] += sums[thread * size_ + i];
        });
    }
    /// Where a thread adds up its part of y; the first thread uses the caller's y.
    double* sums_of(int thread, double* y) {
        return thread == 0 ? y : sums_.view().data() + (thread - 1) * size_;
    }

    std::int64_t size_;
    device::Buffer<double> sums_;  ///< y of each thread but the first, which adds to the caller's
};

}  // namespace

std::unique_ptr<MatrixShare> make_matrix(device::Arena& arena, const MatrixPart& part) {
    const auto* rows = std::get_if<RowBlock>(&part);
    const auto* triangle = std::get_if<TrianglePart>(&part);
    check(rows == nullptr || (rows->first_row >= 0 && rows->rows >= 0 && rows->columns >= 0),
          "a row block of a negative size");
    check(triangle == nullptr ||
              (triangle->size >= 0 && triangle->part >= 0 && triangle->part < triangle->parts),
          "no such part of a triangle");
    if (arena.device().accelerator() != nullptr)
        return make_cuda_matrix(arena, part);
    if (rows != nullptr)
        return std::make_unique<HostRowBlock>(arena, *rows);
    return std::make_unique<HostTrianglePart>(arena, *triangle);
}

void update(device::Device& device, double alpha, const ClassicVectors& vectors,
            device::View<double> result, device::Stream& stream) {
    const auto& [p, q, x, r] = vectors;
    const device::View<const double> all[] = {p, q, x, r};
    for (const auto* one = std::begin(all); one != std::end(all); ++one) {
        check(one->size() == r.size(), "update: vectors differ in size");
        for (const auto* other = std::begin(all); other != one; ++other)
            device::require_apart(*one, *other);
    }
    check(result.size() == 1, "update: the result must have one element");
    if (device.accelerator() != nullptr)
        return cuda_update(alpha, vectors, result, stream);
    for (const auto& vector : all)
        device::require_host(vector);
    device::require_host(result);
    const auto work = [alpha, parts = device.threads(), loop = loops_on(device).update,
                       size = r.size(), direction = p.data(), product = q.data(),
                       solution = x.data(), residual = r.data(), out = result.data()] {
        *out = device::sum_of_parts(parts, size, [=](const Range& range) {
            const std::int64_t i = range.begin;
            return loop(alpha, direction + i, product + i, solution + i, residual + i,
                        range.size());
        });
    };
    stream.enqueue(Phase::compute, "update x, r", work);
}

}  // namespace quartet::cg
