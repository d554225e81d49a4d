#include "device/host/loops/per_isa/per_isa.hpp"
#include "device/host/loops/per_isa/simd.hpp"
#include "device/matrix_layout.hpp"

namespace quartet::device::QUARTET_ISA {

namespace {

constexpr int group_parts = static_cast<int>(group_columns) / lanes;

// Prefetches the cache line that a loop over consecutive elements reads 3 KiB later, into the
// second cache: the first has too few buffers for lines in flight (docs/notes/cg.md).
template <bool prefetch>
[[gnu::always_inline]] inline void fetch_ahead(const double* element) {
    constexpr std::int64_t distance = 3072 / sizeof(double);
    if constexpr (prefetch)
        prefetch_line(element + distance);
}

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
template <int panels, bool prefetch>
[[gnu::always_inline]] inline void multiply_panels(const double* elements, std::int64_t panel_size,
                                                   std::int64_t columns, const double* x,
                                                   const double* last_columns, double* sums) {
    constexpr auto rows = static_cast<int>(row_panel_rows);
    Vector row_sums[panels][rows] = {};
    const auto add_group = [&](std::int64_t group, const double* at)
        __attribute__((always_inline)) {
        unrolled<group_parts>([&](auto part) __attribute__((always_inline)) {
            const Vector factor = load(at + part * lanes);
            unrolled<panels>([&](auto panel) __attribute__((always_inline)) {
                const double* lines = elements + panel * panel_size + group * rows * group_columns;
                unrolled<rows>([&](auto row) __attribute__((always_inline)) {
                    const double* line = lines + row * group_columns;
                    if constexpr (part == 0)
                        fetch_ahead<prefetch>(line);
                    row_sums[panel][row] += load(line + part * lanes) * factor;
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

template <int panels, bool prefetch>
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
        multiply_panels<panels, prefetch>(share.elements + panel * size, size, share.columns, x,
                                          end.group, sums);
        keep(panels);
    }
    while (panel < layout.count()) {
        multiply_panels<1, prefetch>(share.elements + panel * size, size, share.columns, x,
                                     end.group, sums);
        keep(1);
    }
}

void multiply_rows(const RowPanelShare& share, MemoryWay way, const double* x, double* y) {
    const bool ahead = way.prefetch;
    switch (way.streams) {
        case 1:
            return ahead ? multiply_rows<1, true>(share, x, y)
                         : multiply_rows<1, false>(share, x, y);
        case 2:
            return ahead ? multiply_rows<2, true>(share, x, y)
                         : multiply_rows<2, false>(share, x, y);
        default:
            return ahead ? multiply_rows<4, true>(share, x, y)
                         : multiply_rows<4, false>(share, x, y);
    }
}

// Rows of a panel whose sums stay in registers while a part of it is read.
constexpr int rows_at_once = registers >= 32 ? 16 : 4;
constexpr auto triangle_rows = static_cast<int>(triangle_panel_rows);
// Groups that are read before the next rows of them, from the first-level cache: 8 KiB.
constexpr std::int64_t groups_at_once = rows_at_once == triangle_rows ? 1 << 30 : 8;

// Adds rows_at_once rows of `groups` groups to their sums and to y, whose groups they are.
template <bool prefetch>
[[gnu::always_inline]] inline void multiply_slice(const double* elements, std::int64_t groups,
                                                  const double* x, double* y, const double* factors,
                                                  Vector* row_sums) {
    Vector sums[rows_at_once];
    unrolled<rows_at_once>([&](auto row)
                               __attribute__((always_inline)) { sums[row] = row_sums[row]; });
    for (std::int64_t group = 0; group < groups; ++group) {
        const double* lines = elements + group * triangle_rows * group_columns;
        unrolled<group_parts>([&](auto part) __attribute__((always_inline)) {
            const std::int64_t column = group * group_columns + part * lanes;
            const Vector columns = load(x + column);
            // Two chains of additions: one alone would wait for itself.
            Vector even = load(y + column);
            Vector odd = {};
            unrolled<rows_at_once / 2>([&](auto pair) __attribute__((always_inline)) {
                const double* upper_line = lines + 2 * pair * group_columns;
                if constexpr (part == 0) {
                    fetch_ahead<prefetch>(upper_line);
                    fetch_ahead<prefetch>(upper_line + group_columns);
                }
                const Vector upper = load(upper_line + part * lanes);
                const Vector lower = load(upper_line + group_columns + part * lanes);
                sums[2 * pair] += upper * columns;
                sums[2 * pair + 1] += lower * columns;
                even += upper * factors[2 * pair];
                odd += lower * factors[2 * pair + 1];
            });
            store(y + column, even + odd);
        });
    }
    unrolled<rows_at_once>([&](auto row)
                               __attribute__((always_inline)) { row_sums[row] = sums[row]; });
}

template <bool prefetch>
void multiply_groups(const double* elements, std::int64_t groups, const double* x, double* y,
                     const double* factors, Vector* row_sums) {
    for (std::int64_t begin = 0; begin < groups; begin += groups_at_once) {
        const std::int64_t left = groups - begin;
        const std::int64_t count = left < groups_at_once ? left : groups_at_once;
        const double* first = elements + begin * triangle_rows * group_columns;
        for (int row = 0; row < triangle_rows; row += rows_at_once)
            multiply_slice<prefetch>(first + row * group_columns, count, x + begin * group_columns,
                                     y + begin * group_columns, factors + row, row_sums + row);
    }
}

// The panel is read once: sums over its rows stay in registers, those over its columns go to y.
// The block on the diagonal is stored whole, and so counts once: its sums over columns are dropped.
template <bool prefetch>
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
    multiply_groups<false>(panel.elements, diagonal / group_columns, factors, dropped, factors,
                           row_sums);
    const std::int64_t begin = first + diagonal;
    if (begin < size) {
        const double* elements = panel.elements + diagonal * diagonal;
        const std::int64_t whole = (size - begin) / group_columns;
        multiply_groups<prefetch>(elements, whole, x + begin, y + begin, factors, row_sums);
        if (size % group_columns != 0) {
            const std::int64_t last = begin + whole * group_columns;
            const RaggedEnd x_end(x + begin, size - begin);
            double y_end[group_columns] = {};
            multiply_groups<false>(elements + whole * triangle_rows * group_columns, 1, x_end.group,
                                   y_end, factors, row_sums);
            for (std::int64_t i = last; i < size; ++i)
                y[i] += y_end[i - last];
        }
    }
    for (std::int64_t row = 0; row < there; ++row)
        y[first + row] += sum_of(row_sums[row]);
}

void multiply_triangle(const TriangleRows& panel, bool prefetch, const double* x, double* y,
                       std::int64_t size) {
    return prefetch ? multiply_triangle<true>(panel, x, y, size)
                    : multiply_triangle<false>(panel, x, y, size);
}

}  // namespace

constinit const MatrixLoops matrix_loops{multiply_rows, multiply_triangle};

}  // namespace quartet::device::QUARTET_ISA
