#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "matmul/partition.hpp"

namespace quartet::matmul {

/// How a rank goes through its block of C in bounded memory.
struct Blocking {
    std::int64_t rows = 1;       ///< tiles of C held at a time, at most rows x columns
    std::int64_t columns = 1;    ///< ditto
    std::int64_t slots = 2;      ///< tiles of A and B that there is room for
    std::int64_t lookahead = 0;  ///< products by which loading is ahead of multiplying

    [[nodiscard]] std::int64_t held() const { return rows * columns; }
};

/// The fewest slots with which a Schedule of `block` in parts of at most rows x columns tiles gets
/// by: the shorter side of a part, one tile of its longer side, and what looking ahead keeps or
/// brings in early.
std::int64_t least_slots(const Block& block, std::int64_t rows, std::int64_t columns,
                         std::int64_t lookahead);

/// Which input.
enum class Operand { a, b };

/// A tile to be brought into a slot, whose last contents are not needed any more.
struct Load {
    Operand operand = Operand::a;
    TileIndex tile;
    std::int64_t slot = 0;
};

/// One product of tiles, C(row, column) += A(row, inner) B(inner, column), and the loads before it.
struct Step {
    TileIndex target;
    std::int64_t inner = 0;
    std::int64_t a_slot = 0;
    std::int64_t b_slot = 0;
    std::int64_t c_slot = 0;
    bool first = false;  ///< of the target's products: replaces what the C slot holds
    bool last = false;   ///< of the target's products: the tile is complete
    std::array<Load, 2> loads;
    int load_count = 0;
};

/// All products of one rank's block, one after another, with the slot that each tile lies in and
/// when it is loaded. The same arguments give the same steps: the plan that is shown is the one
/// that runs.
///
/// C is taken in parts of at most Blocking::rows x columns tiles, row by row of parts, back and
/// forth. All products of one inner index k follow one another: of a part of 3 x 2 tiles in the
/// order of the left figure, so that the two B tiles stay while A tiles come one at a time. k goes
/// up in one part and down in the next, so that the tiles loaded last serve again where the next
/// part has the same rows (or columns):
///
///     1 2                  parts   0 1 2          k   part 0: 0 1 2 3
///     4 3                          5 4 3              part 1: 3 2 1 0
///     5 6
///
/// Where all slots are taken, the tile goes that is next needed last (Belady's rule, as far as this
/// and the next part tell; later needs count as none), among those that no product of the last
/// `lookahead` ones uses: a step's loads may be issued that many products before it.
class Schedule {
  public:
    /// Throws Failure where there are fewer than least_slots.
    Schedule(const Problem& problem, const Block& block, const Blocking& blocking);

    [[nodiscard]] bool done() const { return next_ == count_; }
    /// The next step. Does not allocate.
    Step next();
    /// Begins again, with empty slots.
    void restart();
    /// Steps in all.
    [[nodiscard]] std::int64_t count() const { return count_; }

  private:
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    /// A part of the block: its tiles, and where its steps begin.
    struct Part {
        Range rows;
        Range columns;
        std::int64_t number = 0;
        std::int64_t begin = 0;  ///< its first step
    };
    struct Slot {
        Operand operand = Operand::a;
        TileIndex tile;
        std::int64_t last_use = -1;  ///< a step
    };
    /// Order within a part: inner index slowest, then the side with more tiles, then the other.
    struct Sides {
        Range outer;
        Range inner;
        Operand outer_operand = Operand::a;
    };

    [[nodiscard]] Part part(std::int64_t number) const;
    [[nodiscard]] static Sides sides(const Part& part);
    [[nodiscard]] std::int64_t inner_of_stage(const Part& part, std::int64_t stage) const;
    /// The first step from `from` on, within `part`, that uses a tile; `never` where none does.
    [[nodiscard]] std::int64_t next_use_in(const Part& part, Operand operand, TileIndex tile,
                                           std::int64_t from) const;
    [[nodiscard]] std::int64_t next_use(const Slot& slot) const;
    [[nodiscard]] std::int64_t& place(Operand operand, TileIndex tile);
    [[nodiscard]] std::int64_t slot_to_fill() const;
    std::int64_t provide(Operand operand, TileIndex tile, Step& step);

    std::int64_t inner_count_;
    Block block_;
    Blocking blocking_;
    std::int64_t part_rows_;     ///< parts along the rows
    std::int64_t part_columns_;  ///< ditto
    std::int64_t count_;
    std::int64_t next_ = 0;
    Part current_;
    Part following_;
    std::vector<Slot> slots_;
    std::int64_t taken_ = 0;              ///< slots from there on are still empty
    std::vector<std::int64_t> a_places_;  ///< slot of each A tile of the block's rows, or -1
    std::vector<std::int64_t> b_places_;  ///< ditto, of B and columns
};

}  // namespace quartet::matmul
