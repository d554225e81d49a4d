#include "cg/loops.hpp"
#include "device/host/loops/per_isa/simd.hpp"

namespace quartet::cg::QUARTET_ISA {

using namespace device::QUARTET_ISA;
using device::Fetch;
using device::MemoryWay;

// update_loops.isa.cpp
double update(double alpha, const double* p, const double* q, double* x, double* r,
              std::int64_t size);

namespace {

constexpr int group_parts = static_cast<int>(group_columns) / lanes;

/// A vector's last columns, padded with zeros to a group.
struct RaggedEnd {
    alignas(Vector) double group[group_columns] = {};

    RaggedEnd(const double* x, std::int64_t columns) {
        for (std::int64_t i = columns - columns % group_columns; i < columns; ++i)
            group[i % group_columns] = x[i];
    }
};

// Several panels at a time, a stream through memory each; the sums of a row have the same order
// however many there are.
template <int panels, Fetch fetch>
[[gnu::always_inline]] inline void multiply_panels(const double* elements, std::int64_t panel_size,
                                                   std::int64_t columns, const double* x,
                                                   const double* last_columns, double* sums) {
    constexpr auto rows = static_cast<int>(row_panel_rows);
    Vector row_sums[panels][rows] = {};
    const auto add_group = [&](std::int64_t group, const double* at)
        __attribute__((always_inline)) {
        Vector factors[group_parts];
        unrolled<group_parts>([&](auto part) __attribute__((always_inline)) {
            factors[part] = load(at + part * lanes);
        });
        unrolled<panels>([&](auto panel) __attribute__((always_inline)) {
            const double* lines = elements + panel * panel_size + group * rows * group_columns;
            unrolled<rows>([&](auto row) __attribute__((always_inline)) {
                const double* line = lines + row * group_columns;
                if constexpr (group_parts > 1)
                    keep_order();
                fetch_line<fetch, panels>(line);
                unrolled<group_parts>([&](auto part) __attribute__((always_inline)) {
                    row_sums[panel][row] += load(line + part * lanes) * factors[part];
                });
            });
        });
    };
    const std::int64_t whole = columns / group_columns;
    for (std::int64_t group = 0; group < whole; ++group)
        add_group(group, x + group * group_columns);
    if (columns % group_columns != 0)
        add_group(whole, last_columns);
    for (int panel = 0; panel < panels; ++panel)
        for (int row = 0; row < rows; ++row)
            sums[panel * rows + row] = sum_of(row_sums[panel][row]);
}

template <int panels, Fetch fetch>
void multiply_rows(const RowPanelShare& share, const double* x, double* y) {
    const RowPanels layout{share.rows, share.columns};
    const std::int64_t size = layout.panel_elements();
    const RaggedEnd end(x, share.columns);
    double sums[panels * row_panel_rows];
    std::int64_t panel = 0;
    const auto keep = [&](std::int64_t count) {
        const std::int64_t first = panel * row_panel_rows;
        const std::int64_t left = share.rows - first;
        for (std::int64_t row = 0; row < count * row_panel_rows && row < left; ++row)
            y[first + row] = sums[row];
        panel += count;
    };
    while (panel + panels <= layout.count()) {
        multiply_panels<panels, fetch>(share.elements + panel * size, size, share.columns, x,
                                       end.group, sums);
        keep(panels);
    }
    while (panel < layout.count()) {
        multiply_panels<1, fetch>(share.elements + panel * size, size, share.columns, x, end.group,
                                  sums);
        keep(1);
    }
}

template <Fetch fetch>
constexpr void (*rows_by_streams[])(const RowPanelShare& share, const double* x, double* y){
    multiply_rows<1, fetch>, multiply_rows<2, fetch>, multiply_rows<4, fetch>};

void multiply_rows(const RowPanelShare& share, MemoryWay way, const double* x, double* y) {
    const int index = way.streams / 2;  // of 1, 2 or 4
    switch (way.fetch) {
        case Fetch::once:
            return rows_by_streams<Fetch::once>[index](share, x, y);
        case Fetch::ahead:
            return rows_by_streams<Fetch::ahead>[index](share, x, y);
        case Fetch::twice:
            return rows_by_streams<Fetch::twice>[index](share, x, y);
    }
}

constexpr auto triangle_rows = static_cast<int>(triangle_panel_rows);
// Sums over columns in independent chains: with only one, each addition would wait for the last.
constexpr int chains = group_parts == 1 ? 2 : 1;

// Adds `groups` groups of columns to the rows' sums, and to the same groups of y. Reads a panel in
// the order of memory: taking a few rows of several groups first, so that their sums stay in 16
// registers, takes twice as long (docs/notes/cg.md).
template <Fetch fetch>
[[gnu::always_inline]] inline void multiply_groups(const double* elements, std::int64_t groups,
                                                   const double* x, double* y,
                                                   const double* factors, Vector* row_sums) {
    Vector sums[triangle_rows];
    unrolled<triangle_rows>([&](auto row)
                                __attribute__((always_inline)) { sums[row] = row_sums[row]; });
    for (std::int64_t group = 0; group < groups; ++group) {
        const double* lines = elements + group * triangle_rows * group_columns;
        Vector columns[group_parts];
        Vector column_sums[chains][group_parts] = {};
        unrolled<group_parts>([&](auto part) __attribute__((always_inline)) {
            columns[part] = load(x + group * group_columns + part * lanes);
            column_sums[0][part] = load(y + group * group_columns + part * lanes);
        });
        unrolled<triangle_rows>([&](auto row) __attribute__((always_inline)) {
            const double* line = lines + row * group_columns;
            keep_order();
            fetch_line<fetch, 1>(line);
            unrolled<group_parts>([&](auto part) __attribute__((always_inline)) {
                const Vector value = load(line + part * lanes);
                sums[row] += value * columns[part];
                column_sums[row % chains][part] += value * factors[row];
            });
        });
        unrolled<group_parts>([&](auto part) __attribute__((always_inline)) {
            Vector sum = column_sums[0][part];
            if constexpr (chains == 2)
                sum += column_sums[1][part];
            store(y + group * group_columns + part * lanes, sum);
        });
    }
    unrolled<triangle_rows>([&](auto row)
                                __attribute__((always_inline)) { row_sums[row] = sums[row]; });
}

// The panel is read once: sums over its rows stay in registers, sums over its columns go to y.
// The block on the diagonal is stored whole, and so counts once: its sums over columns are dropped.
template <Fetch fetch>
void multiply_triangle(const TriangleRows& panel, const double* x, double* y, std::int64_t size) {
    constexpr std::int64_t diagonal = triangle_panel_rows;
    const std::int64_t first = panel.first_row;
    const std::int64_t left = size - first;
    const std::int64_t there = left < diagonal ? left : diagonal;
    Vector row_sums[triangle_rows] = {};
    double factors[diagonal] = {};
    for (std::int64_t row = 0; row < there; ++row)
        factors[row] = x[first + row];
    double dropped[diagonal] = {};
    multiply_groups<Fetch::once>(panel.elements, diagonal / group_columns, factors, dropped,
                                 factors, row_sums);
    const std::int64_t begin = first + diagonal;
    if (begin < size) {
        const double* elements = panel.elements + diagonal * diagonal;
        const std::int64_t whole = (size - begin) / group_columns;
        multiply_groups<fetch>(elements, whole, x + begin, y + begin, factors, row_sums);
        if (size % group_columns != 0) {
            const std::int64_t last = begin + whole * group_columns;
            const RaggedEnd x_end(x + begin, size - begin);
            double y_end[group_columns] = {};
            multiply_groups<Fetch::once>(elements + whole * triangle_rows * group_columns, 1,
                                         x_end.group, y_end, factors, row_sums);
            for (std::int64_t i = last; i < size; ++i)
                y[i] += y_end[i - last];
        }
    }
    for (std::int64_t row = 0; row < there; ++row)
        y[first + row] += sum_of(row_sums[row]);
}

void multiply_triangle(const TriangleRows& panel, Fetch fetch, const double* x, double* y,
                       std::int64_t size) {
    switch (fetch) {
        case Fetch::once:
            return multiply_triangle<Fetch::once>(panel, x, y, size);
        case Fetch::ahead:
            return multiply_triangle<Fetch::ahead>(panel, x, y, size);
        case Fetch::twice:
            return multiply_triangle<Fetch::twice>(panel, x, y, size);
    }
}

}  // namespace

extern const Loops loops;
constinit const Loops loops{QUARTET_ISA_NAME, multiply_rows, multiply_triangle, update};

}  // namespace quartet::cg::QUARTET_ISA
