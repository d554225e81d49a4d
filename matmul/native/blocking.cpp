#include "matmul/native/blocking.hpp"

#include <algorithm>
#include <cmath>

namespace quartet::matmul {

namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

// Loads without what successive parts share: each part loads its rows of A and its columns of B.
std::int64_t tiles_loaded(const Block& block, std::int64_t rows, std::int64_t columns) {
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

// The largest parts are not always best: 5 tiles in parts of 4 are loaded as often as in parts
// of 3.
std::optional<Blocking> least_loads(const Block& block, const TileMemory& tiles, Bytes memory,
                                    std::int64_t lookahead) {
    std::optional<Blocking> best;
    std::int64_t fewest = 0;
    const auto fits = [&](std::int64_t rows, std::int64_t columns) {
        return memory_of(with_least_slots(block, rows, columns, lookahead), tiles) <= memory;
    };
    std::int64_t columns = block.columns.size();
    for (std::int64_t rows = 1; rows <= block.rows.size(); ++rows) {
        while (columns > 0 && !fits(rows, columns)) {
            --columns;
        }
        if (columns == 0) {
            break;
        }
        const std::int64_t loads = tiles_loaded(block, rows, columns);
        if (!best || loads < fewest) {
            best = with_least_slots(block, largest_part(block.rows.size(), rows),
                                    largest_part(block.columns.size(), columns), lookahead);
            fewest = loads;
        }
    }
    return best;
}

// More slots than there are tiles to put into them serve nobody.
void take_what_is_left(Blocking& blocking, const Problem& problem, const Block& block,
                       const TileMemory& tiles, Bytes memory) {
    const std::int64_t all = problem.tiles() * (block.rows.size() + block.columns.size());
    const std::int64_t spare = (memory - memory_of(blocking, tiles)).value / tiles.slot.value;
    const std::int64_t most = std::max(all, blocking.slots);
    blocking.slots = std::min(blocking.slots + spare, most);
}

}  // namespace

Traffic planned_traffic(const Problem& problem, const Block& block, const Blocking& blocking) {
    Traffic traffic;
    if (block.empty()) {
        return traffic;
    }
    for (Schedule schedule(problem, block, blocking); !schedule.done();) {
        const Step step = schedule.next();
        for (int load = 0; load < step.load_count; ++load) {
            const TileIndex tile = step.loads[static_cast<std::size_t>(load)].tile;
            traffic.read = traffic.read + bytes_of<float>(problem.elements(tile));
        }
        if (step.last) {
            traffic.written = traffic.written + bytes_of<float>(problem.elements(step.target));
        }
    }
    return traffic;
}

Bytes memory_of(const Blocking& blocking, const TileMemory& tiles) {
    return blocking.held() * tiles.result + blocking.slots * tiles.slot;
}

std::optional<Blocking> best_blocking(const Problem& problem, const Block& block,
                                      const TileMemory& tiles, Bytes memory) {
    auto best = least_loads(block, tiles, memory, 0);
    if (best) {
        take_what_is_left(*best, problem, block, tiles, memory);
    }
    return best;
}

std::optional<Blocking> choose_blocking(const Problem& problem, const Block& block,
                                        const TileMemory& tiles, Bytes memory,
                                        std::optional<int> lookahead) {
    if (block.empty()) {
        return Blocking{.rows = 1, .columns = 1, .slots = 2, .lookahead = 0};
    }
    auto blocking = least_loads(block, tiles, memory, lookahead.value_or(1));
    if (!blocking) {
        return lookahead ? std::nullopt : best_blocking(problem, block, tiles, memory);
    }
    if (!lookahead) {
        // Two rows: the loads of the next inner index, which all come at its beginning, are spread
        // over the products of a row before it.
        const std::int64_t enough = 2 * std::min(blocking->rows, blocking->columns);
        while (blocking->lookahead < enough) {
            const auto longer =
                with_least_slots(block, blocking->rows, blocking->columns, blocking->lookahead + 1);
            if (memory_of(longer, tiles) > memory) {
                break;
            }
            blocking = longer;
        }
    }
    take_what_is_left(*blocking, problem, block, tiles, memory);
    return blocking;
}

Bytes least_memory(const TileMemory& tiles, std::optional<int> lookahead) {
    return memory_of(with_least_slots({{0, 1}, {0, 1}}, 1, 1, lookahead.value_or(0)), tiles);
}

Bytes lower_bound(const Problem& problem, int ranks, Bytes memory) {
    const auto n = static_cast<double>(problem.size);
    const double floats = static_cast<double>(memory.value) / sizeof(float);
    const double moved = 2 * n * n * n / (ranks * std::sqrt(floats)) + n * n / ranks;
    return {static_cast<std::int64_t>(std::ceil(moved * sizeof(float)))};
}

}  // namespace quartet::matmul
