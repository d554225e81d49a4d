#include "fft/problem/index_order.hpp"

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

// Guesses by an array's first steps; the caller compares the rest.
IndexOrder guessed_order(std::span<const std::int64_t> indices) {
    const auto size = std::ssize(indices);
    if (size == 0) {
        return {};
    }
    IndexOrder order{.first = indices[0], .rows = 1, .columns = 1, .row_step = 1, .column_step = 1};
    if (size > 1) {
        order.column_step = indices[1] - indices[0];
        while (order.columns < size && indices[static_cast<std::size_t>(order.columns)] ==
                                           order.first + order.columns * order.column_step) {
            ++order.columns;
        }
    }
    order.rows = size / order.columns;
    if (order.rows > 1) {
        order.row_step = indices[static_cast<std::size_t>(order.columns)] - order.first;
    }
    return order;
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

std::optional<IndexOrder> order_of(std::span<const std::int64_t> indices) {
    const IndexOrder order = guessed_order(indices);
    if (order.size() != std::ssize(indices) || order.column_step < 0 || order.row_step < 0) {
        return std::nullopt;
    }
    for (std::int64_t at = 0; at < order.size(); ++at) {
        if (indices[static_cast<std::size_t>(at)] !=
            order.index(at / order.columns, at % order.columns)) {
            return std::nullopt;
        }
    }
    return order;
}

}  // namespace quartet::fft
