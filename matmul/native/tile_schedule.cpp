#include "matmul/native/tile_schedule.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace quartet::matmul {

namespace {

constexpr std::int64_t nowhere = -1;

bool contains(const Range& range, std::int64_t index) {
    return index >= range.begin && index < range.end;
}

bool holds_for_all(const Block& block, const TileSchedule::IsDone& holds) {
    for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
        for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
            if (!holds({row, column})) {
                return false;
            }
        }
    }
    return true;
}

Range part_of(const Range& whole, std::int64_t parts, std::int64_t index) {
    const Range part = block_range(whole.size(), static_cast<int>(parts), static_cast<int>(index));
    return {whole.begin + part.begin, whole.begin + part.end};
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

TileSchedule::TileSchedule(const Problem& problem, const Block& block, const Blocking& blocking,
                           const IsDone& is_done)
    : inner_count_(problem.tiles()),
      block_(block),
      blocking_(blocking),
      part_rows_(divide_up(block.rows.size(), blocking.rows)),
      part_columns_(divide_up(block.columns.size(), blocking.columns)) {
    check(block.empty() || blocking.slots >= least_slots(block, blocking.rows, blocking.columns,
                                                         blocking.lookahead),
          "too few slots for a schedule");
    list_parts(is_done);
    slots_.resize(static_cast<std::size_t>(blocking.slots));
    a_slots_.resize(static_cast<std::size_t>(block.rows.size() * inner_count_));
    b_slots_.resize(static_cast<std::size_t>(block.columns.size() * inner_count_));
    restart();
}

void TileSchedule::restart() {
    taken_ = 0;
    std::ranges::fill(a_slots_, nowhere);
    std::ranges::fill(b_slots_, nowhere);
    next_ = 0;
    begun_parts_ = 0;
    current_ = next_part();
    following_ = next_part();
}

void TileSchedule::list_parts(const IsDone& is_done) {
    for (std::int64_t number = 0; number < part_rows_ * part_columns_; ++number) {
        Part next = part(number);
        const Block tiles{next.rows, next.columns};
        if (!is_done || !holds_for_all(tiles, is_done)) {
            next.begin = count_;
            count_ += tiles.tiles() * inner_count_;
            parts_.push_back(next);
        }
    }
}

TileSchedule::Part TileSchedule::next_part() {
    const std::size_t index = begun_parts_++;
    return index < parts_.size() ? parts_[index] : Part{{}, {}, 0, count_};
}

TileSchedule::Part TileSchedule::part(std::int64_t number) const {
    const std::int64_t row = number / part_columns_;
    const std::int64_t along = number % part_columns_;
    const std::int64_t column = row % 2 == 0 ? along : part_columns_ - 1 - along;
    return {part_of(block_.rows, part_rows_, row), part_of(block_.columns, part_columns_, column),
            number, 0};
}

TileSchedule::Sides TileSchedule::sides(const Part& part) {
    if (part.rows.size() >= part.columns.size()) {
        return {part.rows, part.columns, Operand::a};
    }
    return {part.columns, part.rows, Operand::b};
}

std::int64_t TileSchedule::inner_of_stage(const Part& part, std::int64_t stage) const {
    return part.number % 2 == 0 ? stage : inner_count_ - 1 - stage;
}

std::int64_t TileSchedule::next_use_in(const Part& part, Operand operand, TileIndex tile,
                                       std::int64_t from) const {
    const std::int64_t index = operand == Operand::a ? tile.row : tile.column;
    if (!contains(operand == Operand::a ? part.rows : part.columns, index)) {
        return never;
    }
    const Sides order = sides(part);
    const std::int64_t width = order.inner.size();
    const std::int64_t inner = operand == Operand::a ? tile.column : tile.row;
    const std::int64_t begin =
        part.begin + inner_of_stage(part, inner) * order.outer.size() * width;
    if (operand == order.outer_operand) {  // a row of consecutive products
        const std::int64_t first = begin + (index - order.outer.begin) * width;
        return from < first + width ? std::max(first, from) : never;
    }
    // Once a row, at `along` in those that go forth, at its mirror image in those that go back.
    const std::int64_t along = index - order.inner.begin;
    const std::int64_t row = std::max<std::int64_t>((from - begin) / width, 0);
    for (std::int64_t next = row; next < std::min(row + 2, order.outer.size()); ++next) {
        const std::int64_t use = begin + next * width + (next % 2 == 0 ? along : width - 1 - along);
        if (use >= from) {
            return use;
        }
    }
    return never;
}

std::int64_t TileSchedule::next_use(const Slot& slot) const {
    const std::int64_t now = next_use_in(current_, slot.operand, slot.tile, next_);
    return now != never ? now : next_use_in(following_, slot.operand, slot.tile, next_);
}

std::int64_t& TileSchedule::slot_of(Operand operand, TileIndex tile) {
    if (operand == Operand::a) {
        return a_slots_[static_cast<std::size_t>((tile.row - block_.rows.begin) * inner_count_ +
                                                 tile.column)];
    }
    return b_slots_[static_cast<std::size_t>((tile.column - block_.columns.begin) * inner_count_ +
                                             tile.row)];
}

std::int64_t TileSchedule::slot_to_fill() const {
    if (taken_ < blocking_.slots) {
        return taken_;
    }
    std::int64_t best = nowhere;
    std::int64_t latest = nowhere;
    for (std::size_t index = 0; index < slots_.size(); ++index) {
        const Slot& slot = slots_[index];
        if (slot.last_use >= next_ - blocking_.lookahead) {
            continue;
        }
        const std::int64_t use = next_use(slot);
        if (use > latest) {
            best = static_cast<std::int64_t>(index);
            latest = use;
        }
        if (use == never) {
            break;
        }
    }
    check(best != nowhere, "every slot of the schedule is in use");
    return best;
}

std::int64_t TileSchedule::provide(Operand operand, TileIndex tile, TileProduct& product) {
    std::int64_t& where = slot_of(operand, tile);
    if (where == nowhere) {
        const std::int64_t index = slot_to_fill();
        Slot& slot = slots_[static_cast<std::size_t>(index)];
        if (index < taken_) {
            slot_of(slot.operand, slot.tile) = nowhere;
        }
        taken_ = std::max(taken_, index + 1);
        slot = {.operand = operand, .tile = tile};
        where = index;
        product.prefetches[static_cast<std::size_t>(product.prefetch_count++)] = {operand, tile,
                                                                                  index};
    }
    slots_[static_cast<std::size_t>(where)].last_use = next_;
    return where;
}

TileProduct TileSchedule::next() {
    check(!done(), "a schedule has ended");
    const Sides order = sides(current_);
    const std::int64_t width = order.inner.size();
    const std::int64_t per_stage = order.outer.size() * width;
    const std::int64_t stage = (next_ - current_.begin) / per_stage;
    const std::int64_t within = (next_ - current_.begin) % per_stage;
    const std::int64_t row = within / width;
    const std::int64_t along = row % 2 == 0 ? within % width : width - 1 - within % width;
    const std::int64_t outer = order.outer.begin + row;
    const std::int64_t inner = order.inner.begin + along;

    TileProduct product;
    product.target =
        order.outer_operand == Operand::a ? TileIndex{outer, inner} : TileIndex{inner, outer};
    product.inner = inner_of_stage(current_, stage);
    product.c_slot = row * width + along;
    product.first = stage == 0;
    product.last = stage == inner_count_ - 1;
    product.a_slot = provide(Operand::a, {product.target.row, product.inner}, product);
    product.b_slot = provide(Operand::b, {product.inner, product.target.column}, product);
    product.ends_part = ++next_ == following_.begin;
    if (product.ends_part && !done()) {
        current_ = following_;
        following_ = next_part();
    }
    return product;
}

}  // namespace quartet::matmul
