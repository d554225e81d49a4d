#include "fft/index_order.hpp"

namespace quartet::fft {

namespace {

// c of [0, count) with c step = offset.
std::optional<std::int64_t> multiple(std::int64_t offset, std::int64_t step, std::int64_t count) {
    if (offset == 0) {
        return 0;
    }
    if (offset < 0 || step == 0 || offset % step != 0 || offset / step >= count) {
        return std::nullopt;
    }
    return offset / step;
}

}  // namespace

std::optional<std::int64_t> IndexOrder::position(std::int64_t index) const {
    if (size() == 0) {
        return std::nullopt;
    }
    // Tries each of what there are fewer.
    if (rows <= columns) {
        for (std::int64_t row = 0; row < rows; ++row) {
            if (const auto column =
                    multiple(index - first - row * row_step, column_step, columns)) {
                return row * columns + *column;
            }
        }
    } else {
        for (std::int64_t column = 0; column < columns; ++column) {
            if (const auto row = multiple(index - first - column * column_step, row_step, rows)) {
                return *row * columns + column;
            }
        }
    }
    return std::nullopt;
}

}  // namespace quartet::fft
