#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/block_range.hpp"
#include "device/memory.hpp"
#include "device/stream.hpp"

namespace quartet::device {

/// A transform of N = T M points, split over ranks so that they exchange data once:
///
///     X[k1 + M k2] = sum_t w_T^(t k2) ( w_N^(t k1) sum_m w_M^(m k1) x[t + T m] )
///
/// Rank r owns tiles t of block_range(T, P, r), tile t being x[t::T], M contiguous points, and,
/// of the result, k1 of block_range(M, P, r). Two passes: ColumnFfts does the inner sums and the
/// factors, RowFfts the outer sums over the tiles of all ranks.
///
/// Between them the data lie in cells of eight adjacent k1, [8 re | 8 im]. A rank's k1 begin at a
/// cell of its own, and its last cell may be filled in part. What goes from one rank to another is
/// one part, [cell of the receiver's k1][tile of the sender], so that a part is contiguous, and so
/// is what one outer sum reads of it. With P = 2, T = 4, M = 24, rank 0 writes
///
///     to rank 0: k1  0- 7: tiles 0, 1;  k1  8-11, 4 empty: tiles 0, 1
///     to rank 1: k1 12-19: tiles 0, 1;  k1 20-23, 4 empty: tiles 0, 1
struct FourStepFft {
    std::int64_t tiles = 1;   ///< T
    std::int64_t length = 1;  ///< M
    int ranks = 1;            ///< P
    int rank = 0;

    /// Bins of one cell.
    static constexpr std::int64_t cell_bins = 8;
    /// Doubles of one cell.
    static constexpr std::int64_t cell_size = 2 * cell_bins;

    [[nodiscard]] std::int64_t points() const { return tiles * length; }
    /// The tiles t of a rank.
    [[nodiscard]] Range tiles_of(int owner) const { return block_range(tiles, ranks, owner); }
    [[nodiscard]] Range my_tiles() const { return tiles_of(rank); }
    /// The k1 of a rank.
    [[nodiscard]] Range bins_of(int owner) const { return block_range(length, ranks, owner); }
    [[nodiscard]] Range my_bins() const { return bins_of(rank); }
    /// Cells that a rank's k1 fill, for each tile.
    [[nodiscard]] std::int64_t cells_of(int owner) const {
        return (bins_of(owner).size() + cell_bins - 1) / cell_bins;
    }

    /// Points of this rank's tiles, and of its part of the transposed result.
    [[nodiscard]] std::int64_t input_points() const { return my_tiles().size() * length; }
    [[nodiscard]] std::int64_t output_points() const { return my_bins().size() * tiles; }
    /// Doubles of the part that goes from one rank to another.
    [[nodiscard]] std::int64_t part_size(int from, int to) const {
        return cells_of(to) * tiles_of(from).size() * cell_size;
    }
    /// Doubles of all parts that this rank writes, one after another by receiver.
    [[nodiscard]] std::int64_t parts_size() const {
        std::int64_t size = 0;
        for (int to = 0; to < ranks; ++to)
            size += part_size(rank, to);
        return size;
    }
};

/// Throws Failure unless T and M are positive, T M fits 2^62 and the rank is one of them.
void require_valid(const FourStepFft& split);

/// The number of the cell, within a part, that holds a tile's bins.
constexpr std::int64_t cell_index(std::int64_t cell, std::int64_t tile, std::int64_t tiles) {
    return cell * tiles + tile;
}

/// The transforms of a rank's tiles.
class ColumnFfts {
  public:
    virtual ~ColumnFfts() = default;
    /// `tiles` holds this rank's, one after another, and keeps its values; `parts` is what the rank
    /// writes, parts_size() doubles aligned to 64 bytes. What is in a rank's last cell beyond its
    /// last bin is of no account. The pass must live until the work is synchronised.
    virtual void run(View<const std::complex<double>> tiles, View<double> parts,
                     Stream& stream) = 0;
    /// How it is done, for the record: "64 x 128 in lanes".
    [[nodiscard]] virtual std::string description() const = 0;
};

/// The sums over all tiles.
class RowFfts {
  public:
    virtual ~RowFfts() = default;
    /// `parts` has the part from each rank, aligned to 64 bytes, and lives, as does the pass, until
    /// the work is synchronised; `bins` becomes [k2][k1 of this rank]: bin k1 + M k2.
    virtual void run(std::span<const View<const double>> parts, View<std::complex<double>> bins,
                     Stream& stream) = 0;
    /// Ditto.
    [[nodiscard]] virtual std::string description() const = 0;
};

/// From the transposed result to natural order: a rank's transposed bins ascend in k, so what goes
/// to the owner of X[block_range(N, P, owner)] is contiguous in it. This pass puts what came from
/// all ranks in its place.
class Transpose {
  public:
    virtual ~Transpose() = default;
    /// `parts` has natural_part_points() from each rank and lives, as does the pass, until the work
    /// is synchronised; `bins` becomes X of this rank's block range.
    virtual void run(std::span<const View<const std::complex<double>>> parts,
                     View<std::complex<double>> bins, Stream& stream) = 0;
};

/// For who has all cells and gets the tiles from others: ColumnFfts done tile by tile. A tile's
/// transform comes as the cells of FourStepFft{1, M, 1, 0}, that is without the factors w_N^(t k1).
class ScatterTile {
  public:
    virtual ~ScatterTile() = default;
    /// Multiplies the bins of tile `tile` by their factors and puts the cells where RowFfts
    /// expects them in `parts`, parts_size() doubles of this one rank. Both are aligned to 64 bytes
    /// and live, as does the pass, until the work is synchronised.
    virtual void run(std::int64_t tile, View<const double> cells, View<double> parts,
                     Stream& stream) = 0;
};

/// For who gets the tiles one by one, too: the sums over T = R S tiles in two steps, so that most
/// of the work is done before the last tile is there. Group g has the tiles t = g + R s, whose
/// cells lie as ScatterTile puts tile s of members() into them. Their sums make one tile, the g-th,
/// of summed(), in whose cells they go with their factors. RowFfts for summed() then gives
///
///     X[k + S M q] = sum_g w_R^(g q) ( w_N^(g k) sum_s w_S^(s k2) y_(g + R s)[k1] ),  k = k1 + M
///     k2.
class PartialRowFfts {
  public:
    virtual ~PartialRowFfts() = default;
    /// The transform of one group, S tiles of M points, and of all groups, R tiles of S M points;
    /// both of one rank.
    [[nodiscard]] virtual FourStepFft members() const = 0;
    [[nodiscard]] virtual FourStepFft summed() const = 0;
    /// Sums the group's cells of the range, of members().cells_of(0). All views are aligned to 64
    /// bytes and live, as does the pass, until the work is synchronised.
    virtual void run(std::int64_t group, const Range& cells, View<const double> members,
                     View<double> summed, Stream& stream) = 0;
};

/// All of a transform by the one rank that has all tiles, without cells: the tiles' transforms, the
/// factors, and the sums over the tiles where they lie.
class SingleRankFft {
  public:
    virtual ~SingleRankFft() = default;
    /// `tiles` holds all tiles, one after another, and keeps its values unless `bins` is the same
    /// memory; `bins` becomes [k2][k1]: bin k1 + M k2. The pass must live until the work is
    /// synchronised.
    virtual void run(View<const std::complex<double>> tiles, View<std::complex<double>> bins,
                     Stream& stream) = 0;
    [[nodiscard]] virtual std::string description() const = 0;
};

/// How many of a rank's transposed bins are below k.
std::int64_t bins_below(const FourStepFft& split, int owner, std::int64_t k);
/// How many of the transposed bins of `from` lie in X of `to`.
std::int64_t natural_part_points(const FourStepFft& split, int from, int to);

}  // namespace quartet::device
