#include "device/host/matrix/host_linear_algebra.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/block_range.hpp"
#include "device/host/matrix/fetch_ahead.hpp"
#include "device/host/matrix/panel_packer.hpp"
#include "device/host/runtime/require_host.hpp"
#include "device/host/simd/simd.hpp"
#include "system/parallel_for.hpp"

namespace quartet::device {

namespace {

static_assert(group_columns == simd_width);

using RowSums = std::array<double, row_panel_rows>;

/// A vector by groups of eight; the ragged end is padded with zeros.
struct Grouped {
    const double* whole;
    std::int64_t whole_groups;
    bool ragged;
    alignas(Vector) std::array<double, group_columns> end;
};

Grouped grouped(const double* vector, std::int64_t size) {
    Grouped groups{vector, size / group_columns, size % group_columns != 0, {}};
    std::copy_n(vector + groups.whole_groups * group_columns, size % group_columns,
                groups.end.begin());
    return groups;
}

// One run through memory, eight sums in registers. What fetch_ahead() gains: docs/notes/cg.md.
void multiply_panel(const double* panel, const Grouped& x, RowSums& sums) {
    Vector rows[row_panel_rows] = {};
    const auto add_group = [&](const UnalignedVector& columns) {
#pragma GCC unroll 8
        for (std::int64_t row = 0; row < row_panel_rows; ++row) {
            const double* line = panel + row * group_columns;
            fetch_ahead(line);
            rows[row] += vector_at(line) * columns;
        }
        panel += row_panel_rows * group_columns;
    };
    for (std::int64_t group = 0; group < x.whole_groups; ++group)
        add_group(vector_at(x.whole + group * group_columns));
    if (x.ragged)
        add_group(vector_at(x.end.data()));
    for (std::size_t row = 0; row < sums.size(); ++row)
        sums[row] = sum_of(rows[row]);
}

class HostRowBlock final : public MatrixShare {
  public:
    HostRowBlock(const RowBlock& block, int threads, Device& device)
        : block_(block),
          panels_{block.rows, block.columns},
          threads_(threads),
          elements_(allocate<double>(device, panels_.padded_elements())) {}

    void fill(const ReadRow& read_row) override;
    void multiply(View<const double> x, View<double> y, Stream& stream) override;
    void visit(const VisitRow& visit_row) const override;
    [[nodiscard]] View<const double> storage() const override { return elements_.view(); }

  private:
    [[nodiscard]] Panel panel(std::int64_t number) const;
    [[nodiscard]] const double* elements(std::int64_t number) const {
        return elements_.view().data() + number * panels_.panel_elements();
    }

    RowBlock block_;
    RowPanels panels_;
    int threads_;
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
        const Range mine = block_range(panels_.count(), threads_, part);
        for (std::int64_t number = mine.begin; number < mine.end; ++number)
            packer.pack(panel(number), read_row,
                        elements_.view().data() + number * panels_.panel_elements());
    });
}

void HostRowBlock::multiply(View<const double> x, View<double> y, Stream& stream) {
    require_host(x, block_.columns, "multiply: x does not have as many elements as A columns");
    require_host(y, block_.rows, "multiply: y does not have as many elements as the block rows");
    require_apart(x, y);
    const auto work = [this, in = x.data(), out = y.data()] {
        system::parallel_parts(threads_, [=, this](int part) {
            const Range mine = block_range(panels_.count(), threads_, part);
            const Grouped columns = grouped(in, block_.columns);
            RowSums sums;
            for (std::int64_t number = mine.begin; number < mine.end; ++number) {
                multiply_panel(elements(number), columns, sums);
                std::copy_n(sums.begin(), panel(number).rows, out + number * row_panel_rows);
            }
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
                                                 Device& device) {
    require_sound(block);
    return std::make_unique<HostRowBlock>(block, threads, device);
}

Bytes host_row_block_memory(const RowBlock& block) {
    require_sound(block);
    return bytes_of<double>(RowPanels{block.rows, block.columns}.padded_elements());
}

}  // namespace quartet::device
