#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bench/data/tile_folder.hpp"
#include "core/files/tiles.hpp"
#include "core/units.hpp"

namespace quartet::matmul {

/// Which input matrix.
enum class Operand { a, b };

/// "A" or "B", as in file names and in what entries are functions of.
constexpr std::string_view name(Operand operand) {
    return operand == Operand::a ? "A" : "B";
}

/// The number of elements in `size` bytes.
constexpr std::int64_t floats_in(Bytes size) {
    return size.value / static_cast<std::int64_t>(sizeof(float));
}

/// Position of a tile in the grid of a matrix's tiles.
struct TileIndex {
    std::int64_t row = 0;
    std::int64_t column = 0;
    bool operator==(const TileIndex&) const = default;
};

/// C = A B, all N x N in float32 (the paper's VI.B): the entries of A and B are uniform in [0, 1),
/// functions of the seed and of their position in the matrix alone, not of tile or ranks. Tile
/// (i, j) has rows [i B, (i + 1) B) and columns [j B, (j + 1) B) of its matrix, row-major, as far
/// as these are there.
struct Problem {
    std::int64_t size = 0;  ///< N
    std::int64_t tile = 0;  ///< B; more than N means N
    std::uint64_t seed = 1;

    /// Tiles along an edge.
    [[nodiscard]] std::int64_t tiles() const { return (size + tile - 1) / tile; }
    /// First element, along an edge, of tile `index`; the matrix's end for index tiles().
    [[nodiscard]] std::int64_t begin(std::int64_t index) const;
    /// Elements along an edge of tile `index`.
    [[nodiscard]] std::int64_t extent(std::int64_t index) const;
    [[nodiscard]] std::int64_t elements(TileIndex index) const;
    /// The number of a tile, counted row by row.
    [[nodiscard]] std::int64_t number(TileIndex index) const {
        return index.row * tiles() + index.column;
    }
    /// Bytes of the largest tile.
    [[nodiscard]] Bytes tile_bytes() const;
    [[nodiscard]] Bytes matrix_bytes() const { return bytes_of<float>(size * size); }

    /// 2 N^3 - N^2: N^2 dot products of N products and N - 1 additions (the paper's VI.B).
    [[nodiscard]] Flops flops() const;
};

/// Makes a tile of A or B ("A", "B"), row-major.
void fill_tile(const Problem& problem, std::string_view matrix, TileIndex index,
               std::span<float> out);
/// Makes rows [first, first + count) of the columns of tile column `column`, row-major.
void fill_rows(const Problem& problem, std::string_view matrix, std::int64_t first,
               std::int64_t count, std::int64_t column, std::span<float> out);

/// The manifest of a folder with the tiles of A and B, without checksums.
Manifest manifest_of(const Problem& problem);
/// The tiles of A and B as files ("A_0_3.npy").
std::vector<bench::TileFile> input_files(const Problem& problem);
/// The tile that a file holds, and the matrix to which it belongs.
struct NamedTile {
    std::string_view matrix;
    TileIndex index;
};
/// The tile in a file of input_files(problem), by the file's number there.
NamedTile input_tile(const Problem& problem, std::int64_t number);

}  // namespace quartet::matmul
