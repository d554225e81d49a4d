#pragma once

#include <vector>

#include "device/matrix.hpp"
#include "device/matrix_layout.hpp"

namespace quartet::device {

/// A panel of a matrix as matrix_layout.hpp stores it: its position in the matrix and its extents.
/// All beyond `rows` and `columns` is padding.
struct Panel {
    std::int64_t panel_rows = 0;  ///< padding included
    std::int64_t groups = 0;      ///< padding included
    std::int64_t first_row = 0;
    std::int64_t first_column = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

/// Reorders rows into panels. One per thread.
class PanelPacker {
  public:
    /// Reads the panel's rows and writes all of its padded elements.
    void pack(const Panel& panel, const ReadRow& read_row, double* elements);

  private:
    std::vector<double> rows_;  ///< some columns of a panel's rows, row after row
};

/// Copies a row of a panel, counted from the panel's first, from column `first` of the panel on.
void unpack(const Panel& panel, const double* elements, std::int64_t row, std::int64_t first,
            std::span<double> out);

}  // namespace quartet::device
