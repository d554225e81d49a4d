#include "fft/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/block_range.hpp"

namespace quartet::fft {

namespace {

// The most points: far beyond what machines hold, and what index arithmetic is proven for.
constexpr std::int64_t largest_size = std::int64_t{1} << 44;
constexpr std::int64_t longest_usual_tile = std::int64_t{1} << 13;
constexpr std::int64_t shortest_tile = FourStepFft::block_bins;  // else blocks are half empty
constexpr double even_enough = 1.05;  // times the smallest possible length of the largest part

// Points of the largest part that a rank sends to another, with the empty lanes of its last block.
// All ranks wait for the rank that has it.
std::int64_t largest_part(std::int64_t points, std::int64_t tiles, int ranks) {
    const std::int64_t bins = divide_up(points / tiles, ranks);
    return divide_up(tiles, ranks) * divide_up(bins, shortest_tile) * shortest_tile;
}

// The smallest of these ascending numbers of tiles that deals them nearly as evenly as any.
// Nothing if there are none.
std::optional<std::int64_t> most_even(const std::vector<std::int64_t>& possible,
                                      std::int64_t points, int ranks) {
    const auto part = [&](std::int64_t tiles) { return largest_part(points, tiles, ranks); };
    if (possible.empty()) {
        return std::nullopt;
    }
    const std::int64_t smallest = part(*std::ranges::min_element(possible, {}, part));
    return *std::ranges::find_if(possible, [&](std::int64_t tiles) {
        return static_cast<double>(part(tiles)) <= even_enough * static_cast<double>(smallest);
    });
}

// The c in [0, count) with c step = offset; nothing if there is none.
std::optional<std::int64_t> multiple(std::int64_t offset, std::int64_t step, std::int64_t count) {
    if (offset == 0) {
        return 0;
    }
    if (offset < 0 || step == 0 || offset % step != 0 || offset / step >= count) {
        return std::nullopt;
    }
    return offset / step;
}

// The divisor of `points` nearest to `wanted` by ratio.
std::int64_t nearest_divisor(std::int64_t points, std::int64_t wanted) {
    const std::vector<std::int64_t> all = divisors(points);
    const auto distance = [&](std::int64_t divisor) {
        return std::abs(std::log(static_cast<double>(divisor) / static_cast<double>(wanted)));
    };
    return *std::ranges::min_element(all, {}, distance);
}

}  // namespace

std::string_view name(ResultOrder order) {
    return order == ResultOrder::natural ? "natural" : "transposed";
}

std::string_view name(Planning planning) {
    return planning == Planning::patient   ? "patient"
           : planning == Planning::measure ? "measure"
                                           : "estimate";
}

void add_options(bench::CommandLine& command_line, Options& options) {
    command_line.add({.name = "--size",
                      .value = "LIST",
                      .help = "points of the transform",
                      .standard = "2^24",
                      .alias = "--sizes"},
                     [&options](const std::string& text) {
                         options.sizes = bench::parse_sizes(text, largest_size);
                     });
    command_line.add(
        {.name = "--tiles",
         .value = "N",
         .help = "number of tiles x[t::N], a divisor of the size [so that a tile fits "
                 "the cache; 1 on one rank where its device has a transform and room for that]"},
        [&options](const std::string& text) {
            options.tiles = bench::parse_size(text, largest_size);
        });
    command_line.add(
        {.name = "--order",
         .help = "order of the result; natural takes one exchange more; dataflow has natural",
         .standard = "transposed"},
        options.order,
        std::vector<std::pair<std::string, ResultOrder>>{{"transposed", ResultOrder::transposed},
                                                         {"natural", ResultOrder::natural}});
    command_line.add(
        {.name = "--plan", .help = "how the library formulation plans", .standard = "estimate"},
        options.planning,
        std::vector<std::pair<std::string, Planning>>{{"estimate", Planning::estimate},
                                                      {"measure", Planning::measure},
                                                      {"patient", Planning::patient}});
    command_line.add(
        {2, "--size 64k:16M --formulation native,library", "nine sizes, ours beside FFTW"});
    command_line.add({2, "--size 1e6 --runs auto --json fft.json",
                      "a million points, as many runs as the interval needs"});
    command_line.add({4, "--size 2^24 --tiles 64 --order natural --transport mpi",
                      "in natural order, over MPI alone"});
    bench::add_data_options(command_line, options.data);
}

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
        return IndexOrder::block(mine.begin, mine.size());
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

std::vector<std::int64_t> divisors(std::int64_t number) {
    std::vector<std::int64_t> low;
    std::vector<std::int64_t> high;
    for (std::int64_t divisor = 1; divisor <= number / divisor; ++divisor) {
        if (number % divisor == 0) {
            low.push_back(divisor);
            if (divisor != number / divisor) {
                high.push_back(number / divisor);
            }
        }
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

std::int64_t longest_tile(std::int64_t points) {
    std::int64_t length = longest_usual_tile;
    while (length < points / length) {
        length *= 2;
    }
    return length;
}

std::int64_t default_tiles(std::int64_t points, int ranks) {
    const std::int64_t longest = longest_tile(points);
    std::optional<std::int64_t> whole_blocks;
    std::optional<std::int64_t> fitting;
    std::optional<std::int64_t> shortest;  // too long for the cache
    std::vector<std::int64_t> uneven;      // not the same number on each rank
    for (const std::int64_t tiles : divisors(points)) {
        const std::int64_t length = points / tiles;
        if (length < shortest_tile) {
            break;
        }
        if (length <= longest) {
            uneven.push_back(tiles);
        }
        if (tiles % ranks != 0) {
            continue;
        }
        shortest = tiles;
        if (length <= longest) {
            fitting = fitting.value_or(tiles);
            if (length % (shortest_tile * ranks) == 0) {
                whole_blocks = whole_blocks.value_or(tiles);
            }
        }
    }
    for (const auto& choice : {whole_blocks, fitting, shortest}) {
        if (choice) {
            return *choice;
        }
    }
    return most_even(uneven, points, ranks).value_or(1);
}

std::optional<std::int64_t> IndexOrder::position(std::int64_t index) const {
    // Loop over the shorter dimension.
    const bool by_rows = rows <= columns;
    for (std::int64_t i = 0; i < std::min(rows, columns); ++i) {
        const auto other = by_rows ? multiple(index - first - i * row_step, column_step, columns)
                                   : multiple(index - first - i * column_step, row_step, rows);
        if (other) {
            return by_rows ? i * columns + *other : *other * columns + i;
        }
    }
    return std::nullopt;
}

}  // namespace quartet::fft
