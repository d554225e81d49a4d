#include "matmul/native/blocking.hpp"

#include <algorithm>
#include <cmath>

namespace quartet::matmul {

namespace {

// Prefetches without what successive parts share: each part fetches its rows of A and its columns
// of B.
std::int64_t tiles_fetched(const Block& block, std::int64_t rows, std::int64_t columns) {
    return block.rows.size() * divide_up(block.columns.size(), columns) +
           block.columns.size() * divide_up(block.rows.size(), rows);
}

// Parts are nearly equal: 8 tiles in parts of at most 5 come in parts of 4.
std::int64_t largest_part(std::int64_t tiles, std::int64_t most) {
    return divide_up(tiles, divide_up(tiles, most));
}

Blocking with_least_slots(const Block& block, std::int64_t rows, std::int64_t columns,
                          std::int64_t lookahead) {
    return {rows, columns, least_slots(block, rows, columns, lookahead), lookahead};
}

// The largest parts are not always best: 5 tiles in parts of 4 are fetched as often as in parts
// of 3.
std::optional<Blocking> least_fetches(const Block& block, const TileMemory& tiles, Bytes memory,
                                      std::int64_t lookahead, std::int64_t most_held = any_number) {
    std::optional<Blocking> best;
    std::int64_t fewest = 0;
    const auto fits = [&](std::int64_t rows, std::int64_t columns) {
        const Blocking blocking = with_least_slots(block, rows, columns, lookahead);
        return blocking.held() <= most_held && buffers_of(blocking, tiles) <= memory;
    };
    std::int64_t columns = block.columns.size();
    for (std::int64_t rows = 1; rows <= block.rows.size(); ++rows) {
        while (columns > 0 && !fits(rows, columns)) {
            --columns;
        }
        if (columns == 0) {
            break;
        }
        const std::int64_t fetches = tiles_fetched(block, rows, columns);
        if (!best || fetches < fewest) {
            best = with_least_slots(block, largest_part(block.rows.size(), rows),
                                    largest_part(block.columns.size(), columns), lookahead);
            fewest = fetches;
        }
    }
    return best;
}

// More slots than tiles would stay empty.
void take_what_is_left(Blocking& blocking, const Problem& problem, const Block& block,
                       const TileMemory& tiles, Bytes memory) {
    const std::int64_t all = problem.tiles() * (block.rows.size() + block.columns.size());
    const std::int64_t spare = (memory - buffers_of(blocking, tiles)).value / tiles.slot.value;
    const std::int64_t most = std::max(all, blocking.slots);
    blocking.slots = std::min(blocking.slots + spare, most);
}

constexpr std::int64_t most_products = std::int64_t{1} << 24;

// Each part of the block reads all of its rows of A and of its columns of B.
Traffic most_traffic(const Problem& problem, const Block& block, const Blocking& blocking) {
    const std::int64_t rows = elements_of(problem, block.rows).size();
    const std::int64_t columns = elements_of(problem, block.columns).size();
    const std::int64_t read = rows * divide_up(block.columns.size(), blocking.columns) +
                              columns * divide_up(block.rows.size(), blocking.rows);
    return {.read = read * bytes_of<float>(problem.size),
            .written = bytes_of<float>(elements_in(problem, block))};
}

}  // namespace

Traffic planned_traffic(const Problem& problem, const Block& block, const Blocking& blocking) {
    Traffic traffic;
    if (block.empty()) {
        return traffic;
    }
    if (saturated_product(block.rows.size() * block.columns.size(), problem.tiles()) >
        most_products) {
        return most_traffic(problem, block, blocking);
    }
    for (TileSchedule schedule(problem, block, blocking); !schedule.done();) {
        const TileProduct product = schedule.next();
        for (const Fetch& fetch : product.fetches()) {
            traffic.read = traffic.read + bytes_of<float>(problem.elements(fetch.tile));
        }
        if (product.last) {
            traffic.written = traffic.written + bytes_of<float>(problem.elements(product.target));
        }
    }
    return traffic;
}

Bytes buffers_of(std::int64_t slots, std::int64_t held, const TileMemory& tiles) {
    return slots * tiles.slot + tiles.alignment + held * tiles.result;
}

std::optional<Blocking> best_blocking(const Problem& problem, const Block& block,
                                      const TileMemory& tiles, Bytes memory) {
    auto best = least_fetches(block, tiles, memory, 0);
    if (best) {
        take_what_is_left(*best, problem, block, tiles, memory);
    }
    return best;
}

std::optional<Blocking> choose_blocking(const Problem& problem, const Block& block,
                                        const TileMemory& tiles, Bytes memory,
                                        std::optional<int> lookahead, std::int64_t most_held) {
    if (block.empty()) {
        return Blocking{.rows = 1, .columns = 1, .slots = 2, .lookahead = 0};
    }
    auto blocking = least_fetches(block, tiles, memory, lookahead.value_or(1), most_held);
    if (!blocking) {
        return lookahead ? std::nullopt
                         : choose_blocking(problem, block, tiles, memory, 0, most_held);
    }
    if (!lookahead) {
        // Two rows: the prefetches of the next inner index, which all come at its beginning, are
        // spread over the products of a row before it.
        const std::int64_t enough = 2 * std::min(blocking->rows, blocking->columns);
        while (blocking->lookahead < enough) {
            const auto longer =
                with_least_slots(block, blocking->rows, blocking->columns, blocking->lookahead + 1);
            if (buffers_of(longer, tiles) > memory) {
                break;
            }
            blocking = longer;
        }
    }
    take_what_is_left(*blocking, problem, block, tiles, memory);
    return blocking;
}

Bytes least_memory(const TileMemory& tiles, std::optional<int> lookahead) {
    const Blocking least = with_least_slots({{0, 1}, {0, 1}}, 1, 1, lookahead.value_or(0));
    return buffers_of(least, tiles);
}

Bytes lower_bound(const Problem& problem, int ranks, Bytes memory) {
    const auto n = static_cast<double>(problem.size);
    const double floats = static_cast<double>(memory.value) / sizeof(float);
    const double moved = 2 * n * n * n / (ranks * std::sqrt(floats)) + n * n / ranks;
    return {static_cast<std::int64_t>(std::ceil(moved * sizeof(float)))};
}

}  // namespace quartet::matmul
