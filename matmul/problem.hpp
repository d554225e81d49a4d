#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/row.hpp"
#include "comm/mpi/communicator.hpp"
#include "core/block_range.hpp"
#include "core/units.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::matmul {

/// Which input matrix.
enum class Operand { a, b };

/// "A" or "B", as in the names of files and of random sequences.
constexpr std::string_view name(Operand operand) {
    return operand == Operand::a ? "A" : "B";
}

/// Position of a tile in the grid of a matrix's tiles.
struct TileIndex {
    std::int64_t row = 0;
    std::int64_t column = 0;
    bool operator==(const TileIndex&) const = default;
};

/// C = A B, all N x N in float32 (the paper's VI.B): the entries of A and B are uniform in [0, 1),
/// functions of the seed and of their position in the matrix alone, not of tile or ranks. Tile
/// (i, j) has rows [i B, (i + 1) B) and columns [j B, (j + 1) B) of its matrix, row-major, cut off
/// at the matrix's edges.
struct Problem {
    std::int64_t size = 0;  ///< N
    std::int64_t tile = 0;  ///< B; more than N means N
    std::uint64_t seed = 1;

    /// Tiles along an edge.
    [[nodiscard]] std::int64_t tiles() const { return (size + tile - 1) / tile; }
    /// First element, along an edge, of tile `index`; the matrix's end for index tiles().
    [[nodiscard]] std::int64_t begin(std::int64_t index) const {
        return std::min(index * tile, size);
    }
    /// Elements along an edge of tile `index`.
    [[nodiscard]] std::int64_t extent(std::int64_t index) const {
        return begin(index + 1) - begin(index);
    }
    [[nodiscard]] std::int64_t elements(TileIndex index) const {
        return extent(index.row) * extent(index.column);
    }
    /// The number of a tile, counted row by row.
    [[nodiscard]] std::int64_t number(TileIndex index) const {
        return index.row * tiles() + index.column;
    }
    /// Bytes of the largest tile.
    [[nodiscard]] Bytes tile_bytes() const { return bytes_of<float>(elements({})); }
    [[nodiscard]] Bytes matrix_bytes() const { return bytes_of<float>(size * size); }

    /// 2 N^3 - N^2: N^2 dot products of N products and N - 1 additions (the paper's VI.B).
    [[nodiscard]] Flops flops() const;
};

/// Makes rows [first, first + count) of the columns of tile column `column` of A or B ("A", "B"),
/// row-major.
void fill_rows(const Problem& problem, std::string_view matrix, std::int64_t first,
               std::int64_t count, std::int64_t column, std::span<float> out);
/// Makes a tile of A or B, row-major.
inline void fill_tile(const Problem& problem, std::string_view matrix, TileIndex index,
                      std::span<float> out) {
    fill_rows(problem, matrix, problem.begin(index.row), problem.extent(index.row), index.column,
              out);
}

/// The tiles of C that one rank owns: rows x columns of tiles. Empty if there are more ranks
/// than tiles.
struct Block {
    Range rows;
    Range columns;

    [[nodiscard]] std::int64_t tiles() const { return rows.size() * columns.size(); }
    [[nodiscard]] bool empty() const { return tiles() == 0; }
};

/// All tiles of a matrix.
inline Block whole(const Problem& problem) {
    const Range all{0, problem.tiles()};
    return {all, all};
}

/// `use(tile)` for each tile of a block, row by row.
template <typename Use>
void for_each_tile(const Block& block, Use use) {
    for (std::int64_t row = block.rows.begin; row < block.rows.end; ++row) {
        for (std::int64_t column = block.columns.begin; column < block.columns.end; ++column) {
            use(TileIndex{row, column});
        }
    }
}

/// Distributes the tiles of C over ranks in near-square blocks, whole columns of ranks side by
/// side:
///
///     4 ranks      7 ranks      column c of P ranks in Q columns has ranks
///     0 2          0 3          [cP/Q, (c + 1)P/Q), as wide as their share; its tile rows
///     1 3          1 4          are spread evenly. Q is the count for which the largest
///                  2 5          block has the fewest elements, then the least half perimeter
///                    6          (what it reads). For P = R x C this is the R x C grid.
///
/// By rank. A C tile stays with its owner from the first product to the last; results never move.
std::vector<Block> partition(const Problem& problem, int ranks);

/// The edge of about equal tiles, at most 1024, of which each rank has two.
std::int64_t even_tile(std::int64_t size, int ranks);

/// Elements [begin, end) along an edge that a range of tiles covers.
inline Range elements_of(const Problem& problem, const Range& tiles) {
    return {problem.begin(tiles.begin), problem.begin(tiles.end)};
}

/// Elements of a block.
inline std::int64_t elements_in(const Problem& problem, const Block& block) {
    return elements_of(problem, block.rows).size() * elements_of(problem, block.columns).size();
}

/// The element at which a tile of a block begins if the block is stored in columns of tiles: the
/// tiles of one column follow one another, each row-major.
std::int64_t offset_in_block(const Problem& problem, const Block& block, TileIndex tile);

/// Bytes that one rank moves between two levels of memory: files and host, or host and GPU.
struct Traffic {
    Bytes read;     ///< of A and B
    Bytes written;  ///< of C

    [[nodiscard]] Bytes sum() const { return read + written; }
};

/// One way to compute C = A B, with its data in place before the clock starts. One class for each
/// way: resident in memory, by a schedule in bounded memory, data flow, library. Constructors make
/// the memory, by the rules of device::Arena.
class Product {
  public:
    virtual ~Product() = default;

    /// Called once, before anything else: writes A and B where they are in memory. Collective.
    virtual void set_up() {}
    /// Before each run, outside of the time.
    virtual void prepare() {}
    /// The timed step: all products, with the results stored. `stream` computes; all work is done
    /// on return. Does not allocate.
    virtual void run(device::Stream& stream) = 0;
    /// After a run, outside of the time: brings the result to where result() reads it. Collective.
    virtual void collect() {}

    /// A tile of A in one of this rank's tile rows, or of B in one of its tile columns, for the
    /// check. The span stays valid until the next call of any member. Throws Failure if it
    /// cannot be read.
    virtual std::span<const float> input(Operand operand, TileIndex tile) = 0;
    /// A tile of C that the rank owns, of the last run. The span stays valid as input()'s does.
    virtual std::span<const float> result(TileIndex tile) = 0;
    /// Tells whether this rank has the result of a tile of its block.
    [[nodiscard]] virtual bool owns(TileIndex /*tile*/) const { return true; }

    /// This rank's part of A and B in memory, which runs do not change; empty if they are in
    /// files. The products read nothing but the parts of all ranks.
    [[nodiscard]] virtual device::View<const std::byte> input_memory() const { return {}; }
    /// Says in words how it ran.
    [[nodiscard]] virtual std::string note() const = 0;
    /// Figures of the last run beside its time. Same answer on all ranks. Collective over `world`.
    [[nodiscard]] virtual bench::Details details(const comm::Communicator& /*world*/) const {
        return {};
    }
};

}  // namespace quartet::matmul
