#include "fft/problem/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/data_source.hpp"
#include "fft/problem/default_tiles.hpp"

namespace quartet::fft {

bench::Work Problem::work(int workers) const {
    constexpr std::int64_t traffic_per_point = 64;
    const auto n = static_cast<double>(points);
    bench::Work work;
    work.unit = bench::RateUnit::gflops;
    work.flops = {5 * n * std::log2(n)};
    work.bytes = {traffic_per_point * points};
    work.workers = workers;
    return work;
}

IndexOrder Problem::input_order(int ranks, int rank) const {
    const Range mine = shape(ranks, rank).my_tiles();
    return {.first = mine.begin,
            .rows = mine.size(),
            .columns = length(),
            .row_step = 1,
            .column_step = tiles};
}

IndexOrder Problem::output_order(int ranks, int rank) const {
    if (order == ResultOrder::natural) {
        const Range mine = block_range(points, ranks, rank);
        return {.first = mine.begin,
                .rows = 1,
                .columns = mine.size(),
                .row_step = 0,
                .column_step = 1};
    }
    const Range mine = shape(ranks, rank).my_bins();
    return {.first = mine.begin,
            .rows = tiles,
            .columns = mine.size(),
            .row_step = length(),
            .column_step = 1};
}

Problem problem(const Options& options, std::int64_t points, int ranks) {
    const std::int64_t tiles = options.tiles.value_or(default_tiles(points, ranks));
    if (points % tiles != 0) {
        throw UsageError(
            fmt::format("--tiles: {} tiles of one length cannot have {} points (it is no divisor): "
                        "use {}",
                        tiles, points, nearest_divisor(points, tiles)));
    }
    return {points, tiles, options.order};
}

DataSource source_of_points(std::uint64_t seed) {
    return {seed, "fft/x"};
}

void fill_points(std::span<Point> points, std::uint64_t seed, std::int64_t first,
                 std::int64_t step) {
    source_of_points(seed).fill_centred(points, first, step);
}

void fill_tiles(std::span<Point> points, std::uint64_t seed, const Problem& problem,
                std::int64_t first) {
    for (std::int64_t done = 0; done < std::ssize(points);) {
        const std::int64_t tile = (first + done) / problem.length();
        const std::int64_t position = (first + done) % problem.length();
        const std::int64_t count = std::min(problem.length() - position, std::ssize(points) - done);
        fill_points(points.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count)),
                    seed, tile + problem.tiles * position, problem.tiles);
        done += count;
    }
}

}  // namespace quartet::fft
