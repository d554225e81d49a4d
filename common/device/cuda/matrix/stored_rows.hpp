#pragma once

#include <cstdint>
#include <functional>

#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/matrix.hpp"

namespace quartet::device {

/// A row of a matrix share in its memory, in elements. Its stored part begins at `first_column` of
/// the matrix.
struct StoredRow {
    std::int64_t row = 0;
    std::int64_t first_column = 0;
    std::int64_t columns = 0;
    std::int64_t offset = 0;
    std::int64_t padded = 0;  ///< columns, padding included: where the next row may begin
};

/// A matrix share's rows, in the order in which they lie in memory, one after another without gaps.
struct StoredRows {
    std::int64_t count = 0;
    std::function<StoredRow(std::int64_t index)> at;
};

/// Copies the reader's rows to the GPU by way of page-locked memory, and fills the padding with
/// zeros. `threads` threads call the reader. Returns when done; throws what the reader throws.
void fill_rows(const StoredRows& rows, const ReadRow& read_row, View<double> elements,
               CudaMemory& memory, int threads);

/// Shows the rows in the GPU's memory.
void visit_rows(const StoredRows& rows, const VisitRow& visit_row, View<const double> elements,
                CudaMemory& memory);

}  // namespace quartet::device
