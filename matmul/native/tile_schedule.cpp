#include "matmul/native/tile_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/check.hpp"
#include "core/saturated.hpp"

namespace quartet::matmul {

namespace {

constexpr std::int64_t most_products = std::int64_t{1} << 24;

bool contains(const Range& range, std::int64_t index) {
    return index >= range.begin && index < range.end;
}

Range part_of(const Range& whole, std::int64_t parts, std::int64_t index) {
    const Range part = block_range(whole.size(), static_cast<int>(parts), static_cast<int>(index));
    return {whole.begin + part.begin, whole.begin + part.end};
}

Blocking with_least_slots(const Block& block, std::int64_t rows, std::int64_t columns,
                          std::int64_t lookahead) {
    return {rows, columns, least_slots(block, rows, columns, lookahead), lookahead};
}

Bytes buffers_of(const Blocking& blocking, const TileMemory& tiles) {
    return matmul::buffers_of(blocking.slots, blocking.held(), tiles);
}

// Parts are nearly equal: 8 tiles in parts of at most 5 come in parts of 4. The largest parts are
// not always best: 5 tiles in parts of 4 are fetched as often as in parts of 3.
std::optional<Blocking> least_fetches(const Block& block, const TileMemory& tiles, Bytes memory,
                                      std::int64_t lookahead) {
    std::optional<Blocking> best;
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    std::int64_t columns = block.columns.size();
    for (std::int64_t rows = 1; rows <= block.rows.size(); ++rows) {
        while (columns > 0 &&
               buffers_of(with_least_slots(block, rows, columns, lookahead), tiles) > memory) {
            --columns;
        }
        if (columns == 0) {
            break;
        }
        // Each part fetches its rows of A and its columns of B.
        const std::int64_t parts_down = divide_up(block.rows.size(), rows);
        const std::int64_t parts_along = divide_up(block.columns.size(), columns);
        const std::int64_t fetches =
            block.rows.size() * parts_along + block.columns.size() * parts_down;
        if (fetches < fewest) {
            best = with_least_slots(block, divide_up(block.rows.size(), parts_down),
                                    divide_up(block.columns.size(), parts_along), lookahead);
            fewest = fetches;
        }
    }
    return best;
}

// More slots than tiles would stay empty.
void take_what_is_left(Blocking& blocking, const Problem& problem, const Block& block, Bytes left,
                       Bytes slot) {
    const std::int64_t all = problem.tiles() * (block.rows.size() + block.columns.size());
    const std::int64_t most = std::max(all, blocking.slots);
    blocking.slots = std::min(blocking.slots + left.value / slot.value, most);
}

// The least that a plan takes of the host's memory, beside what is elsewhere.
void require_host_memory(const Problem& problem, Bytes least, const MemoryBudget& budget) {
    if (least + budget.elsewhere > budget.allowed) {
        throw UsageError(fmt::format(
            "tiles of {} x {} in files take at least {} per rank ({} are allowed): give more "
            "--memory, or a smaller --tile",
            problem.extent(0), problem.extent(0), to_string(least + budget.elsewhere),
            to_string(budget.allowed)));
    }
}

Bytes least_memory(const TileMemory& tiles) {
    return buffers_of(with_least_slots({{0, 1}, {0, 1}}, 1, 1, 0), tiles);
}

}  // namespace

std::int64_t least_slots(const Block& block, std::int64_t rows, std::int64_t columns,
                         std::int64_t lookahead) {
    // Parts are of nearly equal sizes: the smallest are a tile shorter than the largest.
    const std::int64_t row_parts = divide_up(block.rows.size(), rows);
    const std::int64_t column_parts = divide_up(block.columns.size(), columns);
    const std::int64_t least_rows = block.rows.size() / row_parts;
    const std::int64_t least_columns = block.columns.size() / column_parts;
    const std::int64_t inner = std::min(divide_up(block.rows.size(), row_parts),
                                        divide_up(block.columns.size(), column_parts));
    // Of the last products: each row of them has a tile of the outer side, and each inner index
    // before the present one has brought its tiles of the inner side.
    const std::int64_t outer_kept = divide_up(lookahead, std::min(least_rows, least_columns)) + 1;
    const std::int64_t stages_before = divide_up(lookahead, least_rows * least_columns);
    return inner + std::min(lookahead, inner * stages_before) + outer_kept;
}

TileSchedule::TileSchedule(const Problem& problem, const Block& block, const Blocking& blocking)
    : inner_count_(problem.tiles()),
      block_(block),
      blocking_(blocking),
      slots_(static_cast<std::size_t>(blocking.slots)),
      a_slots_(static_cast<std::size_t>(block.rows.size() * inner_count_)),
      b_slots_(static_cast<std::size_t>(block.columns.size() * inner_count_)) {
    check(block.empty() || blocking.slots >= least_slots(block, blocking.rows, blocking.columns,
                                                         blocking.lookahead),
          "too few slots for a schedule");
    restart();
}

void TileSchedule::restart() {
    std::ranges::fill(slots_, Slot{});
    std::ranges::fill(a_slots_, -1);
    std::ranges::fill(b_slots_, -1);
    next_ = 0;
    within_ = 0;
    now_ = part(0);
    following_ = part(1);
}

TileSchedule::Part TileSchedule::part(std::int64_t number) const {
    const std::int64_t down = divide_up(block_.rows.size(), blocking_.rows);
    const std::int64_t across = divide_up(block_.columns.size(), blocking_.columns);
    if (number >= down * across) {
        return {};
    }
    const std::int64_t row = number / across;
    const std::int64_t along = row % 2 == 0 ? number % across : across - 1 - number % across;
    return {part_of(block_.rows, down, row), part_of(block_.columns, across, along), number};
}

// When an inner index has its turn in the part, and which has the turn `inner`.
std::int64_t TileSchedule::stage_of(std::int64_t inner) const {
    return now_.number % 2 == 0 ? inner : inner_count_ - 1 - inner;
}

TileSchedule::Use TileSchedule::use_of(const Slot& slot) const {
    const bool of_a = slot.operand == Operand::a;
    const std::int64_t index = of_a ? slot.tile.row : slot.tile.column;
    const Range& side = of_a ? now_.rows : now_.columns;
    if (contains(side, index)) {
        const std::int64_t width = std::min(now_.rows.size(), now_.columns.size());
        const std::int64_t length = std::max(now_.rows.size(), now_.columns.size());
        const std::int64_t stage = stage_of(of_a ? slot.tile.column : slot.tile.row);
        const std::int64_t present = within_ / (width * length);
        const bool is_outer = of_a == now_.rows_are_outer();
        const std::int64_t row = within_ / width % length;
        if (stage > present || (stage == present && (!is_outer || index - side.begin >= row))) {
            return Use::in_this_part;
        }
    }
    return contains(of_a ? following_.rows : following_.columns, index) ? Use::in_next_part
                                                                        : Use::never;
}

std::int64_t& TileSchedule::slot_of(Operand operand, TileIndex tile) {
    return operand == Operand::a
               ? a_slots_[static_cast<std::size_t>((tile.row - block_.rows.begin) * inner_count_ +
                                                   tile.column)]
               : b_slots_[static_cast<std::size_t>(
                     (tile.column - block_.columns.begin) * inner_count_ + tile.row)];
}

std::int64_t TileSchedule::slot_to_fill() const {
    const Slot* best = nullptr;
    std::pair<Use, std::int64_t> least;
    for (const Slot& slot : slots_) {
        if (slot.last_use < 0) {  // empty
            return &slot - slots_.data();
        }
        if (slot.last_use >= next_ - blocking_.lookahead) {
            continue;
        }
        const std::pair use(use_of(slot), slot.last_use);
        if (best == nullptr || use < least) {
            best = &slot;
            least = use;
        }
    }
    check(best != nullptr, "every slot of the schedule is in use");
    return best - slots_.data();
}

std::int64_t TileSchedule::provide(Operand operand, TileIndex tile, TileProduct& product) {
    std::int64_t& where = slot_of(operand, tile);
    if (where < 0) {
        const std::int64_t index = slot_to_fill();
        Slot& slot = slots_[static_cast<std::size_t>(index)];
        if (slot.last_use >= 0) {
            slot_of(slot.operand, slot.tile) = -1;
        }
        slot = {.operand = operand, .tile = tile};
        where = index;
        product.to_fetch[static_cast<std::size_t>(product.fetch_count++)] = {operand, tile, index};
    }
    slots_[static_cast<std::size_t>(where)].last_use = next_;
    return where;
}

TileProduct TileSchedule::next() {
    check(!done(), "a schedule has ended");
    const bool down = now_.rows_are_outer();
    const Range& outer = down ? now_.rows : now_.columns;
    const Range& inner = down ? now_.columns : now_.rows;
    const std::int64_t width = inner.size();
    const std::int64_t stage = within_ / (outer.size() * width);
    const std::int64_t row = within_ / width % outer.size();
    const std::int64_t along = row % 2 == 0 ? within_ % width : width - 1 - within_ % width;

    TileProduct product;
    product.target = down ? TileIndex{outer.begin + row, inner.begin + along}
                          : TileIndex{inner.begin + along, outer.begin + row};
    product.inner = stage_of(stage);
    product.c_slot = row * width + along;
    product.first = stage == 0;
    product.last = stage == inner_count_ - 1;
    product.a_slot = provide(Operand::a, {product.target.row, product.inner}, product);
    product.b_slot = provide(Operand::b, {product.inner, product.target.column}, product);
    ++next_;
    if (++within_ == outer.size() * width * inner_count_) {
        within_ = 0;
        now_ = following_;
        following_ = part(now_.number + 1);
    }
    return product;
}

TileMemory host_tile(const Problem& problem) {
    return {.slot = MatrixFiles::slot_bytes(problem),
            .result = problem.tile_bytes(),
            .alignment = Bytes{direct_alignment}};
}

TileMemory device_tile(const Problem& problem) {
    return {.slot = problem.tile_bytes(), .result = problem.tile_bytes()};
}

Bytes buffers_of(std::int64_t slots, std::int64_t held, const TileMemory& tiles) {
    return slots * tiles.slot + tiles.alignment + held * tiles.result;
}

Traffic planned_traffic(const Problem& problem, const Block& block, const Blocking& blocking) {
    Traffic traffic{.read = {}, .written = bytes_of<float>(elements_in(problem, block))};
    if (block.empty()) {
        return traffic;
    }
    if (saturated_product(block.tiles(), problem.tiles()) > most_products) {
        const std::int64_t read = elements_of(problem, block.rows).size() *
                                      divide_up(block.columns.size(), blocking.columns) +
                                  elements_of(problem, block.columns).size() *
                                      divide_up(block.rows.size(), blocking.rows);
        traffic.read = read * bytes_of<float>(problem.size);
        return traffic;
    }
    for (TileSchedule schedule(problem, block, blocking); !schedule.done();) {
        for (const Fetch& fetch : schedule.next().fetches()) {
            traffic.read = traffic.read + bytes_of<float>(problem.elements(fetch.tile));
        }
    }
    return traffic;
}

std::optional<Blocking> choose_blocking(const Problem& problem, const Block& block,
                                        const TileMemory& tiles, Bytes memory,
                                        std::int64_t lookahead) {
    if (block.empty()) {
        return Blocking{};
    }
    auto blocking = least_fetches(block, tiles, memory, lookahead);
    if (!blocking) {
        return std::nullopt;
    }
    // Two rows: the tiles of the next inner index, which are all wanted at its beginning, come
    // during the products of a row before it.
    const std::int64_t enough =
        lookahead == 0 ? 0 : 2 * std::min(blocking->rows, blocking->columns);
    while (blocking->lookahead < enough) {
        const auto longer =
            with_least_slots(block, blocking->rows, blocking->columns, blocking->lookahead + 1);
        if (buffers_of(longer, tiles) > memory) {
            break;
        }
        blocking = longer;
    }
    take_what_is_left(*blocking, problem, block, memory - buffers_of(*blocking, tiles), tiles.slot);
    return blocking;
}

BoundedPlan plan_host(const Problem& problem, const Block& block, const MemoryBudget& budget) {
    const TileMemory tiles = host_tile(problem);
    const Bytes memory = budget.allowed - budget.elsewhere;
    require_host_memory(problem, least_memory(tiles), budget);
    const Blocking best = *choose_blocking(problem, block, tiles, memory);
    const Blocking ahead = choose_blocking(problem, block, tiles, memory, 1).value_or(best);
    const Traffic traffic = planned_traffic(problem, block, ahead);
    return {.blocking = ahead,
            .traffic = traffic,
            .best = std::min(traffic.sum(), planned_traffic(problem, block, best).sum())};
}

BoundedPlan plan_device(const Problem& problem, const Block& block, const MemoryBudget& budget,
                        const std::optional<MemoryBudget>& from_files) {
    const TileMemory tiles = device_tile(problem);
    const Bytes memory = budget.allowed - budget.elsewhere;
    if (memory < least_memory(tiles)) {
        refuse_tiles(problem, least_memory(tiles) + budget.elsewhere, budget);
    }
    if (from_files) {
        require_host_memory(problem,
                            buffers_of(BoundedPlan::passing, StagedSink::slots, host_tile(problem)),
                            *from_files);
    }
    auto blocking = choose_blocking(problem, block, tiles, memory, 1);
    if (!blocking) {
        blocking = choose_blocking(problem, block, tiles, memory);
    }
    const Traffic traffic = planned_traffic(problem, block, *blocking);
    return {.blocking = *blocking,
            .traffic = traffic,
            .best = traffic.sum(),
            .on_gpu = true,
            .in_files = from_files.has_value()};
}

std::string describe(const BoundedPlan& plan) {
    const Blocking& blocking = plan.blocking;
    return fmt::format(
        "{}{} x {} tiles of C held, {} slots for A and B, {} products of look-ahead; a rank {} {}, "
        "reading {} and writing {} (best whole-tile blocking {})",
        plan.on_gpu ? "on the GPU " : "", blocking.rows, blocking.columns, blocking.slots,
        blocking.lookahead, plan.on_gpu ? "copies" : "moves", to_string(plan.traffic.sum()),
        to_string(plan.traffic.read), to_string(plan.traffic.written), to_string(plan.best));
}

}  // namespace quartet::matmul
