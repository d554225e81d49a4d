#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "device/device.hpp"
#include "matmul/library/block_cyclic.hpp"
#include "matmul/library/scalapack.hpp"

namespace quartet::matmul {

/// A rank's blocks of a matrix in a block-cyclic distribution, as ScaLAPACK is told of them.
struct LibraryBlocks {
    std::span<float> elements;
    Descriptor descriptor;
    int context = 0;
};

/// A matrix in strips of whole tile rows (strip_of()), one a rank: as it is read from files,
/// written and checked.
class LibraryStrips {
  public:
    /// `memory` has the rank's strip, one element at least. Collective over the system's ranks.
    LibraryStrips(const Problem& problem, int ranks, int rank, const BlacsSystem& system,
                  device::Buffer<float> memory);
    /// The elements of the largest strip of all ranks.
    static std::int64_t most_elements(const Problem& problem, int ranks);

    [[nodiscard]] const Block& mine() const { return mine_; }
    /// Redistribute all ranks' blocks to their strips, and back. Collective.
    void collect(const LibraryBlocks& from);
    void distribute(const LibraryBlocks& to);
    /// A tile of this rank's strip; valid until the next call. Local.
    [[nodiscard]] std::span<const float> tile(TileIndex index);
    /// Takes a tile into the strip. Local.
    void put(TileIndex index, std::span<const float> elements);

  private:
    using MoveRows = std::function<void(int rows, int begin, Descriptor& strips)>;
    void for_some_rows(const MoveRows& move) const;
    [[nodiscard]] std::span<float> line(TileIndex tile, std::int64_t number);

    Problem problem_;
    int ranks_;
    Block mine_;
    BlacsGrid grid_;                ///< one row of processes
    device::Buffer<float> memory_;  ///< the strip, row-major
    std::vector<float> tile_;
};

/// Elements of all ranks that are redistributed at a time.
inline constexpr std::int64_t redistributed_at_a_time = std::int64_t{1} << 26;

}  // namespace quartet::matmul
