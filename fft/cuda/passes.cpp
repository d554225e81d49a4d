#include "fft/cuda/kernels.hpp"

#include <algorithm>
#include <bit>

namespace quartet::fft {

namespace {

constexpr int widest = 4;
constexpr int fewest_tile_bits = 6;

std::int64_t power(int exponent) {
    return std::int64_t{1} << exponent;
}

std::optional<int> exact_log(std::int64_t number) {
    if (number < 1 || !std::has_single_bit(static_cast<std::uint64_t>(number)))
        return std::nullopt;
    return std::countr_zero(static_cast<std::uint64_t>(number));
}

// The most points of a lane's scratch area: together three fifths of the cache, so that there is
// room for what comes and goes beside them.
int log_scratch(std::int64_t cache_bytes) {
    const std::int64_t points = cache_bytes * 3 / 5 / fft_lanes / std::int64_t{sizeof(double2)};
    return points < 1 ? 0
                      : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(points))) - 1;
}

int lane_of(std::int64_t chunk) {
    return static_cast<int>(chunk % fft_lanes);
}

FftPass first_pass(const FftSplit& split, int width, const FftBuffers& buffers) {
    const int rest = split.middle + split.last;
    const FftSteps steps{.low = power(width), .point = power(rest)};
    return {.from = buffers.from,
            .to = buffers.work,
            .roots = buffers.roots,
            .read = steps,
            .write = steps,
            .tiles = power(rest - width),
            .low_bits = rest - width};
}

// Rows from `row` on, which `work` has until the next pass.
FftPass middle_pass(const FftSplit& split, int width, const FftBuffers& buffers, std::int64_t row,
                    double2* work) {
    const int rest = split.middle + split.last;
    const FftSteps steps{.low = power(width), .high = power(rest), .point = power(split.last)};
    return {.from = buffers.work + row * power(rest),
            .to = work,
            .roots = buffers.roots,
            .read = steps,
            .write = steps,
            .tiles = power(split.chunk + split.last - width),
            .low_bits = split.last - width,
            .log_order = split.first,
            .first_row = row,
            .row_step = 1};
}

FftPass last_pass(const FftSplit& split, int width, const FftBuffers& buffers, std::int64_t row,
                  const double2* work) {
    const int rest = split.middle + split.last;
    const int before = split.first + split.middle;
    return {.from = work,
            .to = buffers.to + row,
            .roots = buffers.roots,
            .read = {.low = power(width + rest), .high = power(split.last), .point = power(rest)},
            .write = {.low = power(width), .high = power(split.first), .point = power(before)},
            .tiles = power(split.chunk + split.middle - width),
            .low_bits = split.chunk - width,
            .log_order = before,
            .first_row = row,
            .row_step = power(split.first)};
}

}  // namespace

std::optional<FftSplit> split_fft(std::int64_t points, std::int64_t cache_bytes) {
    const auto log_points = exact_log(points);
    if (!log_points || *log_points < 20 || *log_points > 30)
        return std::nullopt;
    FftSplit split;
    split.middle = *log_points <= 23 ? 0 : *log_points / 3;
    const int others = *log_points - split.middle;
    split.last = split.middle == 0 ? (others + 1) / 2 : others / 2;
    split.first = others - split.last;
    split.chunk = split.first;
    // Longer rows gain nothing in chunks: measured on an H200.
    if (split.middle == 8 && split.last == 8)
        split.chunk =
            std::clamp(log_scratch(cache_bytes) - split.middle - split.last, widest, split.first);
    return split;
}

void for_each_pass(const FftSplit& split, const FftBuffers& buffers, const LaunchPass& launch) {
    const int first_width = widest_fft_pass(split.first);
    const int middle_width = widest_fft_pass(split.middle);
    const int last_width = widest_fft_pass(split.last);
    launch({FftLines::columns, split.first, first_width}, first_pass(split, first_width, buffers),
           std::nullopt);
    for (std::int64_t row = 0; row < power(split.first); row += power(split.chunk)) {
        std::optional<int> lane;
        double2* work = buffers.work;
        if (split.in_chunks()) {
            lane = lane_of(row >> split.chunk);
            work = buffers.scratch + *lane * split.scratch() / fft_lanes;
        }
        if (split.middle > 0)
            launch({FftLines::columns_of_one_row, split.middle, middle_width},
                   middle_pass(split, middle_width, buffers, row, work), lane);
        launch({FftLines::rows, split.last, last_width},
               last_pass(split, last_width, buffers, row, work), lane);
    }
}

std::optional<ColumnSplit> split_columns(std::int64_t tiles, std::int64_t columns,
                                         std::int64_t cache_bytes) {
    const auto log_tiles = exact_log(tiles);
    const auto log_columns = exact_log(columns);
    if (!log_tiles || !log_columns || *log_tiles < fewest_tile_bits || *log_tiles > 17 ||
        *log_columns < widest || *log_tiles + *log_columns > 32)
        return std::nullopt;
    if (*log_tiles <= most_fft_pass_bits)
        return ColumnSplit{*log_columns, *log_tiles, 0, *log_columns};
    const int first = (*log_tiles + 1) / 2;
    const int chunk = std::clamp(log_scratch(cache_bytes) - *log_tiles, widest, *log_columns);
    return ColumnSplit{*log_columns, first, *log_tiles - first, chunk};
}

// With tile t = t1 T2 + t2 the first pass leaves [k1][t2] for each column j, times the powers of
// exp(-2 pi i j / (T1 columns)); the second one multiplies by the powers of exp(-2 pi i (j +
// columns k1) / (all elements)) and writes row k1 + T1 k2.
void for_each_pass(const ColumnSplit& split, const FftBuffers& buffers, const LaunchPass& launch) {
    double2* const points = buffers.to;
    const int first_width = widest_fft_pass(split.first);
    const std::int64_t columns = power(split.columns);
    const FftPassShape first_shape{FftLines::columns_of_own_rows, split.first, first_width};
    const FftSteps steps{power(first_width), columns, columns << split.second};
    FftPass first{.from = points,
                  .to = points,
                  .roots = buffers.roots,
                  .read = steps,
                  .write = steps,
                  .tiles = power(split.second + split.chunk - first_width),
                  .low_bits = split.chunk - first_width,
                  .log_order = split.columns};
    if (split.second == 0) {
        launch(first_shape, first, std::nullopt);
        return;
    }
    const int second_width = widest_fft_pass(split.second);
    const std::int64_t chunk = power(split.chunk);
    first.write.high = chunk;
    first.write.point = chunk << split.second;
    FftPass second{.roots = buffers.roots,
                   .read = {power(second_width), chunk << split.second, chunk},
                   .write = {power(second_width), columns, columns << split.first},
                   .tiles = power(split.first + split.chunk - second_width),
                   .low_bits = split.chunk - second_width,
                   .log_order = split.columns + split.first,
                   .row_step = columns};
    for (std::int64_t column = 0; column < columns; column += chunk) {
        const int lane = lane_of(column / chunk);
        first.from = points + column;
        first.to = buffers.scratch + lane * split.scratch() / fft_lanes;
        second.from = first.to;
        second.to = points + column;
        first.first_row = second.first_row = column;
        launch(first_shape, first, lane);
        launch({FftLines::columns_of_own_rows, split.second, second_width}, second, lane);
    }
}

}  // namespace quartet::fft
