#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "matmul/context.hpp"
#include "matmul/tiles/tile_transfers.hpp"

namespace quartet::matmul {

/// How a rank goes through its block of C in bounded memory.
struct Blocking {
    std::int64_t rows = 1;       ///< tile rows of C held at a time, at most
    std::int64_t columns = 1;    ///< tile columns of C held at a time, at most
    std::int64_t slots = 2;      ///< tiles of A and B that there is room for
    std::int64_t lookahead = 0;  ///< products by which fetching is ahead of multiplying

    [[nodiscard]] std::int64_t held() const { return rows * columns; }
};

/// The fewest slots that a TileSchedule of `block` in parts of at most rows x columns tiles needs:
/// the shorter side of a part, one tile of its longer side, and the tiles that the look-ahead keeps
/// or fetches.
std::int64_t least_slots(const Block& block, std::int64_t rows, std::int64_t columns,
                         std::int64_t lookahead);

/// One product of tiles, C(row, column) += A(row, inner) B(inner, column), and the tiles that are
/// fetched for it.
struct TileProduct {
    TileIndex target;
    std::int64_t inner = 0;
    std::int64_t a_slot = 0;
    std::int64_t b_slot = 0;
    std::int64_t c_slot = 0;
    bool first = false;  ///< of the target's products: replaces what the C slot holds
    bool last = false;   ///< of the target's products: the tile is complete
    std::array<Fetch, 2> to_fetch;
    int fetch_count = 0;

    [[nodiscard]] std::span<const Fetch> fetches() const {
        return std::span(to_fetch).first(static_cast<std::size_t>(fetch_count));
    }
    /// Its tiles in their slots.
    [[nodiscard]] Fetch a() const { return {Operand::a, {target.row, inner}, a_slot}; }
    [[nodiscard]] Fetch b() const { return {Operand::b, {inner, target.column}, b_slot}; }
};

/// The tile products of one rank's block in order, with the slot of each tile. The same arguments
/// give the same schedule: the plan that is shown is the one that runs.
///
/// C is computed in parts of at most Blocking::rows x columns tiles, which are held while the inner
/// index k goes through all tiles: a column of A's and a row of B's for each k. The shorter of both
/// sides stays for all products of k, and tiles of the longer one come one at a time; a part of
/// 3 x 2 tiles goes in the order of the left figure. Parts go back and forth, and so does k: the
/// tiles fetched last serve again if the next part has the same rows (or columns).
///
///     1 2                  parts   0 1 2          k   part 0: 0 1 2 3
///     4 3                          5 4 3              part 1: 3 2 1 0
///     5 6
///
/// The slot to be filled is the one that was used longest ago, of those whose tile serves neither
/// in this part again nor in the next; else of those for the next part. Slots that one of the last
/// `lookahead` products uses are left alone, so a tile may be fetched that many products early.
class TileSchedule {
  public:
    /// Throws Failure if there are fewer slots than least_slots().
    TileSchedule(const Problem& problem, const Block& block, const Blocking& blocking);

    /// Products in all.
    [[nodiscard]] std::int64_t count() const { return block_.tiles() * inner_count_; }
    [[nodiscard]] bool done() const { return next_ == count(); }
    /// The next product. Does not allocate.
    TileProduct next();
    /// Begins again, with empty slots.
    void restart();

  private:
    struct Part {
        Range rows;
        Range columns;
        std::int64_t number = 0;

        [[nodiscard]] bool rows_are_outer() const { return rows.size() >= columns.size(); }
    };
    struct Slot {
        Operand operand = Operand::a;
        TileIndex tile{-1, -1};
        std::int64_t last_use = -1;  ///< a product
    };
    enum class Use { never, in_next_part, in_this_part };

    /// Empty beyond the last one.
    [[nodiscard]] Part part(std::int64_t number) const;
    [[nodiscard]] std::int64_t stage_of(std::int64_t inner) const;
    [[nodiscard]] Use use_of(const Slot& slot) const;
    /// Where a tile's slot is noted; -1 for none.
    [[nodiscard]] std::int64_t& slot_of(Operand operand, TileIndex tile);
    [[nodiscard]] std::int64_t slot_to_fill() const;
    std::int64_t provide(Operand operand, TileIndex tile, TileProduct& product);

    std::int64_t inner_count_;
    Block block_;
    Blocking blocking_;
    std::int64_t next_ = 0;    ///< product
    std::int64_t within_ = 0;  ///< of these, in the part
    Part now_;
    Part following_;
    std::vector<Slot> slots_;
    std::vector<std::int64_t> a_slots_;  ///< slot of each A tile of the block's rows, or -1
    std::vector<std::int64_t> b_slots_;  ///< slot of each B tile of the block's columns, or -1
};

/// Memory of one tile.
struct TileMemory {
    Bytes slot;         ///< of A or B, as it is read
    Bytes result;       ///< of C
    Bytes alignment{};  ///< once, so that the first slot can be aligned
};
/// From files on the host, and on a GPU.
TileMemory host_tile(const Problem& problem);
TileMemory device_tile(const Problem& problem);

/// The memory of `slots` tiles of A and B and `held` tiles of C.
Bytes buffers_of(std::int64_t slots, std::int64_t held, const TileMemory& tiles);

/// The traffic of a whole schedule. Elements only: files have headers, too. Of schedules that take
/// more than a second to go through (2^24 products) it is what is moved at most: successive parts
/// share some tiles.
Traffic planned_traffic(const Problem& problem, const Block& block, const Blocking& blocking);

/// The blocking of `block` with the least traffic in `memory`, with at least `lookahead` products
/// of look-ahead; memory that is left brings the look-ahead up to two rows of the held C tiles, and
/// then more slots. Nothing if even one tile of C and what it needs do not fit.
std::optional<Blocking> choose_blocking(const Problem& problem, const Block& block,
                                        const TileMemory& tiles, Bytes memory,
                                        std::int64_t lookahead = 0);

/// How one rank multiplies in bounded memory, before anything is allocated: on the host from files,
/// or on a GPU from the host's memory, or from files through it.
struct BoundedPlan {
    /// Tiles in files pass through so many of the host's slots before a GPU: A's and B's next ones.
    static constexpr std::int64_t passing = 4;

    Blocking blocking;
    Traffic traffic;  ///< to and from the memory that the products are made in
    Bytes best;       ///< the least that whole tiles allow there
    bool on_gpu = false;
    bool in_files = true;

    [[nodiscard]] std::int64_t file_slots() const {
        return !in_files ? 0 : on_gpu ? passing : blocking.slots;
    }
    [[nodiscard]] std::int64_t device_slots() const { return on_gpu ? blocking.slots : 0; }
};

/// The plan of `block` for products on the host, from files. Throws UsageError that says what is
/// needed where the memory does not hold the least plan. Local.
BoundedPlan plan_host(const Problem& problem, const Block& block, const MemoryBudget& budget);
/// The plan for products on a GPU, likewise; `from_files` is the host's budget where tiles are in
/// files. Local.
BoundedPlan plan_device(const Problem& problem, const Block& block, const MemoryBudget& budget,
                        const std::optional<MemoryBudget>& from_files = {});

/// A plan in words, for --dry-run.
std::string describe(const BoundedPlan& plan);

}  // namespace quartet::matmul
