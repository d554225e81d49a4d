#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/block_range.hpp"
#include "device/memory_way.hpp"

namespace quartet::cg {

/// Where the elements of a matrix share lie in its memory. One sequential run is read at full
/// speed, so rows are stored in panels, panel after panel, and each panel as [group][row][8] by
/// groups of eight columns. Eight doubles are a cache line, and the widest vector register.
///
/// Host and accelerators share these index functions. Ragged sizes are padded with zeros, which
/// `padded_elements` includes. All are exact for every matrix whose padded size fits 64 bits.

inline constexpr std::int64_t group_columns = 8;

/// Rows of a panel of full rows: eight sums keep the adders of a core busy.
inline constexpr std::int64_t row_panel_rows = 8;
/// Rows of a panel of a triangle: column sums are read and written once for sixteen rows.
inline constexpr std::int64_t triangle_panel_rows = 16;

/// The index of an element within its panel of `panel_rows` rows; `row` and `column` count from the
/// panel's first.
constexpr std::int64_t index_in_panel(std::int64_t panel_rows, std::int64_t row,
                                      std::int64_t column) {
    return (column / group_columns * panel_rows + row) * group_columns + column % group_columns;
}

/// A block of full rows.
struct RowPanels {
    std::int64_t rows = 0;
    std::int64_t columns = 0;

    [[nodiscard]] constexpr std::int64_t count() const { return divide_up(rows, row_panel_rows); }
    [[nodiscard]] constexpr std::int64_t groups() const {
        return divide_up(columns, group_columns);
    }
    [[nodiscard]] constexpr std::int64_t panel_elements() const {
        return row_panel_rows * group_columns * groups();
    }
    [[nodiscard]] constexpr std::int64_t padded_elements() const {
        return count() * panel_elements();
    }
};

/// The upper triangle of a symmetric matrix: panel i has rows [16 i, 16 i + 16) from column 16 i
/// on, so that it begins with the whole block on the diagonal.
struct TrianglePanels {
    std::int64_t size = 0;  ///< rows and columns of the matrix

    [[nodiscard]] constexpr std::int64_t count() const {
        return divide_up(size, triangle_panel_rows);
    }
    [[nodiscard]] constexpr std::int64_t first_row(std::int64_t panel) const {
        return panel * triangle_panel_rows;
    }
    [[nodiscard]] constexpr std::int64_t panel_elements(std::int64_t panel) const {
        return triangle_panel_rows * triangle_panel_rows * (count() - panel);
    }
    [[nodiscard]] constexpr std::int64_t padded_elements() const {
        return triangle_panel_rows * triangle_panel_rows * (count() * (count() + 1) / 2);
    }
};

/// Distributes items of falling size over `parts` in snake order, 0 .. P-1, P-1 .. 0, so that all
/// parts get nearly the same amount; exactly the same where the sizes fall by equal steps and the
/// number of items is a multiple of 2 P.
struct SnakeDistribution {
    std::int64_t parts = 1;

    /// The part that gets item `index`.
    [[nodiscard]] constexpr std::int64_t owner(std::int64_t index) const {
        const std::int64_t position = index % (2 * parts);
        return position < parts ? position : 2 * parts - 1 - position;
    }
    /// The item that `part` gets in that round.
    [[nodiscard]] constexpr std::int64_t index(std::int64_t part, std::int64_t round) const {
        return round * parts + (round % 2 == 0 ? part : parts - 1 - part);
    }
    /// How many of the `items` go to `part`.
    [[nodiscard]] constexpr std::int64_t count(std::int64_t part, std::int64_t items) const {
        const std::int64_t rounds = items / parts;
        return rounds + (index(part, rounds) < items ? 1 : 0);
    }
};

/// The elements of a matrix in panels (RowPanels), from one panel to another.
struct RowPanelShare {
    const double* elements;
    std::int64_t columns;  ///< of the matrix
    std::int64_t rows;     ///< without padding
};

/// A panel of a triangle in memory.
struct TriangleRows {
    const double* elements;
    std::int64_t first_row;
};

/// The host's loops of one instruction set (*.isa.cpp); each function does one thread's share.
struct Loops {
    std::string_view isa;
    /// y[row] = A[row] . x, by 1, 2 or 4 panels at a time, each a stream.
    void (*multiply_rows)(const RowPanelShare& share, device::MemoryWay way, const double* x,
                          double* y);
    /// y += (A + its mirror image) x for one panel, a stream. `size` is that of x and y.
    void (*multiply_triangle)(const TriangleRows& panel, device::Fetch fetch, const double* x,
                              double* y, std::int64_t size);
    /// x += alpha p, r -= alpha q; returns r . r, with the bits of a dot by device::VectorLoops.
    double (*update)(double alpha, const double* p, const double* q, double* x, double* r,
                     std::int64_t size);
};

/// The instruction sets of this build, the narrowest first. CMake writes the definition.
std::span<const Loops* const> compiled_loops();

}  // namespace quartet::cg
