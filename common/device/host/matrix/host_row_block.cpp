#include "device/host/matrix/host_linear_algebra.hpp"

#include <algorithm>
#include <vector>

#include "core/block_range.hpp"
#include "core/fastest.hpp"
#include "device/host/matrix/panel_packer.hpp"
#include "device/host/runtime/require_host.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

constexpr MemoryWay row_ways[] = {{1, Fetch::ahead}, {1, Fetch::once},  {2, Fetch::ahead},
                                  {2, Fetch::once},  {4, Fetch::ahead}, {4, Fetch::once},
                                  {4, Fetch::twice}};

class HostRowBlock final : public MatrixShare {
  public:
    HostRowBlock(const RowBlock& block, int threads, const MatrixLoops& loops, Device& device)
        : block_(block),
          panels_{block.rows, block.columns},
          threads_(threads),
          loops_(loops),
          device_(device),
          elements_(allocate<double>(device, panels_.padded_elements())) {}

    void fill(const ReadRow& read_row) override;
    void choose_way() override;
    void multiply(View<const double> x, View<double> y, Stream& stream) override;
    void visit(const VisitRow& visit_row) const override;
    [[nodiscard]] View<const double> storage() const override { return elements_.view(); }
    [[nodiscard]] std::string description() const override {
        return "matrix in " + to_string(way_);
    }

  private:
    [[nodiscard]] Panel panel(std::int64_t number) const;
    [[nodiscard]] Range panels_of(int thread) const {
        return block_range(panels_.count(), threads_, thread);
    }
    [[nodiscard]] RowPanelShare share(const Range& panels) const;
    [[nodiscard]] const double* elements(std::int64_t number) const {
        return elements_.view().data() + number * panels_.panel_elements();
    }

    RowBlock block_;
    RowPanels panels_;
    int threads_;
    const MatrixLoops& loops_;
    Device& device_;
    MemoryWay way_ = row_ways[0];
    Buffer<double> elements_;
};

Panel HostRowBlock::panel(std::int64_t number) const {
    const std::int64_t first = number * row_panel_rows;
    return {row_panel_rows,
            panels_.groups(),
            block_.first_row + first,
            0,
            std::min(row_panel_rows, block_.rows - first),
            block_.columns};
}

void HostRowBlock::fill(const ReadRow& read_row) {
    system::parallel_parts_that_throw(threads_, [&](int part) {
        PanelPacker packer;
        const Range mine = panels_of(part);
        for (std::int64_t number = mine.begin; number < mine.end; ++number)
            packer.pack(panel(number), read_row,
                        elements_.view().data() + number * panels_.panel_elements());
    });
}

RowPanelShare HostRowBlock::share(const Range& panels) const {
    const std::int64_t first = panels.begin * row_panel_rows;
    const std::int64_t end = std::min(panels.end * row_panel_rows, block_.rows);
    return {elements(panels.begin), block_.columns, end - first};
}

// Each trial multiplies a piece of each thread's panels, all threads at once.
void HostRowBlock::choose_way() {
    if (block_.rows == 0 || block_.columns == 0)
        return;
    const auto x = allocate<double>(device_, block_.columns);
    auto y = allocate<double>(device_, block_.rows);
    constexpr auto ways = std::size(row_ways);
    constexpr std::int64_t piece_elements = mebibytes(4).value / sizeof(double);
    constexpr std::int64_t most_streams = 4;
    const std::int64_t piece =
        most_streams * divide_up(piece_elements, most_streams * panels_.panel_elements());
    const std::int64_t pieces = std::max<std::int64_t>(1, panels_.count() / threads_ / piece);
    const auto time_piece = [&](std::size_t way, std::int64_t round) {
        const std::int64_t skipped = piece * trial_piece(way, ways, round, pieces);
        const Seconds begin = now();
        system::parallel_parts(threads_, [&, this](int thread) {
            const Range mine = panels_of(thread);
            const std::int64_t first = mine.begin + skipped;
            loops_.multiply_rows(share({first, std::min(first + piece, mine.end)}), row_ways[way],
                                 x.view().data(), y.view().data() + first * row_panel_rows);
        });
        return now() - begin;
    };
    way_ = row_ways[fastest(ways, choice_time, time_piece)];
}

void HostRowBlock::multiply(View<const double> x, View<double> y, Stream& stream) {
    require_host(x, block_.columns, "multiply: x does not have as many elements as A columns");
    require_host(y, block_.rows, "multiply: y does not have as many elements as the block rows");
    require_apart(x, y);
    const auto work = [this, in = x.data(), out = y.data()] {
        system::parallel_parts(threads_, [=, this](int part) {
            const Range mine = panels_of(part);
            loops_.multiply_rows(share(mine), way_, in, out + mine.begin * row_panel_rows);
        });
    };
    stream.enqueue(Phase::compute, "row block product", work);
}

void HostRowBlock::visit(const VisitRow& visit_row) const {
    std::vector<double> row(static_cast<std::size_t>(block_.columns));
    for (std::int64_t number = 0; number < panels_.count(); ++number) {
        const Panel shape = panel(number);
        for (std::int64_t index = 0; index < shape.rows; ++index) {
            unpack(shape, elements(number), index, 0, row);
            visit_row(shape.first_row + index, 0, row);
        }
    }
}

void require_sound(const RowBlock& block) {
    check(block.first_row >= 0 && block.rows >= 0 && block.columns >= 0,
          "a row block of a negative size");
}

}  // namespace

std::unique_ptr<MatrixShare> make_host_row_block(const RowBlock& block, int threads,
                                                 const MatrixLoops& loops, Device& device) {
    require_sound(block);
    return std::make_unique<HostRowBlock>(block, threads, loops, device);
}

Bytes host_row_block_memory(const RowBlock& block) {
    require_sound(block);
    return bytes_of<double>(RowPanels{block.rows, block.columns}.padded_elements());
}

}  // namespace quartet::device
