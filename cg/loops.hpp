#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "device/memory_way.hpp"

namespace quartet::cg {

/// The elements of a matrix in panels (matrix_layout.hpp), from one panel to another.
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
