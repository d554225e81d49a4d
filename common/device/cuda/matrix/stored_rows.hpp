#pragma once

#include <cstdint>
#include <functional>

#include "device/cuda/runtime/cuda_memory.hpp"
#include "device/matrix.hpp"

namespace quartet::device {

/// Where a row of a matrix share lies in its memory, all in elements: what is stored of it begins
/// with `first_column` of the matrix.
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

/// Fills memory of the GPU with the rows that the reader gives, and its padding with zeros, by way
/// of page-locked memory. `threads` read at a time. Returns when done; throws what the reader
/// throws.
void fill_rows(const StoredRows& rows, const ReadRow& read_row, View<double> elements,
               CudaMemory& memory, int threads);

/// Shows the rows that memory of the GPU holds.
void visit_rows(const StoredRows& rows, const VisitRow& visit_row, View<const double> elements,
                CudaMemory& memory);

}  // namespace quartet::device
