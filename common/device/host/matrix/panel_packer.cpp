#include "device/host/matrix/panel_packer.hpp"

#include <algorithm>

namespace quartet::device {

namespace {

// Columns at a time: rows of a panel that stay in a core's cache while they are put in order, and
// runs of a file that are long enough to be read at full speed.
constexpr std::int64_t chunk = 2048;
static_assert(chunk % group_columns == 0);

}  // namespace

void PanelPacker::pack(const Panel& panel, const ReadRow& read_row, double* elements) {
    rows_.resize(static_cast<std::size_t>(panel.panel_rows * chunk));
    for (std::int64_t begin = 0; begin < panel.groups * group_columns; begin += chunk) {
        const std::int64_t there = std::clamp<std::int64_t>(panel.columns - begin, 0, chunk);
        const std::int64_t groups = std::min(chunk / group_columns,  //
                                             panel.groups - begin / group_columns);
        std::ranges::fill(rows_, 0.0);
        for (std::int64_t row = 0; row < panel.rows && there > 0; ++row)
            read_row(panel.first_row + row, panel.first_column + begin,
                     std::span(rows_).subspan(static_cast<std::size_t>(row * chunk),
                                              static_cast<std::size_t>(there)));
        double* out = elements + index_in_panel(panel.panel_rows, 0, begin);
        for (std::int64_t group = 0; group < groups; ++group)
            for (std::int64_t row = 0; row < panel.panel_rows; ++row)
                out = std::copy_n(rows_.data() + row * chunk + group * group_columns, group_columns,
                                  out);
    }
}

void unpack(const Panel& panel, const double* elements, std::int64_t row, std::int64_t first,
            std::span<double> out) {
    for (std::int64_t column = 0; column < std::ssize(out); ++column)
        out[static_cast<std::size_t>(column)] =
            elements[index_in_panel(panel.panel_rows, row, first + column)];
}

}  // namespace quartet::device
