#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "matmul/problem/partition.hpp"
#include "matmul/tiles/tile_source.hpp"

namespace quartet::matmul {

/// How a rank goes through its block of C in bounded memory.
struct Blocking {
    std::int64_t rows = 1;       ///< tile rows of C held at a time, at most
    std::int64_t columns = 1;    ///< tile columns of C held at a time, at most
    std::int64_t slots = 2;      ///< tiles of A and B that there is room for
    std::int64_t lookahead = 0;  ///< products by which prefetching is ahead of multiplying

    [[nodiscard]] std::int64_t held() const { return rows * columns; }
};

/// The fewest slots that a TileSchedule of `block` in parts of at most rows x columns tiles needs:
/// the shorter side of a part, one tile of its longer side, and the tiles that the look-ahead keeps
/// or prefetches.
std::int64_t least_slots(const Block& block, std::int64_t rows, std::int64_t columns,
                         std::int64_t lookahead);

/// One product of tiles, C(row, column) += A(row, inner) B(inner, column), and the prefetches that
/// it needs.
struct TileProduct {
    TileIndex target;
    std::int64_t inner = 0;
    std::int64_t a_slot = 0;
    std::int64_t b_slot = 0;
    std::int64_t c_slot = 0;
    bool first = false;      ///< of the target's products: replaces what the C slot holds
    bool last = false;       ///< of the target's products: the tile is complete
    bool ends_part = false;  ///< with it all tiles of C that are held are complete
    std::array<Fetch, 2> prefetches;
    int prefetch_count = 0;

    [[nodiscard]] std::span<const Fetch> fetches() const {
        return std::span(prefetches).first(static_cast<std::size_t>(prefetch_count));
    }
    /// Its tiles in their slots.
    [[nodiscard]] Fetch a() const { return {Operand::a, {target.row, inner}, a_slot}; }
    [[nodiscard]] Fetch b() const { return {Operand::b, {inner, target.column}, b_slot}; }
};

/// The tile products of one rank's block in order, with the slot of each tile and the time of its
/// prefetch. The same arguments give the same schedule: the plan that is shown is the one that
/// runs.
///
/// C is computed in parts of at most Blocking::rows x columns tiles, in boustrophedon order of the
/// parts. All products of one inner index k follow one another: in a part of 3 x 2 tiles in the
/// order of the left figure, so that the two B tiles stay while A tiles come one at a time. k goes
/// up in one part and down in the next, so that the tiles fetched last serve again if the next
/// part has the same rows (or columns):
///
///     1 2                  parts   0 1 2          k   part 0: 0 1 2 3
///     4 3                          5 4 3              part 1: 3 2 1 0
///     5 6
///
/// Eviction follows Belady's rule: the tile whose next use is farthest away goes (uses after the
/// next part count as none). Tiles that one of the last `lookahead` products uses are never
/// evicted, so a prefetch may be issued that many products early.
class TileSchedule {
  public:
    /// Tells whether a tile of C is there already.
    using IsDone = std::function<bool(TileIndex)>;

    /// Parts whose tiles are all done are left out; the others keep their order, and so the bits of
    /// their tiles. Throws Failure if there are fewer slots than least_slots().
    TileSchedule(const Problem& problem, const Block& block, const Blocking& blocking,
                 const IsDone& is_done = {});

    [[nodiscard]] bool done() const { return next_ == count_; }
    /// The next product. Does not allocate.
    TileProduct next();
    /// Begins again, with empty slots.
    void restart();
    /// Products in all.
    [[nodiscard]] std::int64_t count() const { return count_; }

  private:
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    /// A part of the block.
    struct Part {
        Range rows;
        Range columns;
        std::int64_t number = 0;
        std::int64_t begin = 0;  ///< its first product, where earlier parts are left out
    };
    struct Slot {
        Operand operand = Operand::a;
        TileIndex tile;
        std::int64_t last_use = -1;  ///< a product
    };
    /// Order within a part: inner index slowest, then the side with more tiles, then the other.
    struct Sides {
        Range outer;
        Range inner;
        Operand outer_operand = Operand::a;
    };

    void list_parts(const IsDone& is_done);
    [[nodiscard]] Part part(std::int64_t number) const;
    /// The following one of those that are left, or an empty one at the end.
    [[nodiscard]] Part next_part();
    [[nodiscard]] static Sides sides(const Part& part);
    [[nodiscard]] std::int64_t inner_of_stage(const Part& part, std::int64_t stage) const;
    /// The first product from `from` on, within `part`, that uses a tile; `never` where none does.
    [[nodiscard]] std::int64_t next_use_in(const Part& part, Operand operand, TileIndex tile,
                                           std::int64_t from) const;
    [[nodiscard]] std::int64_t next_use(const Slot& slot) const;
    /// The slot that holds a tile, or -1.
    [[nodiscard]] std::int64_t& slot_of(Operand operand, TileIndex tile);
    /// An empty slot, else the one whose tile is to be evicted.
    [[nodiscard]] std::int64_t slot_to_fill() const;
    std::int64_t provide(Operand operand, TileIndex tile, TileProduct& product);

    std::int64_t inner_count_;
    Block block_;
    Blocking blocking_;
    std::int64_t part_rows_;     ///< rows of parts
    std::int64_t part_columns_;  ///< columns of parts
    std::vector<Part> parts_;
    std::size_t begun_parts_ = 0;
    std::int64_t count_ = 0;
    std::int64_t next_ = 0;
    Part current_;
    Part following_;
    std::vector<Slot> slots_;
    std::int64_t taken_ = 0;             ///< slots from there on are still empty
    std::vector<std::int64_t> a_slots_;  ///< slot of each A tile of the block's rows, or -1
    std::vector<std::int64_t> b_slots_;  ///< slot of each B tile of the block's columns, or -1
};

}  // namespace quartet::matmul
