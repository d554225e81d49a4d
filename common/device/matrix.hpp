#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// Rows [first_row, first_row + rows) of a dense matrix of `columns` columns.
struct RowBlock {
    std::int64_t first_row = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

/// One of `parts` nearly equal parts of the upper triangle of a symmetric matrix of `size` rows and
/// columns. Each element belongs to one part.
struct TrianglePart {
    std::int64_t size = 0;
    int parts = 1;
    int part = 0;
};

/// Writes elements [first_column, first_column + out.size()) of a row of the whole matrix. Called
/// by several threads at once.
using ReadRow =
    std::function<void(std::int64_t row, std::int64_t first_column, std::span<double> out)>;

/// Sees elements of a row of the whole matrix, from `first_column` on.
using VisitRow = std::function<void(std::int64_t row, std::int64_t first_column,
                                    std::span<const double> elements)>;

/// A share of a dense matrix, kept in a device's memory in the order in which that device reads it
/// fastest.
class MatrixShare {
  public:
    virtual ~MatrixShare() = default;

    /// Takes over the share's elements, row by row as the reader gives them. Returns when done;
    /// throws what the reader throws.
    virtual void fill(const ReadRow& read_row) = 0;

    /// y = what this share contributes to A x. A row block: x has as many elements as the matrix
    /// columns, y as the block rows, and y is that part of the product. A part of a triangle: x and
    /// y are of the whole size, each stored element counts for both of its places, and the sum of
    /// all parts' y is the product. The same device, threads, sizes and description give the same
    /// bits.
    /// Enqueued; x and y do not overlap and have exactly those sizes, else Failure.
    virtual void multiply(View<const double> x, View<double> y, Stream& stream) = 0;

    /// Each row of which elements are stored, in some order: whole rows of a row block, rows from
    /// the diagonal on of a triangle. Waits for nothing: not to be called beside fill.
    virtual void visit(const VisitRow& visit_row) const = 0;

    /// Its memory as one piece, padding included: what a product reads.
    [[nodiscard]] virtual View<const double> storage() const = 0;

    /// Which of several ways to multiply has been chosen; empty where there is one.
    [[nodiscard]] virtual std::string description() const { return {}; }
};

}  // namespace quartet::device
